"""The counting check: integer counts over a Cartesian lattice of draws.

The round, followed by target tokens up to its horizon, is counted over a lattice.  On the least
lattice of an instance (`specdec_grids.lattices.least_lattice`) each sequence of tokens must come
out exactly ``points * probability`` times; both are integers, and they are compared with ``==``.
The lattice is split, and where it is small enough every point is visited too: the two ways of
counting must agree before either is believed.
"""

from typing import Any

from specdec_core.errors import InvalidParameterError, NondeterminismError
from specdec_core.instances import Instance
from specdec_core.laws import Law, total_variation
from specdec_core.models import Context, context_key
from specdec_core.rules import Rule
from specdec_grids.lattices import Lattice, count, least_lattice, visit
from specdec_grids.populations import Counts
from specdec_grids.programs import Program, claimed_joint, completed_round
from specdec_grids.resolutions import LeftEndpoints
from specdec_verification.exact_law import exact
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

MAX_VISITED = 1 << 18
"""Points of a lattice that is visited as well as split."""


def check_exact_count(
    rule: Rule[Any],
    instance: Instance,
    labels: Labels,
    *,
    lattice: Lattice | None = None,
    max_visited: int = MAX_VISITED,
) -> CheckResult:
    """Check the counts of a rule's completed round over lattices of draws.

    Parameters
    ----------
    rule : Rule
        Its round is counted.
    instance : Instance
        With exact rows for every context that the round and its completion can reach.
    labels : Labels
        What the result is called.
    lattice : Lattice or None
        The one to count over.  Unless one is given, two are: the midpoints and the left endpoints
        of the least sizes.  Only the second has points on thresholds, where ``<`` and ``<=``
        differ, and only the first has none, where rounding could.
    max_visited : int
        Up to so many points, a lattice is visited as well as split.

    Returns
    -------
    CheckResult
        ``PASSED`` if every count is the number expected, ``FAILED`` if one is not;
        ``INCONCLUSIVE`` if the lattice given is coarser than a threshold that a draw meets, so
        that its counts are not the law.

    Raises
    ------
    InvalidParameterError
        If a row is floating: rounding could move a count, and equality would mean nothing.
    """
    if not exact(instance):
        raise InvalidParameterError("a row is floating, expected fractions: floats have no counts")
    program = completed_round(rule, instance)
    least = least_lattice(program)
    lattices = (least, left_endpoints(least)) if lattice is None else (lattice,)
    expected = claimed_joint(rule, instance)
    results = []
    for lattice in lattices:
        got = counted_both_ways(program, lattice, max_visited)
        verdict, detail = _compare(got, expected)
        if not resolves(lattice, least):
            verdict = Verdict.INCONCLUSIVE
            detail = f"the lattice is too coarse: its axes must be multiples of {sizes(least)}"
        distance = total_variation(got.law, expected)
        results.append(
            CheckResult(
                "exact_count",
                labels,
                verdict,
                Evidence.LATTICE_COUNT,
                distance,
                lattice.size,
                detail,
            )
        )
    return next((result for result in results if result.verdict is not Verdict.PASSED), results[0])


def counted_both_ways(
    program: Program[Context], lattice: Lattice, max_visited: int
) -> Counts[Context]:
    """Split a lattice, and visit it too if it is small; the two must agree to be believed."""
    got = count(program, lattice)
    if lattice.size <= max_visited and visit(program, lattice) != got:
        raise NondeterminismError(
            "visiting and splitting one lattice gave different counts: the program answers a "
            "number and a symbol differently, or keeps state from run to run"
        )
    return got


def left_endpoints(lattice: Lattice) -> Lattice:
    """Return the lattice of left endpoints with as many points on each axis."""
    return Lattice(tuple(LeftEndpoints(axis.n) for axis in lattice.axes))


def resolves(lattice: Lattice, least: Lattice) -> bool:
    """Return whether no threshold of a program falls between the points of a lattice."""
    return all(n % m == 0 for n, m in zip(sizes(lattice), sizes(least), strict=False))


def sizes(lattice: Lattice) -> tuple[int, ...]:
    """Return the number of points on each axis."""
    return tuple(axis.n for axis in lattice.axes)


def _compare(got: Counts[Context], law: Law[Context]) -> tuple[Verdict, str]:
    """Return the verdict on counts, and the first count that differs, if one does."""
    points = got.points
    for tokens in sorted({*got.counts, *law}):
        expected = law[tokens] * points
        if got[tokens] != expected:
            return Verdict.FAILED, (
                f"tokens {context_key(tokens)!r}: expected {expected} of {points} points, "
                f"got {got[tokens]}"
            )
    return Verdict.PASSED, f"{len(law)} counts equal, of {points} points"
