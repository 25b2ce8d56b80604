"""Batches that are copies of one another, and the rate at which independent ones are."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from specdec_verification.statistics.repeats import Repeats


@pytest.mark.parametrize("batches", [1, 2, 3])
def test_the_mean_under_the_law_is_one(batches: int) -> None:
    """Over every sequence of batches of three draws: exactly, but for floats."""
    law = {0: 0.25, 1: 0.75}
    mean = 0.0
    for ones in product(range(4), repeat=batches):
        repeats = Repeats(law)
        prob = 1.0
        for one in ones:
            repeats.add({0: 3 - one, 1: one})
            prob *= math.comb(3, one) * 0.25 ** (3 - one) * 0.75**one
        mean += prob * math.exp(repeats.log_e)
    assert mean == pytest.approx(1)


def test_a_copy_is_evidence_and_a_fresh_batch_is_hardly_any() -> None:
    rng, law = np.random.default_rng(7), dict.fromkeys(range(8), 1 / 8)
    repeats = Repeats(law)
    for _ in range(50):
        repeats.add(dict(enumerate(rng.multinomial(100_000, [1 / 8] * 8).tolist())))
    assert repeats.last == ""
    assert math.log(0.5) < repeats.log_e < 0
    copied = rng.multinomial(100_000, [1 / 8] * 8).tolist()
    for _ in range(2):
        repeats.add(dict(enumerate(copied)))
    assert repeats.last == "batch 51 has the counts of batch 50"
    assert repeats.log_e > math.log(1e9)


def test_draws_that_cannot_differ_are_no_copies() -> None:
    repeats = Repeats({0: 1.0, 1: 0.0})
    for _ in range(20):
        repeats.add(Counter({0: 1000}))
    assert repeats.log_e == pytest.approx(0)


def test_what_the_law_rules_out_is_left_to_the_check_of_the_law() -> None:
    repeats = Repeats({0: 1.0})
    repeats.add({1: 5})
    assert repeats.log_e == 0
    repeats.add({1: 5})
    assert repeats.log_e == math.inf
