import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.errors import InvalidTreeError, ShapeError
from specdec_core.models import ConstantModel, Context
from specdec_core.sibling_trees import SiblingTree, draft_tree, require_target_vocabulary
from specdec_core.siblings import NO_SIBLINGS, WITH_REPLACEMENT, Siblings

HALF = Row([0.5, 0.5])
PAIR = Siblings((0, 1), (HALF, HALF))
ONE = Siblings((1,), (HALF,))


def test_a_tree_of_any_shape_knows_its_size_and_its_children() -> None:
    tree = SiblingTree((((), PAIR), ((1,), ONE), ((1, 1), ONE)))
    assert (tree.height, tree.width) == (3, 2)
    assert tree.children((1,)) == ONE
    assert tree.children((0,)) == NO_SIBLINGS


def test_the_absent_tree_is_legal() -> None:
    tree = SiblingTree(())
    assert (tree.height, tree.width, tree.children(())) == (0, 0, NO_SIBLINGS)


@pytest.mark.parametrize(
    "paths", [((0,),), ((), ()), ((), (0,), (0,)), ((), (0, 1), (0,))], ids=str
)
def test_a_node_that_is_no_child_of_one_before_it_is_refused(paths: tuple[Context, ...]) -> None:
    with pytest.raises(InvalidTreeError, match="is no child of a node before it"):
        SiblingTree(tuple((path, PAIR) for path in paths))


def test_a_node_without_children_does_not_stand_in_the_tree() -> None:
    with pytest.raises(InvalidTreeError, match="node '' stands here without children"):
        SiblingTree((((), NO_SIBLINGS),))
    assert draft_tree(lambda path, draws: NO_SIBLINGS, 2, ReplayedDraws([])) == SiblingTree(())


def test_rows_over_two_vocabularies_are_refused() -> None:
    other = Siblings((0,), (Row([1.0]),))
    with pytest.raises(ShapeError, match="node '0' has 1 tokens, but the root has 2"):
        SiblingTree((((), PAIR), ((0,), other)))


def test_copies_of_a_token_share_one_subtree() -> None:
    def children_of(path: Context, draws: Draws) -> Siblings:
        return WITH_REPLACEMENT(HALF, 2, draws)

    tree = draft_tree(children_of, 2, ReplayedDraws([0.5, 0.5, 0.0, 0.5]))
    rows = (HALF, HALF)
    assert tree.families == (((), Siblings((1, 1), rows)), ((1,), Siblings((0, 1), rows)))


def test_every_node_is_asked_for_with_its_path() -> None:
    asked = []

    def children_of(path: Context, draws: Draws) -> Siblings:
        asked.append(path)
        return PAIR

    draft_tree(children_of, 3, ReplayedDraws([]))
    assert asked == [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_target_over_other_tokens_is_refused() -> None:
    tree = SiblingTree((((), PAIR),))
    require_target_vocabulary(tree, ConstantModel(HALF))
    with pytest.raises(ShapeError, match="the tree's row has 2 tokens, but the target's row has 1"):
        require_target_vocabulary(tree, ConstantModel(Row([1.0])))
