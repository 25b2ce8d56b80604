from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row, acceptance_rate
from specdec_core.draws import RecordedDraws, ReplayedDraws
from specdec_core.errors import DrawsExhaustedError, InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law, complete, target_joint
from specdec_core.models import ConstantModel, Context, TableModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import token_rejection
from specdec_core.rules.rule import Verification, play_round
from specdec_core.rules.token_rejection import TokenRejection, recovery_row
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification import strategies
from specdec_verification.strategies import LARGEST_DRAW

RULE = TokenRejection()

Toy: TypeAlias = Callable[[int], Instance]


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


def law_of(instance: Instance) -> Law[Verification]:
    return exact_law(round_program(RULE, instance)).law


def single(target: Row, draft: Row, gamma: int = 1) -> Instance:
    return Instance(ConstantModel(target), (ConstantModel(draft),), {"gamma": gamma})


def test_the_toy_models_round_has_the_law_that_was_worked_out(toy: Toy) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3), gamma = 2."""
    ninth = Fraction(1, 9)
    assert law_of(toy(2)) == Law(
        {
            Verification((0, 0), None): ninth,
            Verification((0,), 1): ninth,
            Verification((0, 1), None): ninth,
            Verification((), 1): 3 * ninth,
            Verification((1, 0), None): ninth,
            Verification((1,), 1): ninth,
            Verification((1, 1), None): ninth,
        }
    )


@pytest.mark.parametrize(("gamma", "accepted"), [(1, "2/3"), (2, "10/9"), (3, "38/27")])
def test_the_toy_model_accepts_and_emits_as_many_as_the_closed_forms_say(
    gamma: int, accepted: str, toy: Toy
) -> None:
    """Leviathan et al. 2023, Equation 1, without the bonus: (1 - a^gamma) / (1 - a) tokens."""
    law = law_of(toy(gamma))
    rate = acceptance_rate(toy(1).target(()), toy(1).draft(()))
    assert law.mean(lambda round: len(round.accepted)) == Fraction(accepted)
    assert law.mean(lambda round: len(round.tokens)) == (1 - rate**gamma) / (1 - rate)


BINARY = single(exact("1/4", "3/4"), exact("1/2", "1/2"))


@pytest.mark.parametrize(
    ("draws", "emitted"),
    [
        ([0.0, 0.0], Verification((0,), None)),
        ([0.49, 0.49], Verification((0,), None)),
        ([0.49, 0.5, 0.0], Verification((), 1)),
        ([0.0, LARGEST_DRAW, LARGEST_DRAW], Verification((), 1)),
        ([0.5, LARGEST_DRAW], Verification((1,), None)),
    ],
)
def test_a_token_is_kept_below_target_over_draft(draws: list[float], emitted: Verification) -> None:
    """The thresholds are (1/4) / (1/2) = 1/2, and more than one."""
    source = ReplayedDraws(draws)
    assert play_round(RULE, BINARY, source) == emitted
    source.require_all_used()


@pytest.mark.parametrize(("gamma", "horizon"), [(1, 1), (3, 3)])
def test_a_round_emits_gamma_tokens_at_most(gamma: int, horizon: int, toy: Toy) -> None:
    assert RULE.horizon(toy(gamma)) == horizon
    assert max(len(round.tokens) for round in law_of(toy(gamma))) == horizon


@pytest.mark.parametrize("gamma", [0, -1, True, 1.0, "1"])
def test_gamma_is_an_integer_of_at_least_one(gamma: Parameter, toy: Toy) -> None:
    instance = Instance(toy(1).target, toy(1).drafts, {"gamma": gamma})
    with pytest.raises(InvalidParameterError, match="parameter 'gamma' is "):
        RULE.horizon(instance)
    with pytest.raises(InvalidParameterError, match="parameter 'gamma' is "):
        RULE.propose(instance, ReplayedDraws([0.5]))


def test_an_empty_proposal_emits_nothing_and_takes_no_draw() -> None:
    nothing = RULE.verify(DraftPath((), ()), ConstantModel(exact("1")), ReplayedDraws([]))
    assert nothing == Verification((), None)


def test_a_vocabulary_of_one_is_always_accepted() -> None:
    law = law_of(single(exact("1"), exact("1"), gamma=3))
    assert law == Law({Verification((0, 0, 0), None): Fraction(1)})


def test_equal_laws_are_always_accepted() -> None:
    row = exact("1/2", "1/3", "1/6")
    law = law_of(single(row, row, gamma=2))
    assert law.image(lambda round: round.final) == Law({None: Fraction(1)})


def test_disjoint_supports_are_never_accepted() -> None:
    law = law_of(single(exact("1/4", "3/4", "0", "0"), exact("0", "0", "1/2", "1/2"), gamma=2))
    assert law == Law({Verification((), 0): Fraction(1, 4), Verification((), 1): Fraction(3, 4)})


def test_a_token_of_target_probability_zero_is_not_kept_by_a_draw_of_zero() -> None:
    instance = single(exact("0", "1"), exact("1", "0"))
    assert play_round(RULE, instance, ReplayedDraws([0.0, 0.0, 0.0])) == Verification((), 1)


@pytest.mark.parametrize(
    ("draws", "used"),
    [
        ([0.9, 0.9, 0.0, 0.0, 0.5], 4),
        ([0.0, 0.9, 0.9, 0.0, 0.5], 5),
        ([0.9, 0.0, 0.0, 0.9, 0.5], 5),
    ],
    ids=["accepted", "first rejected", "second rejected"],
)
def test_one_draw_a_position_is_taken_up_front_and_one_for_a_replacement(
    draws: list[float], used: int, toy: Toy
) -> None:
    source = RecordedDraws(ReplayedDraws(draws))
    play_round(RULE, toy(2), source)
    assert len(source.record) == used


def test_the_draws_of_positions_never_reached_are_taken_too(toy: Toy) -> None:
    with pytest.raises(DrawsExhaustedError, match="asked for draw 4 of 3"):
        play_round(RULE, toy(2), ReplayedDraws([0.0, 0.0, 0.9]))


def test_the_target_is_asked_with_the_accepted_prefix_and_for_nothing_past_a_rejection() -> None:
    asked: list[Context] = []

    def target(context: Context) -> Row:
        asked.append(context)
        return exact("0", "1")

    path = DraftPath((1, 0, 1), (exact("0", "1"), exact("1", "0"), exact("0", "1")))
    RULE.verify(path, target, ReplayedDraws([0.0] * 4))
    assert list(dict.fromkeys(asked)) == [(), (1,)]


def test_a_token_is_judged_by_the_row_it_was_drawn_from() -> None:
    """With the first position's draft row in the second's place, the second token would be kept."""
    target = TableModel({(): exact("1/2", "1/2"), (0,): exact("1/4", "3/4")})
    draft = TableModel({(): exact("1/4", "3/4"), (0,): exact("1/2", "1/2")})
    instance = Instance(target, (draft,), {"gamma": 2})
    draws = ReplayedDraws([0.0, 0.0, 0.0, 0.75, 0.0])
    assert play_round(RULE, instance, draws) == Verification((0,), 1)


@given(strategies.row_pairs(3))
def test_the_law_of_one_position_is_the_overlap_and_the_excess(pair: tuple[Row, Row]) -> None:
    """Leviathan et al. 2023, Appendix A.1: min(p, q) is accepted, max(p - q, 0) replaces."""
    probs: dict[Verification, Fraction] = {}
    for token, (p, q) in enumerate(zip(*pair, strict=True)):
        probs[Verification((token,), None)] = min(p, q)
        probs[Verification((), token)] = max(p - q, Fraction(0))
    assert law_of(single(*pair)) == Law(probs)


@given(strategies.instances(RULE, {"gamma": (2,)}))
def test_the_law_of_two_positions_is_a_product_along_the_path(instance: Instance) -> None:
    """P(x_1 .. x_n, y) = min(p, q)(x_1) .. min(p, q)(x_n) max(p - q, 0)(y)."""
    tokens = range(instance.vocab_size)
    probs: dict[Verification, Fraction] = {}
    for first in tokens:
        p, q = instance.target(()), instance.draft(())
        probs[Verification((), first)] = max(p[first] - q[first], Fraction(0))
        kept = min(p[first], q[first])
        p, q = instance.target((first,)), instance.draft((first,))
        for second in tokens:
            probs[Verification((first,), second)] = kept * max(p[second] - q[second], Fraction(0))
            probs[Verification((first, second), None)] = kept * min(p[second], q[second])
    assert law_of(instance) == Law(probs)


def test_the_recovery_row_is_the_residual() -> None:
    row = recovery_row(exact("1/2", "3/8", "1/8"), exact("1/4", "1/4", "1/2"))
    assert row == exact("2/3", "1/3", "0")


SHORT_OF_ONE = Row([0.5, 0.5 - 2.0**-31])
"""It exceeds `HALVES` nowhere, and its cumulative sum ends below one."""
HALVES = Row([0.5, 0.5])


def test_a_residual_lost_to_rounding_is_the_targets_own_row() -> None:
    assert recovery_row(SHORT_OF_ONE, HALVES) is SHORT_OF_ONE


@pytest.mark.parametrize(("draw", "token"), [(0.0, 0), (0.5, 1), (LARGEST_DRAW, 1)])
def test_a_rejection_by_rounding_alone_still_emits_a_token_of_the_target(
    draw: float, token: int
) -> None:
    """The largest draw lies beyond the last sum of the row that takes the residual's place."""
    instance = single(SHORT_OF_ONE, HALVES)
    emitted = play_round(RULE, instance, ReplayedDraws([0.5, LARGEST_DRAW, draw]))
    assert emitted == Verification((), token)


