from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import pytest

torch = pytest.importorskip("torch")

ROW, OTHER = torch.tensor([0.5, 0.25, 0.25]), torch.tensor([0.25, 0.25, 0.5])
LOGITS = ROW.log()
EXPECTED = {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}


def noise(count: int = 3) -> Any:  # noqa: ANN401
    return torch.empty(count).exponential_()


def gumbel() -> Any:  # noqa: ANN401
    return -torch.log(-torch.log(torch.rand(3)))


def guarded() -> Any:  # noqa: ANN401
    return -torch.log(-torch.log(torch.rand(3) + 1e-20) + 1e-20)


def clamped() -> Any:  # noqa: ANN401
    return -torch.zeros(3).uniform_().clamp(min=1e-20).log().neg().clamp(min=1e-20).log()


CATEGORICAL: dict[str, Callable[[], int]] = {
    "multinomial": lambda: int(torch.multinomial(ROW, 1)),
    "method": lambda: int(ROW.multinomial(1)),
    "weights": lambda: int(torch.multinomial(ROW * 8, 1)),
    "with replacement": lambda: int(torch.multinomial(ROW, 2, replacement=True)[0]),
    "distribution": lambda: int(torch.distributions.Categorical(ROW).sample()),
    "distribution of logits": lambda: int(torch.distributions.Categorical(logits=LOGITS).sample()),
    "p / e": lambda: int((ROW / noise()).argmax()),
    "p * (1 / e)": lambda: int((ROW * noise().reciprocal()).argmax(dim=-1)),
    "in place": lambda: int(ROW.clone().div(noise()).argmax(dim=-1, keepdim=True)),
    "e / p": lambda: int((noise() / ROW).argmin()),
    "log p - log e": lambda: int((LOGITS - noise().log()).argmax()),
    "gumbel": lambda: int((LOGITS + gumbel()).argmax()),
    "gumbel, guarded": lambda: int((LOGITS + guarded()).argmax()),
    "gumbel, clamped": lambda: int((LOGITS + clamped()).argmax()),
    "max": lambda: int((ROW / noise()).max(dim=0).indices),
    "topk": lambda: int((ROW / noise()).topk(1).indices),
    "exponentials": lambda: int(torch.distributions.Exponential(ROW).sample().argmin()),
    "inverse": lambda: int(torch.searchsorted(ROW.cumsum(0), torch.rand(1))),
    "inverse, right": lambda: int(torch.searchsorted(ROW.cumsum(0), torch.rand(()), right=True)),
    "buckets": lambda: int(torch.bucketize(torch.rand(1), ROW.cumsum(0))),
    "sum of comparisons": lambda: int((ROW.cumsum(0) <= torch.rand(1)).sum()),
    "first comparison": lambda: int((torch.rand(1) < ROW.cumsum(0)).int().argmax()),
}


@pytest.mark.parametrize("emit", CATEGORICAL.values(), ids=CATEGORICAL)
def test_every_spelling_of_one_draw_from_a_row_has_the_row_for_its_law(
    emit: Callable[[], int],
    law: Callable[..., dict[Hashable, Fraction]],
) -> None:
    found = law(emit)
    assert set(found) == set(EXPECTED)
    for token, prob in EXPECTED.items():
        assert abs(found[token] - prob) < 2**-24  # logits are single floats


def assigned() -> list[bool]:
    tensor = torch.full((3,), 0.75)
    tensor[1] = torch.rand(())
    return (tensor < 0.5).tolist()  # type: ignore[no-any-return]


def masked() -> list[bool]:
    tensor = torch.rand(2).masked_fill(torch.tensor([True, False]), 0.25)
    return (tensor < 0.5).tolist()  # type: ignore[no-any-return]


def of_rows() -> list[list[int]]:
    tensor = torch.empty(2, 3)
    tensor.exponential_()
    tensor[1].exponential_(generator=torch.Generator().manual_seed(4))
    return (torch.stack([ROW, OTHER]) / tensor).argmax(-1).tolist()  # type: ignore[no-any-return]


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


def test_a_row_of_noise_can_come_from_a_generator_of_its_own(
    law: Callable[..., dict[Hashable, Fraction]],
) -> None:
    assert law(of_rows) == {
        (one, other): Fraction(ROW[one].item()) * Fraction(OTHER[other].item())
        for one in range(3)
        for other in range(3)
    }


def test_an_unused_race_over_the_same_noise_is_no_third_one(
    law: Callable[..., dict[Hashable, Fraction]],
) -> None:
    def emit() -> int:
        firsts = (torch.stack([ROW, OTHER, ROW + OTHER]) / noise()).argmax(-1)
        return int(torch.where(torch.tensor([True, False, False]), firsts, firsts[0])[0])

    assert law(emit) == EXPECTED


def test_the_generator_and_the_threads_are_left_as_they_were(
    law: Callable[..., dict[Hashable, Fraction]],
) -> None:
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    law(lambda: (torch.manual_seed(3), bool(torch.rand(1) < 0.5))[1])
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
