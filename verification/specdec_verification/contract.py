"""The contract's own examples, by name.

A binary single-path round whose target gives a token probability 1/4 emits it at 2500 of 10000
points of a lattice of draws.  A two-level tree whose target conditions the second token on the
first comes out at [2000, 500, 3000, 4500] of 10000.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_core.rules import Rule
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_grids.lattices import Lattice, midpoint_lattice
from specdec_grids.programs import completed_round
from specdec_verification.exact_count import counted_both_ways
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict


class Example(NamedTuple):
    """A rule on an instance, counted over a lattice, and the counts that the contract states."""

    name: str
    rule: Rule[Any]
    instance: Instance
    lattice: Lattice
    counts: dict[Context, int]


def binary_single_path() -> Example:
    """Return the single-path example: 2500 of 10000."""
    target = TableModel({(): _row("1/4", "3/4")}, "target")
    draft = TableModel({(): _row("1/2", "1/2")}, "draft")
    return Example(
        "single path: 2500 of 10000",
        TokenRejection(),
        Instance(target, (draft,), {"gamma": 1}),
        midpoint_lattice((100, 100, 1)),  # the draft draw, the accept draw, the residual draw
        {(0,): 2500, (1,): 7500},
    )


def two_level_tree() -> Example:
    """Return the tree example: [2000, 500, 3000, 4500] of 10000."""
    after = {(): _row("1/4", "3/4"), (0,): _row("4/5", "1/5"), (1,): _row("2/5", "3/5")}
    draft = TableModel(dict.fromkeys(after, _row("1/2", "1/2")), "draft")
    return Example(
        "two-level tree: [2000, 500, 3000, 4500] of 10000",
        DeterministicCandidates(),
        Instance(TableModel(after, "target"), (draft,), {"k": 2, "depth": 2}),
        # Six accept draws in node order; the second sibling of each pair is certain.
        midpoint_lattice((20, 1, 20, 1, 25, 1)),
        {(0, 0): 2000, (0, 1): 500, (1, 0): 3000, (1, 1): 4500},
    )


EXAMPLES: tuple[Callable[[], Example], ...] = (binary_single_path, two_level_tree)


def check_example(example: Example, reproduce: str) -> CheckResult:
    """Count an example's lattice, by splitting it and by visiting every point."""
    program = completed_round(example.rule, example.instance)
    got = counted_both_ways(program, example.lattice, example.lattice.size)
    counts = [got[tokens] for tokens in sorted(example.counts)]
    equal = dict(got.counts) == example.counts
    return CheckResult(
        check="contract",
        labels=Labels(
            subject=example.rule.name,
            claim=example.name,
            instance=example.name.partition(":")[0],
            parameters=example.instance.label,
            reproduce=reproduce,
        ),
        verdict=Verdict.PASSED if equal else Verdict.FAILED,
        evidence=Evidence.LATTICE_COUNT,
        total_variation=None,
        size=example.lattice.size,
        detail=f"counted {counts} of {got.points}, expected {sorted_counts(example)}",
    )


def sorted_counts(example: Example) -> list[int]:
    """Return the counts that the contract states, in the order of their tokens."""
    return [example.counts[tokens] for tokens in sorted(example.counts)]


def _row(*probs: str) -> Row:
    return Row(map(Fraction, probs))
