"""A rule as someone's own program."""

from fractions import Fraction

import pytest

from specdec_core.instances import Instance
from specdec_core.rules import rule_named
from specdec_core.rules.rule import play_round
from specdec_grids.paths import exact_law
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.adapters import audit_on, followed_on
from specdec_verification.subjects.exact import DEFAULT
from specdec_verification.subjects.rule_programs import draws_form, numpy_form

RULES = ("token_rejection", "token_rejection_bonus", "block_verification")


@pytest.mark.parametrize("name", RULES)
def test_both_forms_emit_the_rule_s_law(name: str, biased: Instance, labels: Labels) -> None:
    rule = rule_named(name)
    law = exact_law(lambda draws: play_round(rule, biased, draws).tokens).law
    for form in (draws_form(rule), numpy_form(rule)):
        assert audit_on(form, biased, labels, DEFAULT).verdict is Verdict.PASSED
        found = followed_on(form, biased, DEFAULT).found.law
        assert sum(found.probs.values()) == 1
        tokens = found.image(lambda value: getattr(value, "tokens", value))
        assert dict(tokens.probs) == dict(law.probs)


def test_only_the_form_over_draws_is_exact(biased: Instance) -> None:
    rule = rule_named("token_rejection_bonus")
    exact, floating = (
        followed_on(form(rule), biased, DEFAULT) for form in (draws_form, numpy_form)
    )
    assert (exact.given, exact.claim.epsilon) == (biased, Fraction(0))
    assert floating.given != biased or floating.claim.epsilon > 0
