"""Integer counts over lattices: equal or not, and inconclusive where the lattice is too coarse."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError, NondeterminismError
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.lattices import Lattice, least_lattice, midpoint_lattice
from specdec_grids.populations import Counts
from specdec_grids.programs import completed_round
from specdec_grids.resolutions import LeftEndpoints, Midpoints
from specdec_verification import exact_count, strategies
from specdec_verification.exact_count import (
    check_exact_count,
    counted_both_ways,
    left_endpoints,
    resolves,
    sizes,
)
from specdec_verification.faults.path_slips import SlippedPathRule, accept_always, accept_inclusive
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

LENIENT = SlippedPathRule("accept_always", accept_with=accept_always)
INCLUSIVE = SlippedPathRule("accept_inclusive", accept_with=accept_inclusive)


def test_the_toy_model_passes(toy: Callable[[int], Instance], labels: Labels) -> None:
    """Two points for the coin, three for each other: draft, bonus, and a token to the horizon."""
    assert check_exact_count(TokenRejectionBonus(), toy(1), labels) == CheckResult(
        check="exact_count",
        labels=labels,
        verdict=Verdict.PASSED,
        evidence=Evidence.LATTICE_COUNT,
        total_variation=Fraction(0),
        size=3 * 2 * 3 * 3,
        detail="4 counts equal, of 54 points",
    )


def test_a_fault_fails_with_the_first_count_that_differs(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    """The draft's law comes out: token 0 twice as often as it should."""
    result = check_exact_count(LENIENT, toy(1), labels)
    assert result.verdict is Verdict.FAILED
    assert result.total_variation == Fraction(1, 3)
    assert result.detail == "tokens '0,0': expected 1 of 9 points, got 2"


@pytest.mark.parametrize(
    "rule",
    [TokenRejection(), TokenRejectionBonus(), DeterministicCandidates()],
    ids=lambda rule: rule.name,
)
@given(data=st.data())
def test_a_lossless_rule_counts_right(
    rule: TokenRejection, labels: Labels, data: st.DataObject
) -> None:
    instance = data.draw(strategies.instances(rule, vocab_sizes=(1, 2)))
    result = check_exact_count(rule, instance, labels, max_visited=1 << 10)
    assert result.verdict is Verdict.PASSED, result.detail


def test_equality_shows_on_left_endpoints_alone(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    """A draw of 1/2 is not below the threshold 1/2; no midpoint is equal to one."""
    least = least_lattice(completed_round(INCLUSIVE, toy(1)))
    between = check_exact_count(INCLUSIVE, toy(1), labels, lattice=least)
    assert between.verdict is Verdict.PASSED
    on = check_exact_count(INCLUSIVE, toy(1), labels, lattice=left_endpoints(least))
    assert on.verdict is Verdict.FAILED
    assert check_exact_count(INCLUSIVE, toy(1), labels) == on


@pytest.mark.parametrize("points", [(3, 3, 3, 3), (1, 2, 3, 3), (3, 2, 3, 4), (4, 4, 4, 4)])
def test_too_coarse_a_lattice_is_inconclusive(
    points: tuple[int, ...], toy: Callable[[int], Instance], labels: Labels
) -> None:
    lattice = midpoint_lattice(points)
    result = check_exact_count(TokenRejectionBonus(), toy(1), labels, lattice=lattice)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.detail == (
        "the lattice is too coarse: its axes must be multiples of (3, 2, 3, 3)"
    )


def test_too_coarse_a_lattice_does_not_fail_a_fault_either(
    toy: Callable[[int], Instance], labels: Labels
) -> None:
    result = check_exact_count(LENIENT, toy(1), labels, lattice=midpoint_lattice((4, 4, 4)))
    assert result.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    "lattice",
    [
        midpoint_lattice((3, 2, 3, 3)),
        midpoint_lattice((6, 4, 9, 6)),
        midpoint_lattice((3, 2, 3, 3, 5)),
        Lattice((LeftEndpoints(3), Midpoints(2), LeftEndpoints(6), Midpoints(3))),
    ],
    ids=["least", "finer", "longer", "mixed"],
)
def test_a_lattice_of_multiples_counts_the_same_law(
    lattice: Lattice, toy: Callable[[int], Instance], labels: Labels
) -> None:
    result = check_exact_count(TokenRejectionBonus(), toy(1), labels, lattice=lattice)
    assert (result.verdict, result.size) == (Verdict.PASSED, lattice.size)


def test_floating_rows_are_refused(labels: Labels) -> None:
    model = ConstantModel(Row([0.5, 0.5]))
    with pytest.raises(InvalidParameterError, match="a row is floating, expected fractions"):
        check_exact_count(TokenRejection(), Instance(model, (model,), {"gamma": 1}), labels)


def test_two_ways_of_counting_must_agree(
    toy: Callable[[int], Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_count, "visit", lambda program, lattice: Counts({(0,): 54}))
    program = completed_round(TokenRejectionBonus(), toy(1))
    lattice = midpoint_lattice((3, 2, 3, 3))
    with pytest.raises(NondeterminismError, match="gave different counts"):
        counted_both_ways(program, lattice, max_visited=54)
    assert counted_both_ways(program, lattice, max_visited=53)[(1, 1)] == 54 * 4 / 9


def test_left_endpoints_keep_the_sizes() -> None:
    lattice = left_endpoints(midpoint_lattice((3, 2)))
    assert lattice.axes == (LeftEndpoints(3), LeftEndpoints(2))
    assert sizes(lattice) == (3, 2)


@pytest.mark.parametrize(
    ("points", "enough"), [((6, 4), True), ((3, 2), True), ((6, 3), False), ((2, 3), False)]
)
def test_a_lattice_resolves_its_divisors(points: tuple[int, ...], enough: bool) -> None:
    assert resolves(midpoint_lattice(points), midpoint_lattice((3, 2))) is enough
