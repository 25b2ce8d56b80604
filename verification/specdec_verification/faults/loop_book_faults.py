"""The faults of a serving loop that lie in its books."""

from specdec_verification.faults import loop_books as books
from specdec_verification.faults import loop_cases as cases
from specdec_verification.faults.fault import plant
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.testbed.loop import ServingLoop

ENDS = (
    LoopFault(
        plant(
            "K20",
            "huggingface/transformers PR #31301",
            "Only the last token of a run is compared with the stop tokens.",
            ServingLoop("loop_end_seen_at_last_token", cut_with=books.end_seen_at_last_token),
        ),
        cases.STOPPED,
    ),
    LoopFault(
        plant(
            "K20",
            "huggingface/transformers PR #48981",
            "A stop token inside a run ends the loop, and the tokens behind it stay.",
            ServingLoop("loop_end_seen_and_run_kept", cut_with=books.end_seen_and_run_kept),
        ),
        cases.STOPPED,
    ),
    LoopFault(
        plant(
            "K20",
            "PaddlePaddle/FastDeploy PR #7121",
            "A stop sequence that begins in one round and ends in the next is not seen.",
            ServingLoop("loop_sequence_within_run", cut_with=books.sequence_within_run),
        ),
        cases.SEQUENCE,
    ),
    LoopFault(
        plant(
            "K20",
            "PaddlePaddle/FastDeploy PR #7121",
            "The search for a stop sequence begins at the second token of a run.",
            ServingLoop("loop_first_token_skipped", cut_with=books.first_token_skipped),
        ),
        cases.SEQUENCE,
    ),
    LoopFault(
        plant(
            "K20",
            "specdec-verify",
            "Where a stop token completes a stop sequence, the other reason is given.",
            ServingLoop("loop_sequence_before_token", cut_with=books.sequence_before_token),
        ),
        cases.STOPPED_TWICE,
    ),
    LoopFault(
        plant(
            "K20",
            "ikawrakow/ik_llama.cpp PR #2358",
            "A whole run is charged to the budget before it is emitted, and may not fit.",
            ServingLoop("loop_budget_charged_first", cut_with=books.budget_charged_first),
        ),
        cases.CAPPED,
    ),
)

NUMBERS = (
    LoopFault(
        plant(
            "K20",
            "vllm-project/vllm PR #47616",
            "The text is cut at a stop, and the log-probabilities behind it are returned.",
            ServingLoop("loop_probs_of_whole_run", report_with=books.probs_of_whole_run),
        ),
        cases.STOPPED,
    ),
    LoopFault(
        plant(
            "K21",
            "vllm-project/vllm PR #38711",
            "Near the length limit the log-probabilities are those of a stale draft's rows.",
            ServingLoop("loop_probs_of_stale_rows", report_with=books.probs_of_stale_rows),
        ),
        cases.CAPPED,
    ),
    LoopFault(
        plant(
            "K21",
            "flashinfer-ai/flashinfer #879",
            "The counter counts draft tokens that pass alone, behind a refused one too.",
            ServingLoop("loop_successes_counted", count_with=books.successes_counted),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K21",
            "sgl-project/sglang PR #11572",
            "The token that the target adds is counted as accepted.",
            ServingLoop("loop_bonus_counted", count_with=books.bonus_counted),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K21",
            "vllm-project/vllm PR #28473",
            "The accepted count is the emitted count less one, even of a run without a last one.",
            ServingLoop("loop_one_less_counted", count_with=books.one_less_counted),
        ),
        cases.STOPPED,
    ),
    LoopFault(
        plant(
            "K21",
            "sgl-project/sglang #39826",
            "Tokens are counted before the stop is applied.",
            ServingLoop("loop_whole_run_counted", count_with=books.whole_run_counted),
        ),
        cases.STOPPED,
    ),
    LoopFault(
        plant(
            "K21",
            "ohdearquant/lattice #389",
            "After a draft that was kept whole, the bonus token is drawn and then dropped.",
            ServingLoop("loop_bonus_dropped", verify_with=books.bonus_dropped),
        ),
        cases.PLAIN,
    ),
)

BOOK_FAULTS = (*ENDS, *NUMBERS)
"""All of them."""
