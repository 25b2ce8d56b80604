"""The exact law of a whole decode loop: its first tokens against the target's joint law.

A lossless round is not enough for a lossless decode: the next round must begin where the last one
ended, be as deep as the budget allows, and look at nothing that its own draws decide.

Short loops are followed by whole runs of the decoder.  Longer ones are followed round by round,
and equal states merged (`specdec_grids.merging`): the context and the policy of a tree decoder, the
context alone of a loop of a rule's rounds.
"""

from functools import partial
from typing import Any

from specdec_core.batch_models import batch_model
from specdec_core.decoding import (
    BetweenRounds,
    decode_adaptive_tree_from_batch_models,
    tree_round,
)
from specdec_core.draws import Draws
from specdec_core.instances import Instance, Model
from specdec_core.laws import target_joint
from specdec_core.models import ConstantModel, Context, TableModel
from specdec_core.parameters import require_integer
from specdec_core.rules import RULES, Rule, Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.tree_policy import AdaptiveTreePolicy
from specdec_grids.generated import VOCAB_SIZES, contexts, hashed_instance
from specdec_grids.grid import Axis, Grid
from specdec_grids.merging import Loop, merged_law
from specdec_grids.paths import Exploration, exact_law
from specdec_grids.programs import Program, Step, Steps, round_program
from specdec_grids.simplex import Simplex
from specdec_verification.exact_law import compare, rounding_bound
from specdec_verification.results import CheckResult, Labels

TREE_DECODER = decode_adaptive_tree_from_batch_models.__name__

TOKENS = 3
"""Decoded by whole runs; the budget cuts the last tree short."""

MERGED_TOKENS = 5
"""Decoded round by round."""

LOOP_SHAPES = ((2, 3), (3, 2), (4, 1), (2, 2), (3, 3), (4, 2), (2, 1), (3, 1), (4, 3))
"""Vocabulary size and gamma of the loops of a rule's rounds."""

DENOMINATOR = 6


def policies() -> Grid[AdaptiveTreePolicy]:
    """Return the policies that decoding is checked with: widths, depths, and when they change."""
    return Grid(
        _policy, (Axis("max_width", (2, 1, 3)), Axis("depth", (2, 1)), Axis("max_depth", (2, 3)))
    )


def looped_rules() -> tuple[Rule[Any], ...]:
    """Return the lossless rules that draft ``gamma`` tokens and take no other parameter."""
    return tuple(rule for rule in RULES if rule.lossless and set(rule.parameters) == {"gamma"})


def check_decode_law(number: int, reproduce: str) -> CheckResult:
    """Check the law of the first tokens of adaptive tree decoding on one random instance."""
    vocab_size = VOCAB_SIZES[number % len(VOCAB_SIZES)]
    policy = policies()[number % len(policies())]
    instance = _instance(vocab_size, TOKENS, f"decode/{number}")
    found = exact_law(decode_program(instance, policy))
    name = f"random/{number}"
    labels = Labels(TREE_DECODER, "lossless", name, _shape(instance, TOKENS, policy), reproduce)
    return _compared(found, instance, TOKENS, labels)


def check_merged_decode_law(number: int, reproduce: str) -> CheckResult:
    """Check the law of more tokens of adaptive tree decoding, by merging equal states."""
    turn, at = divmod(number, len(policies()))
    vocab_size, policy = VOCAB_SIZES[(turn + at) % len(VOCAB_SIZES)], policies()[at]
    instance = _instance(vocab_size, MERGED_TOKENS, f"decode/merged/{number}")
    found = merged_law(tree_loop(instance, policy, MERGED_TOKENS)).found
    law = found.law.image(lambda standing: standing.context)
    emitted = Exploration(law, found.paths, found.missing)
    name, shape = f"merged/{number}", _shape(instance, MERGED_TOKENS, policy)
    labels = Labels(TREE_DECODER, "lossless", name, shape, reproduce)
    return _compared(emitted, instance, MERGED_TOKENS, labels)


def check_looped_rule(number: int, reproduce: str) -> CheckResult:
    """Check the law of the first tokens of a decode loop of one rule's rounds."""
    turn, at = divmod(number, len(looped_rules()))
    rule, (vocab_size, gamma) = looped_rules()[at], LOOP_SHAPES[turn % len(LOOP_SHAPES)]
    rows = _instance(vocab_size, MERGED_TOKENS, f"decode/rules/{number}")
    instance = Instance(rows.target, rows.drafts, {"gamma": gamma})
    found = merged_law(rule_loop(rule, instance, MERGED_TOKENS)).found
    labels = Labels(
        subject=f"decode loop of {rule.name}",
        claim="lossless",
        instance=f"rules/{number}",
        parameters=f"{instance.label} tokens={MERGED_TOKENS}",
        reproduce=reproduce,
    )
    return _compared(found, instance, MERGED_TOKENS, labels)


def decode_program(instance: Instance, policy: AdaptiveTreePolicy) -> Program[Context]:
    """Return the decode loop as a program over draws, which can be sent to another process."""
    return partial(_decode, instance, policy)


