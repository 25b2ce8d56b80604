"""Which claim breaks first, found from the law alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specdec_core.distributions import Row, residual
from specdec_core.instances import Instance
from specdec_core.sampling import accepts, sample
from specdec_verification.diagnosis import broken_claims as claims
from specdec_verification.diagnosis.observations import observe
from specdec_verification.faults import FAULTS
from specdec_verification.subjects.auditing import case_named
from specdec_verification.subjects.cases import Case
from specdec_verification.subjects.exact import DEFAULT
from specdec_verification.subjects.rule_programs import draws_form

FAULT = {fault.name: fault for fault in FAULTS}
ONE = case_named("five_tokens")  # gamma 1
TWO = case_named("nothing_impossible")  # gamma 2


@pytest.mark.parametrize(
    ("fault", "claim"),
    [
        ("accept_as_point_mass", claims.ACCEPTANCE),
        ("draft_argmax_recorded_soft", claims.ACCEPTANCE),
        ("recovered_from_target", claims.RESIDUAL),
        ("recovered_likeliest", claims.RESIDUAL),
        ("bonus_likeliest", claims.BONUS),
        ("bonus_from_draft", claims.BONUS),
        ("accept_by_first_row", claims.SECOND),
        ("coin_shared_by_positions", claims.SECOND),
    ],
)
def test_a_fault_breaks_the_claim_on_its_own_step(fault: str, claim: str) -> None:
    assert claims.first_broken(observe(draws_form(FAULT[fault].rule), TWO, DEFAULT)) == claim


def raising(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
    raise ZeroDivisionError


def constant(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
    return [0]


def all_tokens(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
    return [sample(instance.draft(()), draws.uniform())]


def shared_between_rows(instance: Instance, rng: np.random.Generator) -> Any:  # noqa: ANN401
    token = int(rng.choice(instance.vocab_size, p=instance.target(())))
    return [[token], [token]]


def wrong_rows(instance: Instance, rng: np.random.Generator) -> Any:  # noqa: ANN401
    return [[0], [0]]


def rarely_ruled_out(instance: Instance, rng: np.random.Generator) -> Any:  # noqa: ANN401
    target_probs = [float(prob) for prob in instance.target(())]
    if rng.random() < 1e-18:
        return [target_probs.index(0)]
    return [int(rng.choice(len(target_probs), p=target_probs))]


@pytest.mark.parametrize(
    ("program", "case", "claim"),
    [
        (rarely_ruled_out, case_named("generated/0"), claims.SUPPORT),
        (raising, ONE, claims.RUNS),
        (all_tokens, case_named("draft_ruled_out"), claims.FIRST),
        (constant, TWO, claims.FIRST),
        (shared_between_rows, TWO, claims.INDEPENDENCE),
        (wrong_rows, TWO, claims.ROWS),
    ],
)
def test_a_program_of_another_form_breaks(
    program: Callable[..., Any],
    case: Case,
    claim: str,
) -> None:
    assert claims.first_broken(observe(program, case, DEFAULT)) == claim


def test_positions_that_are_right_alone_are_dependent() -> None:
    def dependent(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
        u, v = draws.uniform(), draws.uniform()
        first = sample(instance.target(()), u)
        return [first, 0 if v < marginal[0] else 1]

    instance = case_named("generated/0").instance
    rows = [instance.target((token,)) for token in range(2)]
    start = instance.target(())
    marginal = [sum(start[x] * rows[x][y] for x in range(2)) for y in range(2)]
    assert rows[0] != rows[1]
    found = claims.first_broken(observe(dependent, case_named("generated/0"), DEFAULT))
    assert found == claims.INDEPENDENCE


def test_the_earliest_part_is_named_whichever_instance_comes_first() -> None:
    def wrong_target(instance: Instance, draws: Any) -> Any:  # noqa: ANN401
        token = sample(instance.draft(()), draws.uniform())
        target_probs = instance.target(())
        squares = [prob**2 for prob in target_probs]
        wrong = Row([square / sum(squares) for square in squares])
        if accepts(draws.uniform(), wrong[token], instance.draft(())[token]):
            return [token, 0]
        return [sample(residual(wrong, instance.draft(())), draws.uniform())]

    names = ("generated/0", "generated/1")  # a target of one token is its own square
    wrong = [observe(wrong_target, case_named(name), DEFAULT) for name in names]
    assert [claims.first_broken(one) for one in wrong] == [claims.BONUS, claims.ACCEPTANCE]
    found = claims.earliest_broken(wrong)
    assert [(one.claim, one.observation.case.name) for one in found] == [
        (claims.ACCEPTANCE, "generated/1"),
        (claims.BONUS, "generated/0"),
    ]
