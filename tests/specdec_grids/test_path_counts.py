"""The engine's paths against the formulas: certain events do not fork, and nothing is missed."""

from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel
from specdec_core.rules import Rule
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_core.trees import DraftTree
from specdec_grids.generated import PairInstances, RandomInstances
from specdec_grids.path_counts import (
    token_rejection_bonus_paths,
    token_rejection_paths,
    tree_paths,
)
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_grids.simplex import Simplex


def paths_of(rule: Rule[Any], instance: Instance) -> int:
    return exact_law(round_program(rule, instance)).paths


def tree_of(instance: Instance) -> DraftTree:
    """Return the rule's tree; proposing takes no draw."""
    return DeterministicCandidates().propose(instance, ReplayedDraws([]))


def constant(target: Row, draft: Row, **parameters: int) -> Instance:
    return Instance(ConstantModel(target), (ConstantModel(draft),), parameters)


# Worked examples.


def test_two_tokens_by_hand() -> None:
    """Token 0 can be rejected (and replaced by token 1 alone), token 1 cannot."""
    half = Row([Fraction(1, 2), Fraction(1, 2)])
    instance = constant(Row([Fraction(1, 4), Fraction(3, 4)]), half, gamma=1)
    assert token_rejection_paths(instance) == paths_of(TokenRejection(), instance) == 3
    assert token_rejection_bonus_paths(instance) == paths_of(TokenRejectionBonus(), instance) == 5


def test_equal_laws_reject_nothing() -> None:
    row = Row([Fraction(1, 4), Fraction(3, 4)])
    instance = constant(row, row, gamma=3)
    assert token_rejection_paths(instance) == paths_of(TokenRejection(), instance) == 8


def test_disjoint_laws_keep_nothing() -> None:
    target = Row([Fraction(0), Fraction(1, 2), Fraction(1, 2)])
    instance = constant(target, Row([Fraction(1), Fraction(0), Fraction(0)]), gamma=3)
    assert token_rejection_paths(instance) == paths_of(TokenRejection(), instance) == 2


def test_one_token_is_one_path() -> None:
    instance = constant(Row([Fraction(1)]), Row([Fraction(1)]), gamma=2)
    assert token_rejection_paths(instance) == token_rejection_bonus_paths(instance) == 1


def test_no_draft_is_one_path_for_each_target_token() -> None:
    row = Row([Fraction(1, 2), Fraction(0), Fraction(1, 2)])
    assert token_rejection_bonus_paths(constant(row, row, gamma=0)) == 2


def test_the_contract_s_two_level_tree_has_four_paths() -> None:
    tree = DraftTree(tokens=(0, 1), parents=(0, 0), vocab_size=3)
    row = Row([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
    assert tree_paths(tree, constant(row, row)) == 3
    assert tree_paths(DraftTree((), (), 3), constant(row, row)) == 3
    certain = Row([Fraction(0), Fraction(1), Fraction(0)])
    assert tree_paths(tree, constant(certain, row)) == 1


def test_a_rejection_that_rounding_alone_allows_is_counted_as_the_rule_plays_it() -> None:
    """The target nowhere exceeds the draft, and still a token can be rejected."""
    target, draft = Row([0.25, 0.75 - 2.0**-53]), Row([0.25, 0.75])
    instance = constant(target, draft, gamma=2)
    assert paths_of(TokenRejection(), instance) == token_rejection_paths(instance) == 12
    short = constant(Row([0.0, 1 - 2.0**-53]), draft, k=2, depth=1)
    expected = tree_paths(tree_of(short), short)
    assert paths_of(DeterministicCandidates(), short) == expected == 2


# Hundreds of instances.


@pytest.mark.parametrize("number", range(300))
def test_token_rejection_has_as_many_paths_as_the_formula_says(number: int) -> None:
    instance = RandomInstances(TokenRejection(), 300)[number]
    assert paths_of(TokenRejection(), instance) == token_rejection_paths(instance)


@pytest.mark.parametrize("number", range(200))
def test_with_a_bonus_token_too(number: int) -> None:
    instance = RandomInstances(TokenRejectionBonus(), 200)[number]
    assert paths_of(TokenRejectionBonus(), instance) == token_rejection_bonus_paths(instance)


@pytest.mark.parametrize("number", range(300))
def test_a_tree_has_as_many_paths_as_the_formula_says(number: int) -> None:
    instance = RandomInstances(DeterministicCandidates(), 300)[number]
    expected = tree_paths(tree_of(instance), instance)
    assert paths_of(DeterministicCandidates(), instance) == expected


@pytest.mark.parametrize("rule", [TokenRejection(), TokenRejectionBonus()], ids=lambda r: r.name)
@pytest.mark.parametrize("number", range(len(Simplex(3, 2))))
def test_every_pair_of_small_rows_has_as_many_paths_as_the_formula_says(
    number: int, rule: Rule[Any]
) -> None:
    formula = token_rejection_bonus_paths if rule.name.endswith("bonus") else token_rejection_paths
    pairs = PairInstances(rule, vocab_size=3, denominator=2)
    for instance in pairs[number :: len(Simplex(3, 2))]:
        assert paths_of(rule, instance) == formula(instance)


@pytest.mark.parametrize(
    ("vocab_size", "gamma", "bound"), [(3, 2, 100), (4, 2, 400), (3, 3, 800), (8, 2, 9000)]
)
def test_paths_stay_below_the_published_bounds(vocab_size: int, gamma: int, bound: int) -> None:
    """METHODS, section 1: whatever the rows are, the formula stays far below."""
    simplex = Simplex(vocab_size, 10)
    rows = [simplex[len(simplex) // 3], simplex[len(simplex) // 2]]
    instance = constant(*rows, gamma=gamma)
    assert paths_of(TokenRejection(), instance) == token_rejection_paths(instance) < bound
