"""Faults of single-path verification, planted in token rejection with the bonus token."""

from specdec_verification.faults import path_slips as path
from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.path_slips import SlippedPathRule

PATH_FAULTS: tuple[Fault, ...] = (
    plant(
        "K01",
        "huggingface/transformers #32867",
        "Draft tokens are the likeliest, and are tested as if they had been drawn.",
        SlippedPathRule("draft_argmax_recorded_soft", propose_with=path.propose_argmax),
    ),
    plant(
        "K02",
        "NVIDIA/TensorRT-LLM PR #12588",
        "Every token is recorded with the draft's row of the first position.",
        SlippedPathRule("draft_row_recorded_wrong", propose_with=path.propose_from_other_row),
    ),
    plant(
        "K02",
        "mlx-node/mlx-node PR #11",
        "Draft tokens are drawn from a filtered row, and the whole row is recorded.",
        SlippedPathRule("draft_filtered_recorded_whole", propose_with=path.propose_from_filtered),
    ),
    plant(
        "K13",
        "feifeibear/LLMSpeculativeSampling PR #19",
        "The generator is set back before each accept test: all positions share a draw.",
        SlippedPathRule("coin_shared_by_positions", take_coins_with=path.take_one_coin),
    ),
    plant(
        "K14",
        "NVIDIA-NeMo/Automodel PR #3166",
        "The accept test holds at equality, so that a draw of 0 accepts what is impossible.",
        SlippedPathRule("accept_inclusive", accept_with=path.accept_inclusive),
    ),
    plant(
        "K08",
        "specdec-verify",
        "The accept test divides the draft's probability by the target's.",
        SlippedPathRule("accept_ratio_swapped", accept_with=path.accept_swapped),
    ),
    plant(
        "K08",
        "specdec-verify",
        "A drawn token is accepted with the target's probability alone.",
        SlippedPathRule("accept_as_point_mass", accept_with=path.accept_target),
    ),
    plant(
        "K08",
        "specdec-verify",
        "Tokens that the target finds likelier are accepted, all others rejected.",
        SlippedPathRule("accept_without_draw", accept_with=path.accept_likelier),
    ),
    plant(
        "K08",
        "huggingface/transformers PR #28508",
        "Every draft token counts as a match.",
        SlippedPathRule("accept_always", accept_with=path.accept_always),
    ),
    plant(
        "K22",
        "lucidrains/speculative-decoding commit 326b39e",
        "The accept ratio is multiplied by a factor above one.",
        SlippedPathRule("accept_leniently", accept_with=path.accept_leniently),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The accept test reads the target's row of the first position, at all of them.",
        SlippedPathRule("accept_by_first_row", accept_with=path.accept_first_row),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The accept test reads the target's row of the next position.",
        SlippedPathRule("accept_by_next_row", accept_with=path.accept_next_row),
    ),
    plant(
        "K08",
        "romsto/Speculative-Decoding commit 41668c8",
        "The accept test reads the draft token after the one that it judges.",
        SlippedPathRule("accept_by_next_token", accept_with=path.accept_next_token),
    ),
    plant(
        "K09",
        "specdec-verify",
        "The residual is the draft's excess over the target.",
        SlippedPathRule("residual_reversed", recover_with=path.recover_reversed),
    ),
    plant(
        "K09",
        "ShopeeLLM/Spec-RL #14",
        "A rejected token is replaced from the target's row instead of the residual.",
        SlippedPathRule("recovered_from_target", recover_with=path.recover_from_target),
    ),
    plant(
        "K09",
        "specdec-verify",
        "A rejected token is replaced from the draft's row.",
        SlippedPathRule("recovered_from_draft", recover_with=path.recover_from_draft),
    ),
    plant(
        "K09",
        "vllm-project/vllm PR #10863",
        "The noise of the recovery is constant, so that it takes the residual's likeliest.",
        SlippedPathRule("recovered_likeliest", recover_with=path.recover_likeliest),
    ),
    plant(
        "K09",
        "SafeAILab/EAGLE commit 2f982e2",
        "On a rejection only the rejected token's probability is lowered.",
        SlippedPathRule("recovered_as_point_mass", recover_with=path.recover_without_token),
    ),
    plant(
        "K09",
        "specdec-verify",
        "The residual is not divided by its mass, and the last token takes what is missing.",
        SlippedPathRule("residual_unnormalised", recover_with=path.recover_unnormalised),
    ),
    plant(
        "K12",
        "flashinfer-ai/flashinfer PR #425",
        "One draw serves the accept test and the recovery.",
        SlippedPathRule("recovered_with_coin", recover_with=path.recover_with_coin),
    ),
    plant(
        "K10",
        "huggingface/transformers PR #28166",
        "The residual takes the target's row of the next position.",
        SlippedPathRule("recovered_by_next_row", recover_with=path.recover_next_row),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The residual subtracts the draft's row of the first position.",
        SlippedPathRule("recovered_by_first_draft_row", recover_with=path.recover_first_draft_row),
    ),
    plant(
        "K17",
        "lucidrains/speculative-decoding #3",
        "The rejected token stays in the output, before its replacement.",
        SlippedPathRule("rejected_token_emitted", end_rejected_with=path.end_keeping_rejected),
    ),
    plant(
        "K17",
        "lucidrains/speculative-decoding #3",
        "The draft tokens after the rejected one stay in the output.",
        SlippedPathRule("draft_kept_after_rejection", end_rejected_with=path.end_keeping_rest),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The bonus token is drawn from the target's row before its own.",
        SlippedPathRule("bonus_row_off_by_one", end_accepted_with=path.bonus_from_last_row),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The bonus token is drawn from the draft's last row.",
        SlippedPathRule("bonus_from_draft", end_accepted_with=path.bonus_from_draft),
    ),
    plant(
        "K04",
        "Luce-Org/lucebox PR #374",
        "The bonus token is the likeliest, where all others are drawn.",
        SlippedPathRule("bonus_likeliest", end_accepted_with=path.bonus_likeliest),
    ),
    plant(
        "K12",
        "specdec-verify",
        "The draw that accepted the last draft token draws the bonus token as well.",
        SlippedPathRule("bonus_with_coin", end_accepted_with=path.bonus_with_coin),
    ),
)
"""Each is one slip away from the rule."""
