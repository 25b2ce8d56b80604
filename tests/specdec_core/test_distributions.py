import copy
import itertools
import math
import pickle
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specdec_core.distributions import (
    FLOAT_TOLERANCE,
    Row,
    acceptance_rate,
    normalized_entropy,
    point_mass,
    require_same_vocabulary,
    residual,
    rows,
    softmax,
    total_variation,
    without,
)
from specdec_core.errors import (
    InvalidDistributionError,
    InvalidTokenError,
    ShapeError,
    ZeroResidualError,
)
from specdec_verification import strategies

NAN, INF = math.nan, math.inf


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


TARGET, DRAFT = exact("1/3", "2/3"), exact("2/3", "1/3")


def test_the_toy_models_acceptance_rate_is_one_less_its_total_variation() -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2; Leviathan et al. 2023, Theorem 3.5."""
    assert acceptance_rate(TARGET, DRAFT) == Fraction(2, 3)
    assert total_variation(TARGET, DRAFT) == Fraction(1, 3)


def test_the_toy_models_residual_is_the_second_token() -> None:
    """Leviathan et al. 2023, Section 2.3: norm(max(p - q, 0))."""
    assert residual(TARGET, DRAFT) == exact("0", "1")


def test_a_residual_keeps_the_proportions_of_what_is_in_excess() -> None:
    row = residual(exact("1/2", "3/8", "1/8"), exact("1/4", "1/4", "1/2"))
    assert row == exact("2/3", "1/3", "0")


@pytest.mark.parametrize(
    ("logits", "probs"),
    [
        ([0.0, 0.0], [0.5, 0.5]),
        ([1e308, -1e308], [1.0, 0.0]),
        ([5.0], [1.0]),
        ([-1000.0, -1000.0 + math.log(3)], [0.25, 0.75]),
    ],
)
def test_softmax_is_proportional_to_the_exponentials(
    logits: list[float], probs: list[float]
) -> None:
    row = softmax(logits)
    assert not row.exact
    assert tuple(row) == pytest.approx(probs, abs=1e-12)


@pytest.mark.parametrize(
    ("probs", "kind"),
    [
        ([Fraction(1, 4), Fraction(3, 4)], Fraction),
        ([0.25, 0.75], float),
        ([1, 0], Fraction),
        ([1, 0.0], float),
        ([0, Fraction(1)], Fraction),
        ([np.float64(0.25), np.float32(0.75)], float),
        ([np.int64(1), np.int8(0)], Fraction),
        (np.array([0.25, 0.75]), float),
        (np.array([0.25, 0.75], dtype=np.float16), float),
        (np.array([1, 0]), Fraction),
        (np.array([Fraction(1, 3), Fraction(2, 3)]), Fraction),
        ([1], Fraction),
        ([1.0], float),
    ],
    ids=repr,
)
def test_a_row_is_of_one_kind(probs: object, kind: type) -> None:
    row = Row(probs)
    assert {type(prob) for prob in row} == {kind}
    assert row.exact == (kind is Fraction)
    assert tuple(row) == tuple(probs)


def test_a_generator_is_taken_too() -> None:
    assert Row(prob for prob in (0.5, 0.5)) == (0.5, 0.5)


def test_a_row_is_not_checked_twice() -> None:
    assert Row(TARGET) is TARGET


def test_a_row_shows_its_entries() -> None:
    assert repr(TARGET) == "Row(1/3, 2/3)"
    assert repr(Row([0.5, 0.5])) == "Row(0.5, 0.5)"


def test_a_row_knows_its_vocabulary_support_and_sums() -> None:
    row = exact("1/2", "0", "1/3", "1/6", "0")
    assert row.vocab_size == 5
    assert row.support == (0, 2, 3)
    assert row.cumulative == exact_sums("1/2", "1/2", "5/6", "1", "1")
    assert row.cumulative_counts == ((3, 3, 5, 6, 6), 6)


def exact_sums(*sums: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, sums))


@given(strategies.rows(4) | strategies.float_rows(4))
def test_counts_over_one_denominator_are_the_sums(row: Row) -> None:
    counts, denominator = row.cumulative_counts
    assert [Fraction(count, denominator) for count in counts] == list(map(Fraction, row.cumulative))


@given(strategies.rows(3) | strategies.float_rows(3))
def test_rows_are_values(row: Row) -> None:
    equal = Row(list(row))
    assert equal == row
    assert hash(equal) == hash(row) == hash(tuple(row))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_row_of_any_precision_survives_a_copy(dtype: type) -> None:
    """Three fifths and so on: in half precision the sum is off by far more than 1e-9."""
    row = Row(np.array([0.1, 0.2, 0.3, 0.4], dtype=dtype))
    assert pickle.loads(pickle.dumps(row)) == row
    assert copy.deepcopy(row) == row
    assert type(pickle.loads(pickle.dumps(row))) is Row


@pytest.mark.parametrize(
    ("probs", "message"),
    [
        ([], "row is empty, expected one probability a token"),
        (np.array([]), "row is empty, expected one probability a token"),
        ([1.5, -0.5], "row[1] is -0.5, expected a nonnegative probability"),
        ([Fraction(3, 4), Fraction(-1, 4), Fraction(1, 2)], "row[1] is -1/4, expected a nonneg"),
        ([-1, 1, 1], "row[0] is -1, expected a nonnegative probability"),
        ([-1e-300, 1.0], "row[0] is -1e-300, expected a nonnegative probability"),
        ([NAN, 1.0], "row[0] is nan, expected a finite probability"),
        ([0.5, INF], "row[1] is inf, expected a finite probability"),
        ([-INF, 0.5], "row[0] is -inf, expected a finite probability"),
        (np.array([0.5, NAN], dtype=np.float32), "row[1] is nan, expected a finite probability"),
        ([True, False], "row[0] is True (bool), expected an int, Fraction or float"),
        ([0, True], "row[1] is True (bool), expected an int, Fraction or float"),
        (np.array([True, False]), "row[0] is True (bool), expected an int, Fraction or float"),
        ([0.5, "0.5"], "row[1] is '0.5' (str), expected an int, Fraction or float"),
        ("1", "row[0] is '1' (str), expected an int, Fraction or float"),
        ([None], "row[0] is None (NoneType), expected an int, Fraction or float"),
        ([0.5 + 0j, 0.5], "row[0] is (0.5+0j) (complex), expected an int, Fraction or float"),
        ([[0.5, 0.5]], "row[0] is [0.5, 0.5] (list), expected an int, Fraction or float"),
        (np.array([[0.5, 0.5]]), "row has shape (1, 2), expected one axis"),
        (np.array(1.0), "row has shape (), expected one axis"),
        (1.0, "row is 1.0 (float), expected a sequence of probabilities"),
        (None, "row is None (NoneType), expected a sequence of probabilities"),
        ([Fraction(1, 2), 0.5], "row mixes fractions and floats, expected one kind"),
        ([0.5, 0.75], "row sums to 1.25, not 1 (off by 0.25)"),
        ([0.0, 0.0], "row sums to 0, not 1 (off by -1)"),
        ([0, 0], "row sums to 0, not 1 (off by -1)"),
        ([1, 1], "row sums to 2, not 1 (off by 1)"),
        ([Fraction(1, 3), Fraction(1, 3)], "row sums to 2/3, not 1 (off by -1/3)"),
        ([2, 0], "row[0] is 2, expected at most 1"),
        ([2, 0.5], "row[0] is 2, expected at most 1"),
        ([Fraction(7, 4), Fraction(1, 4)], "row[0] is 7/4, expected at most 1"),
        ([10**5000, 0.5], "row[0] is a number of 16610 bits, expected at most 1"),
        ([-(10**5000), 0.5], "row[0] is a number of 16610 bits, expected a nonnegative"),
        ([Fraction(10**5000), 0], "row[0] is a number of 16610 bits, expected at most 1"),
        ([1e300, 1e300], "row sums to 2e+300, not 1 (off by 2e+300)"),
        ([1e308, 1e308], "row sums to inf, not 1 (off by inf)"),
    ],
)
def test_what_is_no_distribution_is_refused(probs: object, message: str) -> None:
    with pytest.raises(InvalidDistributionError, match=f"^{re.escape(message)}"):
        Row(probs)


def test_the_name_of_a_row_stands_in_the_message() -> None:
    with pytest.raises(InvalidDistributionError, match=r"^draft_probs\[2\] sums to 2/3"):
        Row([Fraction(2, 3)], "draft_probs[2]")


def test_a_sum_too_long_to_print_is_refused_all_the_same() -> None:
    with pytest.raises(InvalidDistributionError, match=r"sums to a number of \d+ bits, not 1"):
        Row([Fraction(1, 3**9999), Fraction(1, 2**9999)])


def test_an_exact_sum_has_no_tolerance() -> None:
    with pytest.raises(InvalidDistributionError, match="off by 1/1000000000000"):
        Row([Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**12)])


@pytest.mark.parametrize(
    ("dtype", "off"),
    [(np.float64, 2.0**-30), (np.float32, 2.0**-20), (np.float16, 2.0**-7)],
)
def test_a_floating_sum_has_the_tolerance_of_its_precision(dtype: type, off: float) -> None:
    """The tolerance is 1e-9, a little over 2**-30, or eight units in the last place of one."""
    for within in (1 - off, 1.0, 1 + off):
        assert Row(np.array([within], dtype=dtype)) == (within,)
    for outside in (1 - 2 * off, 1 + 2 * off):
        with pytest.raises(InvalidDistributionError, match="off by"):
            Row(np.array([outside], dtype=dtype))


def test_floats_in_a_list_have_the_tolerance_of_doubles() -> None:
    assert 2.0**-30 < FLOAT_TOLERANCE < 2.0**-29
    with pytest.raises(InvalidDistributionError, match="off by"):
        Row([np.float32(1 - 2.0**-20)])


def test_a_table_names_the_row_at_fault() -> None:
    with pytest.raises(InvalidDistributionError, match=r"^target_probs\[1\] sums to 0.5"):
        rows([[0.5, 0.5], [0.25, 0.25]], "target_probs")


def test_a_table_is_over_one_vocabulary() -> None:
    with pytest.raises(ShapeError, match=r"^rows\[2\] has 1 tokens, but rows\[0\] has 2$"):
        rows([[0.5, 0.5], [1, 0], [1]])


def test_a_table_may_be_an_array_or_empty() -> None:
    assert rows(np.array([[0.5, 0.5], [1.0, 0.0]])) == ((0.5, 0.5), (1.0, 0.0))
    assert rows([]) == ()


def test_one_row_is_no_table() -> None:
    with pytest.raises(
        InvalidDistributionError, match=r"^rows\[0\] is .*0.5.* expected a sequence"
    ):
        rows(np.array([0.5, 0.5]))  # type: ignore[arg-type]


@pytest.mark.parametrize("token", [0, 1, 2])
def test_a_point_mass_is_exact_and_all_on_its_token(token: int) -> None:
    row = point_mass(token, 3)
    assert row.exact
    assert row.support == (token,)
    assert row[token] == 1


@pytest.mark.parametrize("token", [-1, 3, True, 1.0])
def test_a_point_mass_lies_in_the_vocabulary(token: object) -> None:
    with pytest.raises(InvalidTokenError, match="token"):
        point_mass(token, 3)


@pytest.mark.parametrize("logit", [NAN, INF, -INF])
def test_a_logit_that_is_not_finite_is_refused(logit: float) -> None:
    with pytest.raises(InvalidDistributionError, match=rf"^head\[1\] is {logit}, expected a fin"):
        softmax([0.0, logit], "head")


def test_no_logits_are_refused() -> None:
    with pytest.raises(InvalidDistributionError, match=r"^logits is empty, expected one logit"):
        softmax([])


@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=5))
def test_softmax_is_a_row_that_ranks_as_its_logits_do(logits: list[float]) -> None:
    row = softmax(logits)
    for (one, p), (other, q) in itertools.pairwise(sorted(zip(logits, row, strict=True))):
        assert p <= q
        assert one < other or p == q


def test_equal_rows_have_no_residual() -> None:
    with pytest.raises(ZeroResidualError, match="the target nowhere exceeds the draft"):
        residual(TARGET, TARGET)


def test_a_target_short_of_the_draft_by_rounding_has_no_residual() -> None:
    with pytest.raises(ZeroResidualError, match="the target nowhere exceeds the draft"):
        residual(Row([1 - 2.0**-31, 0.0]), Row([1.0, 0.0]))


def test_a_residual_after_disjoint_supports_is_the_target() -> None:
    assert residual(exact("1/4", "3/4", "0"), exact("0", "0", "1")) == exact("1/4", "3/4", "0")


@pytest.mark.parametrize("function", [residual, acceptance_rate, total_variation])
def test_rows_of_unequal_vocabulary_are_refused(function: Callable[[Row, Row], object]) -> None:
    with pytest.raises(ShapeError, match=r"has 3 tokens, but \w+ has 2"):
        function(exact("1/2", "1/2"), exact("1/2", "1/2", "0"))


def test_rows_of_equal_vocabulary_are_not_refused() -> None:
    require_same_vocabulary(TARGET, Row([0.5, 0.5]), "one", "other")


@pytest.mark.parametrize("first", ["exact", "floating"])
def test_a_residual_is_of_its_rows_kind_whichever_was_asked_before(first: str) -> None:
    """Equal rows of the two kinds are one key to a cache; these are this test's own."""
    denominator = {"exact": 1 << 20, "floating": 1 << 21}[first]
    one = [Fraction(part, denominator) for part in (4, 3, denominator - 7)]
    other = [Fraction(part, denominator) for part in (2, 2, denominator - 4)]
    order = {"exact": (Fraction, float), "floating": (float, Fraction)}[first]
    found = {kind: residual(Row(map(kind, one)), Row(map(kind, other))) for kind in order}
    assert found[Fraction] == exact("2/3", "1/3", "0")
    assert found[Fraction].exact
    assert found[float] == (2 / 3, 1 / 3, 0.0)
    assert not found[float].exact


