"""Faults of single-path verification in how rows become decisions, planted in token rejection."""

from specdec_verification.faults import path_slips as path
from specdec_verification.faults import recovery_slips as slips
from specdec_verification.faults.draw_slips import take_zero_coins
from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.path_slips import SlippedPathRule

RECOVERY_FAULTS: tuple[Fault, ...] = (
    plant(
        "K02",
        "ggml-org/llama.cpp PR #22506",
        "A drawn token that the draft finds unlikely is discarded, and its row forgotten.",
        SlippedPathRule("draft_cut_when_unlikely", propose_with=slips.propose_above_cut),
    ),
    plant(
        "K08",
        "vllm-project/vllm-ascend #13730",
        "The draw of every accept test is 0, so that all that is possible is accepted.",
        SlippedPathRule("accept_draw_zero", take_coins_with=take_zero_coins),
    ),
    plant(
        "K08",
        "1bit-MONSTER/1bit-MONSTER #637",
        "The accept test divides by the target's greatest probability.",
        SlippedPathRule("accept_by_best", accept_with=slips.accept_by_best),
    ),
    plant(
        "K08",
        "ohdearquant/lattice #243",
        "The first draft token is never tested.",
        SlippedPathRule("accept_first_unseen", accept_with=slips.accept_first_unseen),
    ),
    plant(
        "K09",
        "huggingface/transformers PR #28508",
        "The residual is put through a softmax instead of being divided by its sum.",
        SlippedPathRule("residual_softmaxed", recover_with=slips.recover_softmaxed),
    ),
    plant(
        "K09",
        "specdec-verify",
        "Every entry of the residual is kept above a floor.",
        SlippedPathRule("residual_floored", recover_with=slips.recover_floored),
    ),
    plant(
        "K10",
        "romsto/Speculative-Decoding commit 53922df",
        "The residual takes the target's last row, whichever token was rejected.",
        SlippedPathRule("recovered_by_last_row", recover_with=slips.recover_last_row),
    ),
    plant(
        "K11",
        "vllm-project/vllm PR #45060",
        "The search of the recovery runs past the vocabulary, and returns an id of the padding.",
        SlippedPathRule("recovered_past_the_end", recover_with=slips.recover_past_the_end),
    ),
    plant(
        "K11",
        "PaddlePaddle/FastDeploy PR #5400",
        "The search of a row is confined to a window, and yields -1 where its sum falls short.",
        SlippedPathRule("bonus_within_window", end_accepted_with=slips.bonus_within_window),
    ),
    plant(
        "K23",
        "vllm-project/vllm-ascend PR #2881",
        "The recovery zeroes the draft token's entry in the target's own row, before the test.",
        SlippedPathRule(
            "target_zeroed_before_test",
            accept_with=slips.accept_zeroed,
            recover_with=path.recover_without_token,
        ),
    ),
)
"""Each is one slip away from the rule, or one mechanism that touches two of its steps."""
