"""Steps that return laws and draw nothing: their output law by arithmetic.

Such a step is told the draft tokens, and says with which probability each is accepted, which row a
rejected one is replaced from, and which row the bonus token comes from; the caller draws
everything.  No draw, no path: the law follows from the instance by multiplication.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_grids.paths import Exploration
from specdec_verification.emissions import Malfunction, attempted

Number = Any
"""A probability: a fraction or a float of any library."""


class ReturnedLaws(NamedTuple):
    """What a step returns for given draft tokens.

    Attributes
    ----------
    acceptance_probs : (gamma,) sequence of number
        Of each draft token, in ``[0, 1]``, given that all before it were accepted.
    recovered_probs : (gamma, V) sequence of rows
        What a rejected token is replaced from; nonnegative, brought to unit sum here.
    bonus_probs : (V,) row or None
        What follows when all are accepted; ``None`` if nothing does.
    """

    acceptance_probs: Sequence[Number]
    recovered_probs: Sequence[Sequence[Number]]
    bonus_probs: Sequence[Number] | None


Step = Callable[[Instance, Context], ReturnedLaws]


def law_of_step(step: Step, instance: Instance) -> Exploration[Hashable]:
    """Return the law of the tokens emitted, over drafts from the draft model."""
    sums: dict[Hashable, Fraction] = {}
    drafts = _drafts(instance)
    for draft, prob in drafts.items():
        parts = attempted(partial(_emissions_of, step, instance, draft))
        if isinstance(parts, Malfunction):
            parts = {parts: Fraction(1)}
        for emitted, share in parts.items():
            sums[emitted] = sums.get(emitted, Fraction(0)) + prob * share
    return Exploration(Law(sums), len(drafts), 1 - sum(sums.values(), Fraction(0)))


def _drafts(instance: Instance) -> dict[Context, Fraction]:
    """Return every draft of ``gamma`` tokens, with its probability."""
    drafts: dict[Context, Fraction] = {(): Fraction(1)}
    for _ in range(instance.integer("gamma", minimum=0)):
        drafts = {
            (*draft, token): prob * share
            for draft, prob in drafts.items()
            for token, share in enumerate(_unit(instance.draft(draft)))
            if share
        }
    return drafts


def _emissions_of(step: Step, instance: Instance, draft: Context) -> dict[Context, Fraction]:
    return _emissions(step(instance, draft), draft)


def _emissions(laws: ReturnedLaws, draft: Context) -> dict[Context, Fraction]:
    """Return the law of what is emitted for one draft."""
    emitted: dict[Context, Fraction] = {}
    kept = Fraction(1)
    for i in range(len(draft)):
        accepted = Fraction(float(laws.acceptance_probs[i]))
        if not 0 <= accepted <= 1:
            raise ValueError(f"acceptance_probs[{i}] is {float(accepted)}, expected 0 to 1")
        rejected = kept * (1 - accepted)
        if rejected:
            for other, share in enumerate(_unit(laws.recovered_probs[i])):
                key = (*draft[:i], other)
                emitted[key] = emitted.get(key, Fraction(0)) + rejected * share
        kept *= accepted
    if laws.bonus_probs is None:
        return {**emitted, draft: emitted.get(draft, Fraction(0)) + kept}
    return {
        **emitted,
        **{(*draft, token): kept * share for token, share in enumerate(_unit(laws.bonus_probs))},
    }


def _unit(row: Sequence[Number]) -> list[Fraction]:
    """Return a row of nonnegative numbers as fractions that sum to one."""
    weights = [Fraction(float(weight)) for weight in row]
    total = sum(weights, Fraction(0))
    if min(weights) < 0 or not total:
        raise ValueError(f"a row of {list(map(float, row))}, expected no negative and a positive")
    return [weight / total for weight in weights]
