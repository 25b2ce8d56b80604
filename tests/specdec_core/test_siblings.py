import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidTokenError, ProposalMismatchError, ShapeError
from specdec_core.siblings import (
    WITH_REPLACEMENT,
    WITHOUT_REPLACEMENT,
    SiblingLaw,
    Siblings,
    untried,
)
from specdec_grids.paths import exact_law
from specdec_verification import strategies

HALF = Row([0.5, 0.5])

both = pytest.mark.parametrize(
    "law", [WITH_REPLACEMENT, WITHOUT_REPLACEMENT], ids=["with", "without"]
)


@pytest.mark.parametrize(
    ("tokens", "rows", "error", "message"),
    [
        ((0, 1), (HALF,), ShapeError, "2 siblings and 1 rows"),
        ((0, 0), (HALF, Row([1.0])), ShapeError, r"draft_probs\[1\] has 1 tokens"),
        ((2,), (HALF,), InvalidTokenError, "sibling 0: token 2, expected 0 to 1"),
        ((1,), (Row([1.0, 0.0]),), ProposalMismatchError, "token 1 has no probability"),
    ],
    ids=["rows", "vocabulary", "token", "impossible"],
)
def test_siblings_that_cannot_have_been_drawn_are_refused(
    tokens: tuple[int, ...], rows: tuple[Row, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Siblings(tokens, rows)


def test_the_draft_set_is_the_distinct_tokens() -> None:
    assert Siblings((1, 0, 1), (HALF, HALF, HALF)).draft_set == (0, 1)


def test_with_replacement_every_row_is_the_drafts() -> None:
    siblings = WITH_REPLACEMENT(HALF, 3, ReplayedDraws([0.5, 0.0, 0.5]))
    assert siblings == Siblings((1, 0, 1), (HALF, HALF, HALF))


def test_without_replacement_a_row_has_what_is_left() -> None:
    row = Row([0.5, 0.25, 0.25])
    siblings = WITHOUT_REPLACEMENT(row, 5, ReplayedDraws([0.0, 0.5, 0.0]))
    rows = (row, Row([0.0, 0.5, 0.5]), Row([0.0, 1.0, 0.0]))
    assert siblings == Siblings((0, 2, 1), rows)


@both
@given(row=strategies.rows(3), k=st.integers(1, 3))
def test_the_law_of_the_draft_set_is_that_of_what_is_drawn(
    law: SiblingLaw, row: Row, k: int
) -> None:
    def draft_set(draws: Draws) -> tuple[int, ...]:
        return law(row, k, draws).draft_set

    assert exact_law(draft_set).law.probs == law.draft_sets(row, k)


@given(row=strategies.rows(4), k=st.integers(1, 3), token=st.integers(0, 3))
def test_independent_siblings_miss_a_token_with_a_power(row: Row, k: int, token: int) -> None:
    sets = WITH_REPLACEMENT.draft_sets(row, k)
    missed = sum(prob for draft_set, prob in sets.items() if token not in draft_set)
    assert missed == (1 - row[token]) ** k


@both
@given(row=strategies.float_rows(3), draws=strategies.draws(3))
def test_a_law_knows_its_own_siblings(
    law: SiblingLaw, row: Row, draws: tuple[float | Fraction, ...]
) -> None:
    law.require(law(row, 3, ReplayedDraws(draws)))


@both
def test_a_law_refuses_the_siblings_of_another(law: SiblingLaw) -> None:
    siblings = Siblings((0, 1), (HALF, Row([0.25, 0.75])))
    with pytest.raises(ProposalMismatchError, match=f"sibling 1 was not drawn {law.name}"):
        law.require(siblings)


def test_a_token_above_one_by_rounding_is_removed_all_the_same() -> None:
    row = Row([1 + 2**-31, 5e-324])
    assert untried(row, (0,)) == Row([0.0, 1.0])


@both
def test_a_law_can_be_sent_to_another_process(law: SiblingLaw) -> None:
    assert pickle.loads(pickle.dumps(law)) == law
