"""Faults in the plumbing around a rule: its draws, its rows, its state; planted in two rules.

The coarse ones move a law by little, some by 1e-8: no sample shows them, and the exact law does.
"""

from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification.faults import composed
from specdec_verification.faults import draw_slips as draws
from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.path_slips import SlippedPathRule

PATH, BLOCK = TokenRejectionBonus(), BlockVerification()

PLUMBING_FAULTS: tuple[Fault, ...] = (
    plant(
        "K13",
        "ggml-org/llama.cpp PR #27694",
        "Draft and verifier build their generators from one seed, and share their draws.",
        composed.DRAWS_OF_THE_DRAFT.planted_in(PATH, "draws_shared_with_draft"),
    ),
    plant(
        "K13",
        "feifeibear/LLMSpeculativeSampling PR #8",
        "The generator is set back before each draw: test, recovery and bonus share one.",
        composed.ONE_DRAW.planted_in(PATH, "draws_all_one"),
    ),
    plant(
        "K12",
        "vllm-project/vllm PR #47386",
        "The draws of a block's tests and correction are those that chose its tokens.",
        composed.DRAWS_OF_THE_DRAFT.planted_in(BLOCK, "block_draws_shared_with_draft"),
    ),
    plant(
        "K10",
        "specdec-verify",
        "Every target row but the first is that of the position before.",
        composed.LATE_ROWS.planted_in(PATH, "rows_late_by_one"),
    ),
    plant(
        "K10",
        "specdec-verify",
        "Every target row of a block but the first is that of the position before.",
        composed.LATE_ROWS.planted_in(BLOCK, "block_rows_late_by_one"),
    ),
    plant(
        "K17",
        "paiml/aprender PR #2014",
        "The state is cleared instead of rolled back, and the target scores without context.",
        composed.NO_CONTEXT.planted_in(PATH, "rows_without_context"),
    ),
    plant(
        "K17",
        "vllm-project/vllm PR #46899",
        "The slot of the last token keeps its placeholder, which is read as a token.",
        composed.SLOT_LEFT.planted_in(PATH, "last_slot_left"),
    ),
    plant(
        "K08",
        "specdec-verify",
        "A round in which nothing was accepted is verified again, and the second try counts.",
        composed.VERIFIED_TWICE.planted_in(PATH, "verified_twice"),
    ),
)
"""Each can be planted in any rule."""

COARSE_FAULTS: tuple[Fault, ...] = (
    plant(
        "K02",
        "deepseek-ai/DeepSpec #31",
        "The draft's row is recorded in bfloat16, and drawn from as it is.",
        composed.BFLOAT16_ROWS.planted_in(PATH, "draft_row_in_bfloat16"),
    ),
    plant(
        "K02",
        "specdec-verify",
        "The draft's row is recorded in single precision, and drawn from as it is.",
        composed.SINGLE_PRECISION_ROWS.planted_in(PATH, "draft_row_in_single"),
    ),
    plant(
        "K14",
        "specdec-verify",
        "Uniforms are kept in half precision.",
        composed.HALF_PRECISION_DRAWS.planted_in(PATH, "draws_in_half"),
    ),
    plant(
        "K14",
        "specdec-verify",
        "Uniforms are kept in single precision.",
        composed.SINGLE_PRECISION_DRAWS.planted_in(PATH, "draws_in_single"),
    ),
    plant(
        "K14",
        "sgl-project/sglang PR #30822",
        "Uniforms are rounded to single precision, so that 1 is among them.",
        composed.ROUNDED_DRAWS.planted_in(PATH, "draws_rounded_to_one"),
    ),
    plant(
        "K14",
        "Infini-AI-Lab/Sequoia commit 530d1bf",
        "Coins are kept in half precision, where 0 is not rare, and equality accepts.",
        SlippedPathRule(
            "accept_in_half_inclusive",
            take_coins_with=draws.take_coarse_coins,
            accept_with=draws.accept_coarse_inclusive,
        ),
    ),
)
"""Each moves a law by little."""
