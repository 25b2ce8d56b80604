from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row, rows
from specdec_core.draws import SymbolicDraw
from specdec_core.sampling import accepts, sample
from specdec_grids.paths import exact_law
from specdec_verification import strategies
from specdec_verification.strategies import LARGEST_DRAW

THIRD = Fraction(1, 3)


@pytest.mark.parametrize(
    ("draw", "target_prob", "draft_prob", "accepted"),
    [
        (0.0, 0.25, 0.5, True),
        (0.49, 0.25, 0.5, True),
        (0.5, 0.25, 0.5, False),
        (LARGEST_DRAW, 0.5, 0.5, True),
        (LARGEST_DRAW, 0.75, 0.5, True),
        (0.0, 0.0, 0.5, False),
        (0.0, 0.0, 0.0, False),
        (LARGEST_DRAW, 0.5, 0.0, True),
        (Fraction(1, 2), Fraction(1, 4), Fraction(1, 2), False),
        (Fraction(1, 2) - Fraction(1, 10**40), Fraction(1, 4), Fraction(1, 2), True),
        (LARGEST_DRAW, THIRD, THIRD, True),
        (1 - Fraction(1, 10**40), THIRD, THIRD, True),
        (0.5, Fraction(1, 4), 1, False),
        (0.5, Fraction(3, 4), 1, True),
    ],
)
def test_a_token_is_accepted_with_probability_target_over_draft(
    draw: float, target_prob: float, draft_prob: float, accepted: bool
) -> None:
    """Leviathan et al. 2023, Algorithm 1: with probability min(1, p(x) / q(x))."""
    assert accepts(draw, target_prob, draft_prob) is accepted


@given(strategies.row_pairs(2), st.integers(0, 1))
def test_the_mass_of_accepting_draws_is_target_over_draft(
    pair: tuple[Row, Row], token: int
) -> None:
    p, q = pair[0][token], pair[1][token]
    accepted = exact_law(lambda draws: accepts(draws.uniform(), p, q)).law[True]
    assert accepted * q == min(p, q) or (q == 0 and accepted == (p > 0))


@given(strategies.draws(1), strategies.row_pairs(2))
def test_a_fraction_and_the_float_of_it_are_judged_alike(
    draws: tuple[float | Fraction], pair: tuple[Row, Row]
) -> None:
    draw = float(draws[0])
    (p, _), (q, _) = pair
    assert accepts(draw, p, q) is accepts(Fraction(draw), p, q)


def test_a_tie_in_fractions_is_no_matter_of_rounding() -> None:
    """As a float the product is 0.3, of which the exact threshold lies a little above."""
    draw, draft_prob = 0.1, Fraction(3)
    threshold = Fraction(draw) * draft_prob
    assert accepts(draw, threshold, draft_prob) is False
    assert accepts(draw, threshold + Fraction(1, 10**40), draft_prob) is True


@given(strategies.draws(1), strategies.rows(2))
def test_what_the_target_cannot_emit_is_never_accepted(draws: tuple[float], row: Row) -> None:
    assert not accepts(draws[0], row[0] * 0, row[0])


@given(strategies.draws(1), st.fractions(0, 1).filter(bool) | st.floats(2.0**-1021, 1.0))
def test_equality_is_always_accepted(draws: tuple[float], prob: float | Fraction) -> None:
    """Of floats, down to the subnormals: there ``u * prob`` can round up to ``prob``."""
    assert accepts(draws[0], prob, prob)


@pytest.mark.parametrize(
    ("draw", "token"),
    [
        (0.0, 1),
        (0.24, 1),
        (0.25, 3),
        (0.74, 3),
        (0.75, 4),
        (LARGEST_DRAW, 4),
        (Fraction(1, 4) - Fraction(1, 10**40), 1),
        (Fraction(1, 4), 3),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [float, Fraction])
def test_a_cell_holds_its_lower_end_and_not_its_upper(
    draw: float, token: int, kind: type[float] | type[Fraction]
) -> None:
    row = Row(map(kind, (0, 0.25, 0, 0.5, 0.25, 0)))
    assert sample(row, draw) == token


def test_a_binary_row_has_the_contracts_counts() -> None:
    """The contract, "Evidence": 2500 of 10000 occurrences for probability 0.25."""
    row = Row([0.25, 0.75])
    counts = Counter(sample(row, Fraction(2 * i + 1, 20_000)) for i in range(10_000))
    assert counts == {0: 2500, 1: 7500}


@pytest.mark.parametrize("draw", [0.0, 0.5, LARGEST_DRAW])
def test_a_vocabulary_of_one_leaves_no_choice(draw: float) -> None:
    assert sample(Row([1]), draw) == 0


SHORT = Row([0.5, 0.5 - 2.0**-31, 0.0])
"""Its cumulative sum ends 2**-31 below one, and the token after it has no mass."""


@pytest.mark.parametrize("draw", [1 - 2.0**-31, 1 - 2.0**-32, LARGEST_DRAW])
def test_a_draw_beyond_the_last_sum_takes_the_last_token_with_mass(draw: float) -> None:
    assert SHORT.cumulative[-1] <= draw
    assert sample(SHORT, draw) == 1


def test_ten_tenths_fall_short_of_one() -> None:
    tenths = Row([0.1] * 10)
    assert tenths.cumulative[-1] == LARGEST_DRAW
    assert sample(tenths, LARGEST_DRAW) == 9


@given(strategies.draws(1), strategies.rows(4) | strategies.float_rows(4))
def test_a_token_of_probability_zero_is_never_sampled(
    draws: tuple[float | Fraction], row: Row
) -> None:
    assert row[sample(row, draws[0])] > 0


@given(strategies.draws(1), strategies.rows(4))
def test_sampling_inverts_the_cumulative_sums(draws: tuple[float | Fraction], row: Row) -> None:
    token = sample(row, draws[0])
    assert sum(row[:token]) <= draws[0] < sum(row[: token + 1])


@given(strategies.rows(4))
def test_the_mass_of_a_tokens_draws_is_its_probability(row: Row) -> None:
    law = exact_law(lambda draws: sample(row, draws.uniform())).law
    assert [law[token] for token in range(4)] == list(row)


def test_a_symbolic_draw_chooses_for_itself() -> None:
    class Chooses(SymbolicDraw):
        def choose(self, row: Row) -> int:
            return row.support[-1]

    assert [sample(row, Chooses()) for row in rows([[0.5, 0.5], [1, 0]])] == [1, 0]
