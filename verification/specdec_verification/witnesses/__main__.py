"""`python -m specdec_verification.witnesses DIR`: search the witnesses anew, and store them.

It takes minutes, and finds the ones that are stored; with DIR the folder of this package it
replaces them.
"""

import sys
from pathlib import Path

from specdec_verification.witnesses.search import Effort, find_all
from specdec_verification.witnesses.stored import store

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m specdec_verification.witnesses DIR")
    store(find_all(Effort()), Path(sys.argv[1]))
