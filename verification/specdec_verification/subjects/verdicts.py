"""The verdict on whatever a callable emits: its exact law against its target's.

Every emission is completed with the target's own conditional probabilities to the length asked
for.  A batch, a tuple of rows, is judged as the joint over its rows, one after another: rows that
share their randomness can each be right alone and wrong together.
"""

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter
from typing import Any, NamedTuple, TypeGuard

from specdec_core.laws import Law, complete, outside_support, target_joint, total_variation
from specdec_core.models import Context, ContextModel
from specdec_grids.paths import Exploration
from specdec_verification.emissions import (
    Malfunction,
    checked,
    malfunctioned,
    malfunctions,
    tokens_of,
)
from specdec_verification.exact_law import EPSILON, compare
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.subjects.exact import DEFAULT, Emit, Execution, executed

ROUNDINGS = 64
"""Of one acceptance threshold; a quotient of logarithms near 40 loses that many last places."""

MAX_DENOMINATOR = 10**12
"""Of a total variation that is still read as a fraction."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    result : CheckResult
        The verdict on the joint law, its total variation, and where it first differs.
    marginals : tuple of Fraction
        Total variation, in ``[0, 1]``, of each position alone; of a batch, of each row alone.
    lengths : Law of int
        Of the number of tokens emitted, over all rows.
    outside : Fraction
        Probability of sequences that the target rules out.
    bound : Fraction
        What rounding alone can make of the total variation.
    seconds : float
    """

    result: CheckResult
    marginals: tuple[Fraction, ...]
    lengths: Law[int]
    outside: Fraction
    bound: Fraction
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """The verdict on the joint law."""
        return self.result.verdict


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed of an emission: that its law is its target's.

    Attributes
    ----------
    targets : tuple of ContextModel
        One for every row of a batch, or one for all.
    length : int
        Tokens in every completed row.
    epsilon : Fraction
        Of the floats that the subject computes with.
    """

    targets: tuple[ContextModel, ...]
    length: int
    epsilon: Fraction = EPSILON

    @property
    def vocab_size(self) -> int:
        """The number of tokens, ``V``."""
        return len(self.targets[0](()))

    def of_rows(self, rows: int) -> tuple[ContextModel, ...]:
        """Return a target for each row."""
        return self.targets * rows if len(self.targets) == 1 else self.targets[:rows]


def audit(
    emit: Emit,
    *,
    target: ContextModel | Sequence[ContextModel],
    length: int,
    execution: Execution = DEFAULT,
    labels: Labels | None = None,
) -> Audit:
    """Check the exact law of what a callable emits against the target's joint law.

    Parameters
    ----------
    emit : callable
        As `exact_law` takes it; returns tokens, or a tuple of rows of tokens.
    target : callable, or sequence of them
        From a context, counted from the start of the emission, to the row of the next token; one
        for each row of a batch, if they differ.
    length : int
        Tokens that a row is completed to; a longer one is a malfunction.
    execution : Execution
        When to stop following paths (a pass misses no more of them than rounding may move), what
        a uniform is taken to be, and what floats the subject computes with.
    labels : Labels or None
        What the result is called.

    Examples
    --------
    >>> import random
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.models import ConstantModel
    >>> audit(
    ...     lambda: random.choices([0, 1], weights=[1, 3]),
    ...     target=ConstantModel(Row([0.25, 0.75])),
    ...     length=1,
    ... ).verdict
    <Verdict.PASSED: 'PASSED'>
    """
    started = time.perf_counter()
    targets = tuple(target) if isinstance(target, Sequence) else (target,)
    found, epsilon = executed(emit, execution)
    claim = Claim(targets, length, epsilon)
    return judged(found, claim, labels or _labels(emit, claim), started)


def judged(found: Exploration[Hashable], claim: Claim, labels: Labels, started: float) -> Audit:
    """Return the verdict on a law of emissions; ``started`` is when work on it began."""
    rows = Exploration(
        found.law.image(lambda value: _rows(value, claim)), found.paths, found.missing
    )
    broken, right = malfunctions(rows), tokens_of(rows)
    lengths = right.law.image(lambda emitted: sum(map(len, emitted)))
    if broken.law:
        seconds, none = time.perf_counter() - started, Fraction(0)
        return Audit(malfunctioned(broken, labels), (), lengths, none, none, seconds)
    count = len(next(iter(right.law), ((),)))
    targets = claim.of_rows(count)
    got = _completed(right.law, targets, claim.length)
    expected = _joint(targets, claim.length)
    bound = rounding_bound(expected, claim, count)
    found_rows = Exploration(_flat(got), found.paths, found.missing)
    marginals = _marginals(got, expected)
    result = readable(compare(found_rows, _flat(expected), bound, labels))
    return Audit(
        _with_marginals(result, marginals, bound, "position" if count == 1 else "row"),
        marginals,
        lengths,
        outside_support(got, expected).mass,
        bound,
        time.perf_counter() - started,
    )


class Laws(NamedTuple):
    """Two laws of whole sequences, found and claimed; a batch's rows stand one after another."""

    got: Law[Context]
    expected: Law[Context]


