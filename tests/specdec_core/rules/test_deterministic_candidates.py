from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draws, RecordedDraws, ReplayedDraws
from specdec_core.errors import (
    DrawsExhaustedError,
    InvalidParameterError,
    InvalidScoresError,
    InvalidTreeError,
)
from specdec_core.instances import Instance
from specdec_core.laws import Law, complete, target_joint
from specdec_core.models import ConstantModel, Context, ContextModel, TableModel
from specdec_core.rules import deterministic_candidates
from specdec_core.rules.deterministic_candidates import (
    DeterministicCandidates,
    evaluate_tree,
    remainder,
)
from specdec_core.rules.rule import Verification, play_round
from specdec_core.scoring import TreeScores, score_tree_from_model
from specdec_core.trees import DraftTree


def exact(*probs: str) -> Row:
    return Row([Fraction(prob) for prob in probs])


def counts(program: Callable[[Draws], Context], axes: tuple[int, ...]) -> Counter[Context]:
    """Count what the program emits on the midpoints of a Cartesian lattice, an axis a draw."""
    midpoints = [[Fraction(2 * i + 1, 2 * points) for i in range(points)] for points in axes]
    return Counter(program(ReplayedDraws(point)) for point in product(*midpoints))


def law(program: Callable[[Draws], Context], axes: tuple[int, ...]) -> Law[Context]:
    return Law(
        {tokens: Fraction(count, prod(axes)) for tokens, count in counts(program, axes).items()}
    )


TWO_LEVEL = TableModel(
    {(): exact("1/4", "3/4"), (0,): exact("4/5", "1/5"), (1,): exact("2/5", "3/5")}
)
"""The contract's two-level example."""

TWO_LEVEL_TREE = DraftTree(tokens=(0, 0, 1, 0), parents=(0, 1, 0, 3), vocab_size=2)
TWO_LEVEL_SCORES = score_tree_from_model(TWO_LEVEL, (), TWO_LEVEL_TREE)


def play_two_level(draws: Draws) -> Context:
    return evaluate_tree(TWO_LEVEL_TREE, TWO_LEVEL_SCORES, draws).tokens


def test_the_contracts_two_level_tree_has_the_contracts_counts() -> None:
    """The contract, "Evidence": [2000, 500, 3000, 4500] of 10000."""
    found = counts(play_two_level, axes=(20, 20, 5, 5, 1))
    assert found == {(0, 0): 2000, (0, 1): 500, (1, 0): 3000, (1, 1): 4500}


def keep_everything(row: Row, token: int) -> Row:
    return row


def forget_to_renormalise(row: Row, token: int) -> Row:
    left = [prob if other != token else Fraction(0) for other, prob in enumerate(row)]
    return Row._trusted(left) if any(left) else row


