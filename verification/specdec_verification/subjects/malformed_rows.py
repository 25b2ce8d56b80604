"""Rows that are no distributions, and what a kernel must not do when it meets them.

A model that overflows hands a sampler NaN, infinity or a row of zeros; masks leave one token, or
none; rounding makes a probability larger than one; a tokenizer's added ids lie past the rows.  No
law can be asked for then.  What can be asked for, whatever the uniforms:

- every token that is emitted lies in the vocabulary, and there is at least one;
- a rejected draft token is not emitted in its own place.  An accepted one is always followed by
  another, so a round that ends on the very token drafted there has rejected and emitted it;
- what comes before the last token was accepted, so it is what was drafted there, and no round is
  longer than the draft and one more;
- the call returns: it raises nothing, does not bring the process down, and does not hang.

The kernel runs in a process of its own, since one written in C can take the process with it.
"""

import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specdec_grids.executors import pickled
from specdec_verification.emissions import NOT_FOLLOWED, NOT_SUITED, Malfunction, attempted
from specdec_verification.loading import load
from specdec_verification.outcomes.counting import PADDING, malformed
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.subjects.kernels import Tokens, Verify

VOCAB_SIZE, GAMMA = 5, 2
MAX_SECONDS = 60.0
"""That a kernel may take for one case, the start of its process included."""

UNIFORMS = (0.0, 0.5, 1 - 2.0**-24)
"""Each of a round's; the last is the largest float32 below one."""

_FIT = (0.125, 0.25, 0.125, 0.25, 0.25)
_OTHER = (0.25, 0.125, 0.25, 0.125, 0.25)
_ABOVE_ONE = float(np.nextafter(np.float32(1), np.float32(2)))


_loaded = cache(load)


@dataclass(frozen=True, slots=True)
class PlacedVerify:
    """The kernel that ``FILE.py:NAME`` stands for, found where it is called.

    So it can be handed to another process, which a function of a file that was loaded by its path
    cannot.
    """

    place: str

    def __call__(
        self,
        draft_tokens: NDArray[np.int64],
        target_probs: NDArray[np.floating[Any]],
        draft_probs: NDArray[np.floating[Any]],
        uniforms: NDArray[np.floating[Any]],
        /,
    ) -> Tokens:
        """Load the kernel, and call it."""
        verify: Verify = _loaded(self.place)
        return verify(draft_tokens, target_probs, draft_probs, uniforms)


@dataclass(frozen=True, slots=True)
class RowCase:
    """One kind of malformed input, the same at every position.

    Attributes
    ----------
    name : str
    target_probs, draft_probs : (V,) tuple of float
    draft_tokens : (gamma,) tuple of int
    """

    name: str
    target_probs: tuple[float, ...] = field(default=_FIT)
    draft_probs: tuple[float, ...] = field(default=_OTHER)
    draft_tokens: tuple[int, ...] = (0, 2)

    def arrays(self, dtype: str) -> tuple[NDArray[Any], ...]:
        """Return what the kernel is called with: one round for every choice of uniforms."""
        uniforms = np.array(list(product(UNIFORMS, repeat=GAMMA + 1)), dtype=dtype)
        n = len(uniforms)
        return (
            np.tile(np.array(self.draft_tokens, dtype=np.int64), (n, 1)),
            np.tile(np.array(self.target_probs, dtype=dtype), (n, GAMMA + 1, 1)),
            np.tile(np.array(self.draft_probs, dtype=dtype), (n, GAMMA, 1)),
            uniforms,
        )


CASES = (
    RowCase("nothing malformed"),
    RowCase("target is NaN", target_probs=(np.nan,) * VOCAB_SIZE),
    RowCase("target has a NaN", target_probs=(0.5, np.nan, 0.125, 0.25, 0.125)),
    RowCase("draft is NaN", draft_probs=(np.nan,) * VOCAB_SIZE),
    RowCase("target has an infinity", target_probs=(0.0, np.inf, 0.0, 0.25, 0.25)),
    RowCase("target is minus infinity", target_probs=(-np.inf,) * VOCAB_SIZE),
    RowCase("draft has an infinity", draft_probs=(np.inf, 0.0, 0.0, 0.0, 0.0)),
    RowCase("target is zero", target_probs=(0.0,) * VOCAB_SIZE),
    RowCase("draft is zero", draft_probs=(0.0,) * VOCAB_SIZE),
    RowCase("both are zero", (0.0,) * VOCAB_SIZE, (0.0,) * VOCAB_SIZE),
    RowCase("target is one token, not the draft's", target_probs=(0.0, 1.0, 0.0, 0.0, 0.0)),
    RowCase("target is the last token", target_probs=(0.0, 0.0, 0.0, 0.0, 1.0)),
    RowCase("draft is one token", draft_probs=(1.0, 0.0, 0.0, 0.0, 0.0), draft_tokens=(0, 0)),
    RowCase("draft is above one", draft_probs=(_ABOVE_ONE, 0.0, 0.0, 0.0, 0.0)),
    RowCase("target falls short of the draft by rounding", _OTHER, (0.2500001, *_OTHER[1:])),
    RowCase(
        "both are one token, the draft's above one", (1.0, 0, 0, 0, 0), (_ABOVE_ONE, 0, 0, 0, 0)
    ),
    RowCase("a draft token is the vocabulary's size", draft_tokens=(0, VOCAB_SIZE)),
    RowCase("a draft token is negative", draft_tokens=(-1, 2)),
    RowCase("a draft token is far past the vocabulary", draft_tokens=(1 << 30, 2)),
)
"""A rejection with no mass left to replace it from is among them."""


