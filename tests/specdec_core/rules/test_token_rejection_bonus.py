from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import given

from specdec_core.distributions import Row, acceptance_rate
from specdec_core.draws import RecordedDraws, ReplayedDraws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law, complete, target_joint
from specdec_core.models import ConstantModel, Context, ContextModel, TableModel
from specdec_core.proposals import DraftPath
from specdec_core.rules.rule import Verification, play_round
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification import strategies
from specdec_verification.strategies import LARGEST_DRAW

RULE = TokenRejectionBonus()

Toy: TypeAlias = Callable[[int], Instance]

TOY_LAWS: dict[int, dict[tuple[Context, int], str]] = {
    1: {
        ((0,), 0): "1/9", ((0,), 1): "2/9",
        ((), 1): "1/3",
        ((1,), 0): "1/9", ((1,), 1): "2/9",
    },
    2: {
        ((0, 0), 0): "1/27", ((0, 0), 1): "2/27", ((0,), 1): "1/9",
        ((0, 1), 0): "1/27", ((0, 1), 1): "2/27",
        ((), 1): "1/3",
        ((1, 0), 0): "1/27", ((1, 0), 1): "2/27", ((1,), 1): "1/9",
        ((1, 1), 0): "1/27", ((1, 1), 1): "2/27",
    },
    3: {
        ((0, 0, 0), 0): "1/81", ((0, 0, 0), 1): "2/81", ((0, 0), 1): "1/27",
        ((0, 0, 1), 0): "1/81", ((0, 0, 1), 1): "2/81", ((0,), 1): "1/9",
        ((0, 1, 0), 0): "1/81", ((0, 1, 0), 1): "2/81", ((0, 1), 1): "1/27",
        ((0, 1, 1), 0): "1/81", ((0, 1, 1), 1): "2/81",
        ((), 1): "1/3",
        ((1, 0, 0), 0): "1/81", ((1, 0, 0), 1): "2/81", ((1, 0), 1): "1/27",
        ((1, 0, 1), 0): "1/81", ((1, 0, 1), 1): "2/81", ((1,), 1): "1/9",
        ((1, 1, 0), 0): "1/81", ((1, 1, 0), 1): "2/81", ((1, 1), 1): "1/27",
        ((1, 1, 1), 0): "1/81", ((1, 1, 1), 1): "2/81",
    },
}  # fmt: skip
"""For each gamma: accepted tokens and the final one, to their probability."""


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


def law_of(instance: Instance) -> Law[Verification]:
    return exact_law(round_program(RULE, instance)).law


@pytest.mark.parametrize("gamma", TOY_LAWS)
def test_the_toy_models_round_has_the_law_that_was_worked_out(gamma: int, toy: Toy) -> None:
    """Sun et al. 2024 (arXiv:2403.10444), Section 2: p = (1/3, 2/3), q = (2/3, 1/3)."""
    expected = {
        Verification(accepted, final): Fraction(prob)
        for (accepted, final), prob in TOY_LAWS[gamma].items()
    }
    assert law_of(toy(gamma)) == Law(expected)


@pytest.mark.parametrize(
    ("gamma", "accepted", "emitted"),
    [(1, "2/3", "5/3"), (2, "10/9", "19/9"), (3, "38/27", "65/27")],
)
def test_the_toy_model_accepts_and_emits_as_many_as_the_closed_forms_say(
    gamma: int, accepted: str, emitted: str, toy: Toy
) -> None:
    """Leviathan et al. 2023, Equation 1: (1 - a^(gamma + 1)) / (1 - a) tokens."""
    law = law_of(toy(gamma))
    rate = acceptance_rate(toy(1).target(()), toy(1).draft(()))
    assert law.mean(lambda round: len(round.accepted)) == Fraction(accepted)
    assert law.mean(lambda round: len(round.tokens)) == Fraction(emitted)
    assert Fraction(emitted) == (1 - rate ** (gamma + 1)) / (1 - rate)


def test_without_draft_tokens_a_round_is_one_token_of_the_target(toy: Toy) -> None:
    law = law_of(toy(0))
    assert law == Law({Verification((), 0): Fraction(1, 3), Verification((), 1): Fraction(2, 3)})


@pytest.mark.parametrize(("gamma", "horizon"), [(0, 1), (1, 2), (3, 4)])
def test_a_round_emits_between_one_token_and_gamma_and_one(
    gamma: int, horizon: int, toy: Toy
) -> None:
    assert RULE.horizon(toy(gamma)) == horizon
    lengths = {len(round.tokens) for round in law_of(toy(gamma))}
    assert (min(lengths), max(lengths)) == (1, horizon)


