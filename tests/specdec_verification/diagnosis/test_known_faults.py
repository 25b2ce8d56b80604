"""The laws of the faults that are known."""

from dataclasses import replace

from specdec_core.instances import Instance
from specdec_core.rules import rule_named
from specdec_verification.diagnosis.known_faults import (
    agreement_with,
    differing,
    law_of,
    of_shape,
)
from specdec_verification.diagnosis.observations import Agreement, observe
from specdec_verification.faults import FAULTS
from specdec_verification.faults.loop_catalogue import LOOP_FAULTS
from specdec_verification.subjects.auditing import case_named
from specdec_verification.subjects.exact import DEFAULT
from specdec_verification.subjects.rule_programs import draws_form, numpy_form

FAULT = {fault.name: fault for fault in FAULTS}
CASE = case_named("nothing_impossible")


def test_faults_are_of_a_shape_that_has_their_parameters() -> None:
    names = {fault.name for fault in of_shape((*FAULTS, *LOOP_FAULTS), CASE.instance)}
    assert {"recovered_from_target", "bonus_likeliest"} <= names
    assert not {"tree_scored_by_root", LOOP_FAULTS[0].name} & names


def test_a_rule_has_no_law_where_the_instance_lacks_a_row(biased: Instance) -> None:
    deeper = replace(biased, parameters={"gamma": 3})
    assert law_of(rule_named("token_rejection_bonus"), deeper) is None
    assert law_of(rule_named("token_rejection_bonus"), biased) is not None


def test_a_fault_agrees_with_itself_and_with_no_other() -> None:
    seen = observe(draws_form(FAULT["recovered_from_target"].rule), CASE, DEFAULT)
    assert agreement_with(FAULT["recovered_from_target"], seen) is Agreement.WHOLE
    assert agreement_with(FAULT["recovered_from_draft"], seen) is Agreement.NONE


def test_a_tie_that_rounding_breaks_tells_nothing() -> None:
    fault = FAULT["recovered_likeliest"]
    ties = [case_named(name) for name in ("generated/2", "generated/5", "nothing_impossible")]
    answers = [
        agreement_with(fault, observe(numpy_form(fault.rule), case, DEFAULT)) for case in ties
    ]
    assert Agreement.NONE not in answers


def test_faults_differ_on_some_instances_only() -> None:
    rows = (FAULT["accept_by_first_row"], FAULT["coin_shared_by_positions"])
    assert differing(rows, CASE.instance)
    assert not differing(rows, case_named("five_tokens").instance)  # one token is drafted
