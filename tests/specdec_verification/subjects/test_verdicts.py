import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.models import ConstantModel, TableModel
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.verdicts import Claim, audit, laws_of

COIN = ConstantModel(Row([0.5, 0.5]))
THIRDS = ConstantModel(Row([1 / 3, 2 / 3]))
FOLLOWING = TableModel({(): Row([0.25, 0.75]), (0,): Row([0.5, 0.5]), (1,): Row([1.0, 0.0])})


def two_tokens() -> list[int]:
    first = random.choices([0, 1], weights=[1, 3])[0]
    return [first, random.choices([0, 1], weights=FOLLOWING((first,)))[0]]


def test_a_right_emission_passes() -> None:
    found = audit(two_tokens, target=FOLLOWING, length=2)
    assert found.verdict is Verdict.PASSED
    assert found.result.total_variation == 0
    assert found.marginals == (0, 0)
    assert found.lengths.probs == {2: 1}
    assert found.seconds > 0


def test_what_is_missing_is_completed() -> None:
    found = audit(lambda: two_tokens()[:1], target=FOLLOWING, length=2)
    assert found.verdict is Verdict.PASSED
    assert found.lengths.probs == {1: 1}


def test_a_wrong_emission_fails_with_what_differs() -> None:
    found = audit(lambda: random.choices([0, 1], k=2), target=FOLLOWING, length=2)
    assert found.verdict is Verdict.FAILED
    assert found.result.total_variation == Fraction(1, 2)
    assert found.marginals == (Fraction(1, 4), Fraction(3, 8))
    assert found.outside == Fraction(1, 4)
    assert "first difference at prefix '0': expected 1/4, got 1/2" in found.result.detail
    assert "each position alone is off by 0.25, 0.375" in found.result.detail


def test_rounding_passes_within_its_bound() -> None:
    found = audit(lambda: [int(np.random.rand() >= 1 / 3)], target=THIRDS, length=1)
    assert found.verdict is Verdict.PASSED
    assert float(found.result.total_variation or 0) < float(found.bound) < 1e-13


def test_floats_of_single_precision_have_a_wider_bound() -> None:
    third = float(np.float32(1 / 3))
    emit = lambda: [int(random.random() >= third)]  # noqa: E731
    assert audit(emit, target=THIRDS, length=1).verdict is Verdict.FAILED
    single = Execution(epsilon=Fraction(1, 1 << 23))
    assert audit(emit, target=THIRDS, length=1, execution=single).verdict is Verdict.PASSED


def test_floats_of_single_precision_are_seen_where_draws_meet_them() -> None:
    third = np.array([1 / 3, 1], dtype=np.float32)
    emits: list[Callable[[], Any]] = [
        lambda: [int(np.searchsorted(third, np.random.default_rng().random(), side="right"))],
        lambda: [int((np.random.default_rng().random(1) >= third[0])[0])],
    ]
    for emit in emits:
        found = audit(emit, target=THIRDS, length=1)
        assert found.verdict is Verdict.PASSED
        assert 1e-9 < float(found.result.total_variation or 0) < float(found.bound) < 1e-5


def test_half_precision_is_no_excuse() -> None:
    third = np.array([1 / 3], dtype=np.float16)
    emit = lambda: [int((np.random.default_rng().random(1) >= third)[0])]  # noqa: E731
    assert audit(emit, target=THIRDS, length=1).verdict is Verdict.FAILED


def test_rows_that_share_their_seed_are_wrong_together_and_right_alone() -> None:
    def batch() -> list[list[int]]:
        return [[np.random.default_rng(3).choice(2)] for _ in range(2)]

    found = audit(batch, target=COIN, length=1)
    assert found.verdict is Verdict.FAILED
    assert found.result.total_variation == Fraction(1, 2)
    assert found.marginals == (0, 0)
    assert "'0,0': expected 1/4, got 1/2" in found.result.detail
    assert "each row alone is off by 0, 0" in found.result.detail


def test_rows_can_have_targets_of_their_own() -> None:
    def batch() -> list[list[int]]:
        return [random.choices([0, 1]), two_tokens()]

    found = audit(batch, target=[COIN, FOLLOWING], length=2)
    assert found.verdict is Verdict.PASSED
    assert found.lengths.probs == {3: 1}
    found = audit(lambda: [[0]], target=[COIN, FOLLOWING], length=2)
    assert "emitted 1 rows, expected 2" in found.result.detail


@pytest.mark.parametrize(
    ("emitted", "reason"),
    [
        ([], "emitted no token"),
        ([2], "2"),
        ([0, 0, 0], "emitted 3 tokens, expected at most 2"),
        ([0.5], "0.5"),
        ("01", "expected a sequence of tokens"),
        (None, "returned None"),
    ],
)
def test_what_is_no_emission_fails_with_its_probability(emitted: object, reason: str) -> None:
    def sometimes() -> object:
        return emitted if random.random() < 0.125 else two_tokens()

    found = audit(sometimes, target=FOLLOWING, length=2)
    assert found.verdict is Verdict.FAILED
    assert "runs of probability 1/8 went wrong" in found.result.detail
    assert reason in found.result.detail
    assert found.result.total_variation is None


def test_a_budget_is_never_a_pass() -> None:
    found = audit(two_tokens, target=FOLLOWING, length=2, execution=Execution(max_paths=1))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "were not followed" in found.result.detail


def test_a_budget_of_nothing_is_inconclusive_too() -> None:
    def endless() -> None:
        while True:
            random.random()

    assert audit(endless, target=COIN, length=1).verdict is Verdict.INCONCLUSIVE


def test_the_laws_of_a_batch_stand_row_by_row() -> None:
    def two_rows() -> list[list[int]]:
        return [random.choices([0, 1]), random.choices([0, 1], weights=[1, 2])]

    laws = laws_of(exact_law(two_rows), Claim((COIN, COIN), 1))
    assert laws.got[0, 1] == Fraction(1, 3)
    assert laws.expected.probs == {(i, j): Fraction(1, 4) for i in (0, 1) for j in (0, 1)}


def test_of_runs_that_go_wrong_there_is_no_law() -> None:
    laws = laws_of(exact_law(lambda: [2]), Claim((COIN,), 1))
    assert not laws.got
    assert laws.expected.mass == 1


def test_a_result_is_called_what_it_is_told(labels: Labels) -> None:
    assert audit(two_tokens, target=FOLLOWING, length=2, labels=labels).result.labels is labels
    found = audit(two_tokens, target=FOLLOWING, length=2)
    assert found.result.labels.subject == "two_tokens"
    assert found.result.labels.parameters == "V=2 length=2"