@pytest.mark.parametrize("fault", [keep_everything, forget_to_renormalise])
def test_the_counts_catch_a_fault_in_the_remainder(
    fault: Callable[[Row, int], Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deterministic_candidates, "remainder", fault)
    found = counts(play_two_level, axes=(20, 20, 5, 5, 1))
    assert found != {(0, 0): 2000, (0, 1): 500, (1, 0): 3000, (1, 1): 4500}


def test_the_counts_catch_rows_of_the_wrong_node() -> None:
    rows = (exact("1/4", "3/4"), exact("2/5", "3/5"), exact("4/5", "1/5"))
    swapped = TreeScores(TWO_LEVEL_TREE, rows)
    found = counts(
        lambda draws: evaluate_tree(TWO_LEVEL_TREE, swapped, draws).tokens, axes=(20, 20, 5, 5, 1)
    )
    assert found != {(0, 0): 2000, (0, 1): 500, (1, 0): 3000, (1, 1): 4500}


FLAT = DraftTree(tokens=(0, 1), parents=(0, 0), vocab_size=4)
FLAT_SCORES = TreeScores(FLAT, (exact("1/4", "1/4", "1/8", "3/8"),))


@pytest.mark.parametrize(
    ("draws", "emitted"),
    [
        ([0.0, 0.0], Verification((0,), None)),
        ([0.24, 0.99], Verification((0,), None)),
        ([0.25, 0.0], Verification((1,), None)),
        ([0.25, 0.33], Verification((1,), None)),
        ([0.25, 0.34, 0.0], Verification((), 2)),
        ([0.99, 0.99, 0.24], Verification((), 2)),
        ([0.99, 0.99, 0.25], Verification((), 3)),
    ],
)
def test_siblings_are_tried_in_order_on_what_is_left(
    draws: list[float], emitted: Verification
) -> None:
    """The thresholds are 1/4, then (1/4) / (3/4) = 1/3, then (1/8) / (1/2) = 1/4."""
    assert evaluate_tree(FLAT, FLAT_SCORES, ReplayedDraws(draws)) == emitted


def test_after_an_acceptance_only_that_branch_is_followed() -> None:
    """Node 1 is kept and its child fails: node 2's certain child is never looked at."""
    tree = DraftTree(tokens=(0, 1, 0, 1), parents=(0, 0, 1, 2), vocab_size=2)
    scores = TreeScores(tree, (exact("1/2", "1/2"), exact("0", "1"), exact("0", "1")))
    draws = ReplayedDraws([0.25, 0.0, 0.0, 0.0, 0.5])
    assert evaluate_tree(tree, scores, draws) == Verification((0,), 1)


def test_at_a_leaf_the_round_ends_with_no_token_more() -> None:
    tree = DraftTree(tokens=(0, 0), parents=(0, 1), vocab_size=2)
    scores = TreeScores(tree, (exact("1", "0"), exact("1", "0")))
    draws = ReplayedDraws([0.0, 0.0])
    assert evaluate_tree(tree, scores, draws) == Verification((0, 0), None)
    draws.require_all_used()


@pytest.mark.parametrize(("draw", "token"), [(0.0, 0), (0.24, 0), (0.25, 2), (0.99, 2)])
def test_an_absent_tree_yields_one_token_of_the_target(draw: float, token: int) -> None:
    absent = DraftTree((), (), vocab_size=3)
    scores = TreeScores(absent, (Row([0.25, 0.0, 0.75]),))
    draws = ReplayedDraws([draw])
    assert evaluate_tree(absent, scores, draws) == Verification((), token)
    draws.require_all_used()


def test_a_candidate_of_target_probability_zero_is_never_kept() -> None:
    tree = DraftTree(tokens=(0, 1), parents=(0, 0), vocab_size=3)
    scores = TreeScores(tree, (Row([0.0, 0.0, 1.0]),))
    draws = ReplayedDraws([0.0, 0.0, 0.0])
    assert evaluate_tree(tree, scores, draws) == Verification((), 2)


def test_the_last_token_with_mass_is_always_kept() -> None:
    tree = DraftTree(tokens=(0, 1), parents=(0, 0), vocab_size=2)
    scores = TreeScores(tree, (exact("1/3", "2/3"),))
    almost_one = Fraction(10**30 - 1, 10**30)
    draws = ReplayedDraws([almost_one, almost_one])
    assert evaluate_tree(tree, scores, draws) == Verification((1,), None)


SHORT_OF_ONE = Row([1 - 2**-31, 0.0])
"""All on token 0, and short of one by what a floating row may be."""


def test_a_remainder_lost_to_rounding_is_the_row_itself() -> None:
    assert remainder(SHORT_OF_ONE, 0) == SHORT_OF_ONE


def test_a_rejection_by_rounding_alone_still_emits_the_targets_token() -> None:
    tree = DraftTree(tokens=(0, 1), parents=(0, 0), vocab_size=2)
    draws = ReplayedDraws([1 - 2**-32, 0.0, 0.5])
    emitted = evaluate_tree(tree, TreeScores(tree, (SHORT_OF_ONE,)), draws)
    assert emitted == Verification((), 0)


@pytest.mark.parametrize(
    ("draws", "used"),
    [([0.0] * 4 + [0.5], 4), ([0.9] * 4 + [0.5], 5), ([0.9, 0.9, 0.0, 0.0, 0.5], 4)],
    ids=["accepted", "rejected", "second branch"],
)
def test_one_draw_a_node_is_taken_up_front_and_one_for_the_fallback(
    draws: list[float], used: int
) -> None:
    source = RecordedDraws(ReplayedDraws(draws))
    play_two_level(source)
    assert len(source.record) == used


def test_the_draws_of_nodes_never_reached_are_taken_too() -> None:
    with pytest.raises(DrawsExhaustedError, match="asked for draw 4 of 3"):
        play_two_level(ReplayedDraws([0.0, 0.0, 0.0]))


@given(st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9]), min_size=4, max_size=4))
def test_a_draw_means_the_same_on_every_path(unreached: list[float]) -> None:
    """With node 1 and its child kept, no draw of the other branch matters."""
    draws = ReplayedDraws([0.0, 0.0, *unreached[2:]])
    assert play_two_level(draws) == (0, 0)
    draws = ReplayedDraws([0.9, unreached[1], 0.0, 0.0])
    assert play_two_level(draws) == (1, 0)


