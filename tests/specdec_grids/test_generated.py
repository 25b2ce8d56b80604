import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Parameter, dumps
from specdec_core.models import Context, TableModel
from specdec_core.rules import Rule
from specdec_core.rules.deterministic_candidates import DeterministicCandidates
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.generated import (
    DENOMINATORS,
    VOCAB_SIZES,
    PairInstances,
    RandomInstances,
    contexts,
    pick,
    shapes,
)
from specdec_grids.simplex import Simplex

RULES = (TokenRejection(), TokenRejectionBonus(), DeterministicCandidates())
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
rules = st.sampled_from(RULES)


@dataclass(frozen=True)
class Stub:
    """As much of a rule as generating instances for it takes."""

    parameters: Mapping[str, Sequence[Parameter]]
    name: str = "stub"

    def horizon(self, instance: Instance) -> int:
        return 1


def written(instance: Instance) -> dict[str, Any]:
    """Return an instance as its file says it, a row in one string."""
    document = json.loads(dumps(instance))
    for model in ("target", "draft"):
        document[model] = {key: " ".join(row) for key, row in document[model].items()}
    return document


# Numbers never change.


@pytest.mark.parametrize(
    ("rule", "number", "parameters", "target", "draft"),
    [
        (TokenRejection(), 0, {"gamma": 1}, {"": "0 1"}, {"": "5/6 1/6"}),
        (TokenRejection(), 10, {"gamma": 1}, {"": "0 1/4 3/4"}, {"": "0 1/2 1/2"}),
        (
            TokenRejection(),
            3,
            {"gamma": 2},
            {"": "1/6 5/6", "0": "1/2 1/2", "1": "1/6 5/6"},
            {"": "5/6 1/6", "0": "0 1", "1": "1/6 5/6"},
        ),
        (
            DeterministicCandidates(),
            137,
            {"k": 1, "depth": 1},
            {"": "1/6 17/30 1/5 1/15"},
            {"": "17/30 1/10 1/15 4/15"},
        ),
    ],
)
def test_a_random_instance_is_what_it_always_was(
    rule: Rule[Any],
    number: int,
    parameters: dict[str, int],
    target: dict[str, str],
    draft: dict[str, str],
) -> None:
    got = written(RandomInstances(rule, 1000)[number])
    assert got["parameters"] == parameters
    assert target.items() <= got["target"].items()
    assert draft.items() <= got["draft"].items()


def test_a_pair_instance_is_what_it_always_was() -> None:
    got = written(PairInstances(TokenRejection(), vocab_size=3, denominator=2)[22])
    assert got["parameters"] == {"gamma": 1}
    assert got["target"][""] == "1/2 0 1/2"
    assert got["draft"][""] == "1/2 1/2 0"


def test_a_key_picks_the_row_that_it_always_picked() -> None:
    simplex = Simplex(4, 10)
    assert [simplex.index_of(pick(simplex, key)) for key in ("", "a", "b")] == [278, 50, 154]


@pytest.mark.parametrize("number", range(0, 60, 7))
def test_rows_after_the_start_of_a_pair_are_picked_by_number(number: int) -> None:
    rule = DeterministicCandidates()
    instances = PairInstances(rule, vocab_size=2, denominator=7)
    assert instances[number].parameters == {"k": 2, "depth": 2}
    target, draft = instances.pairs[number]
    instance = instances[number]
    assert (instance.target(()), instance.draft(())) == (target, draft)
    assert set(table(instance.target)) == set(contexts(2, 3))


# Random instances.


def table(model: object) -> Mapping[Context, Row]:
    assert isinstance(model, TableModel)
    return model.table


@given(rules, st.integers(0, 300), st.integers(1, 300))
def test_the_first_ones_of_a_longer_sequence_are_the_same(
    rule: Rule[Any], number: int, more: int
) -> None:
    short, long = RandomInstances(rule, number + 1), RandomInstances(rule, number + 1 + more)
    assert short[number] == short[-1] == long[number]


@every_rule
def test_it_is_a_sequence(rule: Rule[Any]) -> None:
    instances = RandomInstances(rule, 20)
    listed = list(instances)
    assert len(instances) == len(listed) == 20
    assert instances[-3] == listed[-3]
    assert instances[15:2:-4] == listed[15:2:-4]
    for index in (20, -21):
        with pytest.raises(IndexError):
            instances[index]


