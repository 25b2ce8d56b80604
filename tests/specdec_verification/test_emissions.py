import json
from fractions import Fraction

import pytest

from specdec_core.errors import MissingContextError, OpaqueDrawError
from specdec_core.laws import Law
from specdec_core.rules import Verification
from specdec_grids.paths import Exploration
from specdec_verification.emissions import (
    Malfunction,
    attempted,
    checked,
    emitted,
    malfunctioned,
    malfunctions,
    tokens_of,
)
from specdec_verification.results import Labels, Verdict


def fail(error: BaseException) -> None:
    raise error


def test_an_error_becomes_a_malfunction_with_its_line() -> None:
    found = attempted(lambda: fail(ValueError("x")))
    assert found.reason.startswith(f"raised ValueError('x') at {__file__}:")
    assert "SystemExit" in attempted(lambda: fail(SystemExit(1))).reason


@pytest.mark.parametrize("error", [OpaqueDrawError("x"), MissingContextError("x"), MemoryError()])
def test_what_is_no_fault_of_the_program_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        attempted(lambda: fail(error))


def test_tokens_are_integers_of_the_vocabulary() -> None:
    assert checked([0, 1], 2) == (0, 1)
    assert checked(Verification((0,), 1), 2) == (0, 1)
    assert emitted(lambda: iter([1]), 2) == (1,)


@pytest.mark.parametrize("value", ["0", b"0", {0: 1}, {0}, 3, None, [], [2], [-1], [0.5], [[0]]])
def test_what_is_no_sequence_of_tokens_is_a_malfunction(value: object) -> None:
    assert isinstance(checked(value, 2), Malfunction)


def test_a_length_can_be_too_long() -> None:
    assert checked([0, 1], 2, 2) == (0, 1)
    assert checked([0, 1], 2, 1) == Malfunction("emitted 2 tokens, expected at most 1")


def test_a_law_falls_into_what_went_right_and_what_went_wrong(labels: Labels) -> None:
    worst, other = Malfunction("worst"), Malfunction("other")
    half, eighth = Fraction(1, 2), Fraction(1, 8)
    found = Exploration(Law({(0,): half, worst: 3 * eighth, other: eighth}), 3, Fraction(0))
    assert tokens_of(found).law.probs == {(0,): half}
    assert malfunctions(found).law.probs == {worst: 3 * eighth, other: eighth}
    result = malfunctioned(malfunctions(found), labels)
    assert result.verdict is Verdict.FAILED
    assert result.detail == (
        "runs of probability 1/2 went wrong; the likeliest, of probability 3/8, worst"
    )


def test_what_every_run_does_is_said_as_such(labels: Labels) -> None:
    error = Malfunction("raised TypeError('x') at step.py:3")
    found = Exploration(Law({error: Fraction(1)}), 4, Fraction(0))
    assert malfunctioned(found, labels).detail == "every run raised TypeError('x') at step.py:3"
    both = Exploration(
        Law({error: Fraction(3, 4), Malfunction("b"): Fraction(1, 4)}), 4, Fraction(0)
    )
    assert malfunctioned(both, labels).detail == (
        "every run goes wrong, in 2 ways; the likeliest, of probability 3/4, "
        "raised TypeError('x') at step.py:3"
    )


@pytest.mark.parametrize(("token", "prob", "told"), [(2, 53, True), (2, 3, False), (3, 53, False)])
def test_the_largest_draws_beyond_the_last_token_are_told_from_a_wrong_token(
    token: int, prob: int, told: bool, labels: Labels
) -> None:
    beyond = checked([token], 2)
    assert isinstance(beyond, Malfunction)
    found = Exploration(Law({beyond: Fraction(1, 2**prob)}), 2, Fraction(0))
    result = malfunctioned(found, labels)
    assert result.verdict is Verdict.FAILED
    assert ("take min(token, V - 1)" in result.detail) == told


def test_an_error_of_a_librarys_is_placed_at_the_users_line() -> None:
    def emit() -> object:
        return json.loads("no JSON")

    broken = attempted(emit)
    assert isinstance(broken, Malfunction)
    assert broken.reason.endswith(f"at {__file__}:{emit.__code__.co_firstlineno + 1}")
