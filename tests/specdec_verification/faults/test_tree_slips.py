"""Without a slip, the rule of replaceable steps is the rule itself, path by path."""

from fractions import Fraction

import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.rules import Verification, play_round
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.trees import DraftTree
from specdec_grids.paths import paths
from specdec_grids.programs import round_program
from specdec_verification import strategies
from specdec_verification.faults import tree_slips as slips
from specdec_verification.faults.tree_slips import Candidate, SlippedTreeRule

NO_SLIP = SlippedTreeRule("tree_no_slip")
ROW = Row([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
FORK = DraftTree(tokens=(0, 1, 2), parents=(0, 0, 1), vocab_size=3)


@given(instance=strategies.instances(DeterministicCandidates()))
def test_no_slip_is_the_rule_path_by_path(instance: Instance) -> None:
    real = list(paths(round_program(DeterministicCandidates(), instance)))
    assert list(paths(round_program(NO_SLIP, instance))) == real


@given(instance=strategies.instances(DeterministicCandidates()), values=strategies.draws(16))
def test_no_slip_replays_as_the_rule(
    instance: Instance, values: tuple[float | Fraction, ...]
) -> None:
    real = play_round(DeterministicCandidates(), instance, ReplayedDraws(values))
    assert play_round(NO_SLIP, instance, ReplayedDraws(values)) == real


@given(instance=strategies.instances(DeterministicCandidates()))
def test_a_slip_can_emit_one_token_more(instance: Instance) -> None:
    assert NO_SLIP.horizon(instance) == DeterministicCandidates().horizon(instance) + 1


@pytest.mark.parametrize(
    ("step", "accepted"),
    [
        (slips.accept, False),
        (slips.accept_inclusive, True),
        (slips.accept_likeliest, False),
        (slips.accept_leniently, True),
    ],
)
def test_a_slip_in_acceptance_shows_at_the_threshold(
    step: type[slips.accept], accepted: bool
) -> None:
    candidate = Candidate(FORK, child=2, row=ROW)
    assert candidate.token == 1
    assert step(Fraction(1, 4), candidate) is accepted


@pytest.mark.parametrize(
    ("step", "left"),
    [
        (slips.remove, [Fraction(2, 3), 0, Fraction(1, 3)]),
        (slips.remove_nothing, ROW),
        (slips.remove_unnormalised, [Fraction(1, 2), 0, Fraction(1, 2)]),
    ],
)
def test_a_rejected_sibling_is_removed_or_not(
    step: type[slips.remove], left: list[Fraction]
) -> None:
    assert step(Candidate(FORK, child=2, row=ROW)) == Row(left)


@pytest.mark.parametrize(
    ("step", "node", "context"),
    [
        (slips.score, 1, (0,)),
        (slips.score_including_node, 0, (0,)),
        (slips.score_root, 1, ()),
        (slips.score_sibling, 0, ()),
        (slips.score_sibling, 2, (0,)),
    ],
)
def test_a_slip_in_scoring_asks_for_another_context(
    step: type[slips.score], node: int, context: tuple[int, ...]
) -> None:
    asked = []

    def target(after: tuple[int, ...]) -> Row:
        asked.append(after)
        return ROW

    assert step(target, FORK, node) == ROW
    assert asked == [context]


def test_coins_are_taken_one_a_node_one_a_level_or_once() -> None:
    values = [0.125, 0.25, 0.5]
    assert slips.take_coins(FORK, ReplayedDraws(values)) == {1: 0.125, 2: 0.25, 3: 0.5}
    assert slips.take_coin_a_level(FORK, ReplayedDraws(values)) == {1: 0.125, 2: 0.125, 3: 0.25}
    assert slips.take_one_coin(FORK, ReplayedDraws(values)) == {1: 0.125, 2: 0.125, 3: 0.125}


def test_a_slip_at_the_end_adds_a_token_or_follows_a_branch() -> None:
    draws = ReplayedDraws([0.0, 0.0, 0.0])
    rows = {(): [0, 1, 0], (0,): [1, 0, 0], (0, 2): [0, 0, 1]}

    def target(after: tuple[int, ...]) -> Row:
        return Row(rows[after])

    assert slips.extra_from_root(FORK, 3, target, draws) == Verification((0, 2), 1)
    assert slips.extra_from_parent(FORK, 3, target, draws) == Verification((0, 2), 0)
    assert slips.extra_from_leaf(FORK, 3, target, draws) == Verification((0, 2), 2)
    assert slips.end_following_branch(FORK, 0, 2) == Verification((0,), 2)
