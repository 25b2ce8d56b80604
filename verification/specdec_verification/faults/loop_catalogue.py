"""All faults of a serving loop, their witnesses, and what no check of ours can see."""

from dataclasses import dataclass
from types import MappingProxyType

from specdec_verification.faults.fault import Fault
from specdec_verification.faults.loop_book_faults import BOOK_FAULTS
from specdec_verification.faults.loop_fault import LoopFault
from specdec_verification.faults.loop_proposal_faults import PROPOSAL_FAULTS
from specdec_verification.faults.loop_round_faults import ROUND_FAULTS
from specdec_verification.faults.loop_row_faults import ROW_FAULTS
from specdec_verification.faults.loop_stream_faults import STREAM_FAULTS

PLANTED: tuple[LoopFault, ...] = (
    *PROPOSAL_FAULTS,
    *ROW_FAULTS,
    *STREAM_FAULTS,
    *ROUND_FAULTS,
    *BOOK_FAULTS,
)
"""Each fault with its witness."""

LOOP_FAULTS: tuple[Fault, ...] = tuple(planted.fault for planted in PLANTED)
"""Each fails the exact check of a serving loop on its witness."""

LOOP_WITNESSES = MappingProxyType({planted.loop.name: planted.witness for planted in PLANTED})
"""From a fault's name to the case that shows it."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A fault that was seen elsewhere, and that nothing here can see.

    Attributes
    ----------
    kind : str
        ``"K01"`` to ``"K23"``.
    seen : str
        Repository and number.
    reason : str
        Why no check of a law shows it.
    """

    kind: str
    seen: str
    reason: str


UNSEEN: tuple[Unseen, ...] = (
    Unseen(
        "K11",
        "vllm-project/vllm PR #46665",
        "the cancellation moves a residual weight by 6e-8 of itself: no sample is large enough, "
        "and fractions do not round; compare the row with one of higher precision",
    ),
    Unseen(
        "K12",
        "flashinfer-ai/flashinfer PR #424",
        "a missing barrier is a race between threads: it depends on the hardware's timing, which "
        "no draw decides; exact execution refuses a program that answers twice otherwise",
    ),
    Unseen(
        "K13",
        "vllm-project/vllm #17498",
        "ranks that draw apart need two processes; an audit runs one, and its law may be right on "
        "each",
    ),
    Unseen(
        "K13",
        "NVIDIA-NeMo/Automodel PR #3166",
        "a seeded call that depends on the device needs two devices; the law is right on each",
    ),
    Unseen(
        "K14",
        "vllm-project/vllm PR #51367",
        "noise of 24 bits is wrong in a tail of 129 280 tokens: each cell is far too rare, and "
        "exact execution would have to follow every token",
    ),
    Unseen(
        "K17",
        "vllm-project/vllm PR #49620",
        "output that outlives a pre-empted request needs a scheduler that pre-empts; a loop has "
        "none",
    ),
    Unseen(
        "K18",
        "vllm-project/vllm PR #47383",
        "a 32-bit index wraps at row 13 855 of 155 000 tokens, more than a law can be followed "
        "for; the same slip in two bits is planted, and seen",
    ),
    Unseen(
        "K22",
        "verl-project/verl-SpeCo PR #19",
        "a lossy mode that should have been refused is a matter of configuration: its law is seen "
        "to differ, that nobody asked for it is not",
    ),
)
"""For the README: kinds and instances out of reach, and why."""
