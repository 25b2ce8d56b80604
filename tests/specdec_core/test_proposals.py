import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.draws import RecordedDraws, ReplayedDraws
from specdec_core.errors import (
    DrawsExhaustedError,
    InvalidTokenError,
    ProposalMismatchError,
    ShapeError,
    SpecdecError,
)
from specdec_core.laws import target_joint
from specdec_core.models import ConstantModel, TableModel
from specdec_core.proposals import DraftPath, draft_path, likeliest_path, require_drafted
from specdec_grids.paths import exact_law
from specdec_verification import strategies


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


DRAFT = TableModel(
    {(): exact("1/4", "3/4"), (0,): exact("1/2", "1/2"), (1,): exact("0", "1")}, "draft"
)


@pytest.mark.parametrize(
    ("draws", "tokens"),
    [([0.0, 0.0], (0, 0)), ([0.0, 0.5], (0, 1)), ([0.25, 0.0], (1, 1)), ([0.9, 0.9], (1, 1))],
)
def test_each_token_is_drawn_given_those_before_it(
    draws: list[float], tokens: tuple[int, ...]
) -> None:
    path = draft_path(DRAFT, 2, ReplayedDraws(draws))
    assert path == DraftPath(tokens, (DRAFT(()), DRAFT(tokens[:1])))


def test_no_draft_tokens_take_no_row_and_no_draw() -> None:
    source = RecordedDraws(ReplayedDraws([]))
    assert draft_path(TableModel({(1,): exact("1", "0")}), 0, source) == DraftPath((), ())
    assert source.record == ()


def test_a_draft_takes_one_draw_a_token() -> None:
    source = ReplayedDraws([0.0, 0.0, 0.5])
    draft_path(DRAFT, 2, source)
    assert source.uniform() == 0.5


def test_a_draft_cannot_go_on_without_draws() -> None:
    with pytest.raises(DrawsExhaustedError, match="asked for draw 2 of 1"):
        draft_path(DRAFT, 2, ReplayedDraws([0.0]))


@given(strategies.table_models(2, 3))
def test_a_draft_follows_the_drafts_joint_law(draft: TableModel) -> None:
    law = exact_law(lambda draws: draft_path(draft, 3, draws)).law
    assert law.image(lambda path: path.tokens) == target_joint(draft, 3)


@given(strategies.table_models(3, 3), strategies.draws(3))
def test_the_recorded_row_is_the_one_that_the_token_was_drawn_from(
    draft: TableModel, values: tuple[float | Fraction, ...]
) -> None:
    path = draft_path(draft, 3, ReplayedDraws(values))
    for i, row in enumerate(path.draft_probs):
        assert row == draft(path.tokens[:i])
        assert row[path.tokens[i]] > 0


def test_the_likeliest_tokens_are_chosen_and_recorded_as_point_masses() -> None:
    path = likeliest_path(DRAFT, 2)
    assert path == DraftPath((1, 1), (exact("0", "1"), exact("0", "1")))


def test_of_equally_likely_tokens_the_smallest_is_chosen() -> None:
    assert likeliest_path(ConstantModel(exact("0", "1/2", "1/2")), 3).tokens == (1, 1, 1)


@given(strategies.table_models(3, 3))
def test_each_likeliest_token_follows_those_before_it(draft: TableModel) -> None:
    path = likeliest_path(draft, 3)
    for i, (token, row) in enumerate(zip(path.tokens, path.draft_probs, strict=True)):
        assert draft(path.tokens[:i])[token] == max(draft(path.tokens[:i]))
        assert row.support == (token,)


@given(strategies.table_models(3, 3), strategies.draws(3))
def test_what_was_drafted_can_be_judged(
    draft: TableModel, values: tuple[float | Fraction, ...]
) -> None:
    require_drafted(draft_path(draft, 3, ReplayedDraws(values)), draft)
    require_drafted(likeliest_path(draft, 3), draft)


ROW = exact("1/2", "1/2", "0")


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (DraftPath((0,), ()), ShapeError, "1 draft tokens and 0 rows, expected one row a token"),
        (DraftPath((), (ROW,)), ShapeError, "0 draft tokens and 1 rows, expected one row a token"),
        (
            DraftPath((0, 0), (ROW, exact("1/2", "1/2"))),
            ShapeError,
            "draft_probs[1] has 2 tokens, but draft_probs[0] has 3",
        ),
        (
            DraftPath((0,), (exact("1/2", "1/2"),)),
            ShapeError,
            "draft_probs[0] has 2 tokens, but the target's row has 3",
        ),
        (DraftPath((3,), (ROW,)), InvalidTokenError, "draft token 0: token 3, expected 0 to 2"),
        (DraftPath((-1,), (ROW,)), InvalidTokenError, "draft token 0: token -1, expected 0 to 2"),
        (
            DraftPath((0, True), (ROW, ROW)),
            InvalidTokenError,
            "draft token 1: token True (bool), expected an integer",
        ),
        (
            DraftPath((1, 2), (ROW, ROW)),
            ProposalMismatchError,
            "draft token 1 is 2, which draft_probs[1] gives no probability",
        ),
    ],
)
def test_what_cannot_have_been_drafted_is_refused(
    path: DraftPath, error: type[SpecdecError], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        require_drafted(path, ConstantModel(ROW))


def test_tokens_of_numpy_are_tokens() -> None:
    tokens = tuple(np.array([1, 1]))
    require_drafted(DraftPath(tokens, (DRAFT(()), DRAFT((1,)))), DRAFT)
