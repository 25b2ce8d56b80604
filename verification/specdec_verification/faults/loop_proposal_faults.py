"""The faults of a serving loop that lie in its proposals: what is drawn, and what is recorded."""

from specdec_verification.faults import loop_cases as cases
from specdec_verification.faults import loop_rows as rows
from specdec_verification.faults.fault import plant
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.testbed.loop import ServingLoop

PROPOSAL_FAULTS = (
    LoopFault(
        plant(
            "K01",
            "huggingface/transformers #32867",
            "Draft tokens are the draft model's likeliest, and are tested as if they were drawn.",
            ServingLoop("loop_draft_greedy", draw_with=rows.argmax),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K02",
            "mlx-node/mlx-node PR #11",
            "The draft token is drawn from the filtered row, and the row before is recorded.",
            ServingLoop("loop_recorded_unfiltered", record_with=rows.recorded_unfiltered),
        ),
        cases.FILTERED,
    ),
    LoopFault(
        plant(
            "K02",
            "deepseek-ai/DeepSpec #31",
            "The draft token is drawn from a row rounded to few bits, and the exact one recorded.",
            ServingLoop(
                "loop_draft_rounded",
                draft_row_with=rows.rounded,
                record_with=rows.recorded_exactly,
            ),
        ),
        cases.TEMPERED,
    ),
    LoopFault(
        plant(
            "K02",
            "sgl-project/sglang PR #12561",
            "The table of draft rows is fresh memory that nobody wrote.",
            ServingLoop("loop_recorded_unwritten", record_with=rows.recorded_unwritten),
        ),
        cases.PLAIN,
    ),
    LoopFault(
        plant(
            "K19",
            "vllm-project/vllm-ascend PR #16166",
            "Draft tokens are translated to the target's ids, and their recorded rows are not.",
            ServingLoop("loop_recorded_unmapped", record_with=rows.recorded_unmapped),
        ),
        cases.REDUCED,
    ),
)
"""All of them."""
