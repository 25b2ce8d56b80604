"""Completed draws: numbers of sequences, and completions that have the target's law."""

import math
from fractions import Fraction

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.laws import target_joint
from specdec_core.models import ConstantModel, TableModel
from specdec_verification.statistics.completed_draws import (
    completed,
    count_sequences,
    joint_law,
    numbered,
)
from specdec_verification.statistics.dirichlet_mixture import log_e_value

HALF = Row([Fraction(1, 2), Fraction(1, 2), Fraction(0)])
TARGET = TableModel(
    {
        (): Row([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]),
        (0,): Row([Fraction(0), Fraction(1, 3), Fraction(2, 3)]),
        (1,): HALF,
        (2,): Row([Fraction(1), Fraction(0), Fraction(0)]),
    }
)


def test_every_sequence_has_its_number() -> None:
    sequences = numbered(TARGET, 2)
    whole = np.array([sequences.sequence(number) for number in range(9)])
    assert whole.tolist() == [[a, b] for a in range(3) for b in range(3)]
    numbers = sequences.numbers(whole, np.full(9, 2), np.random.default_rng())
    assert numbers.tolist() == list(range(9))
    joint = target_joint(TARGET, 2)
    assert sequences.probs.tolist() == [float(joint[sequences.sequence(n)]) for n in range(9)]


def test_what_lies_behind_a_draws_length_is_not_read() -> None:
    tokens = np.array([[2, 99], [2, -7]])
    numbers = numbered(TARGET, 2).numbers(tokens, np.array([1, 1]), np.random.default_rng())
    assert numbers.tolist() == [6, 6]  # after 2 comes 0, always
    whole = completed(tokens, np.array([1, 1]), TARGET, np.random.default_rng())
    assert whole.tolist() == [[2, 0], [2, 0]]
    assert tokens[0, 1] == 99


@pytest.mark.parametrize("by_number", [True, False])
def test_completions_have_the_targets_law(by_number: bool) -> None:
    """First tokens from the target, the rest completed: rejected with probability 1e-10."""
    rng = np.random.default_rng()
    sequences = numbered(TARGET, 2)
    tokens = np.zeros((20_000, 2), dtype=np.int64)
    tokens[:, 0] = rng.choice(3, size=20_000, p=[0.25, 0.25, 0.5])
    lengths = np.ones(20_000, dtype=np.int64)
    if by_number:
        numbers = sequences.numbers(tokens, lengths, rng)
    else:
        whole = completed(tokens, lengths, TARGET, rng)
        numbers = sequences.numbers(whole, lengths + 1, rng)
    counts = np.bincount(numbers, minlength=9)
    assert not counts[sequences.probs == 0].any()
    assert float(log_e_value(counts, sequences.probs)) < math.log(1e10)
    # The first tokens are the sampler's own, in number and order.
    assert np.array_equal(numbers // 3, tokens[:, 0])


def test_a_prefix_that_the_target_rules_out_stays_one() -> None:
    target = TableModel({(): HALF, (0,): HALF, (1,): HALF})
    sequences = numbered(target, 2)
    (number,) = sequences.numbers(np.array([[2, 0]]), np.array([1]), np.random.default_rng())
    assert sequences.sequence(int(number))[0] == 2
    assert sequences.probs[number] == 0
    whole = completed(np.array([[2, 0]]), np.array([1]), target, np.random.default_rng())
    assert whole[0, 0] == 2


def test_a_rare_prefix_is_completed_with_what_it_allows() -> None:
    """A block of width 1e-12 near one, where a draw is easily rounded to the next block."""
    rare = 1e-12
    target = TableModel(
        {
            (): Row([1 - 2 * rare, rare, rare]),
            **{(token,): Row([0.0, 1.0, 0.0]) for token in range(3)},
        }
    )
    tokens = np.tile([[1, 0]], (20_000, 1))
    numbers = numbered(target, 2).numbers(tokens, np.ones(20_000, int), np.random.default_rng())
    assert set(numbers.tolist()) == {4}


def test_sequences_are_counted_and_decoded() -> None:
    sequences = numbered(ConstantModel(Row([0.5, 0.5])), 2)
    counts = np.array([3, 0, 1, 0])
    assert sequences.counted(counts) == {(0, 0): 3, (1, 0): 1}
    assert count_sequences(np.array([[0, 0], [1, 0], [0, 0]])) == {(0, 0): 2, (1, 0): 1}


def test_complete_draws_are_left_as_they_are() -> None:
    tokens = np.array([[0, 1], [2, 2]])
    assert completed(tokens, np.array([2, 2]), TARGET, np.random.default_rng()).tolist() == [
        [0, 1],
        [2, 2],
    ]


def test_the_law_of_rows_of_floats_sums_to_one() -> None:
    probs = [0.9, 0.05, 0.04, 0.01]
    assert sum(map(Fraction, probs)) != 1
    law = joint_law(ConstantModel(Row(probs)), 2)
    assert sum(law.values()) == 1
    assert float(law[0, 1]) == pytest.approx(0.045)
    assert joint_law(TARGET, 2) == target_joint(TARGET, 2).probs
