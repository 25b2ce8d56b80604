"""Lattices of draws, visited and split, next to plain loops: ``python benchmarks/lattices.py``.

One round of `token_rejection` on two tokens with gamma 2 takes up to five draws.  Three ways to
count a lattice of them by outcome:

- the loop that a user would write, `itertools.product` over the points of each axis with one run
  of the rule for each, in fractions or in floats;
- `visit`, which takes every point through the program too, but many at once;
- `count`, which splits the lattice and visits no point, and so does not mind 10^40 of them.

The counts of every pair that is compared are equal, which is asserted before anything is timed.
The loop runs on a smaller lattice, as its time for each point does not depend on their number.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from side_by_side import median_seconds

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import TableModel
from specdec_core.rules import Verification, play_round
from specdec_core.rules.token_rejection import TokenRejection
from specdec_grids.lattices import Lattice, count, midpoint_lattice, visit
from specdec_grids.programs import round_program

DRAWS = 5
"""Of one round: two for the draft, two for acceptance, one for a replacement."""

HUGE = 10**8
"""Points on each axis of the lattice that is only split: 10^40 in all."""


class Listed:
    """Draws from a tuple, with no check: the least that the loop needs."""

    def __init__(self, point: Iterable[Fraction | float]) -> None:
        self._rest = iter(point)

    def uniform(self) -> Fraction | float:
        """Return the next one."""
        return next(self._rest)


def main(looped: int = 6, visited: int = 16, repeats: int = 5) -> None:
    """Print the table; the arguments are the points on an axis of either lattice."""
    print(f"{'rows':<10} {'loop/s':>9} {'visit/s':>11} {'ratio':>6}")
    for kind in (Fraction, float):
        compare_visits(kind, looped, visited, repeats)
    program = round_program(TokenRejection(), binary_instance(Fraction))
    lattice, huge = midpoint_lattice([visited] * DRAWS), midpoint_lattice([HUGE] * DRAWS)
    assert visit(program, lattice) == count(program, lattice)
    print(f"\n{lattice.size:,} points visited, and split: equal counts")
    seconds, huge_seconds = median_seconds(
        [lambda: count(program, lattice), lambda: count(program, huge)], repeats
    )
    print(f"split {lattice.size:>8.0e} points: {seconds:.6f} s")
    print(f"split {float(huge.size):>8.0e} points: {huge_seconds:.6f} s")


def compare_visits(kind: type, looped: int, visited: int, repeats: int) -> None:
    """Print how many points a second the loop and `visit` take, on rows of one kind."""
    instance = binary_instance(kind)
    program = round_program(TokenRejection(), instance)
    small, large = midpoint_lattice([looped] * DRAWS), midpoint_lattice([visited] * DRAWS)
    assert loop(instance, small, kind) == visit(program, small).counts
    loop_seconds, visit_seconds = median_seconds(
        [lambda: loop(instance, small, kind), lambda: visit(program, large)], repeats
    )
    loop_rate, visit_rate = small.size / loop_seconds, large.size / visit_seconds
    ratio = visit_rate / loop_rate
    print(f"{kind.__name__:<10} {loop_rate:>9,.0f} {visit_rate:>11,.0f} {ratio:>6.0f}")


def loop(instance: Instance, lattice: Lattice, kind: type) -> Counter[Verification]:
    """Count the lattice's points by outcome, one by one."""
    axes = [
        [kind(Fraction(axis.numerator(i), axis.denominator)) for i in range(axis.n)]
        for axis in lattice.axes
    ]
    rule = TokenRejection()
    return Counter(play_round(rule, instance, Listed(point)) for point in product(*axes))


def binary_instance(kind: type) -> Instance:
    """Return a context-dependent instance on two tokens, its rows in quarters and eighths."""

    def model(name: str, *parts: int) -> TableModel:
        table = {}
        for context, part in zip(((), (0,), (1,)), parts, strict=True):
            table[context] = Row(kind(Fraction(eighths, 8)) for eighths in (part, 8 - part))
        return TableModel(table, name)

    return Instance(model("target", 3, 6, 1), (model("draft", 5, 2, 4),), {"gamma": 2})


if __name__ == "__main__":
    main()
