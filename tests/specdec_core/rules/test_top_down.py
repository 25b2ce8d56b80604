from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draw, Draws, RecordedDraws, ReplayedDraws
from specdec_core.errors import ShapeError
from specdec_core.laws import complete, target_joint
from specdec_core.models import ConstantModel, Context, TableModel
from specdec_core.rules.naive_sampling import naive_sampling
from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.rule import Verification
from specdec_core.rules.top_down import Level, TopDown
from specdec_core.sibling_trees import SiblingTree, draft_tree
from specdec_core.siblings import WITHOUT_REPLACEMENT, Siblings
from specdec_grids.paths import exact_law
from specdec_verification import strategies

HALF = Row([0.5, 0.5])
PAIR = Siblings((0, 1), (HALF, Row([0.0, 1.0])))
ONE = Siblings((1,), (HALF,))
TREE = SiblingTree((((), PAIR), ((1,), ONE), ((1, 1), ONE)))
TARGET = TableModel(
    {
        (): Row([0.25, 0.75]),
        (0,): Row([1.0, 0.0]),
        (1,): Row([0.75, 0.25]),
        (1, 1): HALF,
        (1, 1, 1): Row([0.0, 1.0]),
    }
)

verify = TopDown(recursive_rejection)


@pytest.mark.parametrize(
    ("coins", "final", "emitted"),
    [
        ([0.0, 0.9, 0.9, 0.9, 0.9, 0.9], 0.5, Verification((0,), 0)),
        ([0.9, 0.0, 0.9, 0.9, 0.0, 0.0], 0.5, Verification((1,), 0)),
        ([0.9, 0.0, 0.4, 0.9, 0.9, 0.9], 0.5, Verification((1, 1, 1), 1)),
    ],
    ids=["leaf", "refused below", "bonus"],
)
def test_only_what_is_kept_is_followed(
    coins: list[float], final: float, emitted: Verification
) -> None:
    """The tree is two wide and three high, so there are six coins, two for each level."""
    source = ReplayedDraws([*coins, final])
    assert verify(TREE, TARGET, source) == emitted
    source.require_all_used()


def test_the_absent_tree_yields_one_token_of_the_target() -> None:
    source = RecordedDraws(ReplayedDraws([0.5]))
    assert verify(SiblingTree(()), TARGET, source) == Verification((), 1)
    assert len(source.record) == 1


def test_a_target_over_other_tokens_is_refused_before_any_draw() -> None:
    with pytest.raises(ShapeError, match="the tree's row has 2 tokens"):
        verify(TREE, ConstantModel(Row([1.0])), ReplayedDraws([]))


@pytest.mark.parametrize("level", [recursive_rejection, naive_sampling])
@given(data=st.data())
def test_a_tree_of_any_shape_is_lossless(level: Level, data: st.DataObject) -> None:
    """Each node has a number of children of its own, from none to two."""
    widths = st.sampled_from([0, 1, 2])
    number_of = {path: data.draw(widths) for path in [(), (0,), (1,), (2,)]}
    target = data.draw(strategies.table_models(3, 3))
    draft = data.draw(strategies.table_models(3, 2))

    def children_of(path: Context, draws: Draws) -> Siblings:
        return WITHOUT_REPLACEMENT(draft(path), number_of[path], draws)

    def play(draws: Draws) -> Context:
        return TopDown(level)(draft_tree(children_of, 2, draws), target, draws).tokens

    assert complete(exact_law(play).law, target, 3) == target_joint(target, 3)


def residual_not_updated(
    siblings: Siblings, target_probs: Row, coins: Sequence[Draw], draws: Draws
) -> Verification:
    for coin, token, row in zip(coins, siblings.tokens, siblings.draft_probs, strict=False):
        alone = Siblings((token,), (row,))
        outcome = recursive_rejection(alone, target_probs, (coin,), draws)
        if outcome.final is None or token == siblings.tokens[-1]:
            return outcome
    return outcome


def test_a_planted_fault_shows(lossless_tree: Callable[[Level], bool]) -> None:
    """The second sibling is tried on the whole target, as if the first had not been refused."""
    assert lossless_tree(recursive_rejection)
    assert not lossless_tree(residual_not_updated)


@pytest.fixture
def lossless_tree() -> Callable[[Level], bool]:
    """Return whether a level is lossless on pairs of three tokens."""
    target = ConstantModel(Row([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]))
    draft = Row([Fraction(1, 6), Fraction(1, 2), Fraction(1, 3)])

    def children_of(path: Context, draws: Draws) -> Siblings:
        return WITHOUT_REPLACEMENT(draft, 2, draws)

    def is_lossless(level: Level) -> bool:
        def play(draws: Draws) -> Context:
            return TopDown(level)(draft_tree(children_of, 1, draws), target, draws).tokens

        return complete(exact_law(play).law, target, 2) == target_joint(target, 2)

    return is_lossless
