from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.rules import recursive_rejection as module
from specdec_core.rules.recursive_rejection import RECURSIVE_REJECTION, recursive_rejection
from specdec_core.rules.rule import Rule, Verification
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.siblings import Siblings
from specdec_grids.generated import RandomInstances

RULE = RECURSIVE_REJECTION

TOY_LAWS = {
    2: {"0,0|1": "1/9", "0,1|1": "2/9", "1|0": "2/9", "1,0|1": "4/27", "1,1|1": "8/27"},
    3: {"0,0|1": "1/9", "0,1|1": "2/9", "1|0": "4/27", "1,0|1": "14/81", "1,1|1": "28/81"},
}


@pytest.mark.parametrize(("k", "kept"), [(1, "2/3"), (2, "7/9"), (3, "23/27")])
def test_the_toy_models_acceptance(
    k: int, kept: str, toy_with: Callable[..., Instance], accepted: Callable[..., Fraction]
) -> None:
    """``1 - prod_j (1 - a_j)``, ``a_j`` the acceptance rate on the residual left by ``j``."""
    assert accepted(RULE, toy_with({"k": k, "depth": 1})) == Fraction(kept)


@pytest.mark.parametrize("k", TOY_LAWS)
def test_the_toy_models_law(k: int, toy_law: Callable[..., dict[str, str]]) -> None:
    assert toy_law(RULE, {"k": k, "depth": 1}) == TOY_LAWS[k]


@pytest.mark.parametrize("number", range(12))
def test_three_siblings_are_lossless(
    number: int, lossless: Callable[..., bool], shaped: Callable[..., Rule[Any]]
) -> None:
    instances = RandomInstances(shaped(RULE, {"k": 3, "depth": 1}), 12)
    assert lossless(RULE, instances[number])


@pytest.mark.parametrize("number", range(12))
def test_with_one_child_a_node_it_is_token_rejection(
    number: int, block_law: Callable[..., Law[Verification]], shaped: Callable[..., Rule[Any]]
) -> None:
    """The block laws are equal, what is accepted included."""
    one_path = shaped(RULE, {"k": 1, "depth": 2, "gamma": 2})
    instance = RandomInstances(one_path, 12)[number]
    assert block_law(RULE, instance) == block_law(TokenRejectionBonus(), instance)


TARGET, DRAFT = Row([0.25, 0.5, 0.25]), Row([0.5, 0.0, 0.5])


@pytest.mark.parametrize(
    ("coins", "draws", "emitted"),
    [
        ((0.25, 0.0), [], Verification((0,), None)),
        ((0.5, 0.0), [0.0], Verification((), 1)),
        ((0.5, 0.99), [0.99], Verification((), 1)),
    ],
    ids=["first kept", "copy refused", "residual"],
)
def test_a_refused_token_is_never_kept_later(
    coins: tuple[float, ...], draws: list[float], emitted: Verification
) -> None:
    """Token 0 is refused from 1/2 on, and its residual is the point mass at token 1."""
    siblings = Siblings((0, 0), (DRAFT, DRAFT))
    assert recursive_rejection(siblings, TARGET, coins, ReplayedDraws(draws)) == emitted


def test_a_refusal_by_rounding_alone_leaves_the_row_as_it_was() -> None:
    """The target falls short of the draft by rounding, and exceeds it nowhere."""
    short, full = Row([1 - 2**-31, 0.0]), Row([1.0, 0.0])
    siblings = Siblings((0,), (full,))
    outcome = recursive_rejection(siblings, short, (1 - 2**-32,), ReplayedDraws([0.5]))
    assert outcome == Verification((), 0)


@pytest.mark.parametrize("fault", [lambda p, q: p, lambda p, q: q], ids=["target", "draft"])
def test_a_planted_fault_shows(
    fault: Callable[[Row, Row], Row],
    lossless: Callable[..., bool],
    toy_with: Callable[..., Instance],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A refusal leaves the target's residual: not its whole row, and not the draft's."""
    monkeypatch.setattr(module, "recovery_row", fault)
    assert not lossless(RULE, toy_with({"k": 2, "depth": 1}))
