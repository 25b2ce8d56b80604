"""The faults of a serving loop that lie in the rows of the target, or of both models."""

from specdec_verification.faults import loop_cases as cases
from specdec_verification.faults import loop_rows as rows
from specdec_verification.faults.fault import plant
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.loop_rows import Seeing, Where, with_stage, without
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.stages import (
    filtered,
    grammatical,
    penalised,
    tempered,
    unbanned,
)

PARAMETERS = (
    LoopFault(
        plant(
            "K03",
            "vllm-project/vllm #9834",
            "Target rows are made with default parameters, draft rows with the request's.",
            ServingLoop(
                "loop_target_by_defaults", target_row_with=without(penalised, tempered, filtered)
            ),
        ),
        cases.TOP_P,
    ),
    LoopFault(
        plant(
            "K03",
            "ohdearquant/lattice #388",
            "Neither side of the verification applies the temperature.",
            ServingLoop(
                "loop_temperature_missing",
                draft_row_with=without(tempered),
                target_row_with=without(tempered),
            ),
        ),
        cases.TEMPERED,
    ),
    LoopFault(
        plant(
            "K03",
            "mlc-ai/mlc-llm PR #2940",
            "The target's rows do not get the top-p.",
            ServingLoop("loop_top_p_missing", target_row_with=Seeing(rows.without_top_p)),
        ),
        cases.TOP_P,
    ),
    LoopFault(
        plant(
            "K03",
            "ztxz16/fastllm #738",
            "Verified rows are filtered by one filter after the other, plain ones by all at once.",
            ServingLoop(
                "loop_filters_in_sequence",
                target_row_with=with_stage(filtered, rows.filtered_in_sequence),
            ),
        ),
        cases.FILTERED,
    ),
    LoopFault(
        plant(
            "K03",
            "sgl-project/sglang #10617",
            "A ban reaches the bonus row, and not the rows of draft tokens.",
            ServingLoop(
                "loop_ban_in_bonus_row_only",
                target_row_with=Where(rows.is_verified, without(unbanned)),
            ),
        ),
        cases.BANNED,
    ),
    LoopFault(
        plant(
            "K03",
            "NVIDIA/TensorRT-LLM PR #17955",
            "Penalties are taken from the user and applied nowhere.",
            ServingLoop(
                "loop_penalties_ignored",
                draft_row_with=without(penalised),
                target_row_with=without(penalised),
            ),
        ),
        cases.PENALISED,
    ),
    LoopFault(
        plant(
            "K03",
            "NVIDIA/TensorRT-LLM PR #17701",
            "A least length is taken from the user and applied nowhere.",
            ServingLoop(
                "loop_least_length_ignored",
                draft_row_with=Seeing(rows.without_least_length),
                target_row_with=Seeing(rows.without_least_length),
            ),
        ),
        cases.STOPPED_LATE,
    ),
    LoopFault(
        plant(
            "K03",
            "alipay/PainlessInferenceAcceleration #26",
            "The speculative loop never receives temperature and filters.",
            ServingLoop(
                "loop_warpers_missing",
                draft_row_with=without(tempered, filtered),
                target_row_with=without(tempered, filtered),
            ),
        ),
        cases.FILTERED,
    ),
    LoopFault(
        plant(
            "K03",
            "vllm-project/vllm-ascend PR #6685",
            "A row that is already made of probabilities is transformed once more.",
            ServingLoop("loop_temperature_twice", target_row_with=rows.TEMPERED_TWICE),
        ),
        cases.TEMPERED,
    ),
)

ORDERS = tuple(
    LoopFault(
        plant("K03", "specdec-verify", mechanism, ServingLoop(name, target_row_with=order)),
        cases.ORDERED,
    )
    for name, mechanism, order in (
        (
            "loop_filters_first",
            "Target rows are filtered before the temperature is applied.",
            rows.FILTERED_FIRST,
        ),
        (
            "loop_masks_last",
            "Tokens that are masked afterwards take their part of the target's top-p.",
            rows.MASKED_LAST,
        ),
        ("loop_bias_first", "Penalties weigh the bias of a target row too.", rows.BIASED_FIRST),
    )
)

