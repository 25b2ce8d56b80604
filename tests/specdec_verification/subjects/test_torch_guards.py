import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.exact import exact_law

torch = pytest.importorskip("torch")

ROW = torch.tensor([0.5, 0.25, 0.25])


def race(guard: float) -> int:
    return int((ROW.log() - torch.log(-torch.log(torch.rand(3)) + guard)).argmax())


def test_a_guard_that_noise_can_feel_is_refused() -> None:
    with pytest.raises(OpaqueDrawError, match="comparison of two draws"):
        exact_law(lambda: race(1e-6))


def test_a_guard_that_it_cannot_feel_changes_nothing() -> None:
    assert exact_law(lambda: race(1e-20)).law == exact_law(lambda: race(0.0)).law


def test_a_guard_stays_one_in_a_comparison() -> None:
    found = exact_law(lambda: bool(torch.rand(1).clamp(min=0.25) <= 0.25)).law
    assert found[True] == 1 / 4
