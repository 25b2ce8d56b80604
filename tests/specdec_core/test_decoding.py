import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.batch_models import BatchModel, ModelUse, ScoredContext, batch_model
from specdec_core.decoding import (
    Decoding,
    decode_adaptive_tree_from_batch_models,
    decode_autoregressive,
)
from specdec_core.distributions import Row, normalized_entropy
from specdec_core.draws import Draws, GeneratedDraws, RecordedDraws, ReplayedDraws
from specdec_core.errors import (
    DrawsExhaustedError,
    InvalidParameterError,
    InvalidScoresError,
    InvalidTokenError,
    ShapeError,
)
from specdec_core.laws import Law, target_joint
from specdec_core.models import Context
from specdec_core.rules import deterministic_candidates
from specdec_core.rules.rule import Verification
from specdec_core.tree_policy import AdaptiveTreePolicy

HALVES = [
    Row([Fraction(1, 2), Fraction(1, 2), Fraction(0)]),
    Row([Fraction(0), Fraction(1, 2), Fraction(1, 2)]),
    Row([Fraction(1, 2), Fraction(0), Fraction(1, 2)]),
    Row([Fraction(0), Fraction(1), Fraction(0)]),
]
"""Rows whose every remainder is in halves, so that two points an axis tell everything."""


def target(context: Context) -> Row:
    return HALVES[(3 * len(context) + 2 * sum(context)) % 4]


def draft(context: Context) -> Row:
    """Answer with a uniform row after token 1, and with a certain one elsewhere."""
    if context[-1:] == (1,):
        return Row([Fraction(1, 3)] * 3)
    return HALVES[3] if len(context) % 2 else Row([Fraction(1), Fraction(0), Fraction(0)])


def policy(**changes: int) -> AdaptiveTreePolicy:
    settings = {"min_width": 1, "max_width": 2, "min_depth": 1, "max_depth": 3, "depth": 2}
    return AdaptiveTreePolicy(**{**settings, **changes})


def decode(prompt: Context, max_new_tokens: int, draws: Draws, **changes: int) -> Decoding:
    return decode_adaptive_tree_from_batch_models(
        batch_model(target), batch_model(draft), prompt, max_new_tokens, policy(**changes), draws
    )


def generated(seed: int) -> GeneratedDraws:
    return GeneratedDraws(np.random.default_rng(seed))


class Listening:
    """A batch model that remembers what it was asked, call by call."""

    def __init__(self, model: Callable[[Context], Row]) -> None:
        self.calls: list[tuple[Context, ...]] = []
        self._model = model

    def __call__(self, contexts: Sequence[Context]) -> Sequence[ScoredContext]:
        self.calls.append(tuple(contexts))
        return batch_model(self._model)(contexts)


def always(*probs: float) -> Callable[[Context], Row]:
    return lambda context: Row(probs)


def decoded_law(decode_once: Callable[[Draws], Decoding], draws: int) -> Law[Context]:
    """Return the law of the tokens on two midpoints for each of ``draws`` draws."""
    lattice = product([Fraction(1, 4), Fraction(3, 4)], repeat=draws)
    counts = Counter(decode_once(ReplayedDraws(point)).tokens for point in lattice)
    return Law({tokens: Fraction(count, 2**draws) for tokens, count in counts.items()})


@pytest.mark.parametrize(("prompt", "draws"), [((), 9), ((1,), 11)])
def test_tree_decoding_has_the_targets_joint_law(prompt: Context, draws: int) -> None:
    found = decoded_law(lambda source: decode(prompt, 3, source), draws)
    assert found == target_joint(target, 3, prompt)


def test_autoregressive_decoding_has_the_targets_joint_law() -> None:
    found = decoded_law(
        lambda source: decode_autoregressive(batch_model(target), (1,), 3, source), draws=3
    )
    assert found == target_joint(target, 3, (1,))


def test_the_law_catches_a_fault_in_the_remainder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deterministic_candidates, "remainder", lambda row, token: row)
    found = decoded_law(lambda source: decode((1,), 3, source), draws=11)
    assert found != target_joint(target, 3, (1,))


def test_the_law_catches_a_target_that_forgets_the_prompt() -> None:
    found = decoded_law(
        lambda source: decode_autoregressive(batch_model(target), (), 3, source),
        draws=3,
    )
    assert found != target_joint(target, 3, (1,))


@given(st.integers(0, 12), st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 3))
def test_the_budget_is_met_exactly_by_tokens_the_target_can_emit(
    budget: int, seed: int, depth: int, max_width: int
) -> None:
    tokens = decode((2,), budget, generated(seed), depth=depth, max_width=max_width).tokens
    assert len(tokens) == budget
    contexts = [(2, *tokens[:i]) for i in range(budget)]
    assert all(target(context)[token] for context, token in zip(contexts, tokens, strict=True))


