"""What a program that fails behaves like."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specdec_core.instances import Instance
from specdec_verification.diagnosis import MORE, diagnose
from specdec_verification.diagnosis.broken_claims import RUNS
from specdec_verification.faults import FAULTS, LOOKALIKES
from specdec_verification.subjects.auditing import case_named
from specdec_verification.subjects.cases import cases
from specdec_verification.subjects.rule_programs import draws_form, numpy_form

FAULT = {fault.name: fault for fault in FAULTS}
HANDFUL = (
    "draft_argmax_recorded_soft",
    "coin_shared_by_positions",
    "accept_as_point_mass",
    "recovered_with_coin",
    "recovered_likeliest",
    "bonus_from_draft",
)
FEW = tuple(map(case_named, ("nothing_impossible", "witness", "draft_ruled_out")))
"""Instances that tell all faults apart; the benchmark of diagnoses takes all that are chosen."""


@pytest.mark.parametrize("name", HANDFUL)
@pytest.mark.parametrize("form", [draws_form, numpy_form])
def test_a_planted_fault_is_named(form: Callable[..., Any], name: str) -> None:
    found = diagnose(form(FAULT[name].rule), FEW, more=cases(MORE))
    assert [fault.name for fault in found.fits] == [name]
    assert found.claim is None
    seen = FAULT[name].seen
    assert ("seen here alone" if seen == "specdec-verify" else seen) in found.sentence
    assert "specdec_core.rules.token_rejection_bonus, Leviathan" in found.sentence


def test_right_rules_that_look_wrong_have_nothing_wrong() -> None:
    paths = [rule for rule in LOOKALIKES if set(rule.parameters) == {"gamma"}]
    found = [diagnose(draws_form(rule), FEW) for rule in paths]
    assert len(paths) >= 10
    assert {(one.fits, one.claim) for one in found} == {((), None)}


def test_faults_that_one_instance_does_not_tell_apart_are_all_named() -> None:
    one = [case_named("generated/0")]  # one token is drafted: the next row is the last
    names = ("recovered_by_next_row", "recovered_by_last_row")
    found = diagnose(draws_form(FAULT[names[0]].rule), one)
    assert set(names) <= {fault.name for fault in found.fits}
    apart = found.sentence.partition("; instance ")[2].partition(" ")[0]
    (telling,) = [case for case in cases(MORE) if case.name == apart]
    again = diagnose(draws_form(FAULT[names[0]].rule), [*one, telling])
    assert len(again.fits) < len(found.fits)


def test_more_instances_are_tried_where_faults_coincide() -> None:
    name = "recovered_by_next_row"
    found = diagnose(draws_form(FAULT[name].rule), [case_named("generated/0")], more=cases())
    assert [fault.name for fault in found.fits] == [name]


def test_two_faults_of_one_law_are_both_named() -> None:
    fault = FAULT["recovered_from_target"]
    found = diagnose(draws_form(fault.rule), FEW, faults=(fault, fault))
    assert found.fits == (fault, fault)
    assert "no instance that is chosen tells them apart" in found.sentence


def test_a_program_that_always_raises_behaves_like_no_fault() -> None:
    def emit(instance: Instance, rng: np.random.Generator) -> list[int]:
        raise ZeroDivisionError

    found = diagnose(emit, FEW)
    assert (found.fits, found.claim) == ((), RUNS)


def test_a_fault_is_named_in_spite_of_runs_that_go_wrong() -> None:
    def emit(instance: Instance, rng: np.random.Generator) -> Any:  # noqa: ANN401
        emitted = numpy_form(FAULT["bonus_likeliest"].rule)(instance, rng)
        if len(emitted.tokens) == 1:
            raise ZeroDivisionError  # at every rejection of the first token
        return emitted

    found = diagnose(emit, FEW)
    assert "bonus_likeliest" in {fault.name for fault in found.fits}
    assert "raise or emit no tokens, the others behave like: " in found.sentence
    assert "exactly" not in found.sentence


def test_an_instance_that_does_not_suit_is_left_out() -> None:
    def emit(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
        instance.integer("gamma", minimum=2)
        return draws_form(FAULT["bonus_likeliest"].rule)(instance, draws)

    assert [fault.name for fault in diagnose(emit, FEW).fits] == ["bonus_likeliest"]
