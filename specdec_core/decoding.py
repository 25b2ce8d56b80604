"""Decoding: rounds of drafting and verification, until a budget of new tokens is spent.

`decode_adaptive_tree_from_batch_models` drafts a tree, scores it in one call of the target, keeps
one path of it, and starts again after what was emitted.  `decode_autoregressive` is the baseline:
one call of the target for every token.  Both emit exactly the budget, and both emit the target's
law, so long as both models are pure functions of the context and the draws are independent.

What was really asked of the models is counted at the call.  What other ways of scoring the same
trees *would* have asked is computed from the trees, and named ``hypothetical``.  Neither is a time.

Not here: stop tokens, batches of sequences, caches.
"""

from dataclasses import dataclass
from fractions import Fraction

from specdec_core.batch_models import BatchModel, CountedModel, ModelUse, ask, checked_context
from specdec_core.draws import Draws
from specdec_core.errors import ShapeError
from specdec_core.models import Context
from specdec_core.parameters import require_integer
from specdec_core.rules.deterministic_candidates import evaluate_tree
from specdec_core.rules.rule import Verification
from specdec_core.sampling import sample
from specdec_core.scoring import queried_nodes, query_layers, score_tree_from_batch_model
from specdec_core.tree_policy import AdaptiveTreePolicy
from specdec_core.trees import DraftTree


@dataclass(frozen=True, slots=True)
class DecodeMetrics:
    """What a decoding cost, in calls and contexts, and what it got for them.

    Attributes
    ----------
    rounds : int
    target_batches, target_queries : int
        Calls of the target, and contexts asked for in them; actual.
    draft_batches, draft_queries : int
        The same of the draft.
    proposed, accepted, emitted : int
        Draft tokens in all trees, those that were kept, and all tokens that were emitted.
    hypothetical_layered_target_batches : int
        Calls that scoring the same trees one depth a call would have taken.
    hypothetical_sequential_target_batches : int
        Calls that scoring them one context a call would have taken.
    """

    rounds: int
    target_batches: int
    target_queries: int
    draft_batches: int
    draft_queries: int
    proposed: int
    accepted: int
    emitted: int
    hypothetical_layered_target_batches: int
    hypothetical_sequential_target_batches: int

    @property
    def block_efficiency(self) -> Fraction:
        """Tokens emitted a call of the target; zero where there was no call."""
        return Fraction(self.emitted, max(1, self.target_batches))


@dataclass(frozen=True, slots=True)
class DecodeRound:
    """One round.

    Attributes
    ----------
    tree : DraftTree
        What was proposed: the absent tree, in autoregressive decoding.
    verification : Verification
        What was emitted.
    target, draft : ModelUse
        What was asked of the two models, counted at the call.
    """

    tree: DraftTree
    verification: Verification
    target: ModelUse
    draft: ModelUse


@dataclass(frozen=True, slots=True)
class Decoding:
    """A continuation of a prompt, round by round."""

    rounds: tuple[DecodeRound, ...]

    @property
    def tokens(self) -> Context:
        """Every token emitted, without the prompt."""
        return tuple(token for played in self.rounds for token in played.verification.tokens)

    @property
    def metrics(self) -> DecodeMetrics:
        """The counts of all rounds together."""
        rounds = self.rounds
        return DecodeMetrics(
            rounds=len(rounds),
            target_batches=sum(played.target.batches for played in rounds),
            target_queries=sum(played.target.queries for played in rounds),
            draft_batches=sum(played.draft.batches for played in rounds),
            draft_queries=sum(played.draft.queries for played in rounds),
            proposed=sum(played.tree.size for played in rounds),
            accepted=sum(len(played.verification.accepted) for played in rounds),
            emitted=len(self.tokens),
            hypothetical_layered_target_batches=sum(
                len(query_layers(played.tree)) for played in rounds
            ),
            hypothetical_sequential_target_batches=sum(
                len(queried_nodes(played.tree)) for played in rounds
            ),
        )


@dataclass(frozen=True, slots=True)
class BetweenRounds:
    """All that the rest of a tree decoding depends on, but the models and the draws.

    Attributes
    ----------
    context : tuple of int
        The prompt, and every token emitted so far.
    left : int
        Tokens still to be emitted, at least 0.
    policy : AdaptiveTreePolicy
        Of the next round.
    """

    context: Context
    left: int
    policy: AdaptiveTreePolicy

    def after(self, played: DecodeRound) -> "BetweenRounds":
        """Return where a round leads to."""
        emitted = played.verification.tokens
        policy = self.policy.after(len(played.verification.accepted), played.tree.height)
        return BetweenRounds(self.context + emitted, self.left - len(emitted), policy)


