from fractions import Fraction

import pytest

from specdec_core.instances import Instance
from specdec_core.laws import Law, target_joint, total_variation
from specdec_core.models import Context
from specdec_verification.pytest_plugin.differences import (
    NOISE,
    NextToken,
    conditional,
    first_context,
    next_tokens,
    top_cells,
)
from specdec_verification.subjects.verdicts import Laws

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
WEIGHTED: Law[Context] = Law({(i,): Fraction(i + 1, 21) for i in range(6)})
EVEN: Law[Context] = Law({(i,): Fraction(1, 6) for i in range(6)})


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_top_cells_are_those_that_are_off_by_most(count: int) -> None:
    cells = top_cells(Laws(WEIGHTED, EVEN), count)
    assert [cell.tokens for cell in cells] == [(0,), (5,), (1,), (4,), (2,)][:count]
    whole = top_cells(Laws(WEIGHTED, EVEN), 100)
    assert sum(abs(cell.excess) for cell in whole) / 2 == total_variation(WEIGHTED, EVEN)


def test_equal_laws_have_none() -> None:
    assert top_cells(Laws(EVEN, EVEN)) == []


def test_rounding_is_shown_only_where_there_is_nothing_else() -> None:
    tiny = NOISE / 2
    rounded: Law[Context] = Law({(0,): HALF + tiny, (1,): HALF - tiny})
    even: Law[Context] = Law({(0,): HALF, (1,): HALF})
    assert [cell.excess for cell in top_cells(Laws(rounded, even))] == [tiny, -tiny]
    other: Law[Context] = Law({(0,): HALF + tiny, (1,): QUARTER, (2,): QUARTER - tiny})
    assert [cell.tokens for cell in top_cells(Laws(other, even))] == [(1,), (2,)]


def test_the_next_token_is_shown_where_the_laws_part(biased: Instance) -> None:
    expected = target_joint(biased.target, 2)
    flipped: Law[Context] = Law({(0, 0): QUARTER, (1, 1): 3 * QUARTER})
    laws = Laws(flipped, expected)
    assert first_context(laws) == (0,)
    # The draft has no row there: one token is drafted, and this is the second.
    assert next_tokens(laws, biased, (0,)) == [
        NextToken(0, HALF, Fraction(1), ()),
        NextToken(1, HALF, Fraction(0), ()),
    ]
    assert next_tokens(laws, biased, ()) == [
        NextToken(0, QUARTER, QUARTER, (HALF,)),
        NextToken(1, 3 * QUARTER, 3 * QUARTER, (HALF,)),
    ]


def test_a_batch_has_no_draft_row_of_its_own(biased: Instance) -> None:
    law = target_joint(lambda _: biased.target(()), 3)  # more than one row of gamma + 1
    assert all(one.drafts == () for one in next_tokens(Laws(law, law), biased, ()))
    bare = Instance(biased.target, biased.drafts)
    assert all(one.drafts == (HALF,) for one in next_tokens(Laws(law, law), bare, ()))


def test_after_a_context_that_never_comes_nothing_is_known() -> None:
    assert conditional(WEIGHTED, (7,), 2) == [0, 0]
