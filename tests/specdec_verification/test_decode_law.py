"""The exact law of a whole decode loop."""

import pickle
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.draws import Draws, ReplayedDraws
from specdec_core.instances import Instance, Model
from specdec_core.laws import target_joint, total_variation
from specdec_core.models import Context, TableModel
from specdec_core.rules import Rule, play_round
from specdec_core.rules.lenience import Lenience
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.tree_policy import AdaptiveTreePolicy
from specdec_grids.generated import hashed_instance
from specdec_grids.merging import merged_law
from specdec_grids.paths import exact_law
from specdec_grids.programs import Program
from specdec_grids.simplex import Simplex
from specdec_verification import decode_law
from specdec_verification.decode_law import (
    LOOP_SHAPES,
    MERGED_TOKENS,
    TOKENS,
    check_decode_law,
    check_looped_rule,
    check_merged_decode_law,
    decode_program,
    looped_rules,
    policies,
    rule_loop,
    tree_loop,
)
from specdec_verification.results import Verdict

INSTANCE = hashed_instance(
    TokenRejectionBonus(), {"gamma": TOKENS - 1}, Simplex(2, 6), "test/decode"
)

UNCERTAIN = hashed_instance(
    TokenRejectionBonus(), {"gamma": TOKENS - 1}, Simplex(3, 30), "test/lossy"
)
"""Its rows are neither certain nor all alike."""


@pytest.mark.parametrize("number", range(len(policies())))
def test_every_policy_decodes_the_targets_joint_law(number: int) -> None:
    result = check_decode_law(number, "again")
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)
    assert result.labels.reproduce == "again"


@pytest.mark.parametrize(
    "loop",
    [
        decode_program(INSTANCE, policies()[0]),
        tree_loop(INSTANCE, policies()[0], TOKENS),
        rule_loop(TokenRejectionBonus(), INSTANCE, TOKENS),
    ],
    ids=["whole runs", "trees", "rounds"],
)
def test_a_loop_that_was_sent_elsewhere_is_the_same(loop: Program[Any]) -> None:
    assert exact_law(pickle.loads(pickle.dumps(loop))) == exact_law(loop)


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


@pytest.mark.parametrize("policy", policies())
def test_merged_rounds_have_the_law_and_the_paths_of_whole_runs(
    policy: AdaptiveTreePolicy,
) -> None:
    merged = merged_law(tree_loop(UNCERTAIN, policy, TOKENS))
    whole = exact_law(decode_program(UNCERTAIN, policy))
    assert whole.paths > 10
    law = merged.found.law.image(lambda standing: standing.context)
    assert (law, merged.unmerged_paths) == (whole.law, whole.paths)


@pytest.mark.parametrize("number", range(len(policies())))
def test_every_policy_decodes_more_tokens_too(number: int) -> None:
    result = check_merged_decode_law(number, "again")
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)
    assert f"tokens={MERGED_TOKENS}" in result.labels.parameters


@pytest.mark.parametrize("number", range(len(looped_rules())))
def test_a_loop_of_every_rule_that_drafts_gamma_tokens_passes(number: int) -> None:
    result = check_looped_rule(number, "again")
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)
    assert result.labels.subject == f"decode loop of {looped_rules()[number].name}"


@pytest.mark.parametrize(("vocab_size", "gamma"), LOOP_SHAPES)
def test_a_loop_of_rounds_has_every_shape(vocab_size: int, gamma: int) -> None:
    at = LOOP_SHAPES.index((vocab_size, gamma)) * len(looped_rules())
    result = check_looped_rule(at, "again")
    assert result.verdict is Verdict.PASSED
    assert result.labels.parameters.startswith(f"V={vocab_size} gamma={gamma} ")


def looped(rule: Rule[Any], instance: Instance, tokens: int) -> Program[Context]:
    """Return the loop of a rule's rounds, written out."""
    added = rule.horizon(instance) - instance.integer("gamma", minimum=0)

    def decode(draws: Draws) -> Context:
        emitted: Context = ()
        while left := tokens - len(emitted):
            here = Instance(
                _behind(instance.target, emitted),
                (_behind(instance.draft, emitted),),
                {"gamma": min(instance.integer("gamma", minimum=0), left - added)},
            )
            emitted += play_round(rule, here, draws).tokens
        return emitted

    return decode


def _behind(model: Model, emitted: Context) -> TableModel:
    assert isinstance(model, TableModel)
    size = len(emitted)
    return TableModel(
        {context[size:]: row for context, row in model.table.items() if context[:size] == emitted}
    )


@pytest.mark.parametrize("rule", looped_rules(), ids=lambda rule: rule.name)
@pytest.mark.parametrize("gamma", [1, 2])
def test_merged_rounds_of_a_rule_have_the_law_and_the_paths_of_whole_runs(
    rule: Rule[Any], gamma: int
) -> None:
    instance = Instance(UNCERTAIN.target, UNCERTAIN.drafts, {"gamma": gamma})
    merged = merged_law(rule_loop(rule, instance, TOKENS))
    whole = exact_law(looped(rule, instance, TOKENS))
    assert (merged.found.law, merged.unmerged_paths) == (whole.law, whole.paths)


def test_a_loop_of_a_lossy_rule_fails() -> None:
    instance = Instance(
        UNCERTAIN.target, UNCERTAIN.drafts, {"gamma": 2, "lenience": Fraction(1, 2)}
    )
    law = merged_law(rule_loop(Lenience(), instance, TOKENS)).found.law
    assert total_variation(law, target_joint(UNCERTAIN.target, TOKENS)) > Fraction(1, 100)


def test_no_token_is_one_outcome() -> None:
    instance = Instance(UNCERTAIN.target, UNCERTAIN.drafts, {"gamma": 2})
    assert merged_law(rule_loop(TokenRejectionBonus(), instance, 0)).found.law.probs == {(): 1}