def decode_adaptive_tree_from_batch_models(
    target: BatchModel,
    draft: BatchModel,
    prompt: Context,
    max_new_tokens: int,
    policy: AdaptiveTreePolicy,
    draws: Draws,
) -> Decoding:
    """Decode with deterministic candidate trees, their width and depth set by ``policy``.

    Each node's width comes from the entropy of its own draft row; the next round's depth from the
    accepted tokens over the depth proposed.  A tree is never deeper than what is left of the
    budget, so that nothing is scored that could not be emitted.

    Parameters
    ----------
    target, draft : BatchModel
        Pure, and over one vocabulary.
    prompt : tuple of int
        May be empty.
    max_new_tokens : int
        Exactly this many are emitted; at least 0.
    policy : AdaptiveTreePolicy
        Of the first round.  It is a value: decoding leaves the caller's as it is.
    draws : Draws
        Independent uniforms.

    Raises
    ------
    InvalidParameterError
        If ``max_new_tokens`` is no integer, or negative.
    InvalidTokenError
        If a token of the prompt is no integer, or lies outside the vocabulary.
    InvalidScoresError
        If a model does not return one row for each context, in their order.
    ShapeError
        If the models, or two answers of one model, differ in vocabulary size.

    Examples
    --------
    >>> from specdec_core.batch_models import batch_model
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.draws import ReplayedDraws
    >>> coin = batch_model(lambda context: Row([0.5, 0.5]))
    >>> policy = AdaptiveTreePolicy(min_width=1, max_width=1, min_depth=1, max_depth=2, depth=2)
    >>> draws = ReplayedDraws([0.0, 0.0, 0.75, 0.5])
    >>> decode_adaptive_tree_from_batch_models(coin, coin, (), 3, policy, draws).tokens
    (0, 0, 1)
    """
    prompt = checked_context(prompt)
    budget = require_integer(max_new_tokens, "max_new_tokens", minimum=0)
    decoding = Decoding(())
    standing = BetweenRounds(prompt, budget, policy)
    while standing.left:
        played = tree_round(target, draft, standing, draws)
        decoding = _extended(decoding, played)
        standing = standing.after(played)
    return decoding


def decode_autoregressive(
    target: BatchModel, prompt: Context, max_new_tokens: int, draws: Draws
) -> Decoding:
    """Decode token by token from the target alone: one call and one draw for each.

    Parameters and errors are those of `decode_adaptive_tree_from_batch_models`.

    Examples
    --------
    >>> from specdec_core.batch_models import batch_model
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.draws import ReplayedDraws
    >>> coin = batch_model(lambda context: Row([0.5, 0.5]))
    >>> decode_autoregressive(coin, (), 3, ReplayedDraws([0.0, 0.5, 0.75])).tokens
    (0, 1, 1)
    """
    prompt = checked_context(prompt)
    budget = require_integer(max_new_tokens, "max_new_tokens", minimum=0)
    decoding = Decoding(())
    for _ in range(budget):
        played = _target_round(target, prompt + decoding.tokens, draws)
        decoding = _extended(decoding, played)
    return decoding


def tree_round(
    target: BatchModel, draft: BatchModel, standing: BetweenRounds, draws: Draws
) -> DecodeRound:
    """Play one round of tree decoding: draft a tree, score it, keep one path of it.

    Parameters and errors are those of `decode_adaptive_tree_from_batch_models`; at least one token
    must be left to emit.
    """
    context, builder = standing.context, standing.policy.builder(standing.left)
    counted_target, counted_draft = CountedModel(target), CountedModel(draft)
    tree = builder.build_from_batch_model(counted_draft, context)
    scores = score_tree_from_batch_model(counted_target, context, tree)
    verification = evaluate_tree(tree, scores, draws)
    return DecodeRound(tree, verification, counted_target.use, counted_draft.use)


def _target_round(target: BatchModel, context: Context, draws: Draws) -> DecodeRound:
    counted = CountedModel(target)
    (row,) = ask(counted, [context], "target")
    absent = DraftTree((), (), len(row))
    return DecodeRound(
        absent, Verification((), sample(row, draws.uniform())), counted.use, ModelUse(0, 0)
    )


def _extended(decoding: Decoding, played: DecodeRound) -> Decoding:
    """Return the decoding with one round more, over the vocabulary of those before it."""
    for earlier in decoding.rounds[:1]:
        if earlier.tree.vocab_size != played.tree.vocab_size:
            raise ShapeError(
                f"round {len(decoding.rounds)} has {played.tree.vocab_size} tokens, "
                f"but round 0 has {earlier.tree.vocab_size}"
            )
    return Decoding((*decoding.rounds, played))
