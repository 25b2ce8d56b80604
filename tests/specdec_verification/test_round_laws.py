"""The law of one round, as a value and as the document that the command prints."""

import json
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification import strategies
from specdec_verification.faults.path_slips import (
    SlippedPathRule,
    accept_leniently,
    recover_from_target,
)
from specdec_verification.round_laws import round_law


def test_the_toy_model_in_the_form_of_the_command(toy: Callable[[int], Instance]) -> None:
    """Sun et al. 2024, Section 2: expected acceptance 2/3 for one draft token."""
    assert round_law(TokenRejectionBonus(), toy(1)).as_document() == {
        "law": {"0,0": "1/9", "0,1": "2/9", "1": "1/3", "1,0": "1/9", "1,1": "2/9"},
        "accepted": {"0": "1/3", "1": "2/3"},
        "expected_accepted": "2/3",
        "lossless": True,
        "total_variation": "0",
    }


def test_two_draft_tokens_of_the_toy_model(toy: Callable[[int], Instance]) -> None:
    """Sun et al. 2024, Section 2: 2/3 + 4/9 = 10/9; by `path_counts`, 4 + 4 * 2 paths."""
    found = round_law(TokenRejectionBonus(), toy(2))
    assert found.as_document()["expected_accepted"] == "10/9"
    assert found.paths == 12


def test_a_fault_is_not_lossless(toy: Callable[[int], Instance]) -> None:
    rule = SlippedPathRule("recovered_from_target", recover_with=recover_from_target)
    found = round_law(rule, toy(1))
    assert (found.lossless, found.total_variation) == (False, Fraction(1, 9))
    assert found.as_document()["lossless"] is False
    assert found.as_document()["total_variation"] == "1/9"


def test_rounding_is_no_loss() -> None:
    target, draft = ConstantModel(Row([0.1, 0.2, 0.7])), ConstantModel(Row([0.7, 0.1, 0.2]))
    instance = Instance(target, (draft,), {"gamma": 1})
    found = round_law(TokenRejection(), instance)
    assert 0 < found.total_variation <= found.rounding_bound
    assert found.as_document()["lossless"] is True
    lenient = SlippedPathRule("accept_leniently", accept_with=accept_leniently)
    assert not round_law(lenient, instance).lossless


@pytest.mark.parametrize(
    "rule",
    [TokenRejection(), TokenRejectionBonus(), DeterministicCandidates()],
    ids=lambda rule: rule.name,
)
def test_a_document_says_what_the_law_says(rule: TokenRejection) -> None:
    @given(instance=strategies.instances(rule))
    def holds(instance: Instance) -> None:
        found = round_law(rule, instance)
        document = json.loads(json.dumps(found.as_document()))
        law = {key: Fraction(prob) for key, prob in document["law"].items()}
        accepted = {int(key): Fraction(prob) for key, prob in document["accepted"].items()}
        assert sum(law.values()) == sum(accepted.values()) == 1
        assert law == {",".join(map(str, t)): found.emitted[t] for t in found.emitted}
        assert Fraction(document["expected_accepted"]) == sum(n * p for n, p in accepted.items())
        assert document["lossless"] is True
        assert found.rounding_bound == 0

    holds()
