"""Pooling: every draw is expected somewhere, the rest stands alone, and what is hidden counts."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_verification.statistics.pooling import MIN_EXPECTED_COUNT, Cell, detectable_tv, pool
from specdec_verification.statistics.power import min_detectable_tv
from specdec_verification.statistics.sampled import Demand, Tally

DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.01)
RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
WEIGHTS = st.lists(st.sampled_from([0, 1, 2, 3, 7, 50, 1000]), min_size=1, max_size=30).filter(any)


def tally_of(weights: Sequence[int], draws: int) -> Tally[int]:
    """Return a tally whose draws all fell on the commonest outcome."""
    law = {i: Fraction(weight, sum(weights)) for i, weight in enumerate(weights)}
    return Tally({max(law, key=lambda i: law[i]): draws}, law)


def accounts_for(cells: Sequence[Cell[int]], tally: Tally[int]) -> bool:
    """Return whether every lawful outcome is in one cell and every draw expected in some."""
    outcomes = sorted(outcome for cell in cells for outcome in cell.outcomes)
    expected = sum(cell.expected for cell in cells)
    return (
        outcomes == [outcome for outcome, prob in tally.law.items() if prob]
        and round(expected, 6) == tally.draws
        and sum(cell.got for cell in cells) == tally.draws
    )


def test_the_rest_is_a_cell_of_its_own() -> None:
    """30 + 30 reach the minimum; the 40 left over do not, and stand beside the 1000."""
    cells = pool(tally_of([1000, 30, 40, 30], 1100))
    assert [cell.outcomes for cell in cells] == [(1, 3), (2,), (0,)]
    assert [cell.expected for cell in cells] == [60, 40, 1000]


def test_an_expectation_of_the_minimum_stands_alone() -> None:
    assert not any(cell.pooled for cell in pool(tally_of([10, MIN_EXPECTED_COUNT, 940], 1000)))


def test_few_draws_are_one_cell_in_which_nothing_is_seen() -> None:
    (cell,) = cells = pool(tally_of([1, 2, 3], MIN_EXPECTED_COUNT - 1))
    assert cell.outcomes == (0, 1, 2)
    assert detectable_tv(cells, MIN_EXPECTED_COUNT - 1, DEMAND) == 1


def test_an_outcome_of_probability_zero_is_in_no_cell() -> None:
    cells = pool(Tally({0: 100, 1: 5}, {0: 1.0, 1: 0.0}))
    assert [(cell.outcomes, cell.got) for cell in cells] == [((0,), 100)]


@given(weights=WEIGHTS, draws=st.integers(1, 10**6))
def test_every_draw_is_expected_somewhere(weights: list[int], draws: int) -> None:
    tally = tally_of(weights, draws)
    assert accounts_for(pool(tally), tally)


@given(weights=WEIGHTS, draws=st.integers(1, 10**6))
def test_one_cell_at_most_expects_less_than_the_minimum(weights: list[int], draws: int) -> None:
    cells = pool(tally_of(weights, draws))
    assert sum(cell.expected < MIN_EXPECTED_COUNT for cell in cells) <= 1


@given(weights=WEIGHTS, draws=st.integers(1, 10**6))
def test_only_rare_outcomes_are_pooled(weights: list[int], draws: int) -> None:
    tally = tally_of(weights, draws)
    pooled = [outcome for cell in pool(tally) if cell.pooled for outcome in cell.outcomes]
    assert all(draws * tally.law[outcome] < MIN_EXPECTED_COUNT for outcome in pooled)


@given(weights=WEIGHTS, draws=st.integers(1, 10**4), data=st.data())
def test_the_cells_do_not_depend_on_what_was_drawn(
    weights: list[int], draws: int, data: st.DataObject
) -> None:
    tally = tally_of(weights, draws)
    outcome = data.draw(st.sampled_from(range(len(weights))))
    other = Tally({outcome: draws}, tally.law)
    assert [cell.outcomes for cell in pool(other)] == [cell.outcomes for cell in pool(tally)]


def test_without_rare_outcomes_the_detectable_tv_is_that_of_the_cells() -> None:
    cells = pool(tally_of([1] * 8, 10**6))
    assert detectable_tv(cells, 10**6, DEMAND) == min_detectable_tv(10**6, 8, **RATES)


def test_what_is_pooled_adds_to_the_detectable_tv() -> None:
    """Of 2**20 draws, eight outcomes expect eight each: one cell of probability 2**-14."""
    draws = 1 << 20
    cells = pool(tally_of([8] * 8 + [draws - 64], draws))
    assert [len(cell.outcomes) for cell in cells] == [7, 1, 1]
    hidden = 7 / (1 << 17)
    # The rest lacks 42 of the minimum of 50.
    seen = min_detectable_tv(draws * draws // (draws + 42), 3, **RATES)
    assert detectable_tv(cells, draws, DEMAND) == seen + hidden


@pytest.mark.parametrize("dropped", [0, 1, 2])
def test_a_dropped_cell_would_be_noticed(dropped: int) -> None:
    """Planted fault: pooled, rest or common cell left out."""
    tally = tally_of([1000, 30, 40, 30], 1100)
    cells = pool(tally)
    assert accounts_for(cells, tally)
    assert not accounts_for([*cells[:dropped], *cells[dropped + 1 :]], tally)