@given(strategies.row_pairs(4))
def test_a_residual_is_the_normed_excess(pair: tuple[Row, Row]) -> None:
    target, draft = pair
    assume(target != draft)
    excess = [max(p - q, Fraction(0)) for p, q in zip(target, draft, strict=True)]
    row = residual(target, draft)
    assert sum(row) == 1
    assert [prob * sum(excess) for prob in row] == excess
    assert sum(excess) == total_variation(target, draft)


@given(strategies.row_pairs(4))
def test_what_is_accepted_and_what_replaces_it_make_up_the_target(pair: tuple[Row, Row]) -> None:
    """Leviathan et al. 2023, Appendix A.1."""
    target, draft = pair
    assume(target != draft)
    rejected = 1 - acceptance_rate(target, draft)
    replaced = residual(target, draft)
    emitted = [min(p, q) + rejected * r for p, q, r in zip(target, draft, replaced, strict=True)]
    assert emitted == list(target)


@given(strategies.row_pairs(3, strategies.float_rows))
def test_a_floating_residual_is_a_row_on_tokens_of_the_target(pair: tuple[Row, Row]) -> None:
    target, draft = pair
    assume(any(p > q for p, q in zip(target, draft, strict=True)))
    row = residual(target, draft)
    assert {*row.support} <= {*target.support}
    assert math.fsum(row) == pytest.approx(1, abs=1e-12)


