"""Kernels against a reference; that each kind of slip is found by the check that can see it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import GridTooLargeError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules import play_round, rule_named
from specdec_grids.generated import RandomInstances
from specdec_grids.lattices import Lattice, least_lattice, midpoint_lattice
from specdec_grids.resolutions import LeftEndpoints
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.results import Evidence, Labels, Verdict
from specdec_verification.subjects.kernels import Kernel, kernel_on
from specdec_verification.subjects.uniforms import Reference, check_boundaries, check_lattice

RULE = rule_named("token_rejection_bonus")
DYADIC = dyadic_instance(RULE, 4)
OTHER_RULES = ("token_rejection", "block_verification", "recursive_rejection", "shared_uniform")


def scalar_kernel(rule: Any, instance: Instance) -> Kernel:  # noqa: ANN401
    """Return a kernel that plays the reference itself, round by round."""
    horizon = rule.horizon(instance)

    def kernel(uniforms: np.ndarray) -> np.ndarray:
        tokens = np.full((len(uniforms), horizon), -1)
        for row, draws in zip(tokens, uniforms.tolist(), strict=True):
            emitted = play_round(rule, instance, ReplayedDraws(list(map(Fraction, draws)))).tokens
            row[: len(emitted)] = emitted
        return tokens

    return kernel


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["token_rejection_bonus", *OTHER_RULES])
def test_the_reference_itself_passes(name: str, dtype: str, labels: Labels) -> None:
    rule = rule_named(name)
    instance = dyadic_instance(rule, 1)
    kernel, reference = scalar_kernel(rule, instance), Reference(rule, instance, dtype)
    lattice = check_lattice(kernel, reference, labels)
    assert (lattice.verdict, lattice.total_variation) == (Verdict.PASSED, 0)
    assert lattice.size == least_lattice(reference.program).size
    assert check_boundaries(kernel, reference, labels).verdict is Verdict.PASSED


def changed(slip: Callable[[np.ndarray, np.ndarray], None]) -> Kernel:
    """Return the right kernel with what it emits changed in place, given the uniforms."""
    right = scalar_kernel(RULE, DYADIC)

    def kernel(uniforms: np.ndarray) -> np.ndarray:
        tokens = right(uniforms)
        slip(tokens, uniforms)
        return tokens

    return kernel


def past_the_end(tokens: np.ndarray, uniforms: np.ndarray) -> None:
    tokens[uniforms[:, -1] == np.float32(1 - 2.0**-24), 0] = DYADIC.vocab_size


def other_at_zero(tokens: np.ndarray, uniforms: np.ndarray) -> None:
    rows = uniforms[:, 2] == 0
    tokens[rows, 0] = (tokens[rows, 0] + 1) % DYADIC.vocab_size


def empty_at_once(tokens: np.ndarray, uniforms: np.ndarray) -> None:
    tokens[0] = -1


def after_the_end(tokens: np.ndarray, uniforms: np.ndarray) -> None:
    tokens[np.flatnonzero(tokens[:, -1] == -1)[0]] = [0, -1, 1]


@pytest.mark.parametrize("slip", [past_the_end, other_at_zero], ids=lambda slip: slip.__name__)
def test_an_end_of_the_draws_is_met_by_boundaries_alone(
    slip: Callable[..., None], labels: Labels
) -> None:
    """The lattice of midpoints has no point there; the law does not change by 2^-24."""
    reference = Reference(RULE, DYADIC)
    assert check_lattice(changed(slip), reference, labels).verdict is Verdict.PASSED
    assert check_boundaries(changed(slip), reference, labels).verdict is Verdict.FAILED


@pytest.mark.parametrize("slip", [empty_at_once, after_the_end], ids=lambda slip: slip.__name__)
@pytest.mark.parametrize("check", [check_lattice, check_boundaries])
def test_rows_that_are_no_outcome_fail(
    check: Callable[..., Any], slip: Callable[..., None], labels: Labels
) -> None:
    found = check(changed(slip), Reference(RULE, DYADIC), labels)
    assert found.verdict is Verdict.FAILED
    assert "expected 1 to 3 tokens below 3, then -1" in found.detail


@pytest.mark.parametrize(
    ("kernel", "detail"),
    [
        (lambda uniforms: np.zeros((len(uniforms), 3)), "returned float64"),
        (lambda uniforms: np.zeros((1, 3), dtype=int), "expected integers, a row a round"),
        (lambda uniforms: uniforms[0, 99], "raised IndexError"),
        (lambda uniforms: np.ones((len(uniforms), 4), dtype=int), "then -1"),
    ],
    ids=["floats", "one row", "raises", "too long"],
)
def test_a_kernel_that_returns_something_else_fails(
    kernel: Kernel, detail: str, labels: Labels
) -> None:
    for check in (check_lattice, check_boundaries):
        found = check(kernel, Reference(RULE, DYADIC), labels)
        assert (found.verdict, detail in found.detail) == (Verdict.FAILED, True)


def test_a_wrong_count_is_named(labels: Labels) -> None:
    def always_one(uniforms: np.ndarray) -> np.ndarray:
        return np.tile([1, -1, -1], (len(uniforms), 1))

    found = check_lattice(always_one, Reference(RULE, DYADIC), labels)
    assert found.evidence is Evidence.LATTICE_COUNT
    assert found.detail == "tokens '0,1,0': expected 120 of 1024 points, got 0"


def test_a_wrong_point_is_named_with_its_uniforms(labels: Labels) -> None:
    found = check_boundaries(changed(other_at_zero), Reference(RULE, DYADIC), labels)
    assert found.evidence is Evidence.BOUNDARY_POINTS
    assert "with draw 3 at the end 0, uniforms [" in found.detail
    assert "of float32: expected tokens '" in found.detail


def wrong_from_the_second_call(right: Kernel) -> Kernel:
    calls: list[int] = []

    def kernel(uniforms: np.ndarray) -> np.ndarray:
        calls.append(len(uniforms))
        return right(uniforms if len(calls) == 1 else np.zeros_like(uniforms))

    return kernel


def wrong_beside_a_large_uniform(right: Kernel) -> Kernel:
    """Return a kernel whose round 4 looks at round 3: of the points, some pair has to show it."""

    def kernel(uniforms: np.ndarray) -> np.ndarray:
        tokens = right(uniforms)
        if uniforms[3, 0] > 0.5:
            tokens[4] = right(uniforms[3:4])[0]
        return tokens

    return kernel


@pytest.mark.parametrize(
    "slip", [wrong_from_the_second_call, wrong_beside_a_large_uniform], ids=lambda s: s.__name__
)
def test_a_round_that_depends_on_others_fails_when_it_is_run_again(
    slip: Callable[[Kernel], Kernel], labels: Labels
) -> None:
    found = check_boundaries(slip(scalar_kernel(RULE, DYADIC)), Reference(RULE, DYADIC), labels)
    assert found.verdict is Verdict.FAILED
    assert "change when it is called again with the rounds in reverse order" in found.detail


def test_a_kernel_that_is_wrong_for_a_batch_of_one_fails(labels: Labels) -> None:
    right = scalar_kernel(RULE, DYADIC)

    def squeezed(uniforms: np.ndarray) -> np.ndarray:
        return right(uniforms).squeeze(axis=0) if len(uniforms) == 1 else right(uniforms)

    def first(uniforms: np.ndarray) -> np.ndarray:
        return right(uniforms) if len(uniforms) > 1 else np.zeros((1, 1), dtype=int)

    reference = Reference(RULE, DYADIC)
    found = check_boundaries(squeezed, reference, labels)
    assert found.verdict is Verdict.FAILED
    assert found.detail.startswith("called with one round alone, it returned int64 of shape (3,)")
    found = check_boundaries(first, reference, labels)
    assert found.verdict is Verdict.FAILED
    assert "1 of 1 rounds change when it is called with one round alone" in found.detail
    assert "then '0'" in found.detail


def test_a_kernel_that_breaks_at_its_second_call_fails(labels: Labels) -> None:
    kernels = iter([scalar_kernel(RULE, DYADIC)])
    found = check_boundaries(lambda u: next(kernels)(u), Reference(RULE, DYADIC), labels)
    assert found.verdict is Verdict.FAILED
    assert "called again with the rounds in reverse order, it raised StopIteration" in found.detail


def test_a_lattice_of_left_endpoints_lies_on_thresholds(labels: Labels) -> None:
    reference = Reference(RULE, DYADIC)
    least = least_lattice(reference.program)
    left = Lattice(tuple(LeftEndpoints(axis.n) for axis in least.axes))

    def below_or_at(tokens: np.ndarray, uniforms: np.ndarray) -> None:
        rows = uniforms[:, 2] == 0.75
        tokens[rows] = right_below(uniforms[rows])

    def right_below(uniforms: np.ndarray) -> np.ndarray:
        lower = uniforms.copy()
        lower[:, 2] = np.nextafter(np.float32(0.75), np.float32(0))
        return scalar_kernel(RULE, DYADIC)(lower)

    slipped = changed(below_or_at)
    assert check_lattice(slipped, reference, labels).verdict is Verdict.PASSED
    assert check_lattice(slipped, reference, labels, lattice=left).verdict is Verdict.FAILED


def test_a_lattice_too_large_for_a_kernel_is_an_error(labels: Labels) -> None:
    with pytest.raises(GridTooLargeError, match="at most"):
        check_lattice(
            scalar_kernel(RULE, DYADIC),
            Reference(RULE, DYADIC),
            labels,
            lattice=midpoint_lattice([1000] * 5),
        )


def test_rounding_is_allowed_for_where_rows_are_no_floats(labels: Labels) -> None:
    """Rows in thirds and tenths, a kernel in float32: wrong only closer than the slack."""
    instance = RandomInstances(RULE, 14)[13]
    reference = Reference(RULE, instance)
    assert 0 < reference.numbers.slack < Fraction(1, 1000)
    kernel = kernel_on(float32_verify, instance)
    assert check_boundaries(kernel, reference, labels).verdict is Verdict.PASSED


def test_a_slack_can_be_given() -> None:
    assert Reference(RULE, DYADIC, slack=Fraction(1, 512)).numbers.slack == Fraction(1, 512)
    assert Reference(RULE, DYADIC).numbers.slack == 0


def float32_verify(
    draft_tokens: np.ndarray,
    target_probs: np.ndarray,
    draft_probs: np.ndarray,
    uniforms: np.ndarray,
) -> np.ndarray:
    n, gamma = draft_tokens.shape
    tokens = np.full((n, gamma + 1), -1)
    for i in range(n):
        kept, row = 0, target_probs[i, gamma]
        for j, token in enumerate(draft_tokens[i]):
            if not uniforms[i, j] < target_probs[i, j, token] / draft_probs[i, j, token]:
                row = np.maximum(target_probs[i, j] - draft_probs[i, j], 0)
                break
            tokens[i, j], kept = token, j + 1
        sums = np.cumsum(row / row.sum())
        last = np.flatnonzero(row)[-1]
        tokens[i, kept] = min(np.searchsorted(sums, uniforms[i, -1], side="right"), last)
    return tokens


def test_no_draft_tokens_leave_one_target_token(labels: Labels) -> None:
    half = ConstantModel(Row([Fraction(1, 2), Fraction(1, 2)]))
    instance = Instance(half, (half,), {"gamma": 0})
    kernel = kernel_on(float32_verify, instance)
    assert check_lattice(kernel, Reference(RULE, instance), labels).size == 2
    assert check_boundaries(kernel, Reference(RULE, instance), labels).verdict is Verdict.PASSED


def test_a_kernel_may_write_into_its_uniforms_and_pad_with_unsigned_ones(labels: Labels) -> None:
    inner = scalar_kernel(RULE, DYADIC)

    def kernel(uniforms: np.ndarray) -> np.ndarray:
        tokens = np.pad(inner(uniforms), ((0, 0), (0, 2)), constant_values=-1)
        uniforms[:] = 0
        return tokens.astype(np.uint64)

    reference = Reference(RULE, DYADIC, "float32")
    assert check_boundaries(kernel, reference, labels).verdict is Verdict.PASSED
    assert check_lattice(kernel, reference, labels).verdict is Verdict.PASSED


def test_a_failure_names_the_uniforms_that_were_given(labels: Labels) -> None:
    def kernel(uniforms: np.ndarray) -> np.ndarray:
        uniforms[:] = 0
        return np.full((len(uniforms), 1), 99)

    found = check_boundaries(kernel, Reference(RULE, DYADIC, "float32"), labels)
    assert "[0.0, 0.0" not in found.detail


def test_a_kernel_that_emits_nothing_at_all_fails(labels: Labels) -> None:
    def kernel(uniforms: np.ndarray) -> np.ndarray:
        return np.zeros((len(uniforms), 0), dtype=int)

    for check in (check_boundaries, check_lattice):
        found = check(kernel, Reference(RULE, DYADIC, "float32"), labels)
        assert found.verdict is Verdict.FAILED
        assert "emitted []" in found.detail
