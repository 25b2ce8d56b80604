"""A planted fault's round, whole: what it emits, or what goes wrong, with its exact probability.

A fault can do more than move a law: it can emit an id that is no token, or raise.  Such a run is an
outcome of its own, which the target gives no probability, and is never dropped.
"""

from fractions import Fraction
from typing import Any, NamedTuple

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.laws import Law, total_variation
from specdec_core.models import Context
from specdec_core.rules import Rule
from specdec_core.rules.rule import claimed_model
from specdec_core.sampling import sample
from specdec_grids.lattices import count, least_lattice
from specdec_grids.paths import exact_law
from specdec_grids.programs import Steps, claimed_joint
from specdec_verification.emissions import Malfunction, attempted, emitted
from specdec_verification.exact_count import left_endpoints


def attempted_round(rule: Rule[Any], instance: Instance) -> Steps[Context | Malfunction]:
    """Return one round, completed to the horizon, as a program in which anything may go wrong.

    It is `specdec_grids.programs.completed_round` where nothing does.
    """
    model, horizon = claimed_model(rule, instance), rule.horizon(instance)
    vocab_size, target = instance.vocab_size, instance.target

    def verify(proposal: Any, draws: Draws) -> Context | Malfunction:  # noqa: ANN401
        if isinstance(proposal, Malfunction):
            return proposal
        return emitted(lambda: rule.verify(proposal, target, draws), vocab_size, longest=horizon)

    def complete(tokens: Context | Malfunction, draws: Draws) -> Context | Malfunction:
        while not isinstance(tokens, Malfunction) and len(tokens) < horizon:
            tokens = (*tokens, sample(model(tokens), draws.uniform()))
        return tokens

    return Steps(
        (lambda _, draws: attempted(lambda: rule.propose(instance, draws)), verify, complete)
    )


def distance(rule: Rule[Any], instance: Instance) -> Fraction:
    """Return the exact total variation of a round's completed law from the law claimed.

    Runs that go wrong count in full.
    """
    found = exact_law(attempted_round(rule, instance)).law
    return total_variation(found, expected_round(rule, instance))


def expected_round(rule: Rule[Any], instance: Instance) -> Law[Context | Malfunction]:
    """Return the law that the rule claims for `attempted_round`: nothing goes wrong in it."""
    joint = claimed_joint(rule, instance)
    return Law({tokens: joint[tokens] for tokens in joint})


class Counted(NamedTuple):
    """How far the counts of a round lie from the law claimed, over its two least lattices.

    Attributes
    ----------
    between : Fraction
        Total variation on the midpoints, none of which is a threshold: that of the law itself.
    on : Fraction
        Total variation on the left endpoints, which thresholds are among.
    points : int
        Of each lattice.
    """

    between: Fraction
    on: Fraction
    points: int


def counted(rule: Rule[Any], instance: Instance) -> Counted:
    """Count a round over its least lattices; runs that go wrong count in full."""
    program, expected = attempted_round(rule, instance), expected_round(rule, instance)
    least = least_lattice(program)
    between, on = (
        total_variation(count(program, lattice).law, expected)
        for lattice in (least, left_endpoints(least))
    )
    return Counted(between, on, least.size)
