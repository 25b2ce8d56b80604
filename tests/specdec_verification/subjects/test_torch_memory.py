from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")


def one_row() -> Any:  # noqa: ANN401
    tensor = torch.full((2, 2), 0.25)
    tensor[0].uniform_()
    return tensor


def through_a_view() -> Any:  # noqa: ANN401
    tensor = torch.full((4,), 0.25)
    view = tensor.view(2, 2)
    tensor[:2].uniform_()
    return view


def through_a_copy() -> Any:  # noqa: ANN401
    tensor = torch.full((2, 2), 0.25)
    tensor[0].copy_(torch.rand(2))
    return tensor


def in_inference_mode() -> Any:  # noqa: ANN401
    with torch.inference_mode():
        return one_row()


@pytest.mark.parametrize("fill", [one_row, through_a_view, through_a_copy, in_inference_mode])
def test_what_is_filled_in_part_is_known_through_every_view(
    fill: Callable[[], Any], law: Callable[..., Any]
) -> None:
    found = law(lambda: (fill() < 0.5).tolist())
    assert found == {((one, other), (True, True)): 1 / 4 for one in (0, 1) for other in (0, 1)}


def test_integers_that_a_race_decides_can_be_assigned(law: Callable[..., Any]) -> None:
    def emit() -> Any:  # noqa: ANN401
        tokens = torch.full((2,), -1)
        tokens[:1] = (torch.tensor([0.25, 0.75]) / torch.empty(2).exponential_()).argmax()
        return tokens.tolist()

    assert law(emit) == {(0, -1): 1 / 4, (1, -1): 3 / 4}
