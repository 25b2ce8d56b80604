"""Steps on a numpy generator, watched: their thresholds and rows are those that they use."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_verification.real_rows import real_rounds
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.seen_rows import check_seen_rows
from specdec_verification.subjects.watched_rows import WatchedGenerator, watched


def one_by_one(tokens: np.ndarray, p: np.ndarray, q: np.ndarray, rng: Any) -> Any:  # noqa: ANN401
    return replaced_from(np.maximum(p[:-1] - q, 0), tokens, p, q, rng)


def replaced_from(
    rows: np.ndarray,
    tokens: np.ndarray,
    p: np.ndarray,
    q: np.ndarray,
    rng: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    for i, token in enumerate(tokens):
        if rng.random() * q[i, token] >= p[i, token]:
            return [*tokens[:i], rng.choice(p.shape[1], p=rows[i] / rows[i].sum())]
    return [*tokens, rng.choice(p.shape[1], p=p[-1])]


def all_at_once(tokens: np.ndarray, p: np.ndarray, q: np.ndarray, rng: Any) -> Any:  # noqa: ANN401
    places = np.arange(len(tokens))
    kept = rng.random(len(tokens)) < np.minimum(1, p[places, tokens] / q[places, tokens])
    length = len(tokens) if kept.all() else int(np.argmin(kept))
    row = p[-1] if kept.all() else np.maximum(p[length] - q[length], 0)
    return [*tokens[:length], rng.multinomial(1, row / row.sum()).argmax()]


def slipped(tokens: np.ndarray, p: np.ndarray, q: np.ndarray, rng: Any) -> Any:  # noqa: ANN401
    return replaced_from(p, tokens, p, q, rng)


def lenient(tokens: np.ndarray, p: np.ndarray, q: np.ndarray, rng: Any) -> Any:  # noqa: ANN401
    return replaced_from(np.maximum(p[:-1] - q, 0), tokens, p * 1.000_001, q, rng)


def searched(tokens: np.ndarray, p: np.ndarray, q: np.ndarray, rng: Any) -> Any:  # noqa: ANN401
    return [np.searchsorted(np.cumsum(p[0]), rng.random())]


@pytest.mark.parametrize("step", [one_by_one, all_at_once])
def test_a_right_step_passes_on_every_kind_of_rows(step: Any, labels: Labels) -> None:  # noqa: ANN401
    for round_ in real_rounds(32_000, 3, "float64", np.random.default_rng(1)):
        found = check_seen_rows(watched(step), round_, labels)
        assert found.verdict is Verdict.PASSED, (round_.name, found.detail)


def test_a_slip_in_the_rows_fails(labels: Labels) -> None:
    _, far, *_ = real_rounds(32_000, 3, "float64", np.random.default_rng(1))
    found = check_seen_rows(watched(slipped), far, labels)
    assert found.verdict is Verdict.FAILED
    assert "recovered row" in found.detail


def test_a_threshold_that_is_off_by_a_millionth_fails(labels: Labels) -> None:
    """No number of draws that anybody makes would show it."""
    close, *_ = real_rounds(32_000, 8, "float64", np.random.default_rng(1))
    found = check_seen_rows(watched(lenient), close, labels)
    assert found.verdict is Verdict.FAILED
    assert "draft token" in found.detail


def test_a_step_that_hides_its_rows_is_an_error(labels: Labels) -> None:
    close, *_ = real_rounds(1000, 1, "float64", np.random.default_rng(1))
    with pytest.raises(InvalidParameterError, match="drew its last token from a uniform"):
        check_seen_rows(watched(searched), close, labels)


def test_another_method_of_a_generator_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match=r"draws by rng\.exponential"):
        WatchedGenerator([], 3).exponential()


def test_given_uniforms_come_first_and_zeros_after() -> None:
    generator = WatchedGenerator([0.25, 0.5], 3)
    assert generator.random() == 0.25
    assert generator.random(3).tolist() == [0.5, 0.0, 0.0]
    assert generator.random((1, 2)).tolist() == [[0.0, 0.0]]


def test_a_chosen_token_is_one_of_the_row() -> None:
    generator = WatchedGenerator([], 3)
    assert generator.choice(3, p=[0.25, 0.25, 0.5]) == 2
    assert generator.choice(3, size=1, p=[0.25, 0.5, 0.25]).tolist() == [1]
    assert generator.row.tolist() == [0.25, 0.5, 0.25]
    assert generator.multinomial(1, [0.0, 0.0, 1.0]).tolist() == [0, 0, 1]
    assert generator.chosen == 2


def test_a_row_of_some_tokens_is_kept_as_one_of_all() -> None:
    generator = WatchedGenerator([], 4)
    assert generator.choice([3, 1], p=[0.25, 0.75]) == 1
    assert generator.row.tolist() == [0.0, 0.75, 0.0, 0.25]
    with pytest.raises(ShapeError, match=r"choice of \(4,\) tokens by \(0,\) probabilities"):
        generator.choice(4)


def test_a_step_that_draws_among_the_tokens_of_its_residual_passes(labels: Labels) -> None:
    _, far, masked, *_ = real_rounds(1000, 2, "float64", np.random.default_rng(1))
    for round_ in (far, masked):
        assert check_seen_rows(watched(among_some), round_, labels).verdict is Verdict.PASSED


@pytest.mark.parametrize("slip", [lambda token: token + 1, lambda token: 0], ids=["next", "first"])
def test_a_step_that_emits_another_token_than_it_drew_fails(
    slip: Callable[[int], int], labels: Labels
) -> None:
    def step(*arguments: Any) -> list[int]:  # noqa: ANN401
        *accepted, last = among_some(*arguments)
        return [*accepted, slip(last) % 1000]

    _, far, *_ = real_rounds(1000, 2, "float64", np.random.default_rng(1))
    found = check_seen_rows(watched(step), far, labels)
    assert found.verdict is Verdict.FAILED
    assert "emitted [" in found.detail


def among_some(
    draft_tokens: np.ndarray,
    target_probs: np.ndarray,
    draft_probs: np.ndarray,
    rng: Any,  # noqa: ANN401
) -> list[int]:
    emitted: list[int] = []
    for token, p, q in zip(draft_tokens.tolist(), target_probs, draft_probs, strict=False):
        if rng.random() * q[token] >= p[token]:
            excess = np.maximum(p - q, 0)
            some = np.flatnonzero(excess)
            return [*emitted, int(rng.choice(some, p=excess[some] / excess.sum()))]
        emitted.append(token)
    return [*emitted, int(rng.choice(len(target_probs[-1]), p=target_probs[-1]))]


def test_no_float32_that_a_step_draws_is_one() -> None:
    """The largest double below one is nearer to it than to any float32 below."""
    generator = WatchedGenerator([1 - 2.0**-53] * 3, 2)
    drawn = [generator.random(dtype=np.float32), *generator.random(2, dtype=np.float32)]
    assert drawn == [1 - 2.0**-24] * 3