@given(st.integers(1, 12), st.integers(0, 2**32), st.integers(1, 3))
def test_nothing_is_scored_that_could_not_be_emitted(budget: int, seed: int, depth: int) -> None:
    """The last token's context is the longest that is ever asked for."""
    models = Listening(target), Listening(draft)
    prompt = (0, 1)
    decode_adaptive_tree_from_batch_models(
        *models, prompt, budget, policy(depth=depth), generated(seed)
    )
    longest = max(len(context) for model in models for call in model.calls for context in call)
    assert longest <= len(prompt) + budget - 1


@given(st.integers(0, 9), st.integers(0, 2**32))
def test_what_is_counted_is_what_was_asked(budget: int, seed: int) -> None:
    asked_target, asked_draft = Listening(target), Listening(draft)
    decoding = decode_adaptive_tree_from_batch_models(
        asked_target, asked_draft, (1,), budget, policy(), generated(seed)
    )
    metrics = decoding.metrics
    assert metrics.target_batches == len(asked_target.calls) == metrics.rounds
    assert metrics.target_queries == sum(map(len, asked_target.calls))
    assert metrics.draft_batches == len(asked_draft.calls)
    assert metrics.draft_queries == sum(map(len, asked_draft.calls))
    assert metrics.emitted == budget


def test_the_rounds_of_a_decoding_that_keeps_everything() -> None:
    """Depths 2, 3, and then 1: all that is left of a budget of 6."""
    sure = Listening(always(0.0, 1.0))
    decoding = decode_adaptive_tree_from_batch_models(
        sure, batch_model(always(0.25, 0.75)), (0,), 6, policy(max_width=1), generated(0)
    )
    assert [played.tree.height for played in decoding.rounds] == [2, 3, 1]
    assert [played.verification for played in decoding.rounds] == [
        Verification((1, 1), None),
        Verification((1, 1, 1), None),
        Verification((1,), None),
    ]
    assert sure.calls[0] == ((0,), (0, 1))
    assert sure.calls[1] == tuple((0, *[1] * n) for n in (2, 3, 4))
    assert sure.calls[2] == ((0, 1, 1, 1, 1, 1),)


def test_the_metrics_of_a_decoding_that_keeps_everything() -> None:
    decoding = decode_adaptive_tree_from_batch_models(
        batch_model(always(0.0, 1.0)), batch_model(always(0.5, 0.5)), (), 3, policy(), generated(0)
    )
    metrics = decoding.metrics
    assert [played.tree.size for played in decoding.rounds] == [6, 2]
    assert (metrics.rounds, metrics.target_batches, metrics.target_queries) == (2, 2, 4)
    assert (metrics.draft_batches, metrics.draft_queries) == (3, 4)
    assert (metrics.proposed, metrics.accepted, metrics.emitted) == (8, 3, 3)
    assert metrics.hypothetical_layered_target_batches == 3
    assert metrics.hypothetical_sequential_target_batches == 4
    assert metrics.block_efficiency == Fraction(3, 2)


def test_the_depth_shrinks_when_nothing_is_kept() -> None:
    decoding = decode_adaptive_tree_from_batch_models(
        batch_model(always(0.0, 1.0)),
        batch_model(always(1.0, 0.0)),
        (),
        9,
        policy(depth=3, min_depth=2),
        generated(0),
    )
    assert [played.tree.height for played in decoding.rounds] == [3, 2, 2, 2, 2, 2, 2, 2, 1]
    assert decoding.metrics.accepted == 0
    assert decoding.tokens == (1,) * 9


def test_every_width_comes_from_the_nodes_own_draft_row() -> None:
    decoding = decode((1,), 8, generated(3))
    context: Context = (1,)
    widths = set()
    for played in decoding.rounds:
        for node in {*played.tree.parents}:
            width = len(played.tree.children(node))
            entropy = normalized_entropy(draft(context + played.tree.path(node)))
            assert width == (2 if entropy >= 0.5 else 1)
            widths.add(width)
        context += played.verification.tokens
    assert widths == {1, 2}


def test_the_callers_policy_stays_as_it_is() -> None:
    kept = policy()
    models = batch_model(target), batch_model(draft)
    first = decode_adaptive_tree_from_batch_models(*models, (), 8, kept, generated(5))
    assert kept == policy()
    assert decode_adaptive_tree_from_batch_models(*models, (), 8, kept, generated(5)) == first


def test_a_decoding_replays_from_its_record() -> None:
    draws = RecordedDraws(generated(11))
    decoding = decode((), 7, draws)
    replay = ReplayedDraws([draw for draw in draws.record if isinstance(draw, float)])
    assert decode((), 7, replay) == decoding
    replay.require_all_used()


