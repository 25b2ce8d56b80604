"""The instances that an audit chooses by itself.

Every one depends on the context, so that a row read at the wrong position shows.  Generated ones of
several sizes come with zeros and ties of their own accord; the others are made for what hides
elsewhere: a draft that is the target, a draft that the target rules out, a point mass, and a
vocabulary that is no power of two with three draft tokens.  One is the witness of single-path
verification, on which every fault shows that is planted there.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from specdec_core.distributions import Row, point_mass
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_core.rules import rule_named
from specdec_grids.generated import RandomInstances, contexts, pick
from specdec_grids.simplex import Simplex
from specdec_verification.witnesses import witness

GENERATED = 18
"""Two of each shape: two to four tokens, one to three of them drafted."""

_PRIME = 7


class Case(NamedTuple):
    """An instance, and what it is called."""

    name: str
    instance: Instance


def cases(generated: int = GENERATED) -> Iterator[Case]:
    """Yield the instances, small ones first; so many of them generated."""
    yield from _made_once(generated)


@cache
def _made_once(generated: int) -> tuple[Case, ...]:
    random = RandomInstances(rule_named("token_rejection_bonus"), generated)
    made = [Case(f"generated/{number}", instance) for number, instance in enumerate(random)]
    special = [
        Case("draft_is_target", _made(3, 2, _target, _target)),
        Case("draft_ruled_out", _made(4, 2, _low_half, _high_half)),
        Case("draft_point_mass", _made(3, 2, _target, _point)),
        Case("target_point_mass", _made(3, 2, _point, _draft)),
        Case("nothing_impossible", _made(4, 2, _squares, _all_possible)),
        Case("five_tokens", _made(5, 1, _target, _draft)),
        Case("draft_without_zeros", _made(3, 3, _target, _all_possible)),
        Case("witness", witness("path").instance),
    ]
    return tuple(sorted([*made, *special], key=lambda case: _size(case.instance)))


def _size(instance: Instance) -> int:
    return int(instance.vocab_size ** (2 * instance.integer("gamma", minimum=0)))


_Rows = Callable[[int, Context], Row]


def _made(vocab_size: int, gamma: int, target: _Rows, draft: _Rows) -> Instance:
    """Return an instance whose rows are functions of the context."""
    places = list(contexts(vocab_size, gamma + 1))
    return Instance(
        TableModel({context: target(vocab_size, context) for context in places}, "target"),
        (TableModel({context: draft(vocab_size, context) for context in places}, "draft"),),
        {"gamma": gamma},
    )


def _target(vocab_size: int, context: Context) -> Row:
    return pick(Simplex(vocab_size, _PRIME), f"cases/target/{context}")


def _draft(vocab_size: int, context: Context) -> Row:
    return pick(Simplex(vocab_size, _PRIME), f"cases/draft/{context}")


def _all_possible(vocab_size: int, context: Context) -> Row:
    weights = [1 + (3 * token + 2 * sum(context)) % (vocab_size + 2) for token in range(vocab_size)]
    return Row(Fraction(weight, sum(weights)) for weight in weights)


def _squares(vocab_size: int, context: Context) -> Row:
    weights = [(1 + (token + sum(context)) % vocab_size) ** 2 for token in range(vocab_size)]
    return Row(Fraction(weight, sum(weights)) for weight in weights)


def _low_half(vocab_size: int, context: Context) -> Row:
    first = Fraction(1 + sum(context) % 3, 4)
    return Row([first, 1 - first, *[Fraction(0)] * (vocab_size - 2)])


def _high_half(vocab_size: int, context: Context) -> Row:
    return Row(reversed(_low_half(vocab_size, context)))


def _point(vocab_size: int, context: Context) -> Row:
    return point_mass((1 + sum(context)) % vocab_size, vocab_size)
