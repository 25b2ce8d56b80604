import re
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.laws import Law
from specdec_core.sampling import accepts, sample
from specdec_grids.paths import exact_law
from specdec_grids.populations import (
    BATCH,
    RESOLUTION,
    Column,
    Counts,
    merge_counts,
    outcome_counts,
    sample_counts,
)
from tests.specdec_grids.conftest import MAX_DRAWS, TreeProgram, tree_programs

FALSE_FAIL_RATE = 1e-9
"""Of one call of `is_drawn_from`, and there are a few hundred of them in a run."""

seeds = st.integers(0, 2**63)


def is_drawn_from(counts: Counts[Any], law: Law[Any]) -> bool:
    """Return whether each count lies within exact binomial bounds, at the false-fail rate."""
    assert set(counts.counts) <= set(law)
    tail = FALSE_FAIL_RATE / (2 * len(law))
    points = counts.points
    return all(
        binom.cdf(counts[outcome], points, float(law[outcome])) >= tail
        and binom.sf(counts[outcome] - 1, points, float(law[outcome])) >= tail
        for outcome in law
    )


def constant_rng(numerator: int) -> Any:  # noqa: ANN401
    """Return a generator, as far as `sample_counts` uses one, that always draws one number."""
    return SimpleNamespace(integers=lambda high, size: np.full(size, numerator % high))


# Sampling.


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "floating"])
def test_sampled_counts_follow_the_law(exact: bool) -> None:
    row = Row([Fraction(1, 2), Fraction(0), Fraction(3, 8), Fraction(1, 8)])
    row = row if exact else Row(map(float, row))

    def program(draws: Draws) -> tuple[bool, int, bool]:
        u = draws.uniform()
        kept = accepts(u, row[3], row[0])
        token = sample(row, draws.uniform()) if kept else -1
        return kept, token, 1 - u > 0.25  # type: ignore[operator]

    counts = sample_counts(program, 1_000_000, np.random.default_rng())
    assert counts.points == 1_000_000
    assert is_drawn_from(counts, exact_law(program).law)


@given(tree_programs(), seeds)
def test_any_program_s_samples_follow_its_law(program: TreeProgram, seed: int) -> None:
    counts = sample_counts(program, 2000, np.random.default_rng(seed))
    assert counts.points == 2000
    assert is_drawn_from(counts, exact_law(program).law)


def test_a_law_that_is_a_little_off_is_seen() -> None:
    """The planted fault: an eighth more, of ten thousand."""
    counts = sample_counts(
        lambda draws: accepts(draws.uniform(), 5, 8), 10_000, np.random.default_rng()
    )
    law = exact_law(lambda draws: accepts(draws.uniform(), 4, 8)).law
    assert not is_drawn_from(counts, law)


