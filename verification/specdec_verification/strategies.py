"""Hypothesis strategies for rows, draws, trees and whole instances.

What random numbers rarely hit is common here: zeros, ties, one-hot rows, equal laws, laws that
share no token, the draw zero and the largest draw below one.  Every strategy shrinks towards the
fewest tokens, the smallest denominators and the most zeros, so that what Hypothesis reports of a
broken rule can be followed by hand.

Not here: settings.  How many examples, and for how long, is the profile's business.

Examples
--------
A rule that its author wants to test::

    @given(instances(MyRule()))
    def test_my_rule_is_lossless(instance: Instance) -> None:
        assert check_exact_law(MyRule(), instance, labels).verdict is Verdict.PASSED
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from specdec_core.distributions import Prob, Row, point_mass
from specdec_core.instances import Instance, Parameter
from specdec_core.models import ConstantModel, TableModel
from specdec_core.rules import Rule
from specdec_core.trees import DraftTree
from specdec_grids.generated import contexts

RowsOver: TypeAlias = Callable[[int], SearchStrategy[Row]]
"""From a vocabulary size to rows over it: `rows`, `float_rows`, or one's own."""

LARGEST_DRAW = math.nextafter(1.0, 0.0)
"""The largest double below one, ``1 - 2**-53``."""

TORCH_STEPS = 1 << 24
"""``torch.rand`` draws float32 multiples of one over this many."""

BOUNDARY_DRAWS = (0.0, 0.5, LARGEST_DRAW, 1 - 1 / TORCH_STEPS, 1 / TORCH_STEPS, 5e-324)
"""Draws at the ends of what a uniform can be, and in its middle."""

TINY_WEIGHTS = (5e-324, 2.0**-1022, 1e-300, 2.0**-53, 2.0**-24)
"""Subnormal, smallest normal, and negligible beside one in double or in single precision."""

SUM_ERRORS = (0.0, -(2.0**-31), 2.0**-31)
"""How far the sum of a floating row is moved: nothing, or half of what `Row` tolerates."""


@st.composite
def rows(draw: DrawFn, vocab_size: int, max_denominator: int = 8) -> Row:
    """Return exact rows; zeros, ties and one-hot rows are common.

    Parameters
    ----------
    vocab_size : int
        The number of tokens, ``V``; at least 1.
    max_denominator : int
        Of every probability; at least 1.

    Returns
    -------
    strategy of (V,) Row of Fraction
        Shrinks towards the point mass at token 0.
    """
    denominator = draw(st.integers(1, max_denominator))
    cuts = sorted(draw(st.integers(0, denominator)) for _ in range(vocab_size - 1))
    ends = [denominator, *reversed(cuts), 0]
    return Row(Fraction(end - start, denominator) for end, start in pairwise(ends))


def float_rows(vocab_size: int) -> SearchStrategy[Row]:
    """Return floating rows, some of them as badly rounded as `Row` allows.

    Probabilities go down to the smallest subnormal.  A sum is off by a few units in the last
    place, or by ``2**-31``, so that the largest draw may lie beyond the last cumulative sum.

    Parameters
    ----------
    vocab_size : int
        The number of tokens, ``V``; at least 1.

    Returns
    -------
    strategy of (V,) Row of float
        Shrinks towards the point mass at token 0.
    """
    weight = st.one_of(
        st.integers(0, 3).map(float), st.sampled_from(TINY_WEIGHTS), st.floats(0.0, 1.0)
    )
    weights = st.lists(weight, min_size=vocab_size, max_size=vocab_size)
    return st.builds(_float_row, weights, st.sampled_from(SUM_ERRORS))


@lru_cache  # a strategy that is made anew for every example costs more than what it draws
def row_pairs(vocab_size: int, rows_over: RowsOver = rows) -> SearchStrategy[tuple[Row, Row]]:
    """Return pairs of a target row and a draft row.

    Equal rows, rows with no token in common, and a one-hot row against a spread one, either way
    round, are each half as common as two rows that have nothing to do with each other.

    Parameters
    ----------
    vocab_size : int
        The number of tokens, ``V``; at least 1.
    rows_over : callable
        From a vocabulary size to a strategy of rows over it.

    Returns
    -------
    strategy of (target, draft), each a (V,) Row
        Shrinks towards two equal point masses.
    """
    either = rows_over(vocab_size)
    unrelated = st.tuples(either, either)
    kinds = [
        either.map(lambda row: (row, row)),
        unrelated,
        unrelated,  # twice, since either is often one-hot
        st.tuples(_one_hot_rows(vocab_size, rows_over), either),
        st.tuples(either, _one_hot_rows(vocab_size, rows_over)),
    ]
    if vocab_size > 1:
        kinds.append(_disjoint_pairs(vocab_size, rows_over))
    return st.one_of(kinds)


def draws(n: int) -> SearchStrategy[tuple[float | Fraction, ...]]:
    """Return ``n`` draws in ``[0, 1)``, floats and fractions.

    Zero, the largest double below one and multiples of ``2**-24``, which is what ``torch.rand``
    yields, are common.

    Parameters
    ----------
    n : int
        At least 0.

    Returns
    -------
    strategy of (n,) tuple of float or Fraction
        Shrinks towards zeros.
    """
    draw = st.one_of(
        st.sampled_from(BOUNDARY_DRAWS),
        st.integers(0, TORCH_STEPS - 1).map(lambda step: step / TORCH_STEPS),
        st.fractions(0, 1, max_denominator=60).filter(lambda u: u < 1),
        st.floats(0.0, 1.0, exclude_max=True),
    )
    return st.tuples(*[draw] * n)