def test_without_removes_a_token_and_norms_the_rest() -> None:
    assert without(exact("1/2", "1/3", "1/6"), 0) == exact("0", "2/3", "1/3")


def test_without_a_token_of_probability_zero_nothing_changes() -> None:
    assert without(exact("1/2", "0", "1/2"), 1) == exact("1/2", "0", "1/2")


@pytest.mark.parametrize("row", [exact("0", "1"), Row([0.0, 1.0]), Row([0.0, 1 - 2.0**-31])])
def test_without_its_only_token_a_row_is_empty(row: Row) -> None:
    with pytest.raises(ZeroResidualError):
        without(row, 1)


@pytest.mark.parametrize("token", [-1, 2])
def test_a_token_that_is_not_there_cannot_be_removed(token: int) -> None:
    with pytest.raises(InvalidTokenError, match=f"token {token}, expected 0 to 1"):
        without(TARGET, token)


@given(strategies.row_pairs(4))
def test_acceptance_rate_is_one_less_the_total_variation(pair: tuple[Row, Row]) -> None:
    """Leviathan et al. 2023, Theorem 3.5."""
    assert acceptance_rate(*pair) == 1 - total_variation(*pair)
    assert total_variation(*pair) == total_variation(*reversed(pair))
    assert (total_variation(*pair) == 0) == (pair[0] == pair[1])


