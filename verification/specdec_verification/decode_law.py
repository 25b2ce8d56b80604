"""The exact law of a whole decode loop: its first tokens against the target's joint law.

A lossless round is not enough for a lossless decode: the next round must begin where the last one
ended, be as deep as the budget allows, and look at nothing that its own draws decide.
"""

from specdec_core.batch_models import batch_model
from specdec_core.decoding import decode_adaptive_tree_from_batch_models
from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.laws import target_joint
from specdec_core.models import Context
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.tree_policy import AdaptiveTreePolicy
from specdec_grids.generated import VOCAB_SIZES, hashed_instance
from specdec_grids.grid import Axis, Grid
from specdec_grids.paths import exact_law
from specdec_grids.programs import Program
from specdec_grids.simplex import Simplex
from specdec_verification.exact_law import compare, rounding_bound
from specdec_verification.results import CheckResult, Labels

TOKENS = 3
"""Decoded by each loop; the budget cuts the last tree short."""

DENOMINATOR = 6


def policies() -> Grid[AdaptiveTreePolicy]:
    """Return the policies that decoding is checked with: widths, depths, and when they change."""
    return Grid(
        _policy, (Axis("max_width", (2, 1, 3)), Axis("depth", (2, 1)), Axis("max_depth", (2, 3)))
    )


def check_decode_law(number: int, reproduce: str) -> CheckResult:
    """Check the law of the first tokens of adaptive tree decoding on one random instance."""
    vocab_size = VOCAB_SIZES[number % len(VOCAB_SIZES)]
    policy = policies()[number % len(policies())]
    instance = hashed_instance(
        TokenRejectionBonus(),  # whose horizon, with one draft token less, is as many tokens
        {"gamma": TOKENS - 1},
        Simplex(vocab_size, DENOMINATOR),
        f"decode/{number}",
    )
    labels = Labels(
        subject="decode_adaptive_tree_from_batch_models",
        claim="lossless",
        instance=f"random/{number}",
        parameters=(
            f"V={vocab_size} tokens={TOKENS} max_width={policy.max_width} depth={policy.depth}"
        ),
        reproduce=reproduce,
    )
    found = exact_law(decode_program(instance, policy))
    expected = target_joint(instance.target, TOKENS)
    return compare(found, expected, rounding_bound(instance, TOKENS), labels)


def decode_program(instance: Instance, policy: AdaptiveTreePolicy) -> Program[Context]:
    """Return the decode loop as a program over draws."""
    target, draft = batch_model(instance.target), batch_model(instance.draft)

    def decode(draws: Draws) -> Context:
        return decode_adaptive_tree_from_batch_models(
            target, draft, (), TOKENS, policy, draws
        ).tokens

    return decode


def _policy(max_width: int, depth: int, max_depth: int) -> AdaptiveTreePolicy:
    return AdaptiveTreePolicy(
        min_width=1, max_width=max_width, min_depth=1, max_depth=max_depth, depth=depth
    )