def laws_of(found: Exploration[Hashable], claim: Claim) -> Laws:
    """Return the laws that `judged` compares; of the runs that went wrong there is none."""
    outcomes = found.law.image(lambda value: _rows(value, claim))
    right = tokens_of(Exploration(outcomes, found.paths, found.missing)).law
    targets = claim.of_rows(len(next(iter(right), ((),))))
    return Laws(
        _flat(_completed(right, targets, claim.length)), _flat(_joint(targets, claim.length))
    )


def goes_wrong(found: Exploration[Hashable], claim: Claim) -> bool:
    """Return whether some runs emitted no tokens of the vocabulary."""
    return any(isinstance(_rows(value, claim), Malfunction) for value in found.law)


def readable(result: CheckResult) -> CheckResult:
    """Return a result with its total variation as a float, if floats have made it a long fraction.

    >>> Fraction(0.1).denominator > MAX_DENOMINATOR
    True
    """
    distance = result.total_variation
    if isinstance(distance, Fraction) and distance.denominator > MAX_DENOMINATOR:
        return replace(result, total_variation=float(distance))
    return result


def _with_marginals(
    result: CheckResult, marginals: tuple[Fraction, ...], bound: Fraction, part: str
) -> CheckResult:
    """Say how far each part is off alone, by more than rounding: dependent parts need not be."""
    if result.verdict is not Verdict.FAILED or len(marginals) == 1:
        return result
    distances = ", ".join(f"{float(d) if d > bound else 0:.3g}" for d in marginals)
    return replace(result, detail=f"{result.detail}; each {part} alone is off by {distances}")


def rounding_bound(expected: Law[Any], claim: Claim, rows: int) -> Fraction:
    """Return how far rounding alone can move a law of emissions, and what its rows lack of one.

    At each position an acceptance threshold is off by at most `ROUNDINGS` times epsilon, and the
    row that a token is drawn from by epsilon for each of its ``V`` entries.
    """
    each = (claim.vocab_size + ROUNDINGS) * claim.epsilon
    return rows * claim.length * each + 2 * abs(1 - expected.mass)


def _rows(value: Hashable, claim: Claim) -> tuple[Context, ...] | Malfunction:
    """Return an emission as rows, checked."""
    if isinstance(value, Malfunction):
        return value
    values = value if _is_batch(value) else (value,)
    rows = [checked(row, claim.vocab_size, claim.length) for row in values]
    broken = [row for row in rows if isinstance(row, Malfunction)]
    if broken:
        return broken[0]
    if len(claim.targets) not in (1, len(rows)):
        return Malfunction(f"emitted {len(rows)} rows, expected {len(claim.targets)}")
    return tuple(row for row in rows if not isinstance(row, Malfunction))


def _is_batch(value: Hashable) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], tuple)


def _completed(
    law: Law[tuple[Context, ...]], targets: Sequence[ContextModel], length: int
) -> Law[tuple[Context, ...]]:
    """Complete each row with its own target."""
    whole: dict[tuple[Context, ...], Fraction] = {}
    for rows, prob in law.probs.items():
        parts = [
            complete(Law({row: Fraction(1)}), target, length)
            for row, target in zip(rows, targets, strict=True)
        ]
        for completed, share in _product(parts).probs.items():
            whole[completed] = whole.get(completed, Fraction(0)) + prob * share
    return Law(whole)


def _joint(targets: Sequence[ContextModel], length: int) -> Law[tuple[Context, ...]]:
    return _product([target_joint(target, length) for target in targets])


def _product(laws: Sequence[Law[Context]]) -> Law[tuple[Context, ...]]:
    """Return the joint law of independent rows."""
    probs: dict[tuple[Context, ...], Fraction] = {(): Fraction(1)}
    for law in laws:
        probs = {
            (*rows, row): prob * share
            for rows, prob in probs.items()
            for row, share in law.probs.items()
        }
    return Law(probs)


def _flat(law: Law[tuple[Context, ...]]) -> Law[Context]:
    """Return the law of all rows, one after another."""
    return law.image(lambda rows: sum(rows, ()))


def _marginals(
    got: Law[tuple[Context, ...]], expected: Law[tuple[Context, ...]]
) -> tuple[Fraction, ...]:
    """Return the total variation of each position alone, or of each row alone."""
    rows = next(iter(expected))
    if len(rows) == 1:
        got, expected = _transposed(got), _transposed(expected)
        rows = next(iter(expected))
    return tuple(
        total_variation(got.image(itemgetter(i)), expected.image(itemgetter(i)))
        for i in range(len(rows))
    )


def _transposed(law: Law[tuple[Context, ...]]) -> Law[tuple[Context, ...]]:
    """Return the law of one row as that of its tokens, each a row."""
    return law.image(lambda rows: tuple((token,) for token in rows[0]))


def _labels(emit: Emit, claim: Claim) -> Labels:
    name = getattr(emit, "__qualname__", repr(emit))
    return Labels(
        subject=name,
        claim="lossless",
        instance="as given",
        parameters=f"V={claim.vocab_size} length={claim.length}",
        reproduce=f"audit({name}, target=..., length={claim.length})",
    )
