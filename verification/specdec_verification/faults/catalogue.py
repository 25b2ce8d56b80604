"""The slips that the exact checks are tried on: each must make one of them fail.

A checker that has never failed proves nothing.
"""

from typing import Any

from specdec_core.rules import Rule
from specdec_verification.faults import path_slips as path
from specdec_verification.faults import tree_slips as tree
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.faults.tree_slips import SlippedTreeRule

FAULTS: tuple[Rule[Any], ...] = (
    SlippedPathRule("draft_argmax_recorded_soft", propose_with=path.propose_argmax),
    SlippedPathRule("draft_row_recorded_wrong", propose_with=path.propose_from_other_row),
    SlippedPathRule("draft_filtered_recorded_whole", propose_with=path.propose_from_filtered),
    SlippedPathRule("coin_shared_by_positions", take_coins_with=path.take_one_coin),
    SlippedPathRule("accept_inclusive", accept_with=path.accept_inclusive),
    SlippedPathRule("accept_ratio_swapped", accept_with=path.accept_swapped),
    SlippedPathRule("accept_as_point_mass", accept_with=path.accept_target),
    SlippedPathRule("accept_without_draw", accept_with=path.accept_likelier),
    SlippedPathRule("accept_always", accept_with=path.accept_always),
    SlippedPathRule("accept_leniently", accept_with=path.accept_leniently),
    SlippedPathRule("accept_by_first_row", accept_with=path.accept_first_row),
    SlippedPathRule("accept_by_next_row", accept_with=path.accept_next_row),
    SlippedPathRule("accept_by_next_token", accept_with=path.accept_next_token),
    SlippedPathRule("residual_reversed", recover_with=path.recover_reversed),
    SlippedPathRule("recovered_from_target", recover_with=path.recover_from_target),
    SlippedPathRule("recovered_from_draft", recover_with=path.recover_from_draft),
    SlippedPathRule("recovered_likeliest", recover_with=path.recover_likeliest),
    SlippedPathRule("recovered_as_point_mass", recover_with=path.recover_without_token),
    SlippedPathRule("residual_unnormalised", recover_with=path.recover_unnormalised),
    SlippedPathRule("recovered_with_coin", recover_with=path.recover_with_coin),
    SlippedPathRule("recovered_by_next_row", recover_with=path.recover_next_row),
    SlippedPathRule("recovered_by_first_draft_row", recover_with=path.recover_first_draft_row),
    SlippedPathRule("rejected_token_emitted", end_rejected_with=path.end_keeping_rejected),
    SlippedPathRule("draft_kept_after_rejection", end_rejected_with=path.end_keeping_rest),
    SlippedPathRule("bonus_row_off_by_one", end_accepted_with=path.bonus_from_last_row),
    SlippedPathRule("bonus_from_draft", end_accepted_with=path.bonus_from_draft),
    SlippedPathRule("bonus_likeliest", end_accepted_with=path.bonus_likeliest),
    SlippedPathRule("bonus_with_coin", end_accepted_with=path.bonus_with_coin),
    SlippedTreeRule("tree_query_includes_node", score_with=tree.score_including_node),
    SlippedTreeRule("tree_scored_by_root", score_with=tree.score_root),
    SlippedTreeRule("tree_row_of_sibling", score_with=tree.score_sibling),
    SlippedTreeRule("tree_coin_shared", take_coins_with=tree.take_one_coin),
    SlippedTreeRule("tree_coin_shared_by_siblings", take_coins_with=tree.take_coin_a_level),
    SlippedTreeRule("tree_accept_inclusive", accept_with=tree.accept_inclusive),
    SlippedTreeRule("tree_accept_likeliest", accept_with=tree.accept_likeliest),
    SlippedTreeRule("tree_accept_leniently", accept_with=tree.accept_leniently),
    SlippedTreeRule("tree_sibling_not_removed", remove_with=tree.remove_nothing),
    SlippedTreeRule("tree_sibling_not_renormalised", remove_with=tree.remove_unnormalised),
    SlippedTreeRule("tree_fallback_from_target", fall_back_with=tree.fall_back_to_whole),
    SlippedTreeRule("tree_fallback_likeliest", fall_back_with=tree.fall_back_to_likeliest),
    SlippedTreeRule("tree_rejected_branch_followed", end_rejected_with=tree.end_following_branch),
    SlippedTreeRule("tree_extra_from_root", end_at_leaf_with=tree.extra_from_root),
    SlippedTreeRule("tree_extra_row_off_by_one", end_at_leaf_with=tree.extra_from_parent),
)
"""Each differs from a lossless rule by one slip."""
