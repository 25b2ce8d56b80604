"""Rows of real size, from a right step and from slipped ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specdec_verification.real_rows import RealRound, real_rounds
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.seen_rows import SeenRows, check_seen_rows

Step = Callable[..., SeenRows]


def right(tokens: np.ndarray, p: np.ndarray, q: np.ndarray, residual: Any = None) -> SeenRows:  # noqa: ANN401
    """Work in the dtype of the rows, as a kernel does."""
    places = (np.arange(len(tokens)), tokens)
    with np.errstate(invalid="ignore"):
        excess = np.maximum(p[:-1] - q, 0) if residual is None else residual(p[:-1], q)
        rows = excess / excess.sum(axis=1, keepdims=True)
    return SeenRows(np.minimum(1, p[:-1][places] / q[places]), rows, p[-1])


def from_target(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    return right(tokens, p, q, lambda p, q: p)


def floored(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    """Put an epsilon into every cell, so that tokens come that must not."""
    return right(tokens, p, q, lambda p, q: np.maximum(p - q, 1e-20))


def cut_to_blocks(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    """Lose the tokens after the last whole block of 1024."""
    whole = p.shape[1] // 1024 * 1024

    def residual(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.where(np.arange(p.shape[1]) < whole, np.maximum(p - q, 0), 0)

    return right(tokens, p, q, residual)


def half_precision(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    return right(tokens, p.astype(np.float16), q.astype(np.float16))


def bonus_row_before(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    return right(tokens, p, q)._replace(bonus_probs=p[-2])


def ratio_of_next_row(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    shifted = right(tokens, np.roll(p, -1, axis=0), q).acceptance_probs
    return right(tokens, p, q)._replace(acceptance_probs=shifted)


def not_finite(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    return right(tokens, p, q, lambda p, q: np.full_like(p, np.nan))


def short(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    return right(tokens, p, q)._replace(bonus_probs=p[-1, :-1])


def raises(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    raise ValueError("no such row")


SLIPS = {
    from_target: "recovered row, position 0: token 0 has probability",
    floored: "has probability",
    cut_to_blocks: "recovered row, position 0: total variation",
    half_precision: "recovered row, position 0: total variation 0.0003",
    bonus_row_before: "bonus row: total variation",
    ratio_of_next_row: "draft token 0: accepted with probability",
    not_finite: "recovered row, position 0: no row of probabilities",
    short: "bonus row: shape (31999,), expected (32000,)",
    raises: "raised ValueError('no such row')",
}


@pytest.mark.parametrize(("vocab_size", "gamma"), [(32_000, 8), (256_000, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_right_step_passes_on_every_kind_of_rows(
    vocab_size: int, gamma: int, dtype: str, labels: Labels
) -> None:
    for round_ in real_rounds(vocab_size, gamma, dtype, np.random.default_rng(1)):
        found = check_seen_rows(right, round_, labels)
        assert found.verdict is Verdict.PASSED, (round_.name, found.detail)


@pytest.mark.parametrize(("step", "detail"), SLIPS.items(), ids=[step.__name__ for step in SLIPS])
def test_a_slip_fails(step: Step, detail: str, labels: Labels) -> None:
    _, far, *_ = real_rounds(32_000, 3, "float32", np.random.default_rng(1))
    found = check_seen_rows(step, far, labels)
    assert found.verdict is Verdict.FAILED
    assert detail in found.detail


def test_the_distance_is_that_of_the_worst_row(labels: Labels) -> None:
    """Target (1/2, 1/4, 1/4, 0), draft even: all that is recovered is token 0."""
    target = np.array([[0.5, 0.25, 0.25, 0.0]] * 2)
    four = RealRound("four tokens", target, np.full((1, 4), 0.25), np.array([3]))
    assert check_seen_rows(right, four, labels).total_variation == 0
    assert check_seen_rows(from_target, four, labels).total_variation == 0.5


def test_what_cannot_be_reached_is_not_compared(labels: Labels) -> None:
    """The first draft token is ruled out, so that nothing after it matters."""
    masked = list(real_rounds(1000, 2, "float64", np.random.default_rng(1)))[2]
    p = masked.target_probs.copy()
    p[0, masked.draft_tokens[0]] = 0
    wrong_after = right(masked.draft_tokens, p, masked.draft_probs)._replace(bonus_probs=p[0])

    def step(*arrays: np.ndarray) -> SeenRows:
        return wrong_after

    round_ = RealRound("ruled out", p, masked.draft_probs, masked.draft_tokens)
    assert check_seen_rows(step, round_, labels).verdict is Verdict.PASSED


def in_place(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    """Show the right rows, then use the arrays for something else."""
    seen = SeenRows(*(np.array(part) for part in right(tokens, p, q)))
    for array in (tokens, p, q):
        array[:] = 0
    return seen


def flattened(tokens: np.ndarray, p: np.ndarray, q: np.ndarray) -> SeenRows:
    """Overwrite the rows that were given, and be right about what is left."""
    p[:] = q[:] = 1 / p.shape[1]
    return right(tokens, p, q)


def test_rows_are_set_against_those_that_were_given(labels: Labels) -> None:
    close, *_ = real_rounds(1000, 2, "float32", np.random.default_rng(1))
    assert check_seen_rows(in_place, close, labels).verdict is Verdict.PASSED
    assert check_seen_rows(flattened, close, labels).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        (lambda seen: None, "returned a NoneType, expected SeenRows"),
        (lambda seen: seen[:2], "returned a tuple, expected SeenRows"),
        (lambda seen: seen._replace(acceptance_probs=[0.5]), "expected (2,) and 2"),
        (lambda seen: seen._replace(acceptance_probs=["x", "y"]), "<U1, expected floats"),
        (lambda seen: seen._replace(recovered_probs=[]), "0 recovered rows, expected"),
        (lambda seen: seen._replace(bonus_probs=seen.bonus_probs + 1j), "expected floats"),
        (lambda seen: seen._replace(bonus_probs="x"), "shape (), expected"),
    ],
    ids=["nothing", "two", "few thresholds", "texts", "no rows", "complex", "text"],
)
def test_what_is_not_there_fails(slip: Callable[..., Any], said: str, labels: Labels) -> None:
    close, *_ = real_rounds(1000, 2, "float32", np.random.default_rng(1))
    found = check_seen_rows(lambda *arrays: slip(right(*arrays)), close, labels)
    assert found.verdict is Verdict.FAILED
    assert said in found.detail
