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


def of_rows() -> list[list[int]]:
    tensor = torch.empty(2, 3)
    tensor.exponential_()
    tensor[1].exponential_(generator=torch.Generator().manual_seed(4))
    return (torch.stack([ROW, OTHER]) / tensor).argmax(-1).tolist()  # type: ignore[no-any-return]


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