def test_a_subnormal_token_can_be_rejected_though_the_laws_are_equal() -> None:
    """Three quarters of the smallest subnormal is rounded up to it."""
    row = Row([5e-324, 1.0])
    emitted = play_round(RULE, single(row, row), ReplayedDraws([0.0, 0.75, LARGEST_DRAW]))
    assert emitted == Verification((), 1)


def swapped(target_probs: Row, draft_probs: Row) -> Row:
    return recovery_row(draft_probs, target_probs)


def the_target(target_probs: Row, draft_probs: Row) -> Row:
    return target_probs


def not_renormalised(target_probs: Row, draft_probs: Row) -> Row:
    excess = [max(p - q, p * 0) for p, q in zip(target_probs, draft_probs, strict=True)]
    return Row._trusted(excess)


@pytest.mark.parametrize("fault", [swapped, the_target, not_renormalised])
def test_a_fault_in_the_residual_shows_in_the_joint_law(
    fault: Callable[[Row, Row], Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_rejection, "recovery_row", fault)
    target = exact("1/2", "1/3", "1/6")
    emitted = law_of(single(target, exact("1/6", "1/6", "2/3"))).image(lambda round: round.tokens)
    assert complete(emitted, ConstantModel(target), 1) != target_joint(ConstantModel(target), 1)


@given(st.integers(1, 3), strategies.draws(7))
def test_what_is_accepted_is_a_prefix_of_what_was_proposed(
    gamma: int, draws: tuple[float | Fraction, ...]
) -> None:
    instance = single(exact("1/3", "2/3"), exact("2/3", "1/3"), gamma)
    source = ReplayedDraws(draws)
    proposal = RULE.propose(instance, source)
    emitted = RULE.verify(proposal, instance.target, source)
    assert proposal.tokens[: len(emitted.accepted)] == emitted.accepted
    assert (emitted.final is None) == (emitted.accepted == proposal.tokens)