@pytest.mark.parametrize("gamma", [-1, True, 1.0, "1"])
def test_gamma_is_an_integer_of_at_least_zero(gamma: Parameter, toy: Toy) -> None:
    instance = Instance(toy(1).target, toy(1).drafts, {"gamma": gamma})
    with pytest.raises(InvalidParameterError, match="parameter 'gamma' is "):
        RULE.horizon(instance)
    with pytest.raises(InvalidParameterError, match="parameter 'gamma' is "):
        RULE.propose(instance, ReplayedDraws([0.5]))


def test_equal_laws_always_earn_the_bonus_token() -> None:
    model = ConstantModel(exact("1/2", "1/3", "1/6"))
    law = law_of(Instance(model, (model,), {"gamma": 2}))
    assert law.image(lambda round: len(round.accepted)) == Law({2: Fraction(1)})
    assert law.image(lambda round: round.tokens) == target_joint(model, 3)


def test_disjoint_supports_never_earn_it() -> None:
    target, draft = ConstantModel(exact("1/4", "3/4", "0")), ConstantModel(exact("0", "0", "1"))
    law = law_of(Instance(target, (draft,), {"gamma": 2}))
    assert law == Law({Verification((), 0): Fraction(1, 4), Verification((), 1): Fraction(3, 4)})


def test_a_vocabulary_of_one_leaves_no_choice() -> None:
    model = ConstantModel(exact("1"))
    law = law_of(Instance(model, (model,), {"gamma": 2}))
    assert law == Law({Verification((0, 0), 0): Fraction(1)})


@pytest.mark.parametrize(
    ("draws", "emitted"),
    [
        ([0.9, 0.9, 0.0, 0.0, 0.0], Verification((1, 1), 0)),
        ([0.9, 0.9, 0.0, 0.0, 0.33], Verification((1, 1), 0)),
        ([0.9, 0.9, 0.0, 0.0, 0.34], Verification((1, 1), 1)),
        ([0.9, 0.9, 0.0, 0.0, LARGEST_DRAW], Verification((1, 1), 1)),
        ([0.0, 0.9, 0.5, 0.0, 0.0], Verification((), 1)),
        ([0.0, 0.0, 0.49, 0.5, 0.0], Verification((0,), 1)),
    ],
)
def test_the_last_draw_is_for_the_bonus_or_for_the_replacement(
    draws: list[float], emitted: Verification, toy: Toy
) -> None:
    source = ReplayedDraws(draws)
    assert play_round(RULE, toy(2), source) == emitted
    source.require_all_used()


def test_the_draws_are_laid_out_alike_on_every_path(toy: Toy) -> None:
    source = RecordedDraws(ReplayedDraws([0.0, 0.0, 0.9, 0.0, 0.5, 0.5]))
    play_round(RULE, toy(2), source)
    assert len(source.record) == 5


def test_the_bonus_token_follows_every_draft_token() -> None:
    """Its row is that of the whole draft, and no other."""
    certain = exact("0", "1")
    target = TableModel({(): certain, (1,): certain, (1, 1): exact("1", "0")}, "target")
    draft = TableModel({(): certain, (1,): certain}, "draft")
    instance = Instance(target, (draft,), {"gamma": 2})
    assert law_of(instance) == Law({Verification((1, 1), 0): Fraction(1)})


@given(strategies.instances(RULE, {"gamma": (0, 1, 2)}))
def test_up_to_the_bonus_a_round_is_that_of_token_rejection(instance: Instance) -> None:
    whole = law_of(instance)
    bonusless = exact_law(lambda draws: proposed_and_verified(instance, draws)).law
    gamma = instance.integer("gamma", minimum=0)

    def without_bonus(round: Verification) -> Verification:
        return Verification(round.accepted, None) if len(round.accepted) == gamma else round

    assert whole.image(without_bonus) == bonusless


def proposed_and_verified(instance: Instance, draws: RecordedDraws) -> Verification:
    return TokenRejection().verify(RULE.propose(instance, draws), instance.target, draws)


class BonusOneRowEarly(TokenRejectionBonus):
    """The slip that a target without context would hide."""

    def verify(
        self, proposal: DraftPath, target: ContextModel, draws: ReplayedDraws
    ) -> Verification:
        return super().verify(
            proposal, lambda context: target(context[: len(proposal.tokens) - 1]), draws
        )


@pytest.mark.parametrize(("rule", "lossless"), [(RULE, True), (BonusOneRowEarly(), False)])
def test_a_bonus_row_off_by_one_shows_in_the_joint_law(
    rule: TokenRejectionBonus, lossless: bool
) -> None:
    model = TableModel({(): exact("1/2", "1/2"), (0,): exact("1", "0"), (1,): exact("0", "1")})
    instance = Instance(model, (model,), {"gamma": 1})
    emitted = exact_law(round_program(rule, instance)).law.image(lambda round: round.tokens)
    assert (complete(emitted, model, 2) == target_joint(model, 2)) is lossless
