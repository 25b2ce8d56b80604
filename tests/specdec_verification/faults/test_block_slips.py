"""Without a slip, the rule of replaceable steps is block verification itself, path by path."""

from fractions import Fraction

import pytest
from hypothesis import given

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.proposals import DraftPath
from specdec_core.rules.block_verification import BlockVerification, Odds, longest_kept
from specdec_grids.paths import paths
from specdec_grids.programs import round_program
from specdec_verification import strategies
from specdec_verification.faults import block_slips as slips
from specdec_verification.faults.block_slips import SlippedBlockRule
from specdec_verification.faults.rounds import distance

NO_SLIP = SlippedBlockRule("no_slip")
THIRDS = Row([Fraction(1, 3), Fraction(2, 3)])
TWO_THIRDS = Row([Fraction(2, 3), Fraction(1, 3)])
TOY = Instance(ConstantModel(THIRDS), (ConstantModel(TWO_THIRDS),), {"gamma": 2})
PATH = DraftPath((0, 1), (TWO_THIRDS, TWO_THIRDS))
HALF = Fraction(1, 2)


@given(instance=strategies.instances(BlockVerification()))
def test_no_slip_is_block_verification_path_by_path(instance: Instance) -> None:
    if not instance.integer("gamma", minimum=0):
        return
    real = list(paths(round_program(BlockVerification(), instance)))
    assert list(paths(round_program(NO_SLIP, instance))) == real


def test_the_weights_of_a_path_that_falls_short_and_recovers() -> None:
    """Ratios 1/2 and 2: the product is 1, the last token alone is capped at 1."""
    target = ConstantModel(THIRDS)
    assert slips.weigh_as_point_masses(PATH, target) == [1, Fraction(1, 3), Fraction(2, 9)]
    assert slips.weigh_tokens_apart(PATH, target) == [1, HALF, 1]
    assert slips.weigh_without_cap(DraftPath((1, 0), PATH.draft_probs), target) == [1, 1, 1]


def test_a_prefix_that_fails_ends_the_block_only_by_mistake() -> None:
    odds, coins = [Odds(HALF, 1), Odds(HALF, 1)], [Fraction(3, 4), Fraction(1, 4)]
    assert (longest_kept(odds, coins), slips.keep_until_failure(odds, coins)) == (2, 0)
    assert slips.keep_until_failure(odds, [Fraction(1, 4)] * 2) == 2


def test_corrections_without_the_weight() -> None:
    p, q = (
        Row([HALF, Fraction(1, 4), Fraction(1, 4)]),
        Row([Fraction(1, 4), Fraction(0), 3 * HALF / 2]),
    )
    assert slips.correction(p, q, HALF) == Row([Fraction(0), Fraction(1), Fraction(0)])
    assert slips.correct_without_weight(p, q, HALF) == Row([HALF, HALF, Fraction(0)])
    assert slips.correct_from_target(p, q, HALF) is p
    assert slips.pass_by_weight(p, q, HALF) == (HALF, 1)


@pytest.mark.parametrize(
    ("slip", "harmless"),
    [
        (NO_SLIP, True),
        (SlippedBlockRule("ones", weigh_with=slips.weigh_as_point_masses), False),
        (SlippedBlockRule("apart", weigh_with=slips.weigh_tokens_apart), False),
        (SlippedBlockRule("failure", keep_with=slips.keep_until_failure), False),
        (SlippedBlockRule("target", correct_with=slips.correct_from_target), False),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_toy_model(slip: SlippedBlockRule, harmless: bool) -> None:
    assert (distance(slip, TOY) == 0) is harmless