def test_scores_of_another_tree_are_refused_before_any_draw() -> None:
    other = DraftTree(tokens=(1, 0), parents=(0, 0), vocab_size=4)
    source = RecordedDraws(ReplayedDraws([0.0, 0.0]))
    with pytest.raises(InvalidScoresError, match="the scores are those of another tree"):
        evaluate_tree(other, FLAT_SCORES, source)
    assert source.record == ()


def test_a_tree_is_refused_before_it_can_be_verified() -> None:
    with pytest.raises(InvalidTreeError):
        DraftTree(tokens=(0, 0), parents=(0, 0), vocab_size=2)


@st.composite
def thirds(draw: st.DrawFn, vocab_size: int) -> Row:
    """Draw a law in thirds: whatever is left of it, each probability is in sixths."""
    tokens = draw(st.lists(st.integers(0, vocab_size - 1), min_size=3, max_size=3))
    return Row([Fraction(tokens.count(token), 3) for token in range(vocab_size)])


@st.composite
def rounds(draw: st.DrawFn) -> tuple[DraftTree, ContextModel]:
    """Draw any tree of at most three tokens, and a target that knows all of its contexts."""
    vocab_size = draw(st.integers(1, 3))
    paths: list[Context] = [()]
    parents: list[int] = []
    for _ in range(draw(st.integers(0, 3))):
        parent = draw(st.integers(0, len(paths) - 1))
        path = (*paths[parent], draw(st.integers(0, vocab_size - 1)))
        if path not in paths:
            paths.append(path)
            parents.append(parent)
    tree = DraftTree(tuple(path[-1] for path in paths[1:]), tuple(parents), vocab_size)
    contexts = [
        context
        for n in range(max(1, tree.height))
        for context in product(range(vocab_size), repeat=n)
    ]
    return tree, TableModel({context: draw(thirds(vocab_size)) for context in contexts})


@given(rounds())
@settings(max_examples=30, deadline=None)
def test_any_tree_emits_the_targets_joint_law(played: tuple[DraftTree, ContextModel]) -> None:
    tree, target = played
    scores = score_tree_from_model(target, (), tree)
    horizon = max(1, tree.height)
    emitted = law(
        lambda draws: evaluate_tree(tree, scores, draws).tokens, axes=(6,) * (tree.size + 1)
    )
    assert complete(emitted, target, horizon) == target_joint(target, horizon)