@st.composite
def trees(
    draw: DrawFn, vocab_sizes: Sequence[int] = (1, 2, 3), max_size: int = 6, max_depth: int = 3
) -> DraftTree:
    """Return token trees of any shape, the absent tree among them.

    Parameters
    ----------
    vocab_sizes : sequence of int
        One of them is taken; each at least 1.
    max_size : int
        Draft tokens in the tree, at most; at least 0.
    max_depth : int
        Tokens on a path, at most; at least 1.

    Returns
    -------
    strategy of DraftTree
        Shrinks towards the absent tree over the first vocabulary size.
    """
    vocab_size = draw(st.sampled_from(vocab_sizes))
    tokens: list[int] = []
    parents: list[int] = []
    depths = [0]
    free = [list(range(vocab_size))]  # of each node: the tokens that no child has yet
    for _ in range(draw(st.integers(0, max_size))):
        open_nodes = [node for node, left in enumerate(free) if left and depths[node] < max_depth]
        if not open_nodes:
            break
        parent = draw(st.sampled_from(open_nodes))
        token = draw(st.sampled_from(free[parent]))
        free[parent].remove(token)
        free.append(list(range(vocab_size)))
        depths.append(depths[parent] + 1)
        tokens.append(token)
        parents.append(parent)
    return DraftTree(tuple(tokens), tuple(parents), vocab_size)


@st.composite
def table_models(
    draw: DrawFn, vocab_size: int, depth: int, rows_over: RowsOver = rows
) -> TableModel:
    """Return models whose row depends on the context.

    Parameters
    ----------
    vocab_size : int
        The number of tokens, ``V``; at least 1.
    depth : int
        The model holds every context shorter than this; at least 1.
    rows_over : callable
        From a vocabulary size to a strategy of rows over it.

    Returns
    -------
    strategy of TableModel
        Shrinks towards the point mass at token 0 after every context.
    """
    row = rows_over(vocab_size)
    return TableModel({context: draw(row) for context in contexts(vocab_size, depth)})


@st.composite
def instances(
    draw: DrawFn,
    rule: Rule[Any],
    parameters: Mapping[str, Sequence[Parameter]] | None = None,
    vocab_sizes: Sequence[int] = (1, 2, 3),
    rows_over: RowsOver = rows,
) -> Instance:
    """Return context-dependent instances that a rule can run on, to the end of its horizon.

    Parameters
    ----------
    rule : Rule
        Says how many tokens a round can emit, and so which contexts there are.
    parameters : mapping of str to sequence, or None
        One value of each is taken; unless given, the values that the rule names.
    vocab_sizes : sequence of int
        One of them is taken; each at least 1.
    rows_over : callable
        From a vocabulary size to a strategy of rows over it.

    Returns
    -------
    strategy of Instance
        With one draft model, or as many as the parameter ``drafters`` says; at each context the
        target and the first of them are a pair that `row_pairs` draws.  Shrinks towards the first
        vocabulary size and the first value of each parameter.
    """
    vocab_size = draw(st.sampled_from(vocab_sizes))
    choices = rule.parameters if parameters is None else parameters
    taken = {name: draw(st.sampled_from(values)) for name, values in choices.items()}
    horizon = horizon_of(rule, vocab_size, taken)
    pair = row_pairs(vocab_size, rows_over)
    pairs = {context: draw(pair) for context in contexts(vocab_size, horizon)}
    target = TableModel({context: p for context, (p, _) in pairs.items()}, "target")
    draft = TableModel({context: q for context, (_, q) in pairs.items()}, "draft")
    others = range(1, int(taken.get("drafters", 1)))
    more = [draw(table_models(vocab_size, horizon, rows_over)) for _ in others]
    return Instance(target, (draft, *more), taken)


def horizon_of(rule: Rule[Any], vocab_size: int, parameters: Mapping[str, Parameter]) -> int:
    """Return how many tokens a round of a rule emits at most, whatever the rows are."""
    anything = ConstantModel(point_mass(0, vocab_size))
    drafts = (anything,) * int(parameters.get("drafters", 1))
    return rule.horizon(Instance(anything, drafts, parameters))


def _float_row(weights: list[float], sum_error: float) -> Row:
    if not any(weights):
        weights = [1.0, *weights[1:]]
    total = math.fsum(weights)
    return Row(weight / total * (1.0 + sum_error) for weight in weights)


@st.composite
def _one_hot_rows(draw: DrawFn, vocab_size: int, rows_over: RowsOver) -> Row:
    token = draw(st.integers(0, vocab_size - 1))
    return _placed(draw(rows_over(1)), [token], vocab_size)


@st.composite
def _disjoint_pairs(draw: DrawFn, vocab_size: int, rows_over: RowsOver) -> tuple[Row, Row]:
    share = draw(st.integers(1, (1 << vocab_size) - 2))  # a bit for each token of the target
    targets = [token for token in range(vocab_size) if share >> token & 1]
    drafts = [token for token in range(vocab_size) if not share >> token & 1]
    target, draft = draw(rows_over(len(targets))), draw(rows_over(len(drafts)))
    return _placed(target, targets, vocab_size), _placed(draft, drafts, vocab_size)


def _placed(row: Row, tokens: Sequence[int], vocab_size: int) -> Row:
    """Return the row that gives ``tokens[i]`` the probability ``row[i]``, and the rest zero."""
    probs: list[Prob] = [0] * vocab_size
    for token, prob in zip(tokens, row, strict=True):
        probs[token] = prob
    return Row(probs)