@every_rule
def test_every_shape_comes_in_turn_and_every_denominator(rule: Rule[Any]) -> None:
    grid = shapes(rule)
    assert len(grid) == len(VOCAB_SIZES) * len(list(product(*rule.parameters.values())))
    for number, instance in enumerate(RandomInstances(rule, 3 * len(grid))):
        shape = grid[number % len(grid)]
        assert {**instance.parameters, "vocab_size": instance.vocab_size} == shape
        over = DENOMINATORS[number // len(grid) % len(DENOMINATORS)]
        rows = [*table(instance.target).values(), *table(instance.draft).values()]
        assert all(over % prob.denominator == 0 for row in rows for prob in row)  # type: ignore[union-attr]


@every_rule
def test_every_context_that_a_round_can_reach_has_a_row_and_one_token_more(rule: Rule[Any]) -> None:
    for instance in RandomInstances(rule, 30):
        reached = list(contexts(instance.vocab_size, rule.horizon(instance) + 1))
        assert list(table(instance.target)) == list(table(instance.draft)) == reached


def test_rows_depend_on_the_context_the_instance_the_rule_and_the_model() -> None:
    many = [RandomInstances(rule, 60) for rule in (TokenRejection(), TokenRejectionBonus())]
    deep = [instance for instance in many[0] if instance.parameters["gamma"] == 3]
    assert all(len(set(table(instance.target).values())) > 1 for instance in deep)
    assert all(table(instance.target) != table(instance.draft) for instance in deep)
    assert len({tuple(table(instance.target).values()) for instance in deep}) == len(deep)
    starts = [[instance.target(()) for instance in instances] for instances in many]
    assert starts[0] != starts[1]


def test_the_draft_s_row_is_the_target_s_at_about_one_context_in_eight() -> None:
    pairs = [
        (row, instance.draft(context))
        for instance in RandomInstances(TokenRejection(), 300)
        if instance.vocab_size == 4
        for context, row in table(instance.target).items()
    ]
    equal = sum(target == draft for target, draft in pairs)
    assert len(pairs) / 10 < equal < len(pairs) / 6


def test_what_random_rows_rarely_hit_is_common() -> None:
    instances = list(RandomInstances(TokenRejection(), 200))
    rows = [row for instance in instances for row in table(instance.target).values()]
    assert sum(0 in row for row in rows) > len(rows) / 5
    assert sum(1 in row for row in rows) > len(rows) / 50


# Pairs.


def test_pairs_are_every_pair_of_two_rows() -> None:
    instances = PairInstances(TokenRejection(), vocab_size=2, denominator=3)
    pairs = [(instance.target(()), instance.draft(())) for instance in instances]
    assert len(instances) == 16
    assert pairs == list(product(Simplex(2, 3), repeat=2))


def test_pairs_are_a_sequence() -> None:
    instances = PairInstances(TokenRejectionBonus(), vocab_size=2, denominator=2)
    listed = list(instances)
    assert instances[-1] == listed[8]
    assert instances[1:9:3] == listed[1:9:3]
    with pytest.raises(IndexError):
        instances[9]


# Shapes and contexts.


def test_shapes_go_through_vocabularies_fastest() -> None:
    assert list(islice(shapes(TokenRejection()), 4)) == [
        {"gamma": 1, "vocab_size": 2},
        {"gamma": 1, "vocab_size": 3},
        {"gamma": 1, "vocab_size": 4},
        {"gamma": 2, "vocab_size": 2},
    ]


@pytest.mark.parametrize(("vocab_size", "length"), [(1, 4), (2, 3), (3, 2), (4, 0)])
def test_contexts_are_all_that_are_shorter(vocab_size: int, length: int) -> None:
    got = list(contexts(vocab_size, length))
    assert got == sorted(got, key=lambda context: (len(context), context))
    assert len(got) == len(set(got)) == sum(vocab_size**size for size in range(length))
    assert all(len(context) < length for context in got)


def test_a_rule_s_own_parameters_can_be_of_any_kind() -> None:
    rule: Any = Stub({"rate": (0.5,), "greedy": (True, False)})
    assert RandomInstances(rule, 6)[3].parameters == {"rate": 0.5, "greedy": False}


def test_a_rule_with_several_drafters_gets_as_many() -> None:
    """The first is the one that a rule with a single drafter gets."""
    two: Any = Stub({"drafters": (2,)})
    one: Any = Stub({"tries": (2,)})
    pairs = list(zip(RandomInstances(two, 30), RandomInstances(one, 30), strict=True))
    assert all(len(several.drafts) == 2 for several, _ in pairs)
    assert all(several.drafts[0] == single.draft for several, single in pairs)
    assert [several.drafts[1] for several, _ in pairs] != [single.draft for _, single in pairs]


def test_the_number_of_drafters_is_an_integer() -> None:
    rule: Any = Stub({"drafters": ("two",)})
    with pytest.raises(InvalidParameterError, match="drafters is 'two', expected an integer"):
        RandomInstances(rule, 1)[0]


def test_the_vocabulary_size_is_not_a_rule_s_to_set() -> None:
    rule: Any = Stub({"vocab_size": (2,)})
    with pytest.raises(InvalidParameterError, match="two have one name"):
        RandomInstances(rule, 1)[0]
