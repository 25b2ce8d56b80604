from fractions import Fraction
from typing import Any

import pytest

from specdec_grids.resolutions import LeftEndpoints
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.streams import as_drawn

torch = pytest.importorskip("torch")
from specdec_verification.subjects.torch_resolutions import Rounded, resolution_of  # noqa: E402

HALVES = {torch.float16: 11, torch.bfloat16: 8}
THRESHOLDS = (0.0, 2.0**-24, 1e-7, 3e-5, 0.1, 0.25, 0.3, 0.5, 0.9, 2047 / 2048, 255 / 256, 1.0)


def test_the_full_floats_are_lattices() -> None:
    assert resolution_of(torch.float32) == LeftEndpoints(1 << 24)
    assert resolution_of(torch.float64) == LeftEndpoints(1 << 53)


@pytest.mark.parametrize("inclusive", [False, True])
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_the_halves_are_rounded_singles(dtype: Any, threshold: float, inclusive: bool) -> None:  # noqa: ANN401
    """Every one of the 2^24 points is rounded by torch, and counted."""
    resolution = resolution_of(dtype)
    assert resolution == Rounded(1 << 24, HALVES[dtype])
    points = (torch.arange(1 << 24).double() / (1 << 24)).float().to(dtype)
    points = torch.where(points == 1, torch.zeros_like(points), points).double()
    below = (points <= threshold) if inclusive else (points < threshold)
    exact = Fraction(threshold)
    assert resolution.below(exact.numerator, exact.denominator, inclusive) == (int(below.sum()), 1)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_a_representative_lies_in_its_interval(dtype: Any) -> None:  # noqa: ANN401
    resolution = resolution_of(dtype)
    below, above = resolution.whole.cut(*resolution.below(1, 3, inclusive=False))
    assert resolution.representative(below) < Fraction(1, 3) <= resolution.representative(above)


def test_zero_has_a_mass_where_it_is_drawn() -> None:
    def emit() -> bool:
        return bool(torch.rand(1, dtype=torch.float16) <= 0)

    found = exact_law(emit, Execution(resolved=as_drawn))
    assert found.law[True] == Fraction(4097, 1 << 24)
    assert exact_law(emit).law[True] == 0
