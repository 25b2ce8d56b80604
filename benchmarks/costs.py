"""How the cost of an exact law grows: ``python benchmarks/costs.py``.

Paths are counted and timed on instances for which their number is known in closed form, and the two
numbers are compared.  In a *balanced* instance every row of the draft is even, and the target gives
half of the tokens three times as much as the others; which half depends on the context.  So each
token can be rejected if it is one of half of them, and is then recovered among the other half:

- `token_rejection` has ``V**gamma * (1 + gamma * V / 4)`` paths: of every draft, one on which all
  is kept, and for each position, in half of the drafts, ``V / 2`` tokens to recover;
- `token_rejection_bonus` has ``V**(gamma + 1) * (1 + gamma / 4)``: if all is kept, ``V`` tokens
  follow;
- `deterministic_candidates`, ``k`` at each node, has ``P(0) = 1`` and ``P(depth) = k * P(depth - 1)
  + V - k``: a candidate is kept, or one of the others is the replacement.

So paths grow with a power of ``V``, and exponentially with gamma and with the depth of a tree.  The
exponent is fitted by least squares to the logarithms of the paths and of the seconds; beside it
stands what that of the paths tends to.  A path does not cost the same everywhere: it gets longer
with gamma, and a tree of ``k**depth`` nodes is looked at whole on every path, so that the time of
`deterministic_candidates` tends to twice the exponent of its paths.

Seconds are those of the processor, the least of several runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from time import process_time
from typing import Any

import numpy as np

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_core.rules import Rule
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import contexts
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program

CANDIDATES = 2
"""Of each node of a tree."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Of an instance; ``depth`` is gamma, or a tree's depth."""

    vocab_size: int
    depth: int


@dataclass(frozen=True, slots=True)
class Growth:
    """One size that grows while the other stays.

    Attributes
    ----------
    name : str
    rule : Rule
    shapes : tuple of Shape
    of : callable
        From a shape to the number whose logarithm, times the exponent, is that of the paths but for
        a constant.
    paths : callable
        From a shape to the number of paths, in closed form.
    limit : float
        What the exponent tends to.
    """

    name: str
    rule: Rule[Any]
    shapes: tuple[Shape, ...]
    of: Callable[[Shape], float]
    paths: Callable[[Shape], int]
    limit: float


def rejection_paths(shape: Shape) -> int:
    """Return the number of paths of `token_rejection`, in closed form."""
    drafts = shape.vocab_size**shape.depth
    return drafts + drafts * shape.depth * shape.vocab_size // 4


def bonus_paths(shape: Shape) -> int:
    """Return the number of paths of `token_rejection_bonus`, in closed form."""
    drafts = shape.vocab_size**shape.depth
    return drafts * shape.vocab_size + drafts * shape.depth * shape.vocab_size // 4


def candidate_paths(shape: Shape) -> int:
    """Return the number of paths of `deterministic_candidates`, in closed form."""
    paths = 1
    for _ in range(shape.depth):
        paths = CANDIDATES * paths + shape.vocab_size - CANDIDATES
    return paths


def vocabulary(shape: Shape) -> float:
    """Return what the exponent in V belongs to."""
    return log(shape.vocab_size)


def depth(shape: Shape) -> float:
    """Return what the logarithm of the growth for each further position belongs to."""
    return shape.depth


BY_VOCABULARY = tuple(Shape(size, 2) for size in (4, 8, 16, 32))
BY_GAMMA = tuple(Shape(4, gamma) for gamma in (2, 3, 4, 5, 6))
BY_DEPTH = tuple(Shape(4, deep) for deep in (3, 4, 5, 6, 7))

GROWTHS = (
    Growth("V", TokenRejection(), BY_VOCABULARY, vocabulary, rejection_paths, 3.0),
    Growth("V", TokenRejectionBonus(), BY_VOCABULARY, vocabulary, bonus_paths, 3.0),
    Growth("gamma", TokenRejection(), BY_GAMMA, depth, rejection_paths, log(4)),
    Growth("gamma", TokenRejectionBonus(), BY_GAMMA, depth, bonus_paths, log(4)),
    Growth("depth", DeterministicCandidates(), BY_DEPTH, depth, candidate_paths, log(CANDIDATES)),
)


def main(growths: Sequence[Growth] = GROWTHS, repeats: int = 3) -> None:
    """Print every shape's paths and time, and a line of exponents for each growth."""
    for growth in growths:
        print(f"\n{growth.rule.name}, by {growth.name}")
        print(f"{'V':>4} {'depth':>5} {'paths':>8} {'seconds':>9} {'paths/s':>9}")
        timed = [measured(growth, shape, repeats) for shape in growth.shapes]
        counted = [growth.paths(shape) for shape in growth.shapes]
        for shape, paths, seconds in zip(growth.shapes, counted, timed, strict=True):
            sizes = f"{shape.vocab_size:>4} {shape.depth:>5} {paths:>8,}"
            print(f"{sizes} {seconds:>9.4f} {paths / seconds:>9,.0f}", flush=True)
        sizes_of = [growth.of(shape) for shape in growth.shapes]
        print(
            f"exponent: paths {exponent(sizes_of, counted):.2f}, "
            f"seconds {exponent(sizes_of, timed):.2f}, tends to {growth.limit:.2f}"
        )


def measured(growth: Growth, shape: Shape, repeats: int) -> float:
    """Return the time of an exact law, after its paths were compared with the closed form."""
    program = round_program(growth.rule, balanced_instance(shape))
    assert exact_law(program).paths == growth.paths(shape)
    times = []
    for _ in range(repeats):
        begun = process_time()
        exact_law(program)
        times.append(process_time() - begun)
    return min(times)


def balanced_instance(shape: Shape) -> Instance:
    """Return an instance where half of the tokens can be rejected, after every context."""
    size = shape.vocab_size
    drafts = {context: Row([Fraction(1, size)] * size) for context in known(shape)}
    targets = {context: target_row(context, size) for context in known(shape)}
    parameters = {"gamma": shape.depth, "depth": shape.depth, "k": CANDIDATES}
    return Instance(TableModel(targets, "target"), (TableModel(drafts, "draft"),), parameters)


def known(shape: Shape) -> list[Context]:
    """Return every context that a round can ask for."""
    return list(contexts(shape.vocab_size, shape.depth + 1))


def target_row(context: Context, vocab_size: int) -> Row:
    """Return a row whose likely half depends on the context."""
    turned = sum(context) + len(context)
    return Row(
        Fraction(3 if (token + turned) % vocab_size < vocab_size // 2 else 1, 2 * vocab_size)
        for token in range(vocab_size)
    )


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of the least-squares line through the logarithms of the values."""
    return float(np.polyfit(sizes, np.log(values), 1)[0])


if __name__ == "__main__":
    main()
