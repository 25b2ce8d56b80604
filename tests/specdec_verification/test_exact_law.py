"""The exact check: what it accepts, what it refuses, and when it cannot tell."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import Draw
from specdec_core.errors import InvalidParameterError, OpaqueDrawError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.models import ConstantModel, TableModel
from specdec_core.rules import RULES, Rule
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.lenience import Lenience
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import RandomInstances
from specdec_grids.paths import Exploration
from specdec_verification import strategies
from specdec_verification.exact_law import (
    EPSILON,
    ROUNDED_IN,
    check_exact_law,
    compare,
    exact,
    first_difference,
    judge,
    model_rows,
    rounding_bound,
)
from specdec_verification.faults.path_slips import (
    Position,
    SlippedPathRule,
    accept,
    accept_leniently,
    bonus_likeliest,
    end_keeping_rejected,
    recover_from_target,
)
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

LEAKY = SlippedPathRule("recovered_from_target", recover_with=recover_from_target)
FLOAT_ROWS = Row([0.1, 0.2, 0.7]), Row([0.7, 0.1, 0.2])


def in_floats(gamma: int) -> Instance:
    target, draft = map(ConstantModel, FLOAT_ROWS)
    return Instance(target, (draft,), {"gamma": gamma})


def judged(
    found: Exploration[tuple[int, ...]], instance: Instance, horizon: int, labels: Labels
) -> CheckResult:
    return judge(found, instance.target, horizon, rounding_bound(instance, horizon), labels)


def few_tokens(rule: Rule[Any]) -> dict[str, Sequence[Parameter]]:
    """Return the rule's parameters, none above two: longer rounds only take longer."""
    return {
        name: [value for value in values if int(value) < 3]
        for name, values in rule.parameters.items()
    }


def explored(probs: dict[tuple[int, ...], Fraction]) -> Exploration[tuple[int, ...]]:
    law = Law(probs)
    return Exploration(law, len(probs), 1 - law.mass)


def test_the_toy_model_passes(toy: Callable[[int], Instance], labels: Labels) -> None:
    """Sun et al. 2024, Section 2: every draft of token 1 is kept, half of the others."""
    assert check_exact_law(TokenRejectionBonus(), toy(1), labels) == CheckResult(
        check="exact_law",
        labels=labels,
        verdict=Verdict.PASSED,
        evidence=Evidence.EXACT_LAW,
        total_variation=Fraction(0),
        size=5,
        detail="equal: 4 sequences, 5 paths",
    )


