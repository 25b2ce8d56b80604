"""Rules that are lossy by design, under the claim that they are not."""

from dataclasses import replace

from specdec_core.rules.lenience import Lenience
from specdec_core.rules.relaxed_acceptance import RelaxedAcceptance
from specdec_core.rules.typical_acceptance import TypicalAcceptance
from specdec_verification.faults.fault import Fault, plant

LOSSY_FAULTS: tuple[Fault, ...] = (
    plant(
        "K22",
        "vllm-project/vllm #5015",
        "Typical acceptance, whose fallback is greedy, goes by the name of rejection sampling.",
        replace(TypicalAcceptance(), name="typical_claimed_lossless", lossless=True),
    ),
    plant(
        "K22",
        "sgl-project/sglang PR #7702",
        "Tokens close to the target's best are accepted whatever the draft's law.",
        replace(RelaxedAcceptance(), name="relaxed_claimed_lossless", lossless=True),
    ),
    plant(
        "K22",
        "lucidrains/speculative-decoding commit 326b39e",
        "A lenience below one scales the draft's probabilities.",
        replace(Lenience(), name="lenience_claimed_lossless", lossless=True),
    ),
)
"""Each is a published rule, claimed to be lossless."""