def _decode(instance: Instance, policy: AdaptiveTreePolicy, draws: Draws) -> Context:
    target, draft = batch_model(instance.target), batch_model(instance.draft)
    return decode_adaptive_tree_from_batch_models(target, draft, (), TOKENS, policy, draws).tokens


def tree_loop(instance: Instance, policy: AdaptiveTreePolicy, tokens: int) -> Loop[BetweenRounds]:
    """Return the loop of `decode_adaptive_tree_from_batch_models`, round by round."""
    start = BetweenRounds((), tokens, policy)
    return Loop(start, partial(_tree_round_of, instance), _nothing_left)


def _tree_round_of(instance: Instance, standing: BetweenRounds) -> Program[BetweenRounds]:
    target, draft = batch_model(instance.target), batch_model(instance.draft)
    return lambda draws: standing.after(tree_round(target, draft, standing, draws))


def _nothing_left(standing: BetweenRounds) -> bool:
    return not standing.left


def rule_loop(rule: Rule[Any], instance: Instance, tokens: int) -> Loop[Context]:
    """Return the loop of a rule's rounds that emits ``tokens`` tokens; its states are contexts.

    A round drafts ``gamma`` tokens, or as many as are left to emit.

    Parameters
    ----------
    rule : Rule
        Whose rounds emit at most ``gamma`` tokens, or that and a fixed number more.
    instance : Instance
        Its models know every context shorter than ``tokens``.
    tokens : int
        At least 0.

    Raises
    ------
    InvalidParameterError
        If ``tokens`` is no integer or negative, or the instance has no ``gamma``.

    Examples
    --------
    Eight tokens, three drafted a round.

    >>> from fractions import Fraction
    >>> from specdec_core.distributions import Row
    >>> third, half = Fraction(1, 3), Fraction(1, 2)
    >>> target, draft = ConstantModel(Row([third, 1 - third])), ConstantModel(Row([half, half]))
    >>> instance = Instance(target, (draft,), {"gamma": 3})
    >>> merged = merged_law(rule_loop(TokenRejectionBonus(), instance, 8))
    >>> merged.found.law == target_joint(target, 8)
    True
    >>> merged.found.paths, merged.unmerged_paths
    (1392, 94304)
    """
    require_integer(tokens, "tokens", minimum=0)
    return Loop((), _RoundOf(rule, instance, tokens), partial(_has_tokens, tokens))


class _RoundOf:
    """The round of a rule after each context, made once; sent elsewhere, it is made anew."""

    __slots__ = ("added", "gamma", "instance", "made", "rule", "tokens")

    def __init__(self, rule: Rule[Any], instance: Instance, tokens: int) -> None:
        self.rule, self.instance, self.tokens = rule, instance, tokens
        self.gamma = instance.integer("gamma", minimum=0)
        self.added = rule.horizon(instance) - self.gamma
        self.made: dict[Context, Steps[Context]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _RoundOf, (self.rule, self.instance, self.tokens)

    def __call__(self, context: Context) -> Steps[Context]:
        if context not in self.made:
            drafted = min(self.gamma, self.tokens - len(context) - self.added)
            after = _after(self.instance, context, drafted)
            steps: tuple[Step, ...] = (
                *round_program(self.rule, after).steps,
                partial(_emit, context),
            )
            self.made[context] = Steps(steps)
        return self.made[context]


def _emit(context: Context, verification: Verification, draws: Draws) -> Context:
    return context + verification.tokens


def _has_tokens(tokens: int, context: Context) -> bool:
    return len(context) == tokens


def _after(instance: Instance, context: Context, gamma: int) -> Instance:
    """Return what a round of ``gamma`` draft tokens after a context sees."""

    def after(model: Model) -> Model:
        if isinstance(model, ConstantModel):
            return model
        ahead = contexts(instance.vocab_size, gamma + 1)
        table = {further: model(context + further) for further in ahead}
        return TableModel(table, model.name)

    drafts = tuple(map(after, instance.drafts))
    return Instance(after(instance.target), drafts, {**instance.parameters, "gamma": gamma})


def _instance(vocab_size: int, tokens: int, key: str) -> Instance:
    rule = TokenRejectionBonus()  # whose horizon, with one draft token less, is as many tokens
    return hashed_instance(rule, {"gamma": tokens - 1}, Simplex(vocab_size, DENOMINATOR), key)


def _shape(instance: Instance, tokens: int, policy: AdaptiveTreePolicy) -> str:
    return (
        f"V={instance.vocab_size} tokens={tokens} max_width={policy.max_width} depth={policy.depth}"
    )


def _compared(
    found: Exploration[Context], instance: Instance, tokens: int, labels: Labels
) -> CheckResult:
    expected = target_joint(instance.target, tokens)
    return compare(found, expected, rounding_bound(instance, tokens), labels)


def _policy(max_width: int, depth: int, max_depth: int) -> AdaptiveTreePolicy:
    return AdaptiveTreePolicy(
        min_width=1, max_width=max_width, min_depth=1, max_depth=max_depth, depth=depth
    )
