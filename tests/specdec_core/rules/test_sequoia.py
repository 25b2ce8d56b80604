from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION
from specdec_core.rules.rule import Rule
from specdec_core.rules.sequoia import SEQUOIA
from specdec_core.rules.without_replacement import WITHOUT_REPLACEMENT_REJECTION
from specdec_grids.generated import RandomInstances

RULE = SEQUOIA


def test_the_worked_example_of_sequoia(accepted: Callable[..., Fraction]) -> None:
    """Chen et al. 2024, Theorem F.6: SpecInfer's rule refuses both siblings a quarter of the time.

    p = (1, 0), q = (1/2, 1/2), k = 2.
    """
    half = Fraction(1, 2)
    target, draft = ConstantModel(Row([1, 0])), ConstantModel(Row([half, half]))
    instance = Instance(target, (draft,), {"k": 2, "depth": 1})
    assert accepted(RECURSIVE_REJECTION, instance) == Fraction(3, 4)
    assert accepted(SEQUOIA, instance) == 1


@pytest.mark.parametrize(("k", "kept"), [(1, "2/3"), (2, "1"), (3, "1")])
def test_the_toy_models_acceptance(
    k: int, kept: str, toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    assert accepted(RULE, toy_with({"k": k, "depth": 1})) == Fraction(kept)


@pytest.mark.parametrize("number", range(24))
def test_as_many_siblings_as_tokens_are_always_enough(
    number: int,
    lossless: Callable[..., bool],
    accepted: Callable[..., Fraction],
    shaped: Callable[..., Rule[Any]],
) -> None:
    instance = RandomInstances(shaped(RULE, {"k": 4, "depth": 1}), 24)[number]
    assert lossless(RULE, instance)
    assert accepted(RULE, instance) == 1


@pytest.mark.parametrize("number", range(24))
def test_it_keeps_no_less_than_without_the_uniform_siblings(
    number: int, accepted: Callable[..., Fraction], shaped: Callable[..., Rule[Any]]
) -> None:
    instance = RandomInstances(shaped(RULE, {"k": 2, "depth": 1}), 24)[number]
    assert accepted(RULE, instance) >= accepted(WITHOUT_REPLACEMENT_REJECTION, instance)


def test_past_the_drafts_support_the_untried_tokens_are_equally_likely() -> None:
    row = Row([Fraction(0), Fraction(1), Fraction(0), Fraction(0)])
    siblings = RULE.draw_siblings(row, 9, ReplayedDraws([0.0, 0.5, 0.5, 0.0]))
    assert siblings.tokens == (1, 2, 3, 0)
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert siblings.draft_probs[1:] == (
        Row([third, 0, third, third]),
        Row([half, 0, 0, half]),
        Row([1, 0, 0, 0]),
    )
