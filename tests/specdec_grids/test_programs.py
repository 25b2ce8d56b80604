from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.draws import Draws, GeneratedDraws, RecordedDraws, ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.laws import complete, target_joint
from specdec_core.models import ConstantModel
from specdec_core.rules import Rule, play_round
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import exact_law
from specdec_grids.programs import (
    Steps,
    claimed_joint,
    completed_round,
    round_program,
    steps_of,
)
from specdec_grids.simplex import Simplex

LOSSLESS = (TokenRejection(), TokenRejectionBonus(), DeterministicCandidates())
every_rule = pytest.mark.parametrize("rule", LOSSLESS, ids=lambda rule: rule.name)
INDICES = range(0, 18, 5)


def test_steps_are_called_one_after_another() -> None:
    program = Steps(
        (
            lambda value, draws: (value, draws.uniform()),
            lambda value, draws: (*value, draws.uniform()),
        )
    )
    assert program(ReplayedDraws([0.25, 0.5])) == (None, 0.25, 0.5)


def test_a_program_of_no_steps_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="no steps"):
        Steps(())


def test_a_plain_program_is_one_step() -> None:
    def program(draws: Draws) -> Any:  # noqa: ANN401
        return draws.uniform()

    (step,) = steps_of(program)
    assert step(None, ReplayedDraws([0.25])) == 0.25
    assert len(steps_of(Steps((step, step)))) == 2


@every_rule
@pytest.mark.parametrize("index", INDICES)
def test_a_round_is_the_round_that_the_rule_plays(rule: Rule[Any], index: int) -> None:
    instance = RandomInstances(rule, 18)[index]
    draws = RecordedDraws(GeneratedDraws(np.random.default_rng()))
    verification = play_round(rule, instance, draws)
    replay = ReplayedDraws(draws.record)  # type: ignore[arg-type]  (floats)
    assert round_program(rule, instance)(replay) == verification
    replay.require_all_used()


@every_rule
@pytest.mark.parametrize("index", INDICES)
def test_a_completed_round_has_the_targets_joint_law(rule: Rule[Any], index: int) -> None:
    instance = RandomInstances(rule, 18)[index]
    horizon = rule.horizon(instance)
    law = exact_law(completed_round(rule, instance)).law
    assert law == target_joint(instance.target, horizon) == claimed_joint(rule, instance)
    rounds = exact_law(round_program(rule, instance)).law
    assert law == complete(rounds.image(lambda round_: round_.tokens), instance.target, horizon)


def test_completion_takes_no_draw_where_the_round_is_long_enough() -> None:
    certain = ConstantModel(Simplex(2, 1)[0])
    instance = Instance(certain, (certain,), {"gamma": 3})
    draws = ReplayedDraws([Fraction(0)] * 6)
    assert completed_round(TokenRejection(), instance)(draws) == (1, 1, 1)
    draws.require_all_used()
