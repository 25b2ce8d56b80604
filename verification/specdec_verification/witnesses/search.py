"""The search for witnesses: an instance whose least total variation over a family is large.

The rows are fractions of one denominator, so the instances are the points of a product of
simplices.  The best of many points picked by hash is improved by moving one unit of mass between
two tokens of one row, whenever that raises the least total variation; every number on the way is
exact.  The same family and the same effort find the same witness on every machine.

What is found is good, and not known to be the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_grids.generated import contexts, hashed_instance
from specdec_grids.simplex import Simplex
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.rounds import distance
from specdec_verification.witnesses.families import Family
from specdec_verification.witnesses.stored import Witness


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to search: points picked by hash, and moves tried from the best of them."""

    points: int = 20_000
    moves: int = 20_000


def find(family: Family, effort: Effort) -> Witness:
    """Return the best witness of a family that the effort finds.

    Raises
    ------
    InvalidParameterError
        If none of the points shows every fault.
    """
    search = _Search(list(family.lawless))
    for number in range(effort.points):
        search.try_one(_point(family, number))
    if not search.floor:
        raise InvalidParameterError(
            f"{effort.points} points, and none shows every fault of family {family.name!r}"
        )
    rng = np.random.default_rng(0)  # of the moves, not of a law: any stream does
    for _ in range(effort.moves):
        moved = _moved(search.instance, family.denominator, rng)
        if moved is not None:
            search.try_one(moved)
    return Witness(family.name, search.instance, *floor(family.lawless, search.instance))


def floor(faults: Sequence[Fault], instance: Instance) -> tuple[Fraction, str]:
    """Return the least exact total variation of some faults, and the name of the first with it."""
    return min(((distance(fault.rule, instance), fault.name) for fault in faults), key=_first)


def _first(pair: tuple[Fraction, str]) -> Fraction:
    return pair[0]


class _Search:
    """The best instance so far; the faults that refused the last candidates are asked first."""

    instance: Instance

    def __init__(self, faults: list[Fault]) -> None:
        self._faults = faults
        self.floor = Fraction(0)

    def try_one(self, candidate: Instance) -> None:
        """Take a candidate if its floor is above the best so far."""
        apart = []
        for fault in tuple(self._faults):
            apart.append(distance(fault.rule, candidate))
            if apart[-1] <= self.floor:
                self._faults.remove(fault)
                self._faults.insert(0, fault)
                return
        self.instance, self.floor = candidate, min(apart)


def _point(family: Family, number: int) -> Instance:
    parameters = {**family.parameters, "vocab_size": family.vocab_size}
    simplex = Simplex(family.vocab_size, family.denominator)
    rule = family.faults[0].rule
    made = hashed_instance(rule, parameters, simplex, f"witnesses/{family.name}/{number}")
    return _trimmed(made, rule.horizon(made))


def _trimmed(instance: Instance, horizon: int) -> Instance:
    """Return an instance without the rows after whole rounds, which no round asks for."""
    reached = list(contexts(instance.vocab_size, horizon))
    return replace(
        instance,
        target=TableModel({context: instance.target(context) for context in reached}, "target"),
        drafts=(TableModel({context: instance.draft(context) for context in reached}, "draft"),),
    )


def _moved(instance: Instance, denominator: int, rng: np.random.Generator) -> Instance | None:
    """Return an instance with one unit moved in one row, or ``None`` if there was none to move."""
    models = [_table(instance.target), _table(instance.draft)]
    table = models[rng.integers(2)]
    context = tuple(table)[rng.integers(len(table))]
    giver, taker = rng.choice(instance.vocab_size, 2, replace=False)
    row = [Fraction(prob) for prob in table[context]]
    if not row[giver]:
        return None
    row[giver] -= Fraction(1, denominator)
    row[taker] += Fraction(1, denominator)
    table[context] = Row(row)
    target, draft = models
    return replace(
        instance, target=TableModel(target, "target"), drafts=(TableModel(draft, "draft"),)
    )


def _table(model: object) -> dict[Context, Row]:
    assert isinstance(model, TableModel), "points are made of tables"
    return dict(model.table)