def test_disjoint_supports_are_at_distance_one() -> None:
    pair = exact("1/2", "1/2", "0"), exact("0", "0", "1")
    assert total_variation(*pair) == 1
    assert acceptance_rate(*pair) == 0


@pytest.mark.parametrize(
    ("row", "share"),
    [
        (exact("1"), 0.0),
        (Row([1.0]), 0.0),
        (exact("0", "1"), 0.0),
        (exact("1/2", "1/2"), 1.0),
        (Row([0.5, 0.5, 0.0, 0.0]), 0.5),
        (exact("1/2", "1/4", "1/4", "0"), 0.75),
        (Row([1 + 2.0**-31, 0.0]), 0.0),
    ],
)
def test_entropy_is_a_share_of_the_largest_possible(row: Row, share: float) -> None:
    assert normalized_entropy(row) == share


def test_a_probability_below_every_float_has_no_entropy() -> None:
    assert normalized_entropy(Row([Fraction(1, 10**400), 1 - Fraction(1, 10**400)])) == 0.0


@given(strategies.rows(3) | strategies.float_rows(3))
def test_entropy_lies_between_nothing_and_all(row: Row) -> None:
    share = normalized_entropy(row)
    assert 0.0 <= share <= 1.0
    assert share == pytest.approx(normalized_entropy(Row(sorted(row))), abs=1e-9)


def test_an_exact_row_is_no_floating_one() -> None:
    """Their entries are equal, but what is computed from the one is exact, from the other not."""
    exact, floating = Row([Fraction(1, 2), Fraction(1, 2)]), Row([0.5, 0.5])
    assert exact != floating
    assert exact == Row([Fraction(2, 4), Fraction(1, 2)])
    assert floating == (0.5, 0.5)
    assert residual(Row([1, 0]), Row([0, 1])).exact
    assert not residual(Row([1.0, 0.0]), Row([0.0, 1.0])).exact
