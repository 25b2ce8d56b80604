"""Slips with several candidates, on one position and with exact laws."""

from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import ConstantModel
from specdec_core.rules import Rule
from specdec_core.rules.recursive_rejection import recursive_rejection
from specdec_core.rules.sampled_tree import SampledTree
from specdec_core.rules.top_down import TopDown
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification.faults import sibling_slips as slips
from specdec_verification.faults.rounds import distance

P = Row([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
Q = Row([Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])
STANDARD = Instance(ConstantModel(P), (ConstantModel(Q),), {"k": 2, "depth": 1})
TOP = SampledTree("top", slips.REFERENCE, slips.draw_top, TopDown(recursive_rejection))


def first_token(rule: Rule[Any]) -> Law[int]:
    return exact_law(round_program(rule, STANDARD)).law.image(lambda found: found.tokens[0])


def test_without_a_slip_the_law_is_the_targets() -> None:
    assert distance(slips.slipped("no_slip", recursive_rejection), STANDARD) == 0


def test_the_likeliest_candidates_tested_as_if_drawn() -> None:
    """llama.cpp PR #5625: token 2 is accepted with 1/3, and then all is on token 0."""
    found = first_token(TOP)
    assert [found[token] for token in range(3)] == [Fraction(2, 3), 0, Fraction(1, 3)]


def test_top_candidates_are_ranked_and_ties_go_to_the_first() -> None:
    even = Row([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
    siblings = slips.draw_top(even, 2, ReplayedDraws([]))
    assert (siblings.tokens, siblings.draft_probs) == ((1, 0), (even, even))


@pytest.mark.parametrize(
    ("level", "draft", "apart"),
    [
        (slips.keep_residual_whole, (1, 2, 3), Fraction(1, 9)),
        (slips.judge_by_first_row, (2, 1, 3), Fraction(1, 18)),
        (slips.recover_from_target, (1, 2, 3), Fraction(1, 9)),
        (slips.try_likeliest_first, (3, 2, 1), Fraction(1, 4)),
        (slips.match_each_apart, (3, 2, 1), Fraction(1, 18)),
    ],
)
def test_a_slip_moves_the_law_of_two_siblings_and_few_that_of_one(
    level: Any,  # noqa: ANN401
    draft: tuple[int, ...],
    apart: Fraction,
) -> None:
    rule = slips.slipped("slipped", level)
    drafts = (ConstantModel(Row(Fraction(part, 6) for part in draft)),)
    two, one = (Instance(STANDARD.target, drafts, {"k": k, "depth": 1}) for k in (2, 1))
    assert distance(rule, two) == apart
    assert (distance(rule, one) == 0) is (level is not slips.recover_from_target)
