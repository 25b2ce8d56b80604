"""One position of a large vocabulary, its rows hidden: what each of the two checks finds."""

from typing import Any

import numpy as np
import pytest

from specdec_core.errors import InvalidOutcomesError, InvalidParameterError
from specdec_verification.real_rows import real_rounds
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.sampled import Demand
from specdec_verification.subjects import unseen_rows
from specdec_verification.subjects.unseen_rows import Position, PositionSampler, check_unseen_rows

VOCAB_SIZE, DRAWS = 32_000, 200_000
DEMAND = Demand(false_fail_rate=1e-9, false_pass_rate=0.01, max_tv=0.05)
_, FAR, *_ = real_rounds(VOCAB_SIZE, 1, "float32", np.random.default_rng(1))
P, Q = (rows[0] / rows[0].sum() for rows in map(np.float64, (FAR.target_probs, FAR.draft_probs)))
EXCESS = np.maximum(P - Q, 0) / np.maximum(P - Q, 0).sum()


def sampler(recovered: np.ndarray) -> PositionSampler:
    def draw(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        drafted = chosen(Q, size, rng)
        accepted = rng.random(size) * Q[drafted] < P[drafted]
        return np.where(accepted, drafted, chosen(recovered, size, rng)), accepted

    return draw


def chosen(row: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    return np.searchsorted(np.cumsum(row / row.sum()), rng.random(size) * (1 - 1e-12), side="right")


def verdicts(recovered: np.ndarray, labels: Labels) -> list[Verdict]:
    position = Position(sampler(recovered), FAR.target_probs[0], FAR.draft_probs[0])
    found = check_unseen_rows(
        position, DRAWS, np.random.default_rng(2), demand=DEMAND, labels=labels
    )
    assert [result.check for result in found] == ["fit", "split_event"]
    return [result.verdict for result in found]


def test_a_right_sampler_is_not_accused(labels: Labels) -> None:
    """A split event over 32 000 tokens cannot promise to see a twentieth, and says so."""
    assert verdicts(EXCESS, labels) == [Verdict.PASSED, Verdict.INCONCLUSIVE]


def test_recovering_from_the_target_is_found_by_both(labels: Labels) -> None:
    assert verdicts(P, labels) == [Verdict.FAILED, Verdict.FAILED]


def test_mass_that_moves_inside_a_group_is_found_by_the_event(labels: Labels) -> None:
    """Between two likely tokens that the target prefers and the head holds."""
    above = [token for token in np.argsort(-P)[:40] if P[token] > Q[token]][:4]
    moved = EXCESS.copy()
    moved[above[0]] += moved[above[1]] * 0.9
    moved[above[1]] *= 0.1
    assert verdicts(moved, labels) == [Verdict.PASSED, Verdict.FAILED]


def test_draws_come_in_batches(labels: Labels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unseen_rows, "BATCH", 300)
    position = Position(sampler(EXCESS), FAR.target_probs[0], FAR.draft_probs[0])
    cells, event = check_unseen_rows(
        position, 2001, np.random.default_rng(2), demand=DEMAND, labels=labels
    )
    assert (cells.size, event.size) == (2001, 2001)


def test_a_sampler_that_returns_something_else_is_an_error(labels: Labels) -> None:
    def one(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1, dtype=int), np.zeros(1, dtype=bool)

    def beyond(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return np.full(size, VOCAB_SIZE), np.ones(size, dtype=bool)

    def numbers(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(size, dtype=int), np.ones(size, dtype=int)

    def fails(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        raise OSError("no such device")

    def ragged(size: int, rng: np.random.Generator) -> Any:  # noqa: ANN401
        return [[0], [1, 2]], [True, True]

    def nothing(size: int, rng: np.random.Generator) -> Any:  # noqa: ANN401
        return None

    for slip, said in (
        (one, r"tokens of shape \(1,\) and accepted of \(1,\), expected \(5,\) twice"),
        (beyond, "row 0 is"),
        (numbers, "accepted is int64, expected booleans"),
        (fails, "the sampler raised OSError"),
        (ragged, "tokens are no array: "),
        (nothing, "returned a NoneType, expected tokens and accepted"),
    ):
        position = Position(slip, FAR.target_probs[0], FAR.draft_probs[0])
        with pytest.raises(InvalidOutcomesError, match=said):
            check_unseen_rows(position, 10, np.random.default_rng(2), demand=DEMAND, labels=labels)


def test_one_draw_has_no_halves(labels: Labels) -> None:
    position = Position(sampler(EXCESS), FAR.target_probs[0], FAR.draft_probs[0])
    with pytest.raises(InvalidParameterError, match="draws is 1"):
        check_unseen_rows(position, 1, np.random.default_rng(2), demand=DEMAND, labels=labels)
