"""Hypothesis profiles, and what several test files share.

``HYPOTHESIS_PROFILE`` names the profile: ``default``, ``ci`` or ``deep``.
"""

import gc
import os
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import settings

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel

settings.register_profile("default", max_examples=30, deadline=None)
settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, print_blob=True, database=None
)
settings.register_profile("deep", max_examples=5_000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True, scope="module")
def _earlier_files_out_of_sight() -> None:
    """Put what there is before a file's tests out of the garbage collector's sight.

    Exact execution searches memory for generators, and thousands of collected tests, and what
    other files have cached, would be searched with it each time.  What a test wants found, it or
    a fixture makes.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def toy() -> Callable[[int], Instance]:
    """Return the toy model of Sun et al. 2024 (arXiv:2403.10444), Section 2, for a ``gamma``."""
    target = Row([Fraction(1, 3), Fraction(2, 3)])
    draft = Row([Fraction(2, 3), Fraction(1, 3)])

    def instance(gamma: int) -> Instance:
        return Instance(ConstantModel(target), (ConstantModel(draft),), {"gamma": gamma})

    return instance