def check_malformed_rows(verify: Verify, dtype: str, labels: Labels) -> CheckResult:
    """Check that a kernel keeps its head on rows that are no distributions.

    Parameters
    ----------
    verify : Verify
        Handed to another process: a function of an installed module, or a `PlacedVerify`.
    dtype : str
        Of the rows and the uniforms.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        ``FAILED`` naming the first case that goes wrong, and how many do.

    Raises
    ------
    InvalidParameterError
        If the kernel cannot be handed to another process.
    """
    emitted = _in_another_process(verify, dtype)
    faults = [
        f"{case.name}: {fault}"
        for case, tokens in zip(CASES, emitted, strict=False)
        if (fault := _fault(case, tokens, dtype))
    ]
    verdict = Verdict.FAILED if faults else Verdict.PASSED
    detail = (
        f"{len(faults)} of {len(CASES)} kinds of malformed rows go wrong; {faults[0]}"
        if faults
        else f"{len(CASES)} kinds of rows: every token is in the vocabulary, none that was rejected"
    )
    size = len(CASES) * len(UNIFORMS) ** (GAMMA + 1)
    return CheckResult(
        "malformed_rows", labels, verdict, Evidence.BOUNDARY_POINTS, None, size, detail
    )


def _in_another_process(verify: Verify, dtype: str) -> Iterator[Tokens | Malfunction]:
    """Yield what is emitted in each case; after a crash or a hang, nothing more."""
    pickled(verify, "the kernel")
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_send_all, args=(verify, dtype, sending), daemon=True)
    process.start()
    sending.close()
    try:
        for _ in CASES:
            if not receiving.poll(MAX_SECONDS):
                yield Malfunction(f"took longer than {MAX_SECONDS:g} s")
                return
            try:
                yield receiving.recv()
            except EOFError:
                process.join()
                yield Malfunction(f"the process ended with exit code {process.exitcode}")
                return
    finally:
        process.kill()
        process.join()
        receiving.close()


def _send_all(verify: Verify, dtype: str, sending: Connection) -> None:
    for case in CASES:
        with np.errstate(all="ignore"):  # warnings of NaN are what is asked for
            sending.send(_called(verify, case.arrays(dtype)))


def _called(verify: Verify, arrays: Sequence[NDArray[Any]]) -> Tokens | Malfunction:
    """Return what a kernel emits, if it is what another process can be told."""
    try:
        emitted: Tokens | Malfunction = attempted(lambda: np.asarray(verify(*arrays)))
    except (*NOT_SUITED, *NOT_FOLLOWED) as error:  # here they are the kernel's own
        return Malfunction(f"raised {error!r}")
    if isinstance(emitted, np.ndarray) and emitted.dtype.kind not in "iu":
        return Malfunction(f"returned {emitted.dtype} of shape {emitted.shape}, expected integers")
    return emitted


def _fault(case: RowCase, emitted: Tokens | Malfunction, dtype: str) -> str:
    """Return what is wrong with what a case emitted, or nothing."""
    if isinstance(emitted, Malfunction):
        return emitted.reason
    uniforms = case.arrays(dtype)[-1]
    if emitted.ndim != 2 or len(emitted) != len(uniforms):
        return f"returned {emitted.dtype} of shape {emitted.shape} for {len(uniforms)} rounds"
    for row in np.flatnonzero(malformed(emitted, VOCAB_SIZE)):
        return f"emitted {emitted[row].tolist()} for the uniforms {uniforms[row].tolist()}"
    for tokens, drawn in zip(emitted.tolist(), uniforms.tolist(), strict=True):
        if fault := _misplaced([token for token in tokens if token != PADDING], case.draft_tokens):
            return f"{fault} for the uniforms {drawn}"
    return ""


def _misplaced(tokens: Sequence[int], draft_tokens: Sequence[int]) -> str:
    """Return what is wrong with a round that drafted these tokens, or nothing."""
    last = len(tokens) - 1
    if last > len(draft_tokens):
        return f"emitted {len(tokens)} tokens, of a draft of {len(draft_tokens)},"
    for token, drafted in zip(tokens[:last], draft_tokens, strict=False):
        if token != drafted:
            return f"emitted {token} in place of draft token {drafted}, and went on,"
    if last < len(draft_tokens) and tokens[last] == draft_tokens[last]:
        return f"draft token {tokens[last]} was rejected and emitted"
    return ""
