from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.instances import Instance
from specdec_core.optimal_acceptance import optimal_acceptance
from specdec_core.rules.naive_sampling import NAIVE_SAMPLING
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION
from specdec_core.rules.rule import Rule
from specdec_core.siblings import WITH_REPLACEMENT, WITHOUT_REPLACEMENT
from specdec_grids.generated import RandomInstances

RULE = NAIVE_SAMPLING


@pytest.mark.parametrize(("k", "kept"), [(1, "4/9"), (2, "2/3"), (3, "64/81")])
def test_the_toy_models_acceptance(
    k: int, kept: str, toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    """``sum p (1 - (1 - q)^k)``."""
    assert accepted(RULE, toy_with({"k": k, "depth": 1})) == Fraction(kept)


def test_the_toy_models_law(toy_law: Callable[..., dict[str, str]]) -> None:
    assert toy_law(RULE, {"k": 2, "depth": 1}) == {
        "0|0": "1/27", "0,0|1": "8/81", "0,1|1": "16/81",
        "1|0": "8/27", "1,0|1": "10/81", "1,1|1": "20/81",
    }  # fmt: skip


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("number", range(12))
def test_rules_stand_in_the_order_of_their_acceptance(
    number: int, k: int, accepted: Callable[..., Fraction], shaped: Callable[..., Rule[Any]]
) -> None:
    """Naive sampling, recursive rejection, the optimum with replacement, the optimum without."""
    instance = RandomInstances(shaped(RULE, {"k": k, "depth": 1}), 12)[number]
    p, q = instance.target(()), instance.draft(())
    assert (
        accepted(NAIVE_SAMPLING, instance)
        <= accepted(RECURSIVE_REJECTION, instance)
        <= optimal_acceptance(p, WITH_REPLACEMENT.draft_sets(q, k))
        <= optimal_acceptance(p, WITHOUT_REPLACEMENT.draft_sets(q, k))
    )
