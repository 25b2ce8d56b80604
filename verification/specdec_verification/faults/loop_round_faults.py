"""The faults of a serving loop that lie in its tables and its states."""

from specdec_verification.faults import loop_cases as cases
from specdec_verification.faults import loop_rounds as rounds
from specdec_verification.faults import path_slips as path
from specdec_verification.faults.fault import plant
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.steps import ByRule

POSITIONS = (
    LoopFault(
        plant(
            "K10",
            "romsto/Speculative-Decoding commit 53922df",
            "A refused token is replaced from the last target row, whichever was refused.",
            ServingLoop(
                "loop_recovered_from_last_row",
                verify_with=ByRule(
                    SlippedPathRule(
                        "recovered_from_last_row", recover_with=rounds.recovered_from_last_row
                    )
                ),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K10",
            "huggingface/transformers PR #28166",
            "The residual of a position is made with the target row of the next.",
            ServingLoop(
                "loop_residual_of_next_row",
                verify_with=ByRule(
                    SlippedPathRule("residual_of_next_row", recover_with=path.recover_next_row)
                ),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K08",
            "ohdearquant/lattice #243",
            "The first token of a draft is compared with nothing: a draft of one is always kept.",
            ServingLoop(
                "loop_first_draft_token_unseen",
                verify_with=ByRule(
                    SlippedPathRule("first_unseen", accept_with=rounds.accept_first_unseen)
                ),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K08",
            "romsto/Speculative-Decoding commit 41668c8",
            "From the second round on, the ratio is read at a token that was emitted before.",
            ServingLoop("loop_token_at_prompt_end", verify_with=rounds.verified_by_stored_token),
        ),
        cases.SHORT_ROUNDS,
    ),
)

TABLES = (
    LoopFault(
        plant(
            "K02",
            "NVIDIA/TensorRT-LLM PR #12588",
            "Draft rows are gathered by an index into the padded table, not the ragged one.",
            ServingLoop("loop_draft_rows_at_padded_start", gather_with=rounds.padded_draft_start),
        ),
        cases.UNEVEN,
    ),
    LoopFault(
        plant(
            "K07",
            "vllm-project/vllm PR #50952",
            "One mask is made for each draft token there is, and read as if all were there.",
            ServingLoop("loop_masks_at_padded_start", gather_with=rounds.masks_at_padded_start),
        ),
        cases.CONSTRAINED_PAIR,
    ),
    LoopFault(
        plant(
            "K18",
            "1CatAI/1Cat-vLLM #656",
            "With more than two requests, a draft is judged by its neighbour's rows.",
            ServingLoop("loop_draft_rows_of_neighbour", gather_with=rounds.draft_rows_of_neighbour),
        ),
        cases.THREE,
    ),
    LoopFault(
        plant(
            "K18",
            "vllm-project/vllm PR #47383",
            "The number of a row wraps in an integer that is too narrow.",
            ServingLoop("loop_row_number_wraps", gather_with=rounds.narrow_target_start),
        ),
        cases.THREE,
    ),
    LoopFault(
        plant(
            "K18",
            "vllm-project/vllm PR #35398",
            "Parameters are looked up by the number of the lane, not of the request.",
            ServingLoop("loop_parameters_of_lane", parameters_with=rounds.parameters_of_lane),
        ),
        cases.UNEQUAL,
    ),
    LoopFault(
        plant(
            "K18",
            "specdec-verify",
            "The penalties of the first request are those of the whole batch.",
            ServingLoop(
                "loop_penalties_of_first_lane", parameters_with=rounds.penalties_of_first_lane
            ),
        ),
        cases.PENALISED_PAIR,
    ),
    LoopFault(
        plant(
            "K18",
            "noonghunna/club-3090 #758",
            "The accepted count less one is used as an index, and of none it is the last.",
            ServingLoop("loop_snapshot_one_early", restore_target_with=rounds.one_snapshot_early),
        ),
        cases.SHORT_ROUNDS,
    ),
    LoopFault(
        plant(
            "K19",
            "ggml-org/llama.cpp PR #3812",
            "The target's rows are cut to the smaller vocabulary of the draft model.",
            ServingLoop("loop_target_cut_to_draft", gather_with=rounds.target_cut_to_draft),
        ),
        cases.REDUCED,
    ),
    LoopFault(
        plant(
            "K23",
            "vllm-project/vllm-ascend PR #2881",
            "Recovery takes the draft token out of the shared target row before it is judged.",
            ServingLoop("loop_target_row_zeroed", gather_with=rounds.drafted_token_zeroed),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K23",
            "vllm-project/vllm PR #16952",
            "Drawing the draft token changes, in place, the row that its test reads later.",
            ServingLoop("loop_draft_row_raced", gather_with=rounds.draft_row_raced),
        ),
        cases.PLAIN,
    ),
)

STATES = (
    LoopFault(
        plant(
            "K17",
            "paiml/aprender PR #2014",
            "The target's state is emptied, not rolled back, before it scores the draft.",
            ServingLoop("loop_state_emptied", snapshot_with=rounds.snapshots_after_reset),
        ),
        cases.SHORT_ROUNDS,
    ),
    LoopFault(
        plant(
            "K17",
            "kekzl/imp PR #1503",
            "After a draft that was refused whole, a snapshot is taken that nobody wrote.",
            ServingLoop("loop_snapshot_unwritten", restore_target_with=rounds.unwritten_if_refused),
        ),
        cases.LONGER,
    ),
    LoopFault(
        plant(
            "K17",
            "ekryski/mlx-swift-lm #218",
            "A small part of the state is not rolled back with the rest.",
            ServingLoop("loop_state_partly_restored", restore_target_with=rounds.partly_restored),
        ),
        cases.SHORT_ROUNDS,
    ),
    LoopFault(
        plant(
            "K17",
            "lucidrains/speculative-decoding #3",
            "Refused tokens stay in the output behind the replacement.",
            ServingLoop(
                "loop_refused_stay_in_output",
                verify_with=ByRule(
                    SlippedPathRule("refused_kept", end_rejected_with=path.end_keeping_rest)
                ),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K17",
            "lucidrains/speculative-decoding #3",
            "The state keeps the refused tokens that it was fed.",
            ServingLoop("loop_state_not_restored", restore_target_with=rounds.not_restored),
        ),
        cases.SHORT_ROUNDS,
    ),
    LoopFault(
        plant(
            "K17",
            "vllm-project/vllm PR #46899",
            "Marks of empty draft slots outlive their round, and are counted as tokens.",
            ServingLoop(
                "loop_placeholders_remembered", remember_with=rounds.placeholders_remembered
            ),
        ),
        cases.PENALISED,
    ),
    LoopFault(
        plant(
            "K06",
            "osaurus-ai/vmlx-swift PR #361",
            "Refused draft tokens enter the counts of the penalties.",
            ServingLoop("loop_refused_counted", remember_with=rounds.rejected_remembered),
        ),
        cases.PENALISED,
    ),
    LoopFault(
        plant(
            "K06",
            "osaurus-ai/vmlx-swift PR #361",
            "Accepted draft tokens enter the counts of the penalties twice.",
            ServingLoop(
                "loop_accepted_counted_twice", remember_with=rounds.accepted_remembered_twice
            ),
        ),
        cases.PENALISED,
    ),
)

ROUND_FAULTS = (*POSITIONS, *TABLES, *STATES)
"""All of them."""
