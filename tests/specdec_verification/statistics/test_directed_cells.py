"""Directed cells: their exact law, and the slips that show in them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.errors import InvalidDistributionError, InvalidParameterError, ShapeError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules.token_rejection import TokenRejection
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.directed_cells import (
    CELLS,
    check_directed_cells,
    directed_cells,
)
from specdec_verification.statistics.sampled import Demand
from specdec_verification.strategies import row_pairs

DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.1)


@given(pair=row_pairs(4), block=st.integers(1, 5))
def test_the_cells_have_the_law_of_a_round(pair: tuple, block: int) -> None:  # type: ignore[type-arg]
    """The exact law of one position of token rejection, counted cell by cell."""
    target, draft = pair
    cells = directed_cells([*map(float, target)], [*map(float, draft)], block)
    instance = Instance(ConstantModel(target), (ConstantModel(draft),), {"gamma": 1})
    expected = np.zeros(len(CELLS))
    for verification, prob in exact_law(
        round_program(TokenRejection(), instance)
    ).law.probs.items():
        accepted = bool(verification.accepted)
        expected += float(prob) * cells.counts([verification.tokens[0]], [accepted])
    assert cells.probs == pytest.approx(expected, abs=1e-12)


def test_the_regions_of_a_large_row() -> None:
    target = np.array([Fraction(1, 2), *[Fraction(1, 8)] * 4], dtype=float)
    cells = directed_cells(target, np.full(5, 0.2), block=4)
    regions = [CELLS[group].region for group in cells.group]
    assert regions == ["head", "tail", "tail", "tail", "last block"]


def sampled(
    target: np.ndarray, draft: np.ndarray, recovered: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw one position of token rejection whose recovered tokens come from a row of the test's."""
    rng = np.random.default_rng()
    drafted = rng.choice(len(target), size=n, p=draft)
    accepted = rng.random(n) * draft[drafted] < target[drafted]
    other = rng.choice(len(target), size=n, p=recovered)
    return np.where(accepted, drafted, other), accepted


def test_right_draws_pass_and_wrong_ones_fail(labels: Labels) -> None:
    """Thirty thousand tokens; a right sampler fails with the rate 1e-9."""
    vocab_size = 30_000
    weights = np.random.default_rng(3).random((2, vocab_size)) ** 4
    target, draft = weights / weights.sum(axis=1, keepdims=True)
    cells = directed_cells(target, draft)
    residual = np.maximum(target - draft, 0)
    residual /= residual.sum()
    verdicts = []
    for recovered in (residual, target):
        counts = cells.counts(*sampled(target, draft, recovered, 40_000))
        result = check_directed_cells(counts, cells, demand=DEMAND, labels=labels)
        verdicts.append(result.verdict)
    assert verdicts == [Verdict.PASSED, Verdict.FAILED]


def test_a_recovered_token_that_the_draft_likes_better_is_enough(labels: Labels) -> None:
    cells = directed_cells([0.75, 0.25], [0.5, 0.5])
    counts = cells.counts([0] * 99 + [1], [True] * 99 + [False])
    result = check_directed_cells(counts, cells, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.FAILED
    assert "'recovered, target not above draft, last block' 1 times" in result.detail


def test_no_draw_is_inconclusive(labels: Labels) -> None:
    cells = directed_cells([0.75, 0.25], [0.5, 0.5])
    result = check_directed_cells(cells.counts([], []), cells, demand=DEMAND, labels=labels)
    assert result.verdict is Verdict.INCONCLUSIVE


def test_rows_and_draws_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match="target_probs has 2 tokens and draft_probs 1"):
        directed_cells([0.5, 0.5], [1.0])
    with pytest.raises(ShapeError, match="draft_probs has shape"):
        directed_cells([0.5, 0.5], [[0.5, 0.5]])
    with pytest.raises(InvalidDistributionError, match="target_probs has an entry"):
        directed_cells([np.nan, 0.5], [0.5, 0.5])
    cells = directed_cells([0.5, 0.5], [0.5, 0.5])
    with pytest.raises(ShapeError, match=r"expected \(n,\) twice"):
        cells.counts([0, 1], [True])
    with pytest.raises(InvalidParameterError, match="tokens are float64, expected integers"):
        cells.counts([0.0], [True])
    with pytest.raises(InvalidParameterError, match="tokens go from 0 to 2, expected 0 to 1"):
        cells.counts([0, 2], [True, True])
    with pytest.raises(ShapeError, match=r"counts has shape \(2,\), expected \(12,\)"):
        check_directed_cells(
            np.array([1, 2]), cells, demand=DEMAND, labels=Labels("", "", "", "", "")
        )
    with pytest.raises(InvalidParameterError, match="block is 0, expected at least 1"):
        directed_cells([0.5, 0.5], [0.5, 0.5], block=0)
