"""Experiments: a tree decoding beside its autoregressive baseline, and records to keep of both.

`compare_tree_decoding` gives both arms the same target, prompt, budget of new tokens, and seed.
Their sequences need not match even so: the two algorithms take different numbers of draws, so
that what is equal is the *law* of the tokens, not the tokens.

Both models must be pure functions of the context; one with state is its owner's to reset between
the arms.  No wall-clock time is measured, and none is implied.

Not here: how a decoding is written down and read back (`specdec_core.experiment_records`).
"""

from dataclasses import dataclass

import numpy as np

from specdec_core.batch_models import BatchModel, checked_context
from specdec_core.decoding import (
    Decoding,
    decode_adaptive_tree_from_batch_models,
    decode_autoregressive,
)
from specdec_core.draws import GeneratedDraws
from specdec_core.models import Context
from specdec_core.parameters import require_integer
from specdec_core.tree_policy import AdaptiveTreePolicy

SEQUENCES_NEED_NOT_MATCH = (
    "The sequences of the two arms need not match: the algorithms take different numbers of "
    "draws. Compare output distributions, not strings."
)


@dataclass(frozen=True, slots=True)
class TreeComparison:
    """Both arms of a comparison, and what reproduces them.

    Attributes
    ----------
    prompt, max_new_tokens, policy, seed
        As given.
    baseline, tree : Decoding
        The autoregressive arm and the tree arm, each exactly ``max_new_tokens`` long.
    """

    prompt: Context
    max_new_tokens: int
    policy: AdaptiveTreePolicy
    seed: int
    baseline: Decoding
    tree: Decoding

    @property
    def note(self) -> str:
        """What the comparison does not claim: that the two sequences match."""
        return SEQUENCES_NEED_NOT_MATCH


def compare_tree_decoding(
    target: BatchModel,
    draft: BatchModel,
    prompt: Context,
    max_new_tokens: int,
    policy: AdaptiveTreePolicy,
    seed: int,
) -> TreeComparison:
    """Decode one prompt both ways.

    Parameters
    ----------
    target, draft, prompt, max_new_tokens, policy
        As `decode_adaptive_tree_from_batch_models` takes them; both arms get the same target.
    seed : int
        At least 0.  A seed and not a generator, because each arm needs a generator of its own at
        the start of the same stream: one that is shared would give the second arm what the first
        had left.

    Raises
    ------
    InvalidParameterError
        If ``seed`` or ``max_new_tokens`` is no integer, or negative.
    InvalidTokenError, InvalidScoresError, ShapeError
        As the two ways of decoding do.

    Examples
    --------
    >>> from specdec_core.batch_models import batch_model
    >>> from specdec_core.distributions import Row
    >>> sure = batch_model(lambda context: Row([0.0, 1.0]))
    >>> policy = AdaptiveTreePolicy(min_width=1, max_width=1, min_depth=1, max_depth=2, depth=2)
    >>> both = compare_tree_decoding(sure, sure, (0,), 4, policy, seed=7)
    >>> both.baseline.metrics.target_batches, both.tree.metrics.target_batches
    (4, 2)
    """
    seed = require_integer(seed, "seed", minimum=0)
    baseline = decode_autoregressive(target, prompt, max_new_tokens, _fresh_draws(seed))
    tree = decode_adaptive_tree_from_batch_models(
        target, draft, prompt, max_new_tokens, policy, _fresh_draws(seed)
    )
    return TreeComparison(checked_context(prompt), max_new_tokens, policy, seed, baseline, tree)


def _fresh_draws(seed: int) -> GeneratedDraws:
    return GeneratedDraws(np.random.default_rng(seed))