def test_one_generator_gives_the_same_counts_again() -> None:
    program = lambda draws: sample(Row([0.25, 0.75]), draws.uniform())  # noqa: E731
    one, again, other = (
        sample_counts(program, 100_000, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


@pytest.mark.parametrize("size", [1, 2, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 1])
def test_batches_add_up(size: int) -> None:
    counts = sample_counts(
        lambda draws: accepts(draws.uniform(), 1, 2), size, np.random.default_rng()
    )
    assert counts.points == size
    assert min(counts.counts.values()) > 0


def test_the_draws_of_a_batch_are_its_own() -> None:
    """Two batches of the same numbers would make every count even."""
    program = lambda draws: accepts(draws.uniform(), 1, 2)  # noqa: E731
    odd = [
        sample_counts(program, 2 * BATCH, np.random.default_rng(seed))[True] % 2
        for seed in range(100)
    ]
    assert any(odd)


@pytest.mark.parametrize("size", [0, -1])
def test_no_sample_is_too_few(size: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"size is {size}"):
        sample_counts(lambda _: 0, size, np.random.default_rng())


@pytest.mark.parametrize("kind", [Fraction, float])
def test_draws_have_fifty_three_bits_from_zero_to_just_below_one(kind: Any) -> None:  # noqa: ANN401
    zero, one, last = map(kind, (0, 1, Fraction(RESOLUTION - 1, RESOLUTION)))

    def program(draws: Draws) -> tuple[Any, ...]:
        u = draws.uniform()
        return u <= zero, u < one, u < last  # type: ignore[operator]

    assert sample_counts(program, 3, constant_rng(0)).counts == {(True, True, True): 3}
    assert sample_counts(program, 3, constant_rng(-1)).counts == {(False, True, False): 3}


# Points against replays.


@pytest.mark.parametrize("number", [Fraction, float])
@given(data=st.data(), seed=seeds)
def test_each_point_goes_where_its_replay_goes(
    number: type[Fraction] | type[float], data: st.DataObject, seed: int
) -> None:
    program = data.draw(tree_programs(number=number, denominators=(8,)))
    denominator = data.draw(st.sampled_from([8, 16, 24] if number is Fraction else [8, 16]))
    numerators = np.random.default_rng(seed).integers(denominator, size=(MAX_DRAWS, 50))
    counts = outcome_counts(program, 50, lambda index: Column(numerators[index], denominator))
    expected = Counter(
        program(ReplayedDraws([number(Fraction(int(n), denominator)) for n in point]))
        for point in numerators.T
    )
    assert counts == expected


@given(st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=20), seeds)
def test_a_floating_question_is_rounded_as_in_a_replay(thresholds: list[float], seed: int) -> None:
    """Products and sums are rounded once each, and a tie falls where the replay lets it fall."""
    numerators = np.random.default_rng(seed).integers(10, size=30)

    def program(draws: Draws) -> tuple[bool, ...]:
        u = draws.uniform()
        tenths = [u * 0.1 < k / 100 for k in range(10)] + [u - 0.3 <= k / 10 for k in range(8)]  # type: ignore[operator]
        return (*tenths, *(accepts(u, 0.7 * t, t) for t in thresholds))  # type: ignore[return-value]

    counts = outcome_counts(program, 30, lambda _: Column(numerators, 10))
    assert counts == Counter(program(ReplayedDraws([int(n) / 10])) for n in numerators)


@pytest.mark.parametrize(
    "row", [Row([0.1] * 10), Row([0.3, 0.0, 0.7 - 2.0**-31, 0.0]), Row([1 / 3] * 3)]
)
def test_a_floating_row_is_inverted_as_in_a_replay(row: Row) -> None:
    numerators = np.array([0, 1, RESOLUTION // 3, RESOLUTION // 10, RESOLUTION - 1])
    counts = outcome_counts(
        lambda draws: sample(row, draws.uniform()), 5, lambda _: Column(numerators, RESOLUTION)
    )
    assert counts == Counter(sample(row, int(n) / RESOLUTION) for n in numerators)


def test_exact_questions_are_not_rounded() -> None:
    """Two thirds lie a third of a step above a point; as a double they lie on it."""
    point = 2 * RESOLUTION // 3
    assert point / RESOLUTION == 2 / 3
    numerators = np.array([point, point + 1, point + 2])
    row = Row([Fraction(2, 3), Fraction(1, 3)])
    for program in (
        lambda draws: sample(row, draws.uniform()) == 0,
        lambda draws: accepts(draws.uniform(), Fraction(2, 3), 1),
        lambda draws: draws.uniform() <= Fraction(2, 3),
        lambda draws: not draws.uniform() > Fraction(2, 3),
    ):
        counts = outcome_counts(program, 3, lambda _: Column(numerators, RESOLUTION))
        assert counts == {True: 1, False: 2}


def test_a_column_is_asked_for_once_a_draw_and_only_if_it_is_taken() -> None:
    asked: list[int] = []

    def column_of(index: int) -> Column:
        asked.append(index)
        return Column(np.arange(4), 4)

    def program(draws: Draws) -> bool:
        return accepts(draws.uniform(), 1, 2) or accepts(draws.uniform(), 1, 4)

    assert outcome_counts(program, 4, column_of) == {True: 2, False: 2}
    assert asked == [0, 1]


def test_points_that_answer_alike_stay_together() -> None:
    runs: list[int] = []

    def program(draws: Draws) -> int:
        runs.append(1)
        u = draws.uniform()
        return sample(Row([Fraction(1, 4)] * 4), u) if u < 0.75 else 9  # type: ignore[operator]

    column = Column(np.array([4, 5, 0, 4, 1, 7]), 8)
    assert outcome_counts(program, 6, lambda _: column) == {2: 3, 0: 2, 9: 1}
    assert len(runs) == 3


# Counts.


def test_counts_are_read_like_a_mapping_that_holds_everything() -> None:
    counts = Counts({"a": 3, "b": 1})
    assert (counts["a"], counts["b"], counts["c"], counts.points) == (3, 1, 0, 4)
    assert counts.law == Law({"a": Fraction(3, 4), "b": Fraction(1, 4)})
    assert Counts({}).points == 0
    assert len(Counts({}).law) == 0


def test_counts_do_not_change_with_what_they_were_made_from() -> None:
    made_from = {"a": 1}
    counts = Counts(made_from)
    made_from["a"] = 2
    assert counts["a"] == 1
    with pytest.raises(TypeError, match=re.escape("does not support item assignment")):
        counts.counts["a"] = 3  # type: ignore[index]


@given(st.lists(st.dictionaries(st.integers(0, 3), st.integers(1, 9))))
def test_merged_counts_are_sums(parts: list[dict[int, int]]) -> None:
    expected: Counter[int] = sum(map(Counter, parts), Counter())
    assert merge_counts(parts) == Counts(expected)
    assert merge_counts(reversed(parts)) == Counts(expected)


def test_counts_of_different_points_are_not_equal() -> None:
    assert Counts({0: 1}) != Counts({0: 2})
    assert Counts({0: 1, 1: 1}) == Counts({1: 1, 0: 1})
