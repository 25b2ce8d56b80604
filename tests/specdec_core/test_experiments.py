from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from specdec_core.batch_models import ScoredContext, batch_model
from specdec_core.decoding import decode_adaptive_tree_from_batch_models, decode_autoregressive
from specdec_core.distributions import Row
from specdec_core.draws import GeneratedDraws
from specdec_core.errors import InvalidParameterError, InvalidTokenError
from specdec_core.experiments import TreeComparison, compare_tree_decoding
from specdec_core.models import Context
from specdec_core.tree_policy import AdaptiveTreePolicy

POLICY = AdaptiveTreePolicy(min_width=1, max_width=2, min_depth=1, max_depth=3, depth=2)


def target(context: Context) -> Row:
    return Row([0.25, 0.75] if sum(context) % 2 else [0.5, 0.5])


def draft(context: Context) -> Row:
    return Row([0.25, 0.75] if len(context) % 2 else [0.875, 0.125])


def compare(seed: int = 3, prompt: Context = (1, 0), max_new_tokens: int = 40) -> TreeComparison:
    return compare_tree_decoding(
        batch_model(target), batch_model(draft), prompt, max_new_tokens, POLICY, seed
    )


def fresh(seed: int) -> GeneratedDraws:
    return GeneratedDraws(np.random.default_rng(seed))


@pytest.mark.parametrize("seed", [0, 3, np.int64(3)])
def test_each_arm_starts_a_stream_of_its_own_at_the_seed(seed: int) -> None:
    both = compare(seed)
    assert both.baseline == decode_autoregressive(batch_model(target), (1, 0), 40, fresh(seed))
    assert both.tree == decode_adaptive_tree_from_batch_models(
        batch_model(target), batch_model(draft), (1, 0), 40, POLICY, fresh(seed)
    )


def test_both_arms_meet_the_budget_exactly() -> None:
    both = compare(max_new_tokens=17)
    assert len(both.baseline.tokens) == len(both.tree.tokens) == 17


def test_both_arms_ask_the_same_target() -> None:
    calls: list[tuple[Context, ...]] = []

    def listening(contexts: Sequence[Context]) -> Sequence[ScoredContext]:
        calls.append(tuple(contexts))
        return batch_model(target)(contexts)

    both = compare_tree_decoding(listening, batch_model(draft), (1,), 9, POLICY, seed=0)
    metrics = both.baseline.metrics, both.tree.metrics
    assert len(calls) == sum(arm.target_batches for arm in metrics)
    assert sum(map(len, calls)) == sum(arm.target_queries for arm in metrics)
    assert calls[0] == ((1,),)
    assert calls[9][0] == (1,)


def test_a_comparison_says_that_sequences_need_not_match() -> None:
    both = compare()
    assert both.baseline.tokens != both.tree.tokens
    assert "need not match" in both.note


def test_a_comparison_carries_what_reproduces_it() -> None:
    both = compare(seed=np.int64(3), prompt=[1, 0])  # type: ignore[arg-type]
    assert (both.prompt, both.max_new_tokens, both.policy, both.seed) == ((1, 0), 40, POLICY, 3)
    assert compare(both.seed, both.prompt, both.max_new_tokens) == both


@pytest.mark.parametrize("seed", [-1, 1.0, True, None])
def test_a_seed_is_an_integer_of_at_least_zero(seed: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"seed is {seed}"):
        compare(seed)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"max_new_tokens": -1}, InvalidParameterError),
        ({"prompt": (-1,)}, InvalidTokenError),
        ({"prompt": (2,)}, InvalidTokenError),
    ],
    ids=str,
)
def test_what_the_arms_refuse_is_refused(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        compare(**changes)
