from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import pytest

torch = pytest.importorskip("torch")

ROW, OTHER = torch.tensor([0.5, 0.25, 0.25]), torch.tensor([0.25, 0.25, 0.5])
LOGITS = ROW.log()


def noise(count: int = 3) -> Any:  # noqa: ANN401
    return torch.empty(count).exponential_()


def gumbel() -> Any:  # noqa: ANN401
    return -torch.log(-torch.log(torch.rand(3)))


def assigned() -> list[bool]:
    tensor = torch.full((3,), 0.75)
    tensor[1] = torch.rand(())
    return (tensor < 0.5).tolist()  # type: ignore[no-any-return]


def masked() -> list[bool]:
    tensor = torch.rand(2).masked_fill(torch.tensor([True, False]), 0.25)
    return (tensor < 0.5).tolist()  # type: ignore[no-any-return]


def shared() -> tuple[int, int]:
    drawn = noise()
    return int((ROW / drawn).argmax()), int((OTHER / drawn).argmax())


SUPPORTED: dict[str, Callable[[], Any]] = {
    "rand": lambda: (torch.rand(2, 2) < 0.25).tolist(),
    "rand_like": lambda: (torch.rand_like(ROW) >= ROW).tolist(),
    "out": lambda: (torch.rand(2, out=torch.empty(2)) > 0.5).tolist(),
    "uniform_": lambda: (torch.empty(2).uniform_(-1, 3) <= 0).tolist(),
    "float64": lambda: (torch.rand(1, dtype=torch.float64) < 0.3).tolist(),
    "float16": lambda: (torch.rand(1, dtype=torch.float16) < 0.3).tolist(),
    "bfloat16": lambda: (torch.rand(1, dtype=torch.bfloat16) < 0.3).tolist(),
    "affine": lambda: (1 - torch.rand(2) * 2 < 0.5).tolist(),
    "product": lambda: (torch.rand(3) * OTHER < ROW).tolist(),
    "logarithm": lambda: (torch.rand(3).log() < ROW.log() - 0.1).tolist(),
    "exponential": lambda: (torch.rand(1).exp() < 2).tolist(),
    "clamp": lambda: (torch.rand(2).clamp(0.25, 0.5) <= 0.25).tolist(),
    "bernoulli": lambda: torch.bernoulli(ROW).tolist(),
    "bernoulli_": lambda: torch.empty(2).bernoulli_(0.25).tolist(),
    "coins": lambda: torch.distributions.Bernoulli(ROW).sample().tolist(),
    "uniforms": lambda: bool(torch.distributions.Uniform(0.0, 2.0).sample() < 0.5),
    "randint": lambda: torch.randint(1, 4, (2,)).tolist(),
    "randperm": lambda: torch.randperm(3).tolist(),
    "without replacement": lambda: torch.multinomial(ROW, 3).tolist(),
    "rows": lambda: torch.multinomial(torch.stack([ROW, OTHER]), 1).tolist(),
    "first of two": lambda: (LOGITS + gumbel()).topk(2).indices.tolist(),
    "cat": lambda: (torch.cat([torch.rand(1), ROW]) < 0.4).tolist(),
    "where": lambda: (torch.where(ROW < 0.4, torch.rand(3), ROW) < 0.5).tolist(),
    "gather": lambda: (torch.rand(3).gather(0, torch.tensor([2, 2, 0])) < 0.5).tolist(),
    "shapes": lambda: (torch.rand(4).view(2, 2).T[:, :1].expand(2, 2).flip(0) < 0.5).tolist(),
    "assigned": assigned,
    "masked": masked,
    "shared noise": shared,
}


@pytest.mark.parametrize("emit", SUPPORTED.values(), ids=SUPPORTED)
def test_the_real_functions_draw_from_the_exact_law(
    emit: Callable[[], Any],
    law: Callable[..., dict[Hashable, Fraction]],
    agrees: Callable[..., None],
) -> None:
    found = law(emit)
    assert sum(found.values()) == 1
    agrees(emit, found)
