"""Instances on which floats compute exactly: a decision at a threshold is then no matter of luck.

Every entry is a small multiple of a power of two, every draft probability a power of two itself,
and so is the distance of every draft row from the target's row at the same context.  Then the
ratio ``p / q``, the residual ``norm(max(p - q, 0))`` and all running sums are numbers of any float
format, in whatever order they are computed, and ``u * q < p`` is as exact as ``u < p / q``.

The rows are picked by a hash of the rule's name, the number and the context, and picked again until
they are of this kind: instance 7 is the same on every machine.

Not here: instances in general (see `specdec_grids.generated`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from specdec_core.distributions import Row, total_variation
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel, Context, ContextModel, TableModel, context_key
from specdec_core.rules import Rule
from specdec_grids.generated import hashed_instance, pick, shapes
from specdec_grids.simplex import Simplex

DRAFT_DENOMINATOR, TARGET_DENOMINATOR = 4, 8
"""Of the rows that are picked from."""

MAX_DENOMINATOR = 1 << 8
"""Of a dyadic row: products of three entries still fit a float32."""


def dyadic_instance(rule: Rule[Any], number: int) -> Instance:
    """Return one instance of this kind for a rule, of the rule's shapes in turn.

    >>> from specdec_core.rules import rule_named
    >>> computes_exactly(dyadic_instance(rule_named("token_rejection"), 0))
    True
    """
    grid = shapes(rule)
    parameters = grid[number % len(grid)]
    vocab_size = parameters["vocab_size"]
    assert isinstance(vocab_size, int)
    key = f"{rule.name}/dyadic/{number}"
    shape = hashed_instance(rule, parameters, Simplex(vocab_size, 1), key)
    assert isinstance(shape.target, TableModel)
    picked = [
        (context, _rows(vocab_size, len(shape.drafts), f"{key}/{context_key(context)}"))
        for context in shape.target.table
    ]
    target = TableModel({context: rows.target for context, rows in picked}, "target")
    drafts = tuple(
        TableModel({context: rows.drafts[drafter] for context, rows in picked}, "draft")
        for drafter in range(len(shape.drafts))
    )
    return Instance(target, drafts, shape.parameters)


@dataclass(frozen=True, slots=True)
class _Rows:
    target: Row
    drafts: tuple[Row, ...]


def _rows(vocab_size: int, drafters: int, key: str) -> _Rows:
    """Return the rows of one context."""
    of_drafts = Simplex(vocab_size, DRAFT_DENOMINATOR)
    drafts = tuple(
        _picked(of_drafts, f"{key}/draft{drafter}", _several_powers) for drafter in range(drafters)
    )

    def near(row: Row) -> bool:
        return all(_power_or_zero(total_variation(row, draft)) for draft in drafts)

    target = _picked(Simplex(vocab_size, TARGET_DENOMINATOR), f"{key}/target", near)
    return _Rows(target, drafts)


def _picked(simplex: Simplex, key: str, suits: Callable[[Row], bool]) -> Row:
    return next(
        row for row in (pick(simplex, f"{key}/{attempt}") for attempt in count()) if suits(row)
    )


def computes_exactly(instance: Instance) -> bool:
    """Return whether an instance is of this kind, at every context that it lists."""
    return all(_exactly(instance, context) for context in _contexts(instance))


def threshold_slack(instance: Instance, epsilon: Fraction) -> Fraction:
    """Return how far rounding can move a threshold of token rejection on an instance's rows.

    Parameters
    ----------
    instance : Instance
    epsilon : Fraction
        Of the float format: the relative error of an operation is at most half of it.

    Returns
    -------
    Fraction
        0 if the arithmetic is exact; else ``(V + 4) * epsilon``, divided by the smallest distance
        of a draft row from the target's.

    Notes
    -----
    An entry of either row is off by half an ``epsilon`` of itself, a difference of two by half an
    ``epsilon`` more, so that what the residual is made of is off by ``3/2 epsilon`` in all before
    it is divided by its mass, the distance.  The sums add ``V / 2 * epsilon``, the mass again as
    much, the division and the product one each.
    """
    if computes_exactly(instance):
        return Fraction(0)
    distances = [
        Fraction(total_variation(instance.target(context), draft(context)))
        for context in _contexts(instance)
        for draft in instance.drafts
        if _has(draft, context) and _has(instance.target, context)
    ]
    smallest = min((distance for distance in distances if distance), default=Fraction(1))
    return (instance.vocab_size + 4) * epsilon / smallest


def _exactly(instance: Instance, context: Context) -> bool:
    if not _has(instance.target, context):
        return all(_powers(draft(context)) for draft in instance.drafts if _has(draft, context))
    target = instance.target(context)
    drafts = [draft(context) for draft in instance.drafts if _has(draft, context)]
    return _dyadic(target) and all(
        _powers(draft) and _power_or_zero(total_variation(target, draft)) for draft in drafts
    )


def _contexts(instance: Instance) -> set[Context]:
    models = (instance.target, *instance.drafts)
    tables = [model.table for model in models if isinstance(model, TableModel)]
    return {()}.union(*tables)


def _has(model: ContextModel, context: Context) -> bool:
    return isinstance(model, ConstantModel) or (
        isinstance(model, TableModel) and context in model.table
    )


def _dyadic(row: Row) -> bool:
    denominators = [Fraction(prob).denominator for prob in row]
    return all(over <= MAX_DENOMINATOR and over & (over - 1) == 0 for over in denominators)


def _powers(row: Row) -> bool:
    return all(map(_power_or_zero, row))


def _several_powers(row: Row) -> bool:
    """Return whether a row is of powers of two, and has more than one: one decides little."""
    return _powers(row) and len(row.support) > 1


def _power_or_zero(number: Fraction | float) -> bool:
    part, over = number.as_integer_ratio()
    return part == 0 or (part == 1 and over & (over - 1) == 0 and over <= MAX_DENOMINATOR)
