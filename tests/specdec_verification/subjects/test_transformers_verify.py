from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.instances import Instance
from specdec_core.laws import complete, total_variation
from specdec_core.models import Context
from specdec_core.rules import rule_named
from specdec_grids.generated import RandomInstances
from specdec_grids.programs import claimed_joint
from specdec_verification.exact_law import check_exact_law
from specdec_verification.faults import FAULTS
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.verdicts import audit

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from specdec_verification.subjects.transformers_verify import logits, verify_step  # noqa: E402

SINGLE = Execution(epsilon=Fraction(1, 1 << 23))
RULE = rule_named("token_rejection_bonus")
INSTANCES = [instance for instance in RandomInstances(RULE, 18) if len(instance.target(())) > 2]
DENSE = [instance for instance in INSTANCES if instance.integer("gamma", minimum=1) == 2]


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.label)
def test_the_verify_step_emits_the_targets_law(instance: Instance) -> None:
    gamma = instance.integer("gamma", minimum=1)
    found = audit(verify_step(instance), target=instance.target, length=gamma + 1, execution=SINGLE)
    assert found.verdict is Verdict.PASSED
    assert found.result.total_variation <= found.bound  # type: ignore[operator]
    assert found.outside == 0


@pytest.mark.parametrize("number", [1, 2, 9, 10, 11])
def test_the_ensemble_emits_the_interpolation_law(number: int) -> None:
    """Of `assistant_ensemble_weight` w: ``w p + (1 - w) q`` where it drafts, then ``p``."""
    rule = rule_named("interpolation")
    instance = RandomInstances(rule, number + 1)[number]
    weight = instance.fraction("weight", minimum=0, maximum=1)
    assert 0 < weight < 1
    horizon = rule.horizon(instance)
    found = exact_law(verify_step(instance, ensemble_weight=float(1 - weight)), SINGLE)
    own: Any = rule.claimed(instance)  # type: ignore[attr-defined]
    got = complete(found.law, own, horizon)  # type: ignore[arg-type]
    assert total_variation(got, claimed_joint(rule, instance)) < 1e-6


def slipped(instance: Instance, slip: str) -> Callable[[], Context]:
    """Return a verify step of our own, right but for one slip."""
    gamma = instance.integer("gamma", minimum=1)

    def row(model: Any, context: Context) -> Any:  # noqa: ANN401
        return logits(model(context)).softmax(-1)

    def emit() -> Context:
        tokens: Context = ()
        for _ in range(gamma):
            tokens += (int(torch.multinomial(row(instance.draft, tokens), 1)),)
        coins = torch.rand(gamma)
        for i, token in enumerate(tokens):
            p, q = row(instance.target, tokens[:i]), row(instance.draft, tokens[:i])
            ratio = q[token] / p[token] if slip == "accept_ratio_swapped" else p[token] / q[token]
            if coins[i] > ratio:
                rest = {"recovered_from_target": p, "recovered_from_draft": q}
                last = torch.multinomial(rest.get(slip, torch.relu(p - q)), 1)
                return (*tokens[:i], int(last))
        bonus = tokens[:-1] if slip == "bonus_row_off_by_one" else tokens
        return (*tokens, int(torch.multinomial(row(instance.target, bonus), 1)))

    return emit


SLIPS = ("recovered_from_target", "recovered_from_draft", "bonus_row_off_by_one")


@pytest.fixture(scope="module")
def dense(dense_instance: Callable[[int, int], Instance]) -> Instance:
    """Return an instance of three tokens, two of them drafted."""
    return dense_instance(3, 2)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_fails_with_the_total_variation_that_the_core_predicts(
    slip: str, dense: Instance, labels: Labels
) -> None:
    rule = next(fault.rule for fault in FAULTS if fault.name == slip)
    predicted = check_exact_law(rule, dense, labels).total_variation
    found = audit(slipped(dense, slip), target=dense.target, length=3, execution=SINGLE)
    assert found.verdict is Verdict.FAILED
    assert float(found.result.total_variation or 0) == pytest.approx(
        float(predicted or 0), abs=1e-6
    )


def test_without_a_slip_the_step_of_our_own_passes(dense: Instance) -> None:
    found = audit(slipped(dense, "none"), target=dense.target, length=3, execution=SINGLE)
    assert found.verdict is Verdict.PASSED


def test_the_real_step_draws_from_the_exact_law(
    dense: Instance, law: Callable[..., Any], agrees: Callable[..., None]
) -> None:
    agrees(verify_step(dense), law(verify_step(dense)))
