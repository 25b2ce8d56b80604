"""The split-event witness: exact binomials, and a bound that holds with many outcomes."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.sampled import Demand, Tally
from specdec_verification.statistics.split_events import (
    Witness,
    check_split_event,
    choose_event,
    draws_needed,
    find_witness,
    min_detectable_tv,
)

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.2)
DIE = {face: Fraction(1, 6) for face in range(6)}


def test_the_event_is_what_came_too_often() -> None:
    assert choose_event({0: 2, 1: 1, 2: 3}, DIE) == {0, 2}
    assert choose_event({0: 1, "x": 1}, {0: 1}) == {"x"}


def test_the_p_value_is_the_binomial_tail() -> None:
    """Three or more of four at 1/2: 5/16."""
    assert Witness(frozenset({0}), Fraction(1, 2), 3, 4).p_value == pytest.approx(5 / 16)
    assert Witness(frozenset({0}), 0.5, 0, 4).p_value == 1
    assert Witness(frozenset(), 0, 0, 0).p_value == 1


@pytest.mark.parametrize("draws", [1, 20, 300])
@pytest.mark.parametrize("true", [0.02, 0.5, 0.97])
def test_the_certified_distance_is_wrong_as_rarely_as_stated(draws: int, true: float) -> None:
    """Summed over every count, with the event's true probability known: Clopper-Pearson."""
    rate, claimed = 0.05, 0.01
    wrong = [
        Witness(frozenset({0}), claimed, got, draws).certified_tv(rate) > true - claimed + 1e-12
        for got in range(draws + 1)
    ]
    assert binom.pmf(np.arange(draws + 1), draws, true)[wrong].sum() <= rate


def test_the_event_is_chosen_on_one_half_and_counted_on_the_other() -> None:
    first, second = Tally({0: 5, 1: 1}, DIE), Tally({0: 1, 2: 3}, DIE)
    assert find_witness(first, second) == Witness(frozenset({0}), Fraction(1, 6), 1, 4)


@pytest.mark.parametrize(
    ("halves", "verdict"),
    [
        ((dict.fromkeys(range(6), 1000),) * 2, Verdict.PASSED),
        (({0: 600, 1: 400}, {0: 600, 1: 400}), Verdict.FAILED),
        (({0: 2, 1: 1}, {0: 1, 1: 2}), Verdict.INCONCLUSIVE),
        (({0: 2, 9: 1}, {0: 3}), Verdict.FAILED),
        (({}, {}), Verdict.INCONCLUSIVE),
    ],
)
def test_verdicts(
    halves: tuple[dict[int, int], dict[int, int]], verdict: Verdict, labels: Labels
) -> None:
    result = check_split_event(halves, DIE, demand=DEMAND, labels=labels)
    assert result.verdict is verdict


def test_an_unlawful_outcome_is_named(labels: Labels) -> None:
    result = check_split_event(({0: 1}, {9: 1}), DIE, demand=DEMAND, labels=labels)
    assert result.detail.startswith("got 9, and the law rules it out; ")


def test_many_outcomes_that_no_test_of_cells_could_tell(labels: Labels) -> None:
    """20 000 tokens, ten draws each: half of them a third too likely, and convicted.

    The event's count lies more than 40 standard deviations above what the law expects.
    """
    vocab_size, half = 20_000, 200_000
    law = dict.fromkeys(range(vocab_size), 1 / vocab_size)
    wrong = np.where(np.arange(vocab_size) < vocab_size // 2, 4 / 3, 2 / 3) / vocab_size
    rng = np.random.default_rng()
    halves = tuple(Counter(rng.choice(vocab_size, size=half, p=wrong).tolist()) for _ in range(2))
    result = check_split_event((halves[0], halves[1]), law, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED


def test_a_wrong_law_is_missed_as_rarely_as_bounded(labels: Labels) -> None:
    """100 runs at the bound, which misses with probability 0.01 at most; fails once in 1e10."""
    rng, tv = np.random.default_rng(), 0.1
    half = draws_needed(tv, 6, **RATES) // 2
    law = np.full(6, 1 / 6) + tv / 3 * np.array([1, 1, 1, -1, -1, -1])
    missed = 0
    for counts in rng.multinomial(half, law, size=(100, 2)):
        first, second = (dict(enumerate(one.tolist())) for one in counts)
        result = check_split_event((first, second), DIE, demand=DEMAND, labels=labels)
        missed += result.verdict is not Verdict.FAILED
    assert missed <= binom.isf(1e-10, 100, 0.01)


@pytest.mark.parametrize("cells", [2, 8, 128_000])
def test_draws_needed_are_enough(cells: int) -> None:
    half = draws_needed(0.05, cells, **RATES) // 2
    assert min_detectable_tv(half, cells, **RATES) <= 0.05
    assert min_detectable_tv(half - 1, cells, **RATES) > 0.05


def test_arguments_out_of_range_are_refused() -> None:
    assert min_detectable_tv(0, 8, **RATES) == 1
    with pytest.raises(InvalidParameterError, match="half is -1"):
        min_detectable_tv(-1, 8, **RATES)
