"""Merged loops: the law and the path count of whole runs, without the runs."""

from fractions import Fraction
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError, OpaqueDrawError
from specdec_core.laws import target_joint
from specdec_core.models import Context
from specdec_core.sampling import accepts, sample
from specdec_grids.generated import pick
from specdec_grids.merging import Loop, RoundOf, merged_law
from specdec_grids.paths import exact_law
from specdec_grids.programs import Program, Steps
from specdec_grids.simplex import Simplex

HALF = Fraction(1, 2)
START: tuple[int, int] = (0, 0)
TENTHS = Simplex(3, 10)


def toss(state: tuple[int, int]) -> Program[tuple[int, int]]:
    return lambda draws: (state[0] + 1, state[1] + accepts(draws.uniform(), 1, 2))


def leap(length: int, key: str) -> RoundOf[Context]:
    """Return rounds that emit one token or several, by rows that depend on the context."""

    def round_of(context: Context) -> Program[Context]:
        def play(draws: Draws) -> Context:
            tokens = context
            for _ in range(1 + sample(row_of(key, context, "tokens"), draws.uniform())):
                if len(tokens) < length:
                    tokens = (*tokens, sample(row_of(key, tokens, "next"), draws.uniform()))
            return tokens

        return play

    return round_of


def row_of(key: str, context: Context, kind: str) -> Row:
    return pick(TENTHS, f"{key}/{context}/{kind}")


@pytest.mark.parametrize("tosses", [1, 2, 30])
def test_tosses_are_binomial(tosses: int) -> None:
    merged = merged_law(Loop(START, toss, lambda state: state[0] == tosses))
    law = merged.found.law.image(lambda state: state[1])
    assert law.probs == {k: Fraction(comb(tosses, k), 2**tosses) for k in range(tosses + 1)}
    assert merged.unmerged_paths == 2**tosses
    assert merged.states == tosses * (tosses + 1) // 2
    assert merged.found.paths == 2 * merged.states
    assert not merged.found.missing


@given(key=st.text(max_size=3), length=st.integers(1, 4))
def test_a_loop_has_the_law_and_the_paths_of_its_whole_runs(key: str, length: int) -> None:
    """Contexts of one length are come to after different numbers of rounds."""
    loop: Loop[Context] = Loop((), leap(length, key), lambda context: len(context) == length)
    merged, direct = merged_law(loop), exact_law(loop)
    assert merged.found.law == direct.law
    assert merged.unmerged_paths == direct.paths
    assert merged.found.law == target_joint(lambda context: row_of(key, context, "next"), length)


def test_a_round_in_steps_is_followed_as_one() -> None:
    steps: Steps[int] = Steps(
        (lambda _, draws: accepts(draws.uniform(), 1, 2), lambda kept, draws: 1 + kept)
    )
    merged = merged_law(Loop(0, lambda state: steps, bool))
    assert (merged.found.law.probs, merged.unmerged_paths) == ({1: HALF, 2: HALF}, 2)


def test_a_loop_that_begins_finished_plays_no_round() -> None:
    merged = merged_law(Loop("end", lambda state: pytest.fail("a round was played"), bool))
    assert merged.found.law.probs == {"end": 1}
    assert (merged.states, merged.found.paths, merged.unmerged_paths) == (0, 0, 1)


def test_orders_of_cards_are_merged_into_sets() -> None:
    """Drawing without replacement: 2**8 hands, 8! orders."""

    def draw(hand: frozenset[int]) -> Program[frozenset[int]]:
        left = sorted(set(range(8)) - hand)
        row = Row([Fraction(1, len(left))] * len(left))
        return lambda draws: hand | {left[sample(row, draws.uniform())]}

    none: frozenset[int] = frozenset()
    merged = merged_law(Loop(none, draw, lambda hand: len(hand) == 8))
    assert merged.unmerged_paths == factorial(8)
    assert merged.states == 2**8 - 1


@pytest.mark.parametrize("max_paths", range(1, 13))
def test_a_budget_leaves_missing_mass_and_never_a_wrong_law(max_paths: int) -> None:
    merged = merged_law(Loop(START, toss, lambda state: state[0] == 3), max_paths=max_paths)
    direct = exact_law(Loop(START, toss, lambda state: state[0] == 3))
    law = merged.found.law
    assert merged.found.paths == max_paths
    assert merged.found.missing == 1 - law.mass
    assert (not merged.found.missing) is (max_paths == 12)
    assert all(prob <= direct.law[state] for state, prob in law.probs.items())
    assert merged.unmerged_paths <= direct.paths


def test_a_loop_without_end_ends_at_its_budget() -> None:
    merged = merged_law(Loop(START, toss, lambda state: False), max_paths=100)
    assert merged.found.missing == 1
    assert (merged.unmerged_paths, len(merged.found.law)) == (0, 0)


@pytest.mark.parametrize("period", [1, 3])
def test_a_loop_that_comes_back_is_refused(period: int) -> None:
    def stay(state: int) -> Program[int]:
        return lambda draws: (state + 1) % period if accepts(draws.uniform(), 1, 2) else -1

    with pytest.raises(InvalidParameterError, match=r"can come back to the state [012], expected"):
        merged_law(Loop(0, stay, lambda state: state < 0))


@pytest.mark.parametrize("max_paths", [0, -1, 1.5, True])
def test_a_budget_is_a_positive_integer(max_paths: int) -> None:
    with pytest.raises(InvalidParameterError, match="max_paths"):
        merged_law(Loop(START, toss, lambda state: True), max_paths=max_paths)


def test_a_draw_that_is_kept_in_a_state_is_refused_where_it_is_used() -> None:
    """A planted fault: the second round asks for the draw of the first."""

    def keep(state: object) -> Program[object]:
        return lambda draws: draws.uniform() if state is None else state < HALF  # type: ignore[operator]

    with pytest.raises(OpaqueDrawError):
        merged_law(Loop(None, keep, lambda state: isinstance(state, bool)))
