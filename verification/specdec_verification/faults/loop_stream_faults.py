"""The faults of a serving loop that lie in its draws."""

from specdec_verification.faults import loop_cases as cases
from specdec_verification.faults import loop_streams as streams
from specdec_verification.faults.fault import plant
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.testbed.loop import ServingLoop

STREAM_FAULTS = (
    LoopFault(
        plant(
            "K13",
            "feifeibear/LLMSpeculativeSampling PR #8",
            "The generator is set back to its seed before each draw of the verification.",
            ServingLoop("loop_reset_at_each_draw", stream_with=streams.reset_at_each_draw),
        ),
        cases.SEEDED,
    ),
    LoopFault(
        plant(
            "K13",
            "NVIDIA/TensorRT-LLM #19487",
            "Requests without a seed all read one stream from its start.",
            ServingLoop("loop_unseeded_share_stream", stream_with=streams.shared_by_unseeded),
        ),
        cases.UNSEEDED_PAIR,
    ),
    LoopFault(
        plant(
            "K13",
            "vllm-project/vllm #6038",
            "A request's seed has no effect.",
            ServingLoop("loop_seed_ignored", stream_with=streams.seed_ignored),
        ),
        cases.SEEDED,
    ),
    LoopFault(
        plant(
            "K13",
            "vllm-project/vllm PR #10863",
            "In a batch with a seeded request, the noise of one without a seed is never filled.",
            ServingLoop("loop_noise_unfilled", verify_with=streams.verified_with_constant_noise),
        ),
        cases.MIXED_SEEDS,
    ),
    LoopFault(
        plant(
            "K13",
            "vllm-project/vllm-ascend #13608",
            "A round without a draft draws and throws away, so that a seeded run shifts.",
            ServingLoop("loop_undrafted_draws", verify_with=streams.verified_after_discarded_draw),
        ),
        cases.UNDRAFTED,
    ),
    LoopFault(
        plant(
            "K13",
            "vllm-project/vllm-ascend PR #9693",
            "Seeds pass through single precision, where neighbours become one.",
            ServingLoop("loop_seeds_collide", stream_with=streams.seed_in_single_precision),
        ),
        cases.LARGE_SEEDS,
    ),
    LoopFault(
        plant(
            "K13",
            "ggml-org/llama.cpp PR #27694",
            "Draft and verifier build their generators from one seed, and share their draws.",
            ServingLoop("loop_draft_shares_seed", stream_with=streams.both_from_the_seed),
        ),
        cases.SEEDED,
    ),
    LoopFault(
        plant(
            "K13",
            "ggml-org/llama.cpp PR #27694",
            "The draft's generator is built anew in every round, and repeats its draws.",
            ServingLoop("loop_draft_stream_restarts", stream_with=streams.draft_restarted),
        ),
        cases.SHORT_ROUNDS,
    ),
    LoopFault(
        plant(
            "K18",
            "vllm-project/vllm PR #35398",
            "Seeds are looked up by the number of the lane, not of the request.",
            ServingLoop("loop_seed_of_lane", stream_with=streams.seed_of_lane),
        ),
        cases.UNEQUAL,
    ),
)
"""All of them."""
