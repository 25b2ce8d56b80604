"""Faults of rules for several candidates, planted in recursive rejection."""

from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION, recursive_rejection
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_verification.faults import composed
from specdec_verification.faults import sibling_slips as slips
from specdec_verification.faults.fault import Fault, plant

SIBLING_FAULTS: tuple[Fault, ...] = (
    plant(
        "K01",
        "ggml-org/llama.cpp PR #5625",
        "Candidates are the draft's likeliest, and are tested as if they had been drawn.",
        SampledTree(
            "siblings_top_recorded_soft",
            slips.REFERENCE,
            slips.draw_top,
            TopDown(recursive_rejection),
        ),
    ),
    plant(
        "K15",
        "SafeAILab/EAGLE commit 2f982e2",
        "Candidates drawn without replacement are tested by the row with all of them in it.",
        slips.slipped("siblings_row_not_reduced", slips.judge_by_first_row),
    ),
    plant(
        "K15",
        "foundation-model-stack/fms-extras #12",
        "Every candidate is compared with a target token of its own, and one match is enough.",
        slips.slipped("siblings_matched_apart", slips.match_each_apart),
    ),
    plant(
        "K15",
        "specdec-verify",
        "A later candidate is tested by the row that the first was tested by.",
        slips.slipped("siblings_residual_not_updated", slips.keep_residual_whole),
    ),
    plant(
        "K15",
        "specdec-verify",
        "After all candidates were rejected, the token is drawn from the target's row.",
        slips.slipped("siblings_recovered_from_target", slips.recover_from_target),
    ),
    plant(
        "K15",
        "specdec-verify",
        "Candidates are sorted by the target's probability before they are tried.",
        slips.slipped("siblings_sorted_by_target", slips.try_likeliest_first),
    ),
    plant(
        "K13",
        "ggml-org/llama.cpp PR #27694",
        "Candidates and their tests are drawn by two generators of one seed.",
        composed.DRAWS_OF_THE_DRAFT.planted_in(
            RECURSIVE_REJECTION, "siblings_share_seed_with_draft"
        ),
    ),
)
"""Each is one slip away from a rule."""
