"""The exact law of a whole decode loop."""

from fractions import Fraction

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.laws import target_joint, total_variation
from specdec_core.models import TableModel
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import hashed_instance
from specdec_grids.paths import exact_law
from specdec_grids.simplex import Simplex
from specdec_verification import decode_law
from specdec_verification.decode_law import TOKENS, check_decode_law, decode_program, policies
from specdec_verification.results import Verdict

INSTANCE = hashed_instance(
    TokenRejectionBonus(), {"gamma": TOKENS - 1}, Simplex(2, 6), "test/decode"
)


@pytest.mark.parametrize("number", range(len(policies())))
def test_every_policy_decodes_the_targets_joint_law(number: int) -> None:
    result = check_decode_law(number, "again")
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)
    assert result.labels.reproduce == "again"


def test_the_loop_is_the_one_of_the_core() -> None:
    program = decode_program(INSTANCE, policies()[0])
    assert len(program(ReplayedDraws([Fraction(1, 2)] * 40))) == TOKENS


def test_a_target_that_is_read_one_context_late_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop is given a model that forgets the first token: its law is another joint law."""
    forgetful = {
        context: INSTANCE.target(context[1:])
        for context in INSTANCE.target.table  # type: ignore[union-attr]
    }
    right = decode_law.batch_model
    monkeypatch.setattr(
        decode_law,
        "batch_model",
        lambda model: right(TableModel(forgetful) if model is INSTANCE.target else model),
    )
    law = exact_law(decode_program(INSTANCE, policies()[0])).law
    assert total_variation(law, target_joint(INSTANCE.target, TOKENS)) > Fraction(1, 100)
