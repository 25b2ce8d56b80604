"""Faults of tree verification, planted in the rule of deterministic candidates."""

from specdec_verification.faults import tree_slips as tree
from specdec_verification.faults.fault import Fault, plant
from specdec_verification.faults.tree_slips import SlippedTreeRule

TREE_FAULTS: tuple[Fault, ...] = (
    plant(
        "K10",
        "specdec-verify",
        "A candidate is scored by the row that follows it.",
        SlippedTreeRule("tree_query_includes_node", score_with=tree.score_including_node),
    ),
    plant(
        "K10",
        "specdec-verify",
        "All candidates are scored by the root's row.",
        SlippedTreeRule("tree_scored_by_root", score_with=tree.score_root),
    ),
    plant(
        "K10",
        "NVIDIA/TensorRT-LLM PR #15098",
        "Candidates are scored by the row of another node of the same level.",
        SlippedTreeRule("tree_row_of_sibling", score_with=tree.score_sibling),
    ),
    plant(
        "K12",
        "specdec-verify",
        "One draw decides on all candidates.",
        SlippedTreeRule("tree_coin_shared", take_coins_with=tree.take_one_coin),
    ),
    plant(
        "K12",
        "specdec-verify",
        "One draw decides on all candidates of a level.",
        SlippedTreeRule("tree_coin_shared_by_siblings", take_coins_with=tree.take_coin_a_level),
    ),
    plant(
        "K14",
        "Infini-AI-Lab/Sequoia commit 12844ff",
        "The accept test holds at equality, so that a draw of 0 accepts what is impossible.",
        SlippedTreeRule("tree_accept_inclusive", accept_with=tree.accept_inclusive),
    ),
    plant(
        "K04",
        "ROCm/ATOM PR #2318",
        "Candidates are verified by the target's argmax, though sampling was asked for.",
        SlippedTreeRule("tree_accept_likeliest", accept_with=tree.accept_likeliest),
    ),
    plant(
        "K01",
        "specdec-verify",
        "A fixed candidate is tested as if it had been drawn with probability 1/2.",
        SlippedTreeRule("tree_accept_leniently", accept_with=tree.accept_leniently),
    ),
    plant(
        "K15",
        "specdec-verify",
        "A rejected candidate stays in the row that its siblings are tested by.",
        SlippedTreeRule("tree_sibling_not_removed", remove_with=tree.remove_nothing),
    ),
    plant(
        "K15",
        "specdec-verify",
        "A rejected candidate is removed, and the rest not brought back to unit mass.",
        SlippedTreeRule("tree_sibling_not_renormalised", remove_with=tree.remove_unnormalised),
    ),
    plant(
        "K15",
        "specdec-verify",
        "After all candidates were rejected, the token is drawn from the whole row.",
        SlippedTreeRule("tree_fallback_from_target", fall_back_with=tree.fall_back_to_whole),
    ),
    plant(
        "K04",
        "specdec-verify",
        "After all candidates were rejected, the likeliest of the others is emitted.",
        SlippedTreeRule("tree_fallback_likeliest", fall_back_with=tree.fall_back_to_likeliest),
    ),
    plant(
        "K15",
        "specdec-verify",
        "After all candidates were rejected, the first branch is followed.",
        SlippedTreeRule(
            "tree_rejected_branch_followed", end_rejected_with=tree.end_following_branch
        ),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The token after a leaf is drawn from the root's row.",
        SlippedTreeRule("tree_extra_from_root", end_at_leaf_with=tree.extra_from_root),
    ),
    plant(
        "K10",
        "specdec-verify",
        "The token after a leaf is drawn from the row that scored the leaf.",
        SlippedTreeRule("tree_extra_row_off_by_one", end_at_leaf_with=tree.extra_from_parent),
    ),
    plant(
        "K15",
        "SafeAILab/EAGLE PR #47",
        "The token after a leaf comes from what its rejected siblings left of the row above.",
        SlippedTreeRule("tree_extra_from_reduced", end_at_leaf_with=tree.extra_from_reduced),
    ),
)
"""Each is one slip away from the rule."""
