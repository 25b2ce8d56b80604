from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION
from specdec_core.rules.rule import Rule, Verification
from specdec_core.rules.traversal_with_replacement import TRAVERSAL_WITH_REPLACEMENT
from specdec_grids.generated import RandomInstances

RULE = TRAVERSAL_WITH_REPLACEMENT
TOY = {"k": 2, "depth": 2}


def test_the_toy_models_law(toy_law: Callable[..., dict[str, str]]) -> None:
    assert toy_law(RULE, TOY) == {
        "0,0,0|2": "1/27", "0,0,1|2": "2/27", "0,1,0|2": "2/27", "0,1,1|2": "4/27",
        "1|0": "2/9",
        "1,0,0|2": "4/81", "1,0,1|2": "8/81",
        "1,1|1": "8/81", "1,1,0|2": "16/243", "1,1,1|2": "32/243",
    }  # fmt: skip


def test_it_keeps_more_of_the_toy_model_than_top_down(
    toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    assert accepted(RULE, toy_with(TOY)) == Fraction(118, 81)
    assert accepted(RECURSIVE_REJECTION, toy_with(TOY)) == Fraction(112, 81)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("number", range(12))
def test_on_one_level_it_is_recursive_rejection(
    number: int,
    k: int,
    block_law: Callable[..., Law[Verification]],
    shaped: Callable[..., Rule[Any]],
) -> None:
    instance = RandomInstances(shaped(RULE, {"k": k, "depth": 1}), 12)[number]
    assert block_law(RULE, instance) == block_law(RECURSIVE_REJECTION, instance)


@pytest.mark.parametrize("number", range(8))
def test_it_keeps_no_less_than_top_down(
    number: int, accepted: Callable[..., Fraction], shaped: Callable[..., Rule[Any]]
) -> None:
    instance = RandomInstances(shaped(RULE, TOY), 24)[number]
    assert accepted(RULE, instance) >= accepted(RECURSIVE_REJECTION, instance)
