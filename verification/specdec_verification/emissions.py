"""What one run of a program emits: tokens, or the malfunction that came instead.

A run that raises, or returns what is no list of tokens of the vocabulary, is an outcome of its
own, with its exact probability: dropping such runs would condition the law.
"""

import traceback
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from specdec_core.errors import (
    InvalidInstanceError,
    InvalidParameterError,
    InvalidTokenError,
    MissingContextError,
    NondeterminismError,
    OpaqueDrawError,
)
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_core.parameters import require_token
from specdec_core.rules import Verification
from specdec_grids.affine import is_users
from specdec_grids.paths import Exploration
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

NOT_FOLLOWED = (OpaqueDrawError, NondeterminismError)
"""The program does what cannot be followed: no law, and no verdict."""

NOT_SUITED = (MissingContextError, InvalidParameterError, InvalidInstanceError)
"""The instance lacks what the program asks of it."""

NO_SEQUENCE = (str, bytes, bytearray, Mapping, Set)
"""What can be gone through, and still is no sequence of tokens."""


@dataclass(frozen=True, slots=True)
class Malfunction:
    """A run that emitted no tokens of the vocabulary.

    Attributes
    ----------
    reason : str
        What happened instead.
    remedy : str
        What to do about it if hardly any run does it; empty if nobody knows.
    """

    reason: str
    remedy: str = ""


def attempted(call: Callable[[], Any]) -> Any:  # noqa: ANN401  (whatever the program returns)
    """Return what a call returns, or the malfunction that it raises.

    Raises
    ------
    OpaqueDrawError, NondeterminismError
        If the program cannot be followed; the message says where.
    MissingContextError, InvalidParameterError, InvalidInstanceError
        If the instance lacks what the program asks for.
    MemoryError
        If there is not enough of it.
    """
    try:
        return call()
    except (*NOT_FOLLOWED, *NOT_SUITED, MemoryError):  # how much there is says nothing of the law
        raise
    except (Exception, SystemExit) as error:  # whatever else it raises is a result of this path
        return Malfunction(f"raised {error!r} at {_where(error)}")


def _where(error: BaseException) -> str:
    """Return the innermost line of the user's that an error came through, or where it arose."""
    lines = list(traceback.walk_tb(error.__traceback__))
    users = [(frame, line) for frame, line in lines if is_users(frame)]
    frame, line = (users or lines)[-1]
    return f"{frame.f_code.co_filename}:{line}"


def emitted(
    call: Callable[[], Any], vocab_size: int, longest: int | None = None
) -> Context | Malfunction:
    """Return the tokens that a call emits, checked, or the malfunction."""
    return attempted(lambda: checked(call(), vocab_size, longest))  # type: ignore[no-any-return]


def checked(value: Any, vocab_size: int, longest: int | None = None) -> Context | Malfunction:  # noqa: ANN401
    """Return a value as tokens, or the malfunction of being none.

    Parameters
    ----------
    value : iterable of int, or Verification
    vocab_size : int
    longest : int or None
        How many tokens there may be.
    """
    tokens = value.tokens if isinstance(value, Verification) else value
    if isinstance(tokens, NO_SEQUENCE) or not isinstance(tokens, Iterable):
        return Malfunction(f"returned {tokens!r}, expected a sequence of tokens")
    tokens = tuple(tokens)
    if not tokens:
        return Malfunction("emitted no token, expected at least one")
    if longest is not None and len(tokens) > longest:
        return Malfunction(f"emitted {len(tokens)} tokens, expected at most {longest}")
    try:
        for token in tokens:
            require_token(token, vocab_size, "emitted")
    except InvalidTokenError as error:
        return Malfunction(str(error), _BEYOND if token == vocab_size else "")
    return tuple(map(int, tokens))


RARE = Fraction(1, 1 << 20)
"""Below it, runs that go wrong are those of the largest draws alone."""

_BEYOND = (
    "running sums that end below one, by rounding, leave the largest draws behind the last token; "
    "take min(token, V - 1), or divide the sums by the last of them"
)


def malfunctions(found: Exploration[Any]) -> Exploration[Malfunction]:
    """Return the part of a law that went wrong."""
    broken = {key: prob for key, prob in found.law.probs.items() if isinstance(key, Malfunction)}
    return Exploration(Law(broken), found.paths, found.missing)


def tokens_of(found: Exploration[Any]) -> Exploration[Any]:
    """Return the part of a law that did not go wrong."""
    right = {key: prob for key, prob in found.law.probs.items() if not isinstance(key, Malfunction)}
    return Exploration(Law(right), found.paths, found.missing)


def malfunctioned(broken: Exploration[Malfunction], labels: Labels) -> CheckResult:
    """Return the failure of a program some of whose runs went wrong."""
    return CheckResult(
        check="exact_law",
        labels=labels,
        verdict=Verdict.FAILED,
        evidence=Evidence.EXACT_LAW,
        total_variation=None,
        size=broken.paths,
        detail=_went_wrong(broken.law),
    )


def _went_wrong(law: Law[Malfunction]) -> str:
    """Say how often runs go wrong, and how the likeliest do."""
    worst = max(law, key=law.__getitem__)
    if law[worst] == 1:
        return f"every run {worst.reason}"
    share = f"the likeliest, of probability {shown(law[worst])}, {worst.reason}"
    if law.mass == 1:
        return f"every run goes wrong, in {len(law)} ways; {share}"
    detail = f"runs of probability {shown(law.mass)} went wrong; {share}"
    return f"{detail}: {worst.remedy}" if worst.remedy and law[worst] < RARE else detail


def shown(prob: Fraction, digits: int = 3) -> str:
    """Return a fraction as itself if it is short, else as a decimal."""
    return str(prob) if prob.denominator < 10**6 else f"{float(prob):.{digits}g}"
