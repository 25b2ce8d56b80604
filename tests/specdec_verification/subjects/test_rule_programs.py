"""A rule as someone's own program."""

from fractions import Fraction

import pytest

from specdec_core.instances import Instance
from specdec_core.rules import rule_named
from specdec_core.rules.rule import play_round
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.adapters import audit_on, followed_on
from specdec_verification.subjects.exact import DEFAULT
from specdec_verification.subjects.rule_programs import FORMS, Form, draws_form, numpy_form

RULES = ("token_rejection", "token_rejection_bonus", "block_verification")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", RULES)
def test_every_form_emits_the_rule_s_law(
    name: str, form: Form, biased: Instance, labels: Labels
) -> None:
    rule = rule_named(name)
    law = exact_law(lambda draws: play_round(rule, biased, draws).tokens).law
    assert audit_on(form(rule), biased, labels, DEFAULT).verdict is Verdict.PASSED
    found = followed_on(form(rule), biased, DEFAULT).found.law
    assert sum(found.probs.values()) == 1
    tokens = found.image(lambda value: getattr(value, "tokens", value))
    assert dict(tokens.probs) == dict(law.probs)


def test_torch_s_form_is_there_where_torch_is() -> None:
    pytest.importorskip("torch")
    assert set(FORMS) == {"draws", "numpy", "torch"}


def test_a_round_without_a_gamma_may_emit_as_many_tokens_as_it_does(labels: Labels) -> None:
    rule = rule_named("deterministic_candidates")
    deepest = next(
        instance
        for instance in RandomInstances(rule, 36)
        if instance.parameters["depth"] == 2 and instance.vocab_size > 1
    )
    found = audit_on(numpy_form(rule), deepest, labels, DEFAULT)
    assert found.verdict is Verdict.PASSED, found.detail


def test_only_the_form_over_draws_is_exact(biased: Instance) -> None:
    rule = rule_named("token_rejection_bonus")
    exact, floating = (
        followed_on(form(rule), biased, DEFAULT) for form in (draws_form, numpy_form)
    )
    assert (exact.given, exact.claim.epsilon) == (biased, Fraction(0))
    assert floating.given != biased or floating.claim.epsilon > 0
