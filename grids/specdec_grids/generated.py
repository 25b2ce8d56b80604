"""Generated instances: as many as one likes, each made from its number alone.

`RandomInstances` picks every row of every context from a simplex, by a hash of the family's name,
the instance's number and the context: no generator, so instance 137 is the same on every machine,
in every version, and in whatever order instances are made.  The rows are context-dependent, since
a target that does not depend on the context hides a row that is read at the wrong position.

`PairInstances` goes through *all* pairs of a target row and a draft row at the round's start, and
takes the rows after that as `RandomInstances` does.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any, overload

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Model, Parameter
from specdec_core.models import ConstantModel, Context, TableModel, context_key
from specdec_core.rules import Rule
from specdec_grids.grid import Axis, Grid
from specdec_grids.simplex import Simplex

VOCAB_SIZES = (2, 3, 4)
"""Two tokens cannot show a wrong residual in every rule; four are still quick."""

DENOMINATORS = (6, 4, 10, 30)
"""Small, so that zeros, ties and one-hot rows are common; the last for small probabilities."""

EQUAL_ROWS = 8
"""At one context in so many, the draft's row is the target's."""


def shapes(rule: Rule[Any]) -> Grid[dict[str, Parameter]]:
    """Return every combination of a vocabulary size and the rule's own parameters."""
    axes = [Axis(name, values) for name, values in rule.parameters.items()]
    return Grid(dict, (*axes, Axis("vocab_size", VOCAB_SIZES)))


@dataclass(frozen=True, slots=True)
class RandomInstances(Sequence[Instance]):
    """Instances of every shape of a rule in turn, with rows picked by hash.

    Attributes
    ----------
    rule : Rule
        Says which parameters there are, and how many contexts a round can reach.
    size : int
        How many; the first ones of a longer sequence are the same.
    """

    rule: Rule[Any]
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Instance: ...

    @overload
    def __getitem__(self, index: slice) -> list[Instance]: ...

    def __getitem__(self, index: int | slice) -> Instance | list[Instance]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        grid = shapes(self.rule)
        turn, shape = divmod(number, len(grid))
        parameters = grid[shape]
        vocab_size = _integer(parameters, "vocab_size")
        simplex = Simplex(vocab_size, DENOMINATORS[turn % len(DENOMINATORS)])
        return hashed_instance(
            self.rule, parameters, simplex, f"{self.rule.name}/random/{number}", {}
        )


@dataclass(frozen=True, slots=True)
class PairInstances(Sequence[Instance]):
    """Every pair of a target row and a draft row at the start of a rule's smallest round.

    Attributes
    ----------
    rule : Rule
        Taken at the first value of each of its parameters.
    vocab_size, denominator : int
        Of the simplex that both rows run through.
    """

    rule: Rule[Any]
    vocab_size: int
    denominator: int

    @property
    def pairs(self) -> Grid[tuple[Row, Row]]:
        """The rows: target and draft."""
        simplex = Simplex(self.vocab_size, self.denominator)
        return Grid(_pair, (Axis("target", simplex), Axis("draft", simplex)))

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, index: int) -> Instance: ...

    @overload
    def __getitem__(self, index: slice) -> list[Instance]: ...

    def __getitem__(self, index: int | slice) -> Instance | list[Instance]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        target, draft = self.pairs[number]
        smallest = {name: values[0] for name, values in self.rule.parameters.items()}
        parameters = {**smallest, "vocab_size": self.vocab_size}
        key = f"{self.rule.name}/pairs/{number}"
        simplex = Simplex(self.vocab_size, self.denominator)
        return hashed_instance(
            self.rule, parameters, simplex, key, {"target": target, "draft": draft}
        )


@dataclass(frozen=True, slots=True)
class FloatingInstances(Sequence[Instance]):
    """The instances of another sequence, each fraction as the double nearest to it."""

    exact: Sequence[Instance]

    def __len__(self) -> int:
        return len(self.exact)

    @overload
    def __getitem__(self, index: int) -> Instance: ...

    @overload
    def __getitem__(self, index: slice) -> list[Instance]: ...

    def __getitem__(self, index: int | slice) -> Instance | list[Instance]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        instance = self.exact[index]
        target, *drafts = map(_floating, (instance.target, *instance.drafts))
        return Instance(target, tuple(drafts), instance.parameters)


def _floating(model: Model) -> Model:
    if isinstance(model, ConstantModel):
        return ConstantModel(Row(map(float, model.row)))
    table = {context: Row(map(float, row)) for context, row in model.table.items()}
    return TableModel(table, model.name)


def _pair(target: Row, draft: Row) -> tuple[Row, Row]:
    return target, draft


def _integer(parameters: Mapping[str, Parameter], name: str) -> int:
    value = parameters[name]
    if not isinstance(value, int):
        raise InvalidParameterError(f"{name} is {value!r}, expected an integer")
    return value


def hashed_instance(
    rule: Rule[Any],
    parameters: Mapping[str, Parameter],
    simplex: Simplex,
    key: str,
    first: Mapping[str, Row] = MappingProxyType({}),
) -> Instance:
    """Return an instance whose rows are picked by a hash of the key and the context.

    Parameters
    ----------
    rule : Rule
        Says how many contexts a round can reach.
    parameters : mapping
        The rule's own.
    simplex : Simplex
        What rows are picked from.
    key : str
        The same key picks the same rows, whatever the rule.
    first : mapping of str to Row
        The ``"target"`` and ``"draft"`` rows of the round's start, if they are given.
    """
    own = {name: value for name, value in parameters.items() if name != "vocab_size"}
    anything = ConstantModel(simplex[0])
    drafters = range(_integer(own, "drafters") if "drafters" in own else 1)
    horizon = rule.horizon(Instance(anything, tuple(anything for _ in drafters), own))
    # One context more than a round can emit: a rule may score a row that it then leaves unused.
    reached = list(contexts(simplex.vocab_size, horizon + 1))
    target = {context: pick(simplex, f"{key}/{context_key(context)}/target") for context in reached}
    drafts = [_draft(target, simplex, key, drafter) for drafter in drafters]
    if first:
        target[()], drafts[0][()] = first["target"], first["draft"]
    tables = tuple(TableModel(table, "draft") for table in drafts)
    return Instance(TableModel(target, "target"), tables, own)


def _draft(
    target: Mapping[Context, Row], simplex: Simplex, key: str, drafter: int
) -> dict[Context, Row]:
    """Return a drafter's rows, picked by hash; at one context in `EQUAL_ROWS` the target's own."""
    number = drafter or ""  # the first drafter's rows are those of a rule with one
    table = {}
    for context, row in target.items():
        place = f"{key}/{context_key(context)}"
        equal = _hash(f"{place}/equal{number}") % EQUAL_ROWS == 0
        table[context] = row if equal else pick(simplex, f"{place}/draft{number}")
    return table


def contexts(vocab_size: int, length: int) -> Iterator[Context]:
    """Yield every context shorter than ``length``, shortest first.

    >>> list(contexts(2, 2))
    [(), (0,), (1,)]
    """
    for size in range(length):
        yield from product(range(vocab_size), repeat=size)


def pick(simplex: Simplex, key: str) -> Row:
    """Return the row of a simplex that a key stands for."""
    return simplex[_hash(key) % len(simplex)]


def _hash(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8])
