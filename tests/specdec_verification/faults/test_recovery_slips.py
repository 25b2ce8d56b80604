"""Slips in ratios, residuals and searches, against the laws known from where they were seen."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_grids.paths import exact_law
from specdec_verification.emissions import Malfunction
from specdec_verification.faults import path_slips as path
from specdec_verification.faults import recovery_slips as slips
from specdec_verification.faults.path_slips import Position, SlippedPathRule
from specdec_verification.faults.rounds import attempted_round

P = Row([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
Q = Row([Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])


def first_token(rule: SlippedPathRule, target: Row = P, draft: Row = Q) -> list[Fraction]:
    instance = Instance(ConstantModel(target), (ConstantModel(draft),), {"gamma": 1})
    law = exact_law(attempted_round(rule, instance)).law
    first = law.image(lambda found: -1 if isinstance(found, Malfunction) else found[0])
    return [first[token] for token in range(len(target))]


def halves(*parts: int) -> list[Fraction]:
    return [Fraction(part, 18) for part in parts]


@pytest.mark.parametrize(
    ("rule", "law"),
    [
        (SlippedPathRule("no_slip"), halves(9, 6, 3)),
        # 1bit-MONSTER #637: (11/18, 2/9, 1/6)
        (SlippedPathRule("best", accept_with=slips.accept_by_best), halves(11, 4, 3)),
        # lattice #243: a draft of one token is always committed
        (SlippedPathRule("unseen", accept_with=slips.accept_first_unseen), halves(3, 6, 9)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_standard_pair(rule: SlippedPathRule, law: Sequence[Fraction]) -> None:
    assert first_token(rule) == list(law)


def test_a_target_zeroed_before_the_test_refuses_every_draft_token() -> None:
    """vllm-ascend PR #2881: for a draft of token 0, (0, 2/3, 1/3)."""
    rule = SlippedPathRule(
        "zeroed", accept_with=slips.accept_zeroed, recover_with=path.recover_without_token
    )
    certain = Row([Fraction(1), Fraction(0), Fraction(0)])
    assert first_token(rule, draft=certain) == [0, Fraction(2, 3), Fraction(1, 3)]


def test_a_softmaxed_residual_gives_mass_to_every_token() -> None:
    """Transformers PR #28508: a third of the draft is refused; (0.3037, 0.4315, 0.2648)."""
    found = first_token(SlippedPathRule("softmaxed", recover_with=slips.recover_softmaxed))
    assert found == pytest.approx([0.3037, 0.4315, 0.2648], abs=2e-3)


def test_an_unlikely_token_is_discarded() -> None:
    """The law known from the cut at half the greatest: (99/100, 1/100)."""
    row = Row([Fraction(9, 10), Fraction(1, 10)])
    rule = SlippedPathRule("cut", propose_with=slips.propose_above_cut)
    assert first_token(rule, row, row) == [Fraction(99, 100), Fraction(1, 100)]


def test_a_floor_keeps_every_token_in_the_residual() -> None:
    found = first_token(SlippedPathRule("floored", recover_with=slips.recover_floored))
    assert found[2] > P[2]


def test_a_search_can_run_past_the_vocabulary_or_fall_short_of_it() -> None:
    position = Position(0, DraftPath((2,), (Q,)), (P, P))
    late = ReplayedDraws([Fraction(99, 100)])
    assert slips.recover_past_the_end(position, Fraction(0), late) == 3
    late = ReplayedDraws([Fraction(99, 100)])
    assert slips.bonus_within_window(position.proposal, (P, P), [], late).tokens == (2, -1)
    early = ReplayedDraws([Fraction(1, 4)])
    assert slips.bonus_within_window(position.proposal, (P, P), [], early).tokens == (2, 0)


def test_the_last_row_is_the_right_one_after_the_last_token_alone() -> None:
    rows = (P, Row([Fraction(0), Fraction(0), Fraction(1)]), P)
    first = Position(0, DraftPath((2, 2), (Q, Q)), rows)
    assert slips.recover_last_row(first, Fraction(0), ReplayedDraws([Fraction(1, 2)])) == 0
