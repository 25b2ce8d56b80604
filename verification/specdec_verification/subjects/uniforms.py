"""Code that takes its uniforms as arrays: kernels, in whatever language.

A *kernel* takes many rounds' uniforms at once and returns what each round emits.  It is compared
with a reference rule, which is one program over draws, in two ways that need no sampling:

- over a whole Cartesian lattice of draws, visited point by point, each outcome must come as often
  as the reference's, found by splitting the lattice; both are integers (`check_lattice`);
- at both sides of every threshold that the reference has, in the kernel's own float format, the
  kernel must emit the same tokens (`check_boundaries`).  The reference's decision changes nowhere
  else.  So if the kernel's changes as often, once a comparison, the two are equal everywhere; one
  that has cuts of its own in between shows where a point lies past them, and in the lattice's
  counts.

Not here: what a kernel is (see `kernels`), rows that are no distributions (see `malformed_rows`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from specdec_core.errors import GridTooLargeError
from specdec_core.instances import Instance
from specdec_core.laws import total_variation
from specdec_core.models import Context, context_key
from specdec_core.rules import Rule
from specdec_grids.lattices import Lattice, count, least_lattice
from specdec_grids.populations import BATCH, Counts
from specdec_grids.programs import Program, round_program
from specdec_verification.boundaries import FloatFormat, Point, boundary_points, path_points
from specdec_verification.dyadic_instances import threshold_slack
from specdec_verification.emissions import Malfunction, attempted
from specdec_verification.outcomes.counting import PADDING, Coding, OutcomeCounter, malformed
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.subjects.kernels import Kernel, Tokens, Uniforms

MAX_POINTS = 1 << 22
"""Of a lattice that a kernel is taken over: seconds of a kernel's time."""

ALONE = 64
"""Rounds, at most, that a kernel is called with one by one."""

UNUSED = Fraction(1, 2)
"""Stands where the reference takes no draw, and where a kernel may look all the same."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a kernel is compared with: a rule on an instance, in a float format.

    Parameters
    ----------
    rule : Rule
    instance : Instance
        With rows of fractions, which the kernel gets as floats.
    dtype : str
        The kernel's: ``"float32"`` or ``"float64"``.
    slack : Fraction or None
        How far the kernel's rounding may move a threshold.  Unless it is given it follows from
        the rows, for arithmetic as token rejection needs it (`dyadic_instances.threshold_slack`);
        a kernel that works with logarithms, or a rule that divides on the way, needs more.
    """

    rule: Rule[Any]
    instance: Instance
    dtype: str = "float32"
    slack: Fraction | None = None

    @property
    def program(self) -> Program[Context]:
        """One round: from draws to the tokens that it emits."""
        round_ = round_program(self.rule, self.instance)
        return lambda draws: round_(draws).tokens

    @property
    def numbers(self) -> FloatFormat:
        """The float format, with the slack that is given, or that the instance's rows need."""
        if self.slack is not None:
            return FloatFormat(self.dtype, self.slack)
        slack = threshold_slack(self.instance, FloatFormat(self.dtype).epsilon)
        return FloatFormat(self.dtype, slack)

    @property
    def coding(self) -> Coding:
        """Of what a round can emit."""
        return Coding(self.instance.vocab_size, self.rule.horizon(self.instance))


def check_lattice(
    kernel: Kernel, reference: Reference, labels: Labels, *, lattice: Lattice | None = None
) -> CheckResult:
    """Check a kernel's counts over a lattice of draws against the reference's.

    Parameters
    ----------
    kernel : callable
        From ``(n, D)`` uniforms to tokens.
    reference : Reference
    labels : Labels
        What the result is called.
    lattice : Lattice or None
        The midpoints of the least sizes, unless another is given.

    Returns
    -------
    CheckResult
        ``PASSED`` if every count is equal.

    Raises
    ------
    GridTooLargeError
        If the lattice has more than `MAX_POINTS` points.
    """
    lattice = least_lattice(reference.program) if lattice is None else lattice
    if lattice.size > MAX_POINTS:
        raise GridTooLargeError(
            f"a lattice of {lattice.size} points, at most {MAX_POINTS} go through a kernel"
        )
    expected = count(reference.program, lattice)
    counter = OutcomeCounter(reference.coding)
    for start in range(0, lattice.size, BATCH):
        uniforms = _lattice_points(lattice, start, reference.dtype)
        emitted = _emitted(kernel, uniforms, reference)
        if isinstance(emitted, Malfunction):
            return _failed("lattice", Evidence.LATTICE_COUNT, labels, lattice.size, emitted.reason)
        counter.add(emitted)
    got = Counts(counter.counts())
    verdict, detail = _compared(got, expected)
    return CheckResult(
        check="lattice",
        labels=labels,
        verdict=verdict,
        evidence=Evidence.LATTICE_COUNT,
        total_variation=total_variation(got.law, expected.law),
        size=lattice.size,
        detail=detail,
    )


