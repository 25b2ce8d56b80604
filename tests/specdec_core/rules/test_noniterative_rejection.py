from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.efficiency import acceptance_at
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law
from specdec_core.rules import Rule
from specdec_core.rules.noniterative_rejection import NoniterativeRejection
from specdec_core.rules.rule import Verification
from specdec_grids.generated import RandomInstances

Distance: TypeAlias = Callable[[Rule[Any], Instance], Fraction]
Toy: TypeAlias = Callable[[Mapping[str, Parameter]], Instance]
ToyLaw: TypeAlias = Callable[[Rule[Any], Mapping[str, Parameter]], dict[str, str]]

RULE = NoniterativeRejection()


BlockLaw: TypeAlias = Callable[[Rule[Any], Instance], Law[Verification]]
Accepted: TypeAlias = Callable[[Rule[Any], Instance], Fraction]


def test_the_toy_models_round(toy_law: ToyLaw) -> None:
    """Leviathan et al. 2023, Appendix A.2, on p = (1/3, 2/3), q = (2/3, 1/3)."""
    assert toy_law(RULE, {"gamma": 2}) == {
        "0|0": "1/6", "0,0|1": "1/36", "0,0,0|2": "1/108", "0,0,1|2": "1/54",
        "0,1|1": "1/18", "0,1,0|2": "1/54", "0,1,1|2": "1/27",
        "1|0": "1/3", "1,0|1": "1/18", "1,0,0|2": "1/54", "1,0,1|2": "1/27",
        "1,1|1": "1/9", "1,1,0|2": "1/27", "1,1,1|2": "2/27",
    }  # fmt: skip


def test_the_toy_model_accepts_half(accepted: Accepted, toy_with: Toy) -> None:
    assert accepted(RULE, toy_with({"gamma": 1})) == Fraction(1, 2)
    assert accepted(RULE, toy_with({"gamma": 2})) == Fraction(3, 4)


@pytest.mark.parametrize("number", range(20))
def test_a_token_is_kept_with_probability_one_over_m(number: int, block_law: BlockLaw) -> None:
    """M = max p / q, infinite where the draft misses a token of the target."""
    instance = RandomInstances(RULE, 60)[number]
    p, q = instance.target(()), instance.draft(())
    missed = any(p[token] and not q[token] for token in range(len(p)))
    kept = 0 if missed else 1 / max(p[token] / q[token] for token in q.support)
    assert acceptance_at(block_law(RULE, instance), 1) == kept


def test_the_draws_are_laid_out_alike_on_every_path(toy_with: Toy) -> None:
    instance = toy_with({"gamma": 2})
    proposal = RULE.propose(instance, ReplayedDraws([0.0, 0.0]))
    for coins, outcome in (
        ([0.9, 0.0], Verification((), 1)),
        ([0.0, 0.0], Verification((0, 0), 1)),
    ):
        draws = ReplayedDraws([*coins, 0.5])
        assert RULE.verify(proposal, instance.target, draws) == outcome
        draws.require_all_used()


def test_without_draft_tokens_a_round_is_one_token(claim_distance: Distance, toy_with: Toy) -> None:
    instance = toy_with({"gamma": 0})
    assert RULE.horizon(instance) == 1
    assert claim_distance(RULE, instance) == 0
