from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_verification.subjects.exact import exact_law

torch = pytest.importorskip("torch")

ROW, OTHER = torch.tensor([0.5, 0.25, 0.25]), torch.tensor([0.25, 0.25, 0.5])
EARLIER = torch.Generator().manual_seed(3)


def seeded(seed: int) -> Any:  # noqa: ANN401
    return torch.Generator().manual_seed(seed)


def below(generator: Any = None) -> bool:  # noqa: ANN401
    return bool(torch.rand(1, generator=generator) < 0.5)


def again() -> tuple[bool, bool]:
    torch.manual_seed(3)
    first = below()
    torch.manual_seed(3)
    return first, below()


def restored() -> tuple[bool, bool]:
    state = torch.get_rng_state()
    first = below()
    torch.set_rng_state(state)
    return first, below()


SAME: dict[str, Callable[[], Any]] = {
    "equal seeds": lambda: (below(seeded(3)), below(seeded(3))),
    "a seed set again": again,
    "a state restored": restored,
    "the global generator and another": lambda: (
        torch.manual_seed(3) and below(),
        below(seeded(3)),
    ),
}


@pytest.mark.parametrize("emit", SAME.values(), ids=SAME)
def test_one_seed_gives_one_stream(emit: Callable[[], Any], law: Callable[..., Any]) -> None:
    assert law(emit) == {(True, True): Fraction(1, 2), (False, False): Fraction(1, 2)}


def test_two_seeds_give_two_streams(law: Callable[..., Any]) -> None:
    assert len(law(lambda: (below(seeded(3)), below(seeded(4))))) == 4


def test_a_stream_is_one_however_it_is_cut_up(law: Callable[..., Any]) -> None:
    def emit() -> tuple[bool, ...]:
        whole, parts = seeded(3), seeded(3)
        one = torch.rand(3, generator=whole)
        other = torch.cat([torch.rand(1, generator=parts), torch.rand(2, generator=parts)])
        return tuple(((one < 0.5) == (other < 0.5)).tolist())

    assert law(emit) == {(True, True, True): 1}


def test_draft_and_target_that_share_a_seed_are_coupled(law: Callable[..., Any]) -> None:
    def emit() -> tuple[int, int]:
        rows = (ROW, OTHER)
        first, second = (int(torch.multinomial(row, 1, generator=seeded(1))) for row in rows)
        return first, second

    found = law(emit)
    assert found[0, 0] == Fraction(1, 4)  # and not 1/8, as if they were independent
    assert (2, 0) not in found


def test_a_generator_made_before_stands_where_it_stood(law: Callable[..., Any]) -> None:
    assert law(lambda: below(EARLIER)) == {True: Fraction(1, 2), False: Fraction(1, 2)}


@pytest.mark.parametrize("drawn_before", [0, 3])
def test_a_generator_made_before_is_left_where_it_stood(
    drawn_before: int, law: Callable[..., Any]
) -> None:
    generator = torch.Generator().manual_seed(5)
    torch.rand(drawn_before, generator=generator)
    state = generator.get_state()
    for _ in range(2):
        assert law(lambda: bool(torch.rand((), generator=generator) < 0.25))[True] == 0.25
        assert torch.equal(generator.get_state(), state)


def test_one_seed_turned_into_numbers_in_two_ways_is_refused() -> None:
    def emit() -> tuple[bool, int]:
        return below(seeded(3)), int(torch.multinomial(ROW, 1, generator=seeded(3)))

    with pytest.raises(OpaqueDrawError, match="served"):
        exact_law(emit)


@torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
def hidden() -> bool:
    torch.nn.functional.alpha_dropout(torch.ones(3), 0.5, True)  # draws in C++
    return below()


def test_randomness_behind_the_replaced_functions_is_refused() -> None:
    with pytest.raises(NondeterminismError):
        exact_law(hidden)


def test_a_tensor_kept_from_an_earlier_run_is_refused() -> None:
    kept: list[Any] = []

    def emit() -> bool:
        kept.append(torch.rand(1))
        return bool(kept[0] < 0.5)

    with pytest.raises(NondeterminismError):
        exact_law(emit)