def check_boundaries(kernel: Kernel, reference: Reference, labels: Labels) -> CheckResult:
    """Check that a kernel emits what the reference does, at every place where that can change.

    Parameters
    ----------
    kernel : callable
        From ``(n, D)`` uniforms to tokens.
    reference : Reference
        On an instance of at most some hundred paths.  On one whose arithmetic is exact in floats
        (`specdec_verification.dyadic_instances`) the points are one unit in the last place from a
        threshold, and on it; on others they keep the distance that rounding can move one.
    labels : Labels
        What the result is called.

    Returns
    -------
    CheckResult
        ``PASSED`` if the tokens are equal at every point; its size is the number of points.  The
        middle of every path is among them.  The kernel is called again with the rounds in reverse
        order, and then with `ALONE` of them one by one: a round depends neither on its neighbours
        nor on what was run before, nor on how many there are.  No total variation is given: a
        fault on a threshold has none to speak of.
    """
    numbers, program = reference.numbers, reference.program
    points = [*path_points(program, numbers), *boundary_points(program, numbers)]
    uniforms = _as_array([point.draws for point in points], reference.dtype)
    emitted = _emitted(kernel, uniforms, reference)
    check, evidence = "boundaries", Evidence.BOUNDARY_POINTS
    if isinstance(emitted, Malfunction):
        return _failed(check, evidence, labels, len(points), emitted.reason)
    codes = reference.coding.codes(emitted)
    wrong = [
        (point, int(code))
        for point, code in zip(points, codes, strict=True)
        if reference.coding.tokens(int(code)) != point.outcome
    ]
    if wrong:
        first, code = wrong[0]
        told = _difference(first, reference.coding.tokens(code), reference)
        detail = f"{len(wrong)} of {len(points)} points differ; the first: {told}"
        return _failed(check, evidence, labels, len(points), detail)
    told = _changed_in_other_batches(kernel, uniforms, emitted, reference)
    if told:
        return _failed(check, evidence, labels, len(points), told)
    detail = f"the tokens are equal at {len(points)} points, on both sides of every threshold"
    return CheckResult(check, labels, Verdict.PASSED, evidence, None, len(points), detail)


def _lattice_points(lattice: Lattice, start: int, dtype: str) -> Uniforms:
    stop = min(start + BATCH, lattice.size)
    columns = [lattice.column(i, start, stop) for i in range(len(lattice.axes))]
    shape = (stop - start, len(columns))
    uniforms = np.empty(shape, dtype=dtype)
    for i, column in enumerate(columns):
        uniforms[:, i] = column.numerators / column.denominator
    return uniforms


def _as_array(draws: Iterable[tuple[Fraction, ...]], dtype: str) -> Uniforms:
    listed = list(draws)
    width = max(map(len, listed), default=0)
    filled = [[*map(float, row), *[float(UNUSED)] * (width - len(row))] for row in listed]
    return np.array(filled, dtype=dtype).reshape(len(listed), width)


def _emitted(kernel: Kernel, uniforms: Uniforms, reference: Reference) -> Tokens | Malfunction:
    """Return what a kernel emits, well formed, or what it did instead."""
    tokens = attempted(lambda: np.asarray(kernel(uniforms.copy())))
    if isinstance(tokens, Malfunction):
        return tokens
    longest = reference.coding.longest
    if tokens.ndim != 2 or len(tokens) != len(uniforms) or tokens.dtype.kind not in "iu":
        return Malfunction(
            f"returned {tokens.dtype} of shape {tokens.shape} for {len(uniforms)} rounds, "
            "expected integers, a row a round"
        )
    tokens = tokens.astype(np.int64)  # the padding of unsigned ones is -1 again
    kept, beyond = tokens[:, :longest], tokens[:, longest:]
    bad = malformed(kept, reference.instance.vocab_size) | (beyond != PADDING).any(axis=1)
    for row in np.flatnonzero(bad):
        return Malfunction(
            f"emitted {tokens[row].tolist()} for the uniforms {uniforms[row].tolist()}, expected "
            f"1 to {longest} tokens below {reference.instance.vocab_size}, then {PADDING}"
        )
    missing = longest - kept.shape[1]
    return np.pad(kept, ((0, 0), (0, missing)), constant_values=PADDING)


def _changed_in_other_batches(
    kernel: Kernel, uniforms: Uniforms, emitted: Tokens, reference: Reference
) -> str:
    """Return what another order, or rounds one by one, change; nothing if nothing."""
    everything = np.arange(len(uniforms))
    some = np.unique(np.linspace(0, len(uniforms) - 1, ALONE).astype(int))
    for rounds, how in (
        (everything[::-1], "called again with the rounds in reverse order"),
        *((one, "called with one round alone") for one in some[:, None]),
    ):
        again = _emitted(kernel, uniforms[rounds], reference)
        if isinstance(again, Malfunction):
            return f"{how}, it {again.reason}"
        differs = np.flatnonzero((again != emitted[rounds]).any(axis=1))
        if differs.size:
            row = int(differs[-1] if len(rounds) > 1 else 0)
            before = _tokens(emitted[rounds][row], reference)
            return (
                f"{differs.size} of {len(rounds)} rounds change when it is {how}; the first: for "
                f"the uniforms {uniforms[rounds][row].tolist()} it emitted tokens {before}, then "
                f"{_tokens(again[row], reference)}"
            )
    return ""


def _tokens(row: Tokens, reference: Reference) -> str:
    return repr(context_key(reference.coding.tokens(int(reference.coding.codes(row[None])[0]))))


def _compared(got: Counts[Context], expected: Counts[Context]) -> tuple[Verdict, str]:
    for tokens in sorted({*got.counts, *expected.counts}):
        if got[tokens] != expected[tokens]:
            return Verdict.FAILED, (
                f"tokens {context_key(tokens)!r}: expected {expected[tokens]} of "
                f"{expected.points} points, got {got[tokens]}"
            )
    return Verdict.PASSED, f"{len(expected.counts)} counts equal, of {expected.points} points"


def _difference(point: Point[Context], got: Context, reference: Reference) -> str:
    where = "in the middle of a path" if point.place is None else f"with {point.place}"
    return (
        f"{where}, uniforms {[float(draw) for draw in point.draws]} of {reference.dtype}: expected "
        f"tokens {context_key(point.outcome)!r}, got {context_key(got)!r}"
    )


def _failed(check: str, evidence: Evidence, labels: Labels, size: int, detail: str) -> CheckResult:
    return CheckResult(check, labels, Verdict.FAILED, evidence, None, size, detail)