@given(rounds(), st.lists(st.floats(0, 1, exclude_max=True), min_size=4, max_size=4))
def test_fractions_and_floats_take_the_same_way(
    played: tuple[DraftTree, ContextModel], draws: list[float]
) -> None:
    """Away from the thresholds, which are sixths, and which floats can only come near."""
    tree, target = played
    away = [round(draw * 1024) % 1024 / 1024 + 1 / 4096 for draw in draws]
    scores = score_tree_from_model(target, (), tree)
    floating = TreeScores(tree, tuple(Row(map(float, row)) for row in scores.rows))
    emitted = evaluate_tree(tree, scores, ReplayedDraws(away))
    assert evaluate_tree(tree, floating, ReplayedDraws(away)) == emitted


RULE = DeterministicCandidates()


def instance(**parameters: int) -> Instance:
    """Return a context-dependent target, and a draft that ranks its tokens otherwise."""
    target = TableModel(
        {(): exact("1/3", "0", "2/3"), (0,): exact("0", "1/3", "2/3"), (1,): exact("1", "0", "0"),
         (2,): exact("1/3", "1/3", "1/3")}
    )  # fmt: skip
    draft = TableModel(
        {(): exact("1/2", "1/4", "1/4"), (0,): exact("0", "0", "1"), (1,): exact("0", "0", "1"),
         (2,): exact("0", "1", "0")}
    )  # fmt: skip
    return Instance(target, (draft,), parameters)


def test_the_proposal_is_the_drafts_top_k_tree_and_takes_no_draw() -> None:
    tree = RULE.propose(instance(k=2, depth=2), ReplayedDraws([]))
    assert tree == DraftTree((0, 1, 2, 0, 2, 0), (0, 0, 1, 1, 2, 2), vocab_size=3)


@pytest.mark.parametrize(("k", "depth"), [(1, 1), (2, 1), (3, 1), (1, 2)])
def test_a_round_is_lossless(k: int, depth: int) -> None:
    played = instance(k=k, depth=depth)
    emitted = law(lambda draws: play_round(RULE, played, draws).tokens, axes=(6,) * (k * depth + 1))
    assert RULE.horizon(played) == depth
    assert complete(emitted, played.target, depth) == target_joint(played.target, depth)


@pytest.mark.parametrize(("k", "kept"), [(1, "1/3"), (2, "1"), (3, "1")])
def test_what_is_kept_is_the_targets_mass_on_the_candidates(k: int, kept: str) -> None:
    """The toy model of Sun et al. 2024 (arXiv:2403.10444), Section 2: p(top-k of q)."""
    target, draft = ConstantModel(exact("1/3", "2/3")), ConstantModel(exact("2/3", "1/3"))
    toy = Instance(target, (draft,), {"k": k, "depth": 1})
    axes = (6,) * (min(k, 2) + 1)
    accepted = law(lambda draws: play_round(RULE, toy, draws).accepted, axes)
    assert accepted.mean(len) == Fraction(kept)


@pytest.mark.parametrize("parameters", [{"k": 1}, {"k": 1, "depth": 0}], ids=str)
def test_a_depth_is_needed(parameters: dict[str, int]) -> None:
    with pytest.raises(InvalidParameterError, match="'depth'"):
        RULE.horizon(instance(**parameters))


@pytest.mark.parametrize("parameters", [{"depth": 1}, {"k": 0, "depth": 1}], ids=str)
def test_a_width_is_needed(parameters: dict[str, int]) -> None:
    with pytest.raises(InvalidParameterError, match="'k'"):
        RULE.propose(instance(**parameters), ReplayedDraws([]))


@pytest.mark.parametrize("k", RULE.parameters["k"])
@pytest.mark.parametrize("depth", RULE.parameters["depth"])
def test_the_checks_run_at_parameters_the_rule_takes(k: int, depth: int) -> None:
    tree = RULE.propose(instance(k=k, depth=depth), ReplayedDraws([]))
    assert (tree.height, len(tree.children(0))) == (depth, k)
