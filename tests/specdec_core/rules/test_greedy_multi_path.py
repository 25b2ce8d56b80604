from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidParameterError, ProposalMismatchError, ShapeError
from specdec_core.instances import Instance
from specdec_core.laws import Law, target_joint
from specdec_core.models import ConstantModel, Context
from specdec_core.proposals import DraftPath
from specdec_core.rules import greedy_multi_path
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.greedy_multi_path import (
    GreedyMultiPath,
    places,
    ranking,
    skewed_rows,
)
from specdec_core.rules.rule import Rule, Verification
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law

RULE = GreedyMultiPath()

TOY_LAWS = {
    2: {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1,0|2": "2/27", "0,1,1|2": "4/27",
        "1|0": "1/9",
        "1,0,0|2": "5/81", "1,0,1|2": "10/81",
        "1,1|1": "13/81", "1,1,0|2": "17/243", "1,1,1|2": "34/243",
    },
    3: {
        "0|0": "1/27",
        "0,0|1": "8/729", "0,0,0|2": "64/2187", "0,0,1|2": "128/2187",
        "0,1,0|2": "16/243", "0,1,1|2": "32/243",
        "1,0,0|2": "2/27", "1,0,1|2": "4/27",
        "1,1|1": "107/729", "1,1,0|2": "217/2187", "1,1,1|2": "434/2187",
    },
}  # fmt: skip


@pytest.mark.parametrize("k", TOY_LAWS)
def test_the_toy_models_law(k: int, toy_law: Callable[..., dict[str, str]]) -> None:
    assert toy_law(RULE, {"gamma": 2, "k": k}) == TOY_LAWS[k]


@pytest.mark.parametrize(("k", "kept"), [(1, "11/9"), (2, "131/81"), (3, "1289/729")])
def test_the_toy_models_acceptance(
    k: int, kept: str, toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    assert accepted(RULE, toy_with({"gamma": 2, "k": k})) == Fraction(kept)


@pytest.mark.parametrize("number", range(12))
def test_three_paths_are_lossless(
    number: int, lossless: Callable[..., bool], shaped: Callable[..., Rule[Any]]
) -> None:
    instances = RandomInstances(shaped(RULE, {"gamma": 1, "k": 3}), 12)
    assert lossless(RULE, instances[number])


@pytest.mark.parametrize("number", range(12))
def test_one_path_is_verified_as_a_block(
    number: int, block_law: Callable[..., Law[Verification]], shaped: Callable[..., Rule[Any]]
) -> None:
    instance = RandomInstances(shaped(RULE, {"gamma": 2, "k": 1}), 12)[number]
    assert block_law(RULE, instance) == block_law(BlockVerification(), instance)


@pytest.mark.parametrize("number", range(12))
def test_the_skewed_rows_are_the_law_of_the_best_path(
    number: int, shaped: Callable[..., Rule[Any]]
) -> None:
    instance = RandomInstances(shaped(RULE, {"gamma": 2, "k": 2}), 12)[number]
    target, rows = instance.target, {}

    def best(draws: Draws) -> Context:
        path = min(RULE.propose(instance, draws), key=lambda path: places(path, target))
        for i, row in enumerate(skewed_rows(path, target, 2)):
            rows[path.tokens[:i]] = row
        return path.tokens

    law = exact_law(best).law
    assert law == target_joint(lambda context: rows[context], 2)


def test_tokens_are_ranked_by_target_over_draft_and_ties_by_number() -> None:
    target, draft = Row([0.25, 0.25, 0.5, 0.0]), Row([0.25, 0.25, 0.25, 0.25])
    assert ranking(target, draft) == (2, 0, 1, 3)


def test_a_drawn_token_lost_to_rounding_keeps_the_drafts_row() -> None:
    """Token 1 is worst, and all other mass, in floats, is one."""
    row = Row([1.0, 5e-324])
    path = DraftPath((1,), (row,))
    assert skewed_rows(path, ConstantModel(Row([1.0, 0.0])), 2) == (row,)


ONE, OTHER = Row([0.5, 0.5]), Row([0.25, 0.75])


@pytest.mark.parametrize(
    ("paths", "error", "message"),
    [
        ((), ShapeError, "paths of lengths none"),
        ((DraftPath((), ()), DraftPath((0,), (ONE,))), ShapeError, "paths of lengths 0, 1"),
        ((DraftPath((0,), (Row([1.0]),)),), ShapeError, "has 1 tokens"),
        (
            (DraftPath((0,), (ONE,)), DraftPath((0,), (OTHER,))),
            ProposalMismatchError,
            "different rows after",
        ),
    ],
    ids=["none", "lengths", "vocabulary", "rows"],
)
def test_paths_of_no_one_drafter_are_refused_before_any_draw(
    paths: tuple[DraftPath, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        RULE.verify(paths, ConstantModel(ONE), ReplayedDraws([]))


@pytest.mark.parametrize("parameters", [{"gamma": -1, "k": 1}, {"gamma": 1, "k": 0}], ids=str)
def test_a_size_out_of_range_is_refused(parameters: dict[str, int]) -> None:
    model = ConstantModel(ONE)
    with pytest.raises(InvalidParameterError, match="expected at least"):
        RULE.horizon(Instance(model, (model,), parameters))


def test_a_planted_fault_shows(
    lossless: Callable[..., bool],
    toy_with: Callable[..., Instance],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The best path is verified as if it were any path."""
    monkeypatch.setattr(greedy_multi_path, "skewed_rows", lambda best, target, k: best.draft_probs)
    assert not lossless(RULE, toy_with({"gamma": 1, "k": 2}))
