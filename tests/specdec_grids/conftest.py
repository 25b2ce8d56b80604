"""Random little programs over draws, and the brute force that the engine is held against.

A program is a decision tree.  Each node takes a new draw or comes back to one that was taken
before, and asks where ``scale * draw + shift`` lies, or which token of a row the draw chooses; its
branches are the answers, so that draws are taken conditionally.  Every threshold, solved for the
draw, is a multiple of one over the tree's denominator: a lattice of so many points is fine enough
for the law, and its left endpoints lie on the thresholds.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.sampling import sample
from specdec_grids.affine import RELATIONS
from specdec_grids.lattices import Lattice
from specdec_grids.programs import Steps
from specdec_grids.simplex import Simplex

MAX_DRAWS = 3
MAX_DEPTH = 4
DENOMINATORS = (4, 6)

Number: TypeAlias = int | float | Fraction
Node: TypeAlias = "Leaf | Compare | Choose"

SPELLINGS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a u + b": lambda u, a, b: a * u + b,
    "b + u a": lambda u, a, b: b + u * a,
    "b - u (-a)": lambda u, a, b: b - u * -a,
    "-(-a u) - (-b)": lambda u, a, b: -(-a * u) - (-b),
}
"""One affine function, spelled so that it rounds alike in every spelling."""

EXACT_SPELLINGS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **SPELLINGS,
    "2 (a u + b) / 2": lambda u, a, b: (a * u + b) * 2 / 2,
    "(u + b / a) a": lambda u, a, b: (u + Fraction(b) / a) * a,
    "u / (1 / a) + b": lambda u, a, b: u / (1 / Fraction(a)) + b,
}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Leaf:
    outcome: int


@dataclass(frozen=True)
class Compare:
    """Asks ``spelling(draw) <relation> threshold``, or mirrored, the threshold first."""

    draw: int
    spelling: str
    scale: Number
    shift: Number
    relation: str
    threshold: Number
    mirrored: bool
    branches: tuple[Node, ...]

    def answer(self, draw: Any) -> int:  # noqa: ANN401  (a number or a symbol)
        value = EXACT_SPELLINGS[self.spelling](draw, self.scale, self.shift)
        if self.mirrored:
            return int(RELATIONS[MIRRORED[self.relation]](self.threshold, value))
        return int(RELATIONS[self.relation](value, self.threshold))


@dataclass(frozen=True)
class Choose:
    draw: int
    row: Row
    branches: tuple[Node, ...]

    def answer(self, draw: Any) -> int:  # noqa: ANN401  (a number or a symbol)
        return sample(self.row, draw)


@dataclass(frozen=True)
class TreeProgram:
    """A decision tree as a program; ``in_steps`` is the same one question at a time."""

    root: Node
    denominator: int

    def __call__(self, draws: Draws) -> int:
        where: Position = (self.root, ())
        while not isinstance(where[0], Leaf):
            where = follow(where, draws)
        return where[0].outcome

    @property
    def in_steps(self) -> Steps[int]:
        begin = [lambda _, draws: (self.root, ())]
        end = [lambda where, draws: where[0].outcome]
        return Steps((*begin, *[follow] * MAX_DEPTH, *end))


Position: TypeAlias = "tuple[Node, tuple[Any, ...]]"
"""A node, and the draws taken on the way to it."""


def follow(where: Position, draws: Draws) -> Position:
    node, taken = where
    if isinstance(node, Leaf):
        return where
    if node.draw == len(taken):
        taken = (*taken, draws.uniform())
    return node.branches[node.answer(taken[node.draw])], taken


@st.composite
def tree_programs(
    draw: st.DrawFn,
    *,
    number: type[Fraction] | type[float] = Fraction,
    denominators: Sequence[int] = DENOMINATORS,
    half_open: bool = False,
    rows: bool = True,
) -> TreeProgram:
    """Return decision trees.

    ``half_open`` leaves out the comparisons that put a threshold itself on the lower side.
    """
    denominator = draw(st.sampled_from(denominators))
    exact = number is Fraction
    scales = [1, 2, -1, -3, Fraction(1, 2)] if exact else [1.0, 2.0, -1.0, 0.5, -0.25]
    shifts = [0, 1, Fraction(-1, 3)] if exact else [0.0, 1.0, -0.75]
    spellings = EXACT_SPELLINGS if exact else SPELLINGS

    def compare(depth: int, taken: int) -> Node:
        index = draw(st.integers(0, min(taken, MAX_DRAWS - 1)))
        scale, shift = draw(st.sampled_from(scales)), draw(st.sampled_from(shifts))
        at = number(draw(st.integers(-1, denominator + 1))) / denominator
        relations = sorted(RELATIONS)
        if half_open:
            relations = ["<", ">="] if scale > 0 else ["<=", ">"]
        spelling = draw(st.sampled_from(sorted(spellings)))
        relation, mirrored = draw(st.sampled_from(relations)), draw(st.booleans())
        branches = tuple(node(depth + 1, max(taken, index + 1)) for _ in range(2))
        threshold = scale * at + shift
        return Compare(index, spelling, scale, shift, relation, threshold, mirrored, branches)

    def choose(depth: int, taken: int) -> Node:
        index = draw(st.integers(0, min(taken, MAX_DRAWS - 1)))
        row = draw(st.sampled_from(Simplex(draw(st.integers(1, 3)), denominator)))
        if not exact:
            row = Row(map(float, row))
        branches = tuple(node(depth + 1, max(taken, index + 1)) for _ in row)
        return Choose(index, row, branches)

    def node(depth: int, taken: int) -> Node:
        kinds = ["leaf", "compare", "compare", *(["choose", "choose"] if rows else [])]
        kind = "leaf" if depth == MAX_DEPTH else draw(st.sampled_from(kinds[depth == 0 :]))
        if kind == "leaf":
            return Leaf(draw(st.integers(0, 7)))
        return compare(depth, taken) if kind == "compare" else choose(depth, taken)

    return TreeProgram(node(0, 0), denominator)


def points_of(lattice: Lattice, kind: type[Fraction] | type[float] = Fraction) -> list[list[Any]]:
    """Return the numbers on every axis of a lattice."""
    return [
        [kind(Fraction(axis.numerator(i), axis.denominator)) for i in range(axis.n)]
        for axis in lattice.axes
    ]


def brute_force(
    program: Callable[[Draws], Any],
    lattice: Lattice,
    kind: type[Fraction] | type[float] = Fraction,
) -> Counter[Any]:
    """Return how many points of a lattice lead to each outcome, by replaying every one of them."""
    return Counter(program(ReplayedDraws(point)) for point in product(*points_of(lattice, kind)))


def mapped(program: TreeProgram, change: Callable[[Number], Number]) -> TreeProgram:
    """Return a program with each number of its comparisons changed."""

    def node(old: Node) -> Node:
        if isinstance(old, Leaf):
            return old
        branches = tuple(map(node, old.branches))
        if isinstance(old, Choose):
            return replace(old, branches=branches)
        scale, shift, threshold = map(change, (old.scale, old.shift, old.threshold))
        return replace(old, scale=scale, shift=shift, threshold=threshold, branches=branches)

    return replace(program, root=node(program.root))
