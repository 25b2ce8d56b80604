"""The e-process along the target's tree: mean one, the flat part, and the prefix at fault."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError, MissingContextError, ShapeError
from specdec_core.laws import target_joint
from specdec_core.models import ConstantModel, Context, TableModel
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics import e_process
from specdec_verification.statistics.dirichlet_mixture import log_e_value
from specdec_verification.statistics.prefix_e_process import (
    check_prefix_e_process,
    draws_needed,
    min_detectable_tv,
    prefix_e_process,
)
from specdec_verification.statistics.sampled import Demand

RATES = {"false_fail_rate": 1e-9, "false_pass_rate": 0.01}
DEMAND = Demand(**RATES, max_tv=0.1)


def rows(*parts: tuple[int, int]) -> TableModel:
    """Return a model over two tokens, from the parts at the start, after 0, and after 1."""
    contexts: tuple[Context, ...] = ((), (0,), (1,))
    pairs = zip(contexts, parts, strict=True)
    return TableModel({c: Row(Fraction(part, sum(row)) for part in row) for c, row in pairs})


TARGET = rows((1, 2), (3, 1), (1, 1))


@pytest.mark.parametrize("draws", [1, 2, 4])
def test_the_mean_under_the_target_is_one(draws: int) -> None:
    """Summed over everything that so many draws can be."""
    joint = {tokens: float(prob) for tokens, prob in target_joint(TARGET, 2).probs.items()}
    mean = 0.0
    for drawn in product(joint, repeat=draws):
        weight = math.prod(joint[sequence] for sequence in drawn)
        mean += weight * math.exp(prefix_e_process(Counter(drawn), TARGET).log_e)
    assert mean == pytest.approx(1, abs=1e-11)


def test_one_position_is_the_flat_check() -> None:
    """With one prefix the three parts are one."""
    found = prefix_e_process({(0,): 30, (1,): 20}, TARGET)
    assert found.log_e == pytest.approx(float(log_e_value([30, 20], [1 / 3, 2 / 3])))
    assert [one.prefix for one in found.prefixes] == [()]


def test_the_e_value_is_no_less_than_a_third_of_the_flat_one() -> None:
    counts = {(0, 0): 500, (0, 1): 100, (1, 0): 300, (1, 1): 600}
    joint = target_joint(TARGET, 2)
    flat = log_e_value([*counts.values()], [float(joint[sequence]) for sequence in counts])
    assert prefix_e_process(counts, TARGET).log_e >= float(flat) - math.log(3) - 1e-9


def test_the_prefix_at_fault_is_named_first(labels: Labels) -> None:
    """The start and the rows after 1 are as claimed; after 0 the two tokens changed places."""
    counts = {(0, 0): 250, (0, 1): 750, (1, 0): 1000, (1, 1): 1000}
    result = check_prefix_e_process(counts, TARGET, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED
    assert "the most is after prefix '0' (" in result.detail
    assert prefix_e_process(counts, TARGET).prefixes[0].draws == 1000


def test_right_frequencies_pass(labels: Labels) -> None:
    counts = {(0, 0): 2500, (0, 1): 833, (1, 0): 3333, (1, 1): 3334}
    result = check_prefix_e_process(counts, TARGET, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.PASSED
    assert result.total_variation == pytest.approx(0.0001, abs=1e-4)


def test_an_unlawful_token_is_infinite_evidence_at_its_prefix() -> None:
    target = rows((1, 1), (1, 0), (1, 1))
    found = prefix_e_process({(0, 1): 1, (1, 1): 5}, target)
    assert found.log_e == math.inf
    assert found.prefixes[0].prefix == (0,)


@pytest.mark.parametrize("sequence", [(7, 0), (-1, 0)])
def test_a_token_outside_the_vocabulary_is_infinite_evidence(sequence: Context) -> None:
    assert prefix_e_process({sequence: 1}, TARGET).log_e == math.inf


def test_what_lies_behind_an_unlawful_token_needs_no_row() -> None:
    target = TableModel({(): Row([1, 0]), (0,): Row([Fraction(1, 2), Fraction(1, 2)])})
    assert prefix_e_process({(1, 0): 1, (0, 0): 3}, target).log_e == math.inf
    with pytest.raises(MissingContextError):
        prefix_e_process({(0, 0, 0): 3}, target)


def test_a_vocabulary_of_thousands_is_read_where_it_was_seen() -> None:
    target = ConstantModel(Row([Fraction(1, 5000)] * 5000))
    rng = np.random.default_rng()
    drawn = Counter(map(tuple, rng.integers(0, 5000, size=(300, 3)).tolist()))
    found = prefix_e_process(drawn, target)
    # Ville: more than this once in 1e10 runs.
    assert -5 < found.log_e < math.log(1e10)
    assert found.draws == 300


def test_no_draw_is_no_evidence(labels: Labels) -> None:
    assert prefix_e_process({}, TARGET).log_e == 0
    result = check_prefix_e_process({(0, 0): 0}, TARGET, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.detail.startswith("no outcome was drawn; ")


def test_what_it_can_see_is_what_a_third_of_the_rate_can() -> None:
    third = {"false_fail_rate": 1e-9 / 3, "false_pass_rate": 0.01}
    assert min_detectable_tv(10**6, 64, **RATES) == e_process.min_detectable_tv(10**6, 64, **third)
    assert min_detectable_tv(draws_needed(0.01, 64, **RATES), 64, **RATES) <= 0.01
    assert min_detectable_tv(10**9, 1 << 40, **RATES) == 1


def test_unequal_lengths_and_bad_counts_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"lengths \[1, 2\], expected one length"):
        prefix_e_process({(0,): 1, (0, 1): 1}, TARGET)
    with pytest.raises(InvalidParameterError, match=r"counts\[\(0,\)\] is -1"):
        prefix_e_process({(0,): -1}, TARGET)
