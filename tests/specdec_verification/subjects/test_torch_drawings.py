import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.subjects.exact import exact_law

torch = pytest.importorskip("torch")

F = torch.nn.functional
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
    "randint by name": lambda: torch.randint(high=3, size=(2,)).tolist(),
    "randint, both by name": lambda: torch.randint(low=1, high=3, size=(2,)).tolist(),
    "divided in place": lambda: int(ROW.clone().div_(noise()).argmax()),
    "added in place": lambda: int(LOGITS.clone().add_(gumbel()).argmax()),
    "guarded twice": lambda: int(
        (LOGITS - torch.log(-torch.log(torch.rand(3) + 1e-20) + 1e-20)).argmax()
    ),
    "above the smallest": lambda: int((ROW / noise().clamp_min(1e-30)).argmax()),
    "sorted": lambda: (LOGITS + gumbel()).sort(descending=True).indices[:2].tolist(),
    "sorted, stable": lambda: noise().sort(stable=True, dim=0).indices.tolist(),
    "the order": lambda: (LOGITS + gumbel()).argsort(dim=-1).tolist(),
    "gumbel_softmax": lambda: F.gumbel_softmax(LOGITS, tau=0.5, hard=True).tolist(),
    "gumbel_softmax of rows": lambda: (
        F.gumbel_softmax(torch.stack([LOGITS, LOGITS.flip(0)]), 1, True, dim=0).argmax(0).tolist()
    ),
    "an integer": lambda: int(torch.rand(1) * 3),
    "integers": lambda: (torch.rand(2) * 2).long().tolist(),
    "floor and ceil": lambda: ((torch.rand(1) * 2).floor() + 1).tolist(),
    "absolute": lambda: bool((torch.rand(1) - 0.5).abs() < 0.2),
    "no nan": lambda: bool(torch.isnan(torch.rand(2)).any()),
    "the largest": lambda: (lambda e: (e == e.max()).tolist())(noise(2)),
    "a number of Python's": lambda: bool(torch.tensor(random.random()) < 0.25),
    "numbers of Python's": lambda: (torch.tensor([random.random(), 0.5]) < 0.25).tolist(),
    "an array of numpy's": lambda: (torch.from_numpy(np.random.rand(2)) < 0.25).tolist(),
    "an array as it is": lambda: (torch.as_tensor(np.random.rand(2)) < 0.25).tolist(),
    "randperm": lambda: torch.randperm(3).tolist(),
    "without replacement": lambda: torch.multinomial(ROW, 3).tolist(),
    "rows": lambda: torch.multinomial(torch.stack([ROW, OTHER]), 1).tolist(),
    "first of two": lambda: (LOGITS + gumbel()).topk(2).indices.tolist(),
    "cat": lambda: (torch.cat([torch.rand(1), ROW], dim=-1) < 0.4).tolist(),
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


def test_a_look_at_the_type_of_a_tensor_is_found_out() -> None:
    def typed() -> bool:
        drawn = torch.rand(1)
        return bool(drawn < (0.25 if type(drawn) is torch.Tensor else 0.75))

    with pytest.raises(OpaqueDrawError, match="where they were numbers"):
        exact_law(typed)


def test_a_half_made_of_a_double_is_refused() -> None:
    with pytest.raises(OpaqueDrawError, match=r"conversion of draws to torch\.float16"):
        exact_law(lambda: torch.tensor([random.random()], dtype=torch.float16) < 0.5)
