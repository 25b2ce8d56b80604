from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

torch = pytest.importorskip("torch")

ROW = torch.tensor([0.5, 0.25])
THIRD = Fraction(torch.tensor(1 / 3).item())

BELOW_A_QUARTER: dict[str, Callable[[], Any]] = {
    "scaled": lambda: torch.rand(1) * 2 < 0.5,
    "divided": lambda: torch.rand(1) / ROW[0] < 0.5,
    "shifted": lambda: torch.rand(1) + 1 < 1.25,
    "from a number": lambda: 1 - torch.rand(1) > 0.75,
    "negative": lambda: -torch.rand(1) > -0.25,
    "in place": lambda: torch.rand(1).mul_(2).add_(1) < 1.5,
    "logarithm": lambda: torch.rand(1).log2() < -2,
    "square": lambda: torch.rand(1) ** 2 < 0.0625,
    "root": lambda: torch.rand(1).sqrt() < 0.5,
    "reciprocal": lambda: torch.rand(1).reciprocal() > 4,
    "exponential": lambda: torch.rand(1).log().exp() < 0.25,
    "minimum": lambda: torch.minimum(torch.rand(1), ROW[0]) < 0.25,
    "clamp": lambda: torch.rand(1).clamp(max=0.5) < 0.25,
    "relu": lambda: torch.relu(torch.rand(1) - 0.75) > 0,
    "other side": lambda: ROW[1] > torch.rand(1),
}


@pytest.mark.parametrize("emit", BELOW_A_QUARTER.values(), ids=BELOW_A_QUARTER)
def test_every_way_to_compare_with_a_quarter(
    emit: Callable[[], Any], law: Callable[..., Any]
) -> None:
    assert float(law(lambda: emit().item())[True]) == pytest.approx(1 / 4, abs=1e-15)


def test_a_number_is_rounded_to_the_type_of_the_draw(law: Callable[..., Any]) -> None:
    assert law(lambda: (torch.rand(1) < 1 / 3).item())[True] == THIRD
    assert law(lambda: (torch.rand(1).double() < 1 / 3).item())[True] == Fraction(1 / 3)


def test_a_draw_is_a_number_with_probability_zero(law: Callable[..., Any]) -> None:
    assert law(lambda: (torch.rand(1) == 0).item()) == {False: 1}
    assert law(lambda: (torch.rand(1) != 0).item()) == {True: 1}