def test_autoregressive_decoding_takes_one_call_and_one_draw_a_token() -> None:
    model = Listening(always(0.25, 0.75))
    draws = ReplayedDraws([0.0, 0.25, 0.5])
    decoding = decode_autoregressive(model, (1,), 3, draws)
    draws.require_all_used()
    assert decoding.tokens == (0, 1, 1)
    assert model.calls == [((1,),), ((1, 0),), ((1, 0, 1),)]
    metrics = decoding.metrics
    assert (metrics.rounds, metrics.target_batches, metrics.target_queries) == (3, 3, 3)
    assert (metrics.draft_batches, metrics.draft_queries, metrics.proposed) == (0, 0, 0)
    assert (metrics.accepted, metrics.emitted) == (0, 3)
    assert metrics.block_efficiency == 1
    assert metrics.hypothetical_layered_target_batches == 3
    assert metrics.hypothetical_sequential_target_batches == 3
    assert {played.draft for played in decoding.rounds} == {ModelUse(0, 0)}


def test_no_budget_asks_nothing_and_draws_nothing() -> None:
    decoding = decode((0,), 0, ReplayedDraws([]))
    assert decoding == decode_autoregressive(batch_model(target), (0,), 0, ReplayedDraws([]))
    assert decoding.tokens == ()
    assert decoding.metrics.block_efficiency == 0


def backwards(contexts: Sequence[Context]) -> Sequence[ScoredContext]:
    return list(batch_model(target)(contexts))[::-1]


def one_too_many(contexts: Sequence[Context]) -> Sequence[ScoredContext]:
    return [*batch_model(target)(contexts), ScoredContext((0,), HALVES[0])]


@pytest.mark.parametrize(
    ("models", "prompt", "budget", "error", "message"),
    [
        (
            (backwards, batch_model(draft)),
            (),
            2,
            InvalidScoresError,
            "target: answer 0 is for the context '0', expected ''",
        ),
        (
            (batch_model(target), one_too_many),
            (),
            2,
            InvalidScoresError,
            "draft: 2 answers, expected one for each of 1 contexts",
        ),
        (
            (batch_model(always(0.5, 0.5)), batch_model(draft)),
            (),
            2,
            ShapeError,
            "the row of node 0 has 2 tokens, but the tree has 3",
        ),
        (
            (batch_model(target), batch_model(draft)),
            (3,),
            2,
            InvalidTokenError,
            "draft: the context '3': token 3, expected 0 to 2",
        ),
        (
            (batch_model(target), batch_model(draft)),
            (0, -1),
            2,
            InvalidTokenError,
            "prompt[1]: token -1 (int), expected an integer of at least 0",
        ),
        (
            (batch_model(target), batch_model(draft)),
            (),
            -1,
            InvalidParameterError,
            "max_new_tokens is -1, expected at least 0",
        ),
    ],
    ids=["order", "extra", "vocabulary", "prompt", "negative", "budget"],
)
def test_tree_decoding_refuses_before_any_draw(
    models: tuple[BatchModel, BatchModel],
    prompt: Context,
    budget: int,
    error: type[Exception],
    message: str,
) -> None:
    draws = RecordedDraws(generated(0))
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        decode_adaptive_tree_from_batch_models(*models, prompt, budget, policy(), draws)
    assert draws.record == ()


@pytest.mark.parametrize(
    ("model", "prompt", "budget", "error", "message"),
    [
        (
            one_too_many,
            (),
            1,
            InvalidScoresError,
            "target: 2 answers, expected one for each of 1 contexts",
        ),
        (
            batch_model(target),
            (3,),
            1,
            InvalidTokenError,
            "target: the context '3': token 3, expected 0 to 2",
        ),
        (
            batch_model(target),
            (True,),
            1,
            InvalidTokenError,
            "prompt[0]: token True (bool), expected an integer of at least 0",
        ),
        (
            batch_model(target),
            (),
            1.0,
            InvalidParameterError,
            "max_new_tokens is 1.0 (float), expected an integer",
        ),
    ],
    ids=["extra", "prompt", "bool", "budget"],
)
def test_autoregressive_decoding_refuses_before_any_draw(
    model: BatchModel, prompt: Context, budget: int, error: type[Exception], message: str
) -> None:
    draws = RecordedDraws(generated(0))
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        decode_autoregressive(model, prompt, budget, draws)
    assert draws.record == ()


def test_a_target_that_changes_its_vocabulary_between_rounds_is_refused() -> None:
    def growing(context: Context) -> Row:
        return Row([1.0, *[0.0] * (len(context) + 1)])

    with pytest.raises(ShapeError, match="round 1 has 3 tokens, but round 0 has 2"):
        decode_autoregressive(batch_model(growing), (), 2, generated(0))


def test_a_replay_that_is_too_short_is_refused() -> None:
    with pytest.raises(DrawsExhaustedError):
        decode((), 3, ReplayedDraws([0.5]))