def test_a_fault_fails_by_its_exact_distance(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    """Token 0 is kept with probability 1/3, and recovered with probability 1/3 of 1/3 more."""
    result = check_exact_law(LEAKY, toy(1), labels)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation == Fraction(1, 9)
    assert result.detail == "first difference at prefix '0': expected 1/3, got 4/9"


def test_a_difference_after_the_first_token_is_named_by_its_prefix(
    biased: Instance, labels: Labels
) -> None:
    rule = SlippedPathRule("bonus_likeliest", end_accepted_with=bonus_likeliest)
    result = check_exact_law(rule, biased, labels)
    assert result.detail == "first difference at prefix '0,0': expected 1/8, got 1/4"


def test_mass_outside_the_support_is_told_apart(biased: Instance, labels: Labels) -> None:
    """After token 1 the target rules token 1 out; here it follows a rejected 0, half the time."""
    rule = SlippedPathRule("rejected_token_emitted", end_rejected_with=end_keeping_rejected)
    got = judged(explored({(1, 1): Fraction(1)}), biased, 2, labels)
    assert got.detail.endswith("; probability 1 lies on sequences that the target rules out")
    assert "rules out" not in check_exact_law(rule, biased, labels).detail


def test_mass_outside_the_support_is_named_first_however_little(labels: Labels) -> None:
    """More mass than that is off within the bound, at a shorter prefix."""
    rare = Fraction(1, 1 << 40)
    got = explored({(1, 0): Fraction(3, 4) - rare, (1, 1): rare, (0, 0): Fraction(1, 4)})
    expected = Law({(1, 0): Fraction(3, 4), (0, 0): Fraction(1, 4) - rare, (0, 1): rare})
    result = compare(got, expected, Fraction(1, 1 << 20), labels)
    assert result.verdict is Verdict.FAILED
    assert result.detail.startswith("first difference at prefix '1,1': expected 0, got 9.09")
    assert ROUNDED_IN in result.detail


@pytest.mark.parametrize(
    "rule",
    [TokenRejection(), TokenRejectionBonus(), DeterministicCandidates()],
    ids=lambda rule: rule.name,
)
@given(data=st.data())
def test_a_lossless_rule_passes_at_distance_zero(
    rule: TokenRejection, labels: Labels, data: st.DataObject
) -> None:
    instance = data.draw(strategies.instances(rule, few_tokens(rule)))
    result = check_exact_law(rule, instance, labels)
    assert (result.verdict, result.total_variation) == (Verdict.PASSED, 0)


def test_one_path_is_too_few(toy: Callable[[int], Instance], labels: Labels) -> None:
    result = check_exact_law(TokenRejectionBonus(), toy(1), labels, max_paths=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert (result.total_variation, result.size) == (None, 1)
    assert result.detail == (
        "paths of probability 0.889 were not followed (limit reached, or a loop that need not "
        "end): the total variation lies between 0 and 8/9"
    )


def test_a_limit_that_is_just_enough_is_no_limit(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    assert check_exact_law(TokenRejectionBonus(), toy(1), labels, max_paths=5).size == 5
    enough = check_exact_law(TokenRejectionBonus(), toy(1), labels, max_paths=5)
    assert enough.verdict is Verdict.PASSED
    few = check_exact_law(TokenRejectionBonus(), toy(1), labels, max_paths=4)
    assert few.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("max_paths", range(1, 8))
@pytest.mark.parametrize("number", range(6))
def test_what_is_cut_short_never_passes_and_never_contradicts_the_whole(
    number: int, max_paths: int, labels: Labels
) -> None:
    instance = RandomInstances(LEAKY, 6)[number]
    whole = check_exact_law(LEAKY, instance, labels)
    cut = check_exact_law(LEAKY, instance, labels, max_paths=max_paths)
    assert cut == whole if cut.total_variation is not None else cut.verdict is not Verdict.PASSED
    assert cut.verdict in (whole.verdict, Verdict.INCONCLUSIVE)


def test_an_excess_fails_before_all_paths_are_followed(biased: Instance, labels: Labels) -> None:
    """Mass that was not followed can fill a gap, and cannot take from what is too much."""
    result = judged(explored({(0,): Fraction(3, 8)}), biased, 1, labels)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation is None
    assert result.detail == (
        "paths of probability 0.625 were not followed (limit reached, or a loop that need not "
        "end): the total variation lies between 1/8 and 3/4; "
        "first difference at prefix '0': expected 1/4, got 3/8"
    )


def test_a_gap_can_still_be_filled(biased: Instance, labels: Labels) -> None:
    result = judged(explored({(0,): Fraction(1, 4)}), biased, 1, labels)
    assert result.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("got", "missing", "prefix"),
    [
        ({(0,): Fraction(1, 8), (1,): Fraction(3, 8)}, Fraction(1, 2), (0,)),
        ({(0,): Fraction(1, 2), (1,): Fraction(1, 2)}, Fraction(0), (0,)),
        ({(0,): Fraction(1, 4), (1,): Fraction(7, 8)}, Fraction(0), (1,)),
    ],
)
def test_a_prefix_may_fall_short_by_what_was_not_followed(
    got: dict[tuple[int, ...], Fraction], missing: Fraction, prefix: tuple[int, ...]
) -> None:
    right = Law({(0,): Fraction(1, 4), (1,): Fraction(3, 4)})
    assert first_difference(Law(got), right, Fraction(0), missing - missing) == prefix
    if missing:
        short = Law({(0,): Fraction(1, 8), (1,): Fraction(7, 8)})
        assert first_difference(short, right, Fraction(0), missing) == (1,)


def test_many_small_differences_fail_together_and_the_largest_is_named(labels: Labels) -> None:
    """Each sequence is off by less than the bound, and the law as a whole by more."""
    row = Row([0.25, 0.25, 0.25, 0.25])
    instance = Instance(ConstantModel(row), (ConstantModel(row),), {})
    step = rounding_bound(instance, 1) * Fraction(3, 4)
    law = {(0,): step, (1,): -step * Fraction(7, 8), (2,): -step * Fraction(7, 8), (3,): step}
    law[(2,)] -= step * Fraction(1, 4)
    result = judged(
        explored({tokens: Fraction(1, 4) + off for tokens, off in law.items()}), instance, 1, labels
    )
    assert result.verdict is Verdict.FAILED
    assert result.detail.startswith("first difference at prefix '2': expected 1/4, got ")


def test_exact_rows_allow_for_no_rounding(biased: Instance) -> None:
    assert exact(biased)
    assert rounding_bound(biased, 3) == 0


def test_one_floating_draft_row_makes_an_instance_floating(biased: Instance) -> None:
    draft = TableModel({(): Row([0.5, 0.5])}, "draft")
    mixed = Instance(biased.target, (draft,), biased.parameters)
    assert not exact(mixed)
    assert rounding_bound(mixed, 2) == 2 * 3 * EPSILON


def test_the_rounding_bound_counts_the_worst_row_of_every_model() -> None:
    short = 2.0**-31
    target = TableModel({(): Row([0.5, 0.5]), (0,): Row([0.5, 0.5 - short])}, "target")
    drafts = (ConstantModel(Row([0.5, 0.5 + 2 * short])), ConstantModel(Row([0.5, 0.5])))
    defect = 3 * Fraction(1, 1 << 31)
    instance = Instance(target, drafts, {})
    assert rounding_bound(instance, 2) == 2 * (2 * defect + 3 * EPSILON)


def test_a_constant_model_has_one_row(biased: Instance) -> None:
    assert list(model_rows(ConstantModel(FLOAT_ROWS[0]))) == [FLOAT_ROWS[0]]
    assert len(list(model_rows(biased.target))) == 3


def test_a_right_rule_on_floats_is_off_by_rounding_alone(labels: Labels) -> None:
    result = check_exact_law(TokenRejection(), in_floats(2), labels)
    assert result.verdict is Verdict.PASSED
    assert result.total_variation is not None
    assert 0 < result.total_variation <= rounding_bound(in_floats(2), 2) < 1e-14
    assert (
        result.detail == f"equal within the rounding bound 2e-15: 9 sequences, {result.size} paths"
    )


def test_a_fault_on_floats_fails_far_above_the_bound(labels: Labels) -> None:
    rule = SlippedPathRule("accept_leniently", accept_with=accept_leniently)
    result = check_exact_law(rule, in_floats(1), labels)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation is not None
    assert result.total_variation > 1e-3
    assert result.detail.startswith("first difference at prefix '0': expected 0.1, got ")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@settings(max_examples=15)
@given(data=st.data())
def test_rounding_never_fails_a_right_rule(
    rule: Rule[Any], labels: Labels, data: st.DataObject
) -> None:
    instance = data.draw(
        strategies.instances(rule, few_tokens(rule), rows_over=strategies.float_rows)
    )
    assert check_exact_law(rule, instance, labels).verdict is Verdict.PASSED


def test_a_rule_that_claims_too_much_is_not_judged_by_its_own_law(labels: Labels) -> None:
    rule = Lenience(lossless=True)
    verdicts = {check_exact_law(rule, one, labels).verdict for one in RandomInstances(rule, 18)}
    assert Verdict.FAILED in verdicts


def test_a_lossy_rule_must_say_its_own_law(biased: Instance, labels: Labels) -> None:
    rule = replace(LEAKY, lossless=False)
    with pytest.raises(InvalidParameterError, match="is lossy, and has no `claimed` law"):
        check_exact_law(rule, biased, labels)


def test_no_rounding_bound_forgives_what_the_target_rules_out(labels: Labels) -> None:
    """Token 0 is impossible, and emitted with probability 2^-52: less than the bound."""
    never, always = Row([0.0, 1.0]), Row([1.0, 0.0])
    instance = Instance(ConstantModel(never), (ConstantModel(always),), {})
    tiny = Fraction(1, 1 << 52)
    result = judged(explored({(0,): tiny, (1,): 1 - tiny}), instance, 1, labels)
    assert tiny < rounding_bound(instance, 1)
    assert result.verdict is Verdict.FAILED


@pytest.mark.parametrize("step", ["propose_with", "recover_with"])
def test_a_rule_that_raises_fails_with_the_probability_of_it(
    step: str, biased: Instance, labels: Labels
) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("out of memory")

    result = check_exact_law(SlippedPathRule("broken", **{step: broken}), biased, labels)
    assert result.verdict is Verdict.FAILED
    assert "raised RuntimeError('out of memory')" in result.detail
    assert result.total_variation is None


def test_a_program_cannot_hide_a_refusal(biased: Instance, labels: Labels) -> None:
    def curious(draw: Draw, position: Position) -> bool:
        try:
            return float(draw) < 2  # accepts everything, where a draw is a number
        except TypeError:
            return accept(draw, position)

    rule = SlippedPathRule("curious", accept_with=curious)
    with pytest.raises(OpaqueDrawError, match="float of a draw"):
        check_exact_law(rule, biased, labels)


@pytest.mark.parametrize(
    ("missing", "verdict"),
    [
        (Fraction(1, 10**9), Verdict.PASSED),
        (Fraction(1, 10**3), Verdict.INCONCLUSIVE),
        (Fraction(0), Verdict.PASSED),
    ],
)
def test_what_is_missing_passes_only_below_the_rounding_bound(
    missing: Fraction, verdict: Verdict, labels: Labels
) -> None:
    law = Law({(0,): Fraction(1, 4), (1,): Fraction(3, 4) - missing})
    found = Exploration(law, 2, missing)
    right, bound = Law({(0,): Fraction(1, 4), (1,): Fraction(3, 4)}), Fraction(1, 10**6)
    assert compare(found, right, bound, labels).verdict is verdict
    exact_verdict = compare(found, right, Fraction(0), labels).verdict
    assert exact_verdict is (Verdict.INCONCLUSIVE if missing else Verdict.PASSED)


def test_what_is_wrong_beside_what_is_missing_is_no_pass(labels: Labels) -> None:
    """Off by 3/4 of the bound, with as much missing: it may lie beyond the bound."""
    bound = Fraction(1, 10**6)
    off = bound * 3 / 4
    law = Law({(0,): Fraction(1, 4) + off, (1,): Fraction(3, 4) - 2 * off})
    right = Law({(0,): Fraction(1, 4), (1,): Fraction(3, 4)})
    found = compare(Exploration(law, 2, off), right, bound, labels)
    assert found.verdict is Verdict.INCONCLUSIVE
