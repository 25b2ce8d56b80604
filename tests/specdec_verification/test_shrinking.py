"""The smallest instance on which a program fails."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import NoCounterexampleError, NondeterminismError
from specdec_core.instances import Instance
from specdec_verification.audit import load_program
from specdec_verification.exact_law import model_rows
from specdec_verification.faults import FAULTS
from specdec_verification.results import Verdict
from specdec_verification.shrinking import rule_of_shape, smallest_failing
from specdec_verification.subjects.rule_programs import draws_form, numpy_form
from specdec_verification.witnesses import witness

EXAMPLES = Path(__file__).parents[2] / "examples" / "numpy_slips"
FAULT = {fault.name: fault for fault in FAULTS}

EVEN, CERTAIN, OTHER = ("1/2", "1/2"), ("1", "0"), ("0", "1")
SMALLEST = {
    "recovered_from_target": (1, [EVEN, CERTAIN, CERTAIN], [CERTAIN, CERTAIN, CERTAIN]),
    "accept_always": (1, [OTHER, CERTAIN, CERTAIN], [CERTAIN, CERTAIN, CERTAIN]),
    "bonus_row_off_by_one": (1, [CERTAIN, OTHER, CERTAIN], [CERTAIN, CERTAIN, CERTAIN]),
    "draft_argmax_recorded_soft": (1, [EVEN, CERTAIN, CERTAIN], [EVEN, CERTAIN, CERTAIN]),
}
"""Gamma, and the rows of target and draft: found by hand, there is nothing smaller."""


def rows(model: Any) -> list[tuple[str, ...]]:  # noqa: ANN401
    return [tuple(map(str, row)) for row in model_rows(model)]


@pytest.mark.parametrize("name", SMALLEST)
def test_a_fault_shrinks_to_what_can_be_followed_by_hand(name: str) -> None:
    fault = FAULT[name]
    instance = smallest_failing(draws_form(fault.rule), fault.rule, max_examples=20).instance
    assert instance.vocab_size == 2
    assert (instance.parameters["gamma"], rows(instance.target), rows(instance.draft)) == (
        SMALLEST[name]
    )


def test_a_numpy_program_shrinks_as_the_rule_does() -> None:
    rule = FAULT["accept_always"].rule
    forms = (draws_form(rule), numpy_form(rule))
    exact, floating = (smallest_failing(form, max_examples=20) for form in forms)
    assert exact.instance == floating.instance
    assert exact.laws.got.probs == {(0, 0): Fraction(1)}


def test_a_tree_s_fault_shrinks_in_its_own_parameters() -> None:
    rule = FAULT["tree_fallback_from_target"].rule
    found = smallest_failing(draws_form(rule), rule, max_examples=20)
    assert found.instance.label == "V=2 depth=1 k=1"


def test_a_program_shrinks_in_the_parameters_that_it_reads() -> None:
    """On an instance without them it would fail for that alone."""

    def emit(instance: Instance, rng: np.random.Generator) -> list[int]:
        assert instance.parameters["k"]
        return [int(rng.choice(instance.vocab_size, p=list(instance.draft(()))))]

    rule = rule_of_shape(witness("siblings").instance)
    found = smallest_failing(emit, rule, max_examples=20)
    assert found.instance.label == "V=2 depth=1 k=1"


def test_runs_that_go_wrong_fail() -> None:
    def emit(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
        raise ZeroDivisionError

    found = smallest_failing(emit, max_examples=5)
    assert (found.instance.vocab_size, found.result.verdict) == (1, Verdict.FAILED)
    assert found.as_table().splitlines()[-1].split()[-1] == "0"


def test_state_from_run_to_run_is_found_out_in_the_end() -> None:
    on: list[Instance] = []  # a search runs it three times on each, and the audit in the end more

    def emit(instance: Instance, rng: np.random.Generator) -> list[int]:
        on[:] = [*on, instance] if on[:1] == [instance] else [instance]
        return [int(len(on) > 3)]

    with pytest.raises(NondeterminismError, match="keeps state"):
        smallest_failing(emit, max_examples=5)


def test_when_time_is_up_nothing_more_is_run() -> None:
    form = draws_form(FAULT["accept_always"].rule)
    with pytest.raises(NoCounterexampleError, match="no failure within -1 seconds"):
        smallest_failing(form, max_seconds=-1)


def test_a_program_that_is_right_has_none() -> None:
    right = draws_form(FAULT["accept_inclusive"].rule)  # its law is the target's
    with pytest.raises(NoCounterexampleError, match="no failure on 2 instances of each of 12"):
        smallest_failing(right, max_examples=2)


def test_a_pasted_test_fails_on_the_slip_and_passes_on_the_right_form() -> None:
    place = f"{EXAMPLES / 'searchsorted.py'}:target_in_place_of_residual"
    found = smallest_failing(load_program(place), max_examples=20)
    text = found.as_test(place)
    assert "tokens" in text
    run = _pasted(text)
    with pytest.raises(AssertionError, match="first difference at prefix"):
        run["test_target_in_place_of_residual_emits_the_law_of_the_target"]()
    mended = _pasted(text.replace(":target_in_place_of_residual", ":right"))
    mended["test_target_in_place_of_residual_emits_the_law_of_the_target"]()


def test_both_laws_stand_in_the_test_in_fractions() -> None:
    rule = FAULT["recovered_from_target"].rule
    for form in (draws_form(rule), numpy_form(rule)):
        found = smallest_failing(form, max_examples=20)
        lines = [line.split() for line in found.as_table().splitlines()]
        assert lines == [
            ["tokens", "expected", "emitted"],
            ["0,0", "1/2", "3/4"],
            ["1,0", "1/2", "1/4"],
        ]


def _pasted(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(text, "pasted_test.py", "exec"), space)
    return space


def test_of_an_unknown_shape_nothing_smaller_is_known(biased: Instance) -> None:
    with pytest.raises(NoCounterexampleError, match="parameters beams: nothing is known"):
        rule_of_shape(replace(biased, parameters={"beams": 2}))
