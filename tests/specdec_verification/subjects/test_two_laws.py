import random

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.two_laws import Emissions, check_same_law

TWO = Emissions(vocab_size=2, length=1)


def coin() -> list[int]:
    return [int(random.random() < 0.25)]


def choice() -> list[int]:
    return random.choices([0, 1], weights=[3, 1])


def fair() -> list[int]:
    return [int(random.random() < 0.5)]


def broken() -> list[int]:
    raise ValueError("no tokens")


def test_two_ways_to_one_law_pass(labels: Labels) -> None:
    result = check_same_law(coin, choice, TWO, labels)
    assert result.verdict is Verdict.PASSED
    assert result.total_variation == 0


def test_two_laws_fail_by_their_distance(labels: Labels) -> None:
    result = check_same_law(fair, coin, TWO, labels)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation == 1 / 4


def test_a_subject_that_goes_wrong_fails(labels: Labels) -> None:
    assert "no tokens" in check_same_law(broken, coin, TWO, labels).detail


def test_a_token_out_of_range_fails(labels: Labels) -> None:
    assert check_same_law(lambda: [2], coin, TWO, labels).verdict is Verdict.FAILED


def test_a_reference_that_goes_wrong_is_bad_input(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match=r"the reference went wrong: .*no tokens"):
        check_same_law(coin, broken, TWO, labels)


def test_a_reference_that_is_not_whole_is_bad_input(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match="has more than 1 paths"):
        check_same_law(coin, coin, TWO, labels, Execution(max_paths=1))
