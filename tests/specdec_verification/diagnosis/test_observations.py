"""What a program was seen to emit, and how far it is another law."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import MissingContextError
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_verification.diagnosis.observations import Agreement, agreement, observe
from specdec_verification.subjects.cases import Case
from specdec_verification.subjects.exact import DEFAULT

HALF = Fraction(1, 2)


def right(instance: Instance, draws: Any) -> list[int]:  # noqa: ANN401
    """Emit one token of the target."""
    return [int(draws.uniform() >= instance.target(())[0])]


def half_the_time(instance: Instance, draws: Any) -> list[int]:  # noqa: ANN401
    """Raise at the second token."""
    if draws.uniform() >= instance.target(())[0]:
        raise ZeroDivisionError
    return [0]


def likeliest(instance: Instance, rng: np.random.Generator) -> list[int]:
    return [int(np.argmax(instance.target(())))]


def test_an_exact_observation_is_right_without_a_bound(biased: Instance) -> None:
    seen = observe(right, Case("biased", biased), DEFAULT)
    assert (seen.right, seen.bound, seen.broken, seen.rows) == (True, 0, 0, 1)
    assert seen.emitted.probs == {(0,): Fraction(1, 4), (1,): Fraction(3, 4)}


def test_runs_that_go_wrong_leave_a_part_of_a_law(biased: Instance) -> None:
    seen = observe(half_the_time, Case("biased", biased), DEFAULT)
    assert (seen.right, seen.broken) == (False, Fraction(3, 4))
    assert seen.departure is Agreement.PART
    assert seen.agreement(Law({(0,): Fraction(1, 4)})) is Agreement.WHOLE
    assert seen.agreement(Law({(0,): Fraction(1, 8), (1,): HALF})) is Agreement.NONE


def test_a_program_on_floats_is_right_within_a_bound(biased: Instance) -> None:
    seen = observe(likeliest, Case("biased", biased), DEFAULT)
    assert 0 < seen.bound < 1e-12
    assert not seen.right
    assert seen.agreement(Law({(1,): Fraction(1)})) is Agreement.WHOLE


def test_laws_are_compared_completed(biased: Instance) -> None:
    seen = observe(right, Case("biased", biased), DEFAULT)
    longer = Law({(0,): Fraction(1, 4), (1, 0): Fraction(3, 4)})  # after 1, the target says 0
    assert seen.agreement(longer) is Agreement.WHOLE
    with pytest.raises(MissingContextError):
        seen.agreement(Law({(0, 0, 0): Fraction(1)}))


def test_a_batch_has_rows(biased: Instance) -> None:
    def batch(instance: Instance, rng: np.random.Generator) -> np.ndarray:
        return np.array([[0, 0], [1, 0]])

    seen = observe(batch, Case("biased", biased), DEFAULT)
    assert seen.rows == 2
    assert not seen.emitted.probs


def test_agreement_is_whole_only_down_to_what_is_missing() -> None:
    part, whole = Law({0: HALF}), Law({0: HALF, 1: HALF})
    assert agreement(part, whole, Fraction(0)) is Agreement.PART  # type: ignore[arg-type]
    assert agreement(whole, part, Fraction(0)) is Agreement.NONE  # type: ignore[arg-type]
    assert agreement(part, whole, HALF) is Agreement.WHOLE  # type: ignore[arg-type]
