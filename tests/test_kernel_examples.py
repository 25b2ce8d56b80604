"""Kernels in numpy, C and Triton: each passes, and its slips fail where they can be seen."""

import importlib.util
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from specdec_core.rules import rule_named
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.loading import load
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.kernels import kernel_on
from specdec_verification.subjects.malformed_rows import PlacedVerify, check_malformed_rows
from specdec_verification.subjects.uniforms import Reference, check_boundaries, check_lattice

EXAMPLES = Path(__file__).parent.parent / "examples"
LABELS = Labels("", "", "", "", "")
RULE = rule_named("token_rejection_bonus")
AVAILABLE = {
    "numpy_kernel": True,
    "c_kernel": shutil.which("cc") is not None,
    "triton_kernel": all(map(importlib.util.find_spec, ("torch", "triton"))),
}
NUMBERS = {"numpy_kernel": (1, 4, 6, 7), "c_kernel": (1, 4, 6, 7), "triton_kernel": (1, 4)}
"""Of dyadic instances: a round takes Triton's interpreter some milliseconds."""


class Found(NamedTuple):
    """The verdicts of one kernel."""

    lattice: bool
    boundaries: bool
    malformed_rows: bool


PASSES = Found(True, True, True)
KERNELS = {
    "numpy_kernel:verify": PASSES,
    "numpy_kernel:verify_at_equality": Found(True, False, True),
    "numpy_kernel:verify_from_target": Found(False, False, True),
    "numpy_kernel:verify_past_the_end": Found(True, False, False),
    "numpy_kernel:verify_trusting": Found(True, True, False),
    "c_kernel:verify": PASSES,
    "c_kernel:verify_at_equality": Found(True, False, True),
    "c_kernel:verify_without_bounds": Found(True, True, False),
    "triton_kernel:verify": PASSES,
    "triton_kernel:verify_at_equality": Found(True, False, True),
}


@pytest.fixture(autouse=True, scope="module")
def _interpreted() -> None:
    os.environ.setdefault("TRITON_INTERPRET", "1")


@pytest.mark.parametrize(("name", "expected"), KERNELS.items(), ids=KERNELS)
def test_every_kernel_gets_the_verdicts_that_it_deserves(name: str, expected: Found) -> None:
    form, function = name.split(":")
    if not AVAILABLE[form]:
        pytest.skip(f"{form} needs what is not installed")
    place = f"{EXAMPLES / form / 'kernel.py'}:{function}"
    references = [Reference(RULE, dyadic_instance(RULE, number)) for number in NUMBERS[form]]
    kernels = [kernel_on(load(place), reference.instance) for reference in references]
    pairs = list(zip(kernels, references, strict=True))
    small = pairs[:1] if form == "triton_kernel" else pairs
    lattices = [check_lattice(*pair, LABELS).verdict for pair in small]
    boundaries = [check_boundaries(*pair, LABELS).verdict for pair in pairs]
    malformed = check_malformed_rows(PlacedVerify(place), "float32", LABELS).verdict
    assert set(lattices) <= {Verdict.PASSED, Verdict.FAILED}
    assert (
        Found(
            all(verdict is Verdict.PASSED for verdict in lattices),
            all(verdict is Verdict.PASSED for verdict in boundaries),
            malformed is Verdict.PASSED,
        )
        == expected
    )
