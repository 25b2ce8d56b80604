from fractions import Fraction

import numpy as np
import pytest

from specdec_core.distributions import Row, residual
from specdec_core.instances import Instance
from specdec_core.laws import total_variation
from specdec_core.models import Context
from specdec_core.rules import rule_named
from specdec_grids.generated import RandomInstances
from specdec_verification.emissions import Malfunction
from specdec_verification.round_laws import round_law
from specdec_verification.subjects.adapters import in_floats
from specdec_verification.subjects.returned_laws import ReturnedLaws, law_of_step

RULE = rule_named("token_rejection_bonus")


def step(instance: Instance, draft_tokens: Context) -> ReturnedLaws:
    """Return the laws of token rejection."""
    acceptance, recovered = [], []
    for i, token in enumerate(draft_tokens):
        p, q = instance.target(draft_tokens[:i]), instance.draft(draft_tokens[:i])
        acceptance.append(min(1.0, p[token] / q[token]))
        recovered.append(p if p == q else residual(p, q))
    return ReturnedLaws(acceptance, recovered, instance.target(draft_tokens))


@pytest.mark.parametrize("number", range(9))
def test_the_law_is_that_of_the_rule(number: int) -> None:
    instance = in_floats(RandomInstances(RULE, 9)[number])
    found = law_of_step(step, instance)
    assert found.missing == 0
    assert float(total_variation(found.law, round_law(RULE, instance).emitted)) < 1e-15


def test_without_a_bonus_the_draft_ends_it(biased: Instance) -> None:
    found = law_of_step(
        lambda instance, draft: step(instance, draft)._replace(bonus_probs=None), biased
    )
    assert found.law.probs == {(0,): Fraction(1, 4), (1,): Fraction(3, 4)}


def test_arrays_do_as_well(biased: Instance) -> None:
    def arrays(instance: Instance, draft_tokens: Context) -> ReturnedLaws:
        laws = step(instance, draft_tokens)
        return ReturnedLaws(*(np.array(part, dtype=np.float32) for part in laws))  # type: ignore[arg-type]

    assert law_of_step(arrays, biased).law.probs == law_of_step(step, biased).law.probs


@pytest.mark.parametrize(
    ("laws", "reason"),
    [
        (ReturnedLaws([1.5], [Row([1.0, 0.0])], None), "acceptance_probs[0] is 1.5"),
        (ReturnedLaws([0.5], [[-1.0, 2.0]], None), "expected no negative"),
        (ReturnedLaws([0.5], [[0.0, 0.0]], None), "expected no negative and a positive"),
        (ReturnedLaws([], [], None), "IndexError"),
    ],
)
def test_laws_that_are_none_are_malfunctions(
    laws: ReturnedLaws, reason: str, biased: Instance
) -> None:
    found = law_of_step(lambda instance, draft: laws, biased).law
    assert found.mass == 1
    assert all(isinstance(key, Malfunction) and reason in key.reason for key in found)
