"""Instances on which every fault of a family shows, found by search and kept with the package."""

from specdec_verification.witnesses.showing import witness_of
from specdec_verification.witnesses.stored import Witness, witness

__all__ = ["Witness", "witness", "witness_of"]