PLACES = (
    LoopFault(
        plant(
            "K04",
            "ROCm/ATOM PR #2318",
            "Draft tokens are judged by the target's argmax; only the bonus token is sampled.",
            ServingLoop(
                "loop_verified_greedily",
                target_row_with=Where(rows.is_verified, Seeing(rows.greedily)),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K04",
            "sgl-project/sglang PR #39253",
            "Where the sampling kernel is missing, every token is the likeliest.",
            ServingLoop("loop_all_greedy", target_row_with=Seeing(rows.greedily)),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K04",
            "Luce-Org/lucebox PR #374",
            "The first token of an answer is the likeliest, the later ones are sampled.",
            ServingLoop(
                "loop_first_token_greedy",
                target_row_with=Where(rows.is_first_token, Seeing(rows.greedily)),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K04",
            "vllm-project/vllm #42744",
            "Min-p and bias reach the bonus row, and not the rows of draft tokens.",
            ServingLoop(
                "loop_min_p_in_bonus_row_only",
                target_row_with=Where(rows.is_verified, Seeing(rows.without_min_p_and_bias)),
            ),
        ),
        cases.MIN_P,
    ),
)

SENTINELS = (
    LoopFault(
        plant(
            "K05",
            "vllm-project/vllm PR #27077",
            "The mark of a greedy request is not recognised, and its rows are divided by zero.",
            ServingLoop(
                "loop_greedy_divided_by_zero",
                target_row_with=with_stage(tempered, rows.divided_by_temperature),
            ),
        ),
        cases.GREEDY,
    ),
    LoopFault(
        plant(
            "K05",
            "NVIDIA/TensorRT-LLM PR #19390",
            "A request that gives no temperature is served greedily.",
            ServingLoop("loop_unset_as_greedy", target_row_with=Seeing(rows.unset_as_greedy)),
        ),
        cases.FILTERED,
    ),
    LoopFault(
        plant(
            "K05",
            "vllm-project/tpu-inference PR #2860",
            "The mark for a missing temperature, -1, is used as one and turns the row round.",
            ServingLoop(
                "loop_sentinel_as_temperature",
                target_row_with=with_stage(tempered, rows.by_sentinel),
            ),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K05",
            "Infini-AI-Lab/TriForce #12",
            "A small temperature stands in for zero, where the row cannot be divided by it.",
            ServingLoop("loop_zero_as_small", target_row_with=Seeing(rows.zero_as_small)),
        ),
        cases.GREEDY,
    ),
)

HISTORIES = (
    LoopFault(
        plant(
            "K06",
            "ml-explore/mlx-lm #1175",
            "The history that the penalties see lacks the token just sampled.",
            ServingLoop("loop_history_one_token_late", target_row_with=Seeing(rows.one_token_late)),
        ),
        cases.PENALISED,
    ),
    LoopFault(
        plant(
            "K06",
            "mlx-node/mlx-node PR #11",
            "The penalties are those of the round's first token for the whole run.",
            ServingLoop("loop_history_of_round_start", target_row_with=Seeing(rows.at_round_start)),
        ),
        cases.PENALISED_RUNS,
    ),
    LoopFault(
        plant(
            "K07",
            "vllm-project/vllm PR #44297",
            "The bonus row has no grammar mask.",
            ServingLoop(
                "loop_bonus_unmasked",
                target_row_with=Where(rows.is_bonus, without(grammatical)),
            ),
        ),
        cases.CONSTRAINED,
    ),
    LoopFault(
        plant(
            "K07",
            "vllm-project/vllm PR #54442",
            "Every row after a round's first has no grammar mask.",
            ServingLoop(
                "loop_later_rows_unmasked",
                target_row_with=Where(rows.is_later, without(grammatical)),
            ),
        ),
        cases.CONSTRAINED,
    ),
    LoopFault(
        plant(
            "K20",
            "openvinotoolkit/openvino.genai #4081",
            "The draft goes past the stop token, and the grammar refuses a mask there.",
            ServingLoop("loop_mask_after_stop", target_row_with=rows.refused_after_stop),
        ),
        cases.STOPPED_CONSTRAINED,
    ),
)

ROW_FAULTS = (*PARAMETERS, *ORDERS, *PLACES, *SENTINELS, *HISTORIES)
"""All of them."""
