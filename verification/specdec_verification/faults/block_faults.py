"""Faults of block verification."""

from specdec_verification.faults import block_slips as block
from specdec_verification.faults.block_slips import SlippedBlockRule
from specdec_verification.faults.fault import Fault, plant

BLOCK_FAULTS: tuple[Fault, ...] = (
    plant(
        "K16",
        "vllm-project/vllm-ascend PR #7603",
        "Where no draft row is at hand, 1 stands for its probabilities in the running product.",
        SlippedBlockRule("block_draft_as_ones", weigh_with=block.weigh_as_point_masses),
    ),
    plant(
        "K16",
        "specdec-verify",
        "Each prefix is weighed by its last token alone.",
        SlippedBlockRule("block_without_product", weigh_with=block.weigh_tokens_apart),
    ),
    plant(
        "K16",
        "specdec-verify",
        "The running product is capped once, and not at every token.",
        SlippedBlockRule("block_weight_capped_late", weigh_with=block.weigh_without_cap),
    ),
    plant(
        "K16",
        "specdec-verify",
        "A prefix passes with its own weight, whatever may come after it.",
        SlippedBlockRule("block_odds_of_weight", pass_with=block.pass_by_weight),
    ),
    plant(
        "K16",
        "specdec-verify",
        "Prefixes are judged from the shortest, and the first that fails ends the block.",
        SlippedBlockRule("block_stops_at_failure", keep_with=block.keep_until_failure),
    ),
    plant(
        "K16",
        "specdec-verify",
        "The correction is the token rule's residual, without the prefix's weight.",
        SlippedBlockRule("block_residual_unweighted", correct_with=block.correct_without_weight),
    ),
    plant(
        "K16",
        "specdec-verify",
        "The correction is drawn from the target's row.",
        SlippedBlockRule("block_corrected_from_target", correct_with=block.correct_from_target),
    ),
)
"""Each is one slip away from the rule."""
