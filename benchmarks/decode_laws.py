"""The law of a decode loop by merging states: ``python benchmarks/decode_laws.py``.

A loop of rounds of `token_rejection_bonus`, ``gamma`` draft tokens each, emits ``L`` tokens.
Merged, the paths of one round are followed once from every context that the loop can be in.  Whole
runs are followed too where they are few: the two laws are compared, and both are timed side by
side.  Where they are too many, their number is exact all the same, and ``~`` marks what following
them would take at the rate of the last ones that were.  Every merged law is compared with the
target's joint law.
"""

from collections.abc import Sequence
from typing import NamedTuple

from paths import dense_instance
from side_by_side import median_seconds

from specdec_core.instances import Instance
from specdec_core.laws import target_joint
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.merging import merged_law
from specdec_grids.paths import exact_law
from specdec_verification.decode_law import rule_loop


class Shape(NamedTuple):
    """Of a loop."""

    vocab_size: int
    gamma: int
    tokens: int


SHAPES = tuple(Shape(*sizes) for sizes in ((2, 2, 4), (3, 2, 3), (3, 2, 4), (4, 3, 4), (4, 3, 6)))

WHOLE_RUNS = 100_000
"""Followed at most."""


def main(shapes: Sequence[Shape] = SHAPES, repeats: int = 5, whole_runs: int = WHOLE_RUNS) -> None:
    """Print a line for each shape."""
    print(
        f"{'V':>2} {'gamma':>5} {'L':>2} {'states':>7} {'paths':>8} {'seconds':>8} "
        f"{'whole runs':>14} {'seconds':>9} {'ratio':>9}"
    )
    rate = 0.0
    for shape in shapes:
        loop = rule_loop(TokenRejectionBonus(), instance_of(shape), shape.tokens)
        merged = merged_law(loop)
        runs = merged.unmerged_paths
        assert merged.found.law == target_joint(instance_of(shape).target, shape.tokens)
        tasks = [lambda loop=loop: merged_law(loop)]  # type: ignore[misc]
        if runs <= whole_runs:
            assert exact_law(loop).law == merged.found.law
            assert exact_law(loop).paths == runs
            tasks.append(lambda loop=loop: exact_law(loop))  # type: ignore[misc]
        seconds, *followed = median_seconds(tasks, repeats)
        rate = runs / followed[0] if followed else rate
        mark, whole = (" ", followed[0]) if followed else ("~", runs / rate)
        print(
            f"{shape.vocab_size:>2} {shape.gamma:>5} {shape.tokens:>2} {merged.states:>7,} "
            f"{merged.found.paths:>8,} {seconds:>8.3f} {runs:>14,} {mark}{whole:>8,.2f} "
            f"{whole / seconds:>9,.1f}"
        )


def instance_of(shape: Shape) -> Instance:
    """Return an instance without zeros, whose models know every context of the loop."""
    models = dense_instance(shape.vocab_size, shape.tokens)
    return Instance(models.target, models.drafts, {"gamma": shape.gamma})


if __name__ == "__main__":
    main()
