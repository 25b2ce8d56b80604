from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

ROW = torch.tensor([0.5, 0.25, 0.25])


UNDERSTOOD: dict[str, Callable[[], Any]] = {
    "an item": lambda: torch.rand(1).item() < 0.25,
    "a list": lambda: torch.rand(1).tolist()[0] < 0.25,
    "an array": lambda: bool((torch.rand(1).numpy() < 0.25)[0]),
    "an item times a tensor": lambda: bool(torch.rand(1).item() * ROW[0] < 0.125),
    "a tensor above an item": lambda: bool(torch.tensor(0.25) > torch.rand(1).item()),
    "a copy": lambda: bool(torch.rand(1).clone().detach().double() < 0.25),
    "TorchScript": lambda: bool(torch.jit.script(_below)(torch.rand(1))),
    "memory in TorchScript": lambda: bool(torch.jit.script(_below)(torch.empty(1).uniform_())),
}


def _below(drawn: torch.Tensor) -> torch.Tensor:
    return drawn < 0.25


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:FutureWarning")
@pytest.mark.parametrize("emit", UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_a_draw_that_is_read_as_itself_is_still_followed(
    emit: Callable[[], Any], law: Callable[..., Any]
) -> None:
    assert law(emit)[True] == 1 / 4
