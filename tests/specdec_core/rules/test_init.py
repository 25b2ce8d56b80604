"""Properties of every registered rule; a new one is tested here without a line more."""

import re
from copy import copy
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.draws import RecordedDraws, ReplayedDraws
from specdec_core.errors import InvalidParameterError, UnknownRuleError
from specdec_core.instances import Instance
from specdec_core.laws import Law, complete, outside_support, target_joint
from specdec_core.models import ConstantModel
from specdec_core.rules import RULES, Rule, play_round, rule_named
from specdec_core.rules.rule import claimed_model
from specdec_grids.paths import exact_law, paths
from specdec_grids.programs import round_program
from specdec_verification import strategies

MAX_PATHS = 5_000
"""Instances on which a rule has more paths than this are left to the grids."""

every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
every_lossless_rule = pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES if rule.lossless],
    ids=[rule.name for rule in RULES if rule.lossless],
)

few = settings(max_examples=settings.default.max_examples // 8)
"""There are many rules, each with tests of its own and a grid that goes further."""


class EndlessDraws:
    """A few draws, over and over: rules differ in how many they take."""

    def __init__(self, values: tuple[float | Fraction, ...]) -> None:
        self._values = cycle(values)

    def uniform(self) -> float | Fraction:
        return next(self._values)


@every_rule
def test_a_rule_is_found_by_its_name(rule: Rule[Any]) -> None:
    assert rule_named(rule.name) is rule


def test_names_are_unique() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("token_rejection_", ", did you mean 'token_rejection'?"),
        ("token rejection", ", did you mean 'token_rejection'?"),
        ("", ";"),
        ("XYZ", ";"),
    ],
)
def test_another_name_is_refused_with_those_that_exist(name: str, guess: str) -> None:
    known = ", ".join(rule.name for rule in RULES)
    with pytest.raises(UnknownRuleError) as refused:
        rule_named(name)
    assert str(refused.value) == f"no rule is called {name!r}{guess} there are {known}"


@every_rule
def test_a_rule_says_what_it_is(rule: Rule[Any]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", rule.name)
    assert isinstance(rule.lossless, bool)
    assert rule.reference


@every_rule
def test_a_rule_is_an_immutable_value(rule: Rule[Any]) -> None:
    assert hash(rule) == hash(copy(rule))
    with pytest.raises(FrozenInstanceError):
        rule.name = "another"


@every_rule
@few
@given(data=st.data())
def test_a_round_completed_follows_the_law_that_is_claimed(
    rule: Rule[Any], data: st.DataObject
) -> None:
    """The joint law over the rule's horizon, in fractions, with ``==``."""
    instance = data.draw(strategies.instances(rule))
    exploration = exact_law(round_program(rule, instance), max_paths=MAX_PATHS)
    assume(not exploration.missing)
    emitted = exploration.law.image(lambda verification: verification.tokens)
    claimed, horizon = claimed_model(rule, instance), rule.horizon(instance)
    assert complete(emitted, claimed, horizon) == target_joint(claimed, horizon)
    assert min(map(len, emitted)) >= 1


@every_lossless_rule
@few
@given(data=st.data())
def test_nothing_is_emitted_that_the_target_cannot_emit(
    rule: Rule[Any], data: st.DataObject
) -> None:
    """In floats, whose rounding may move a probability but not make one out of nothing."""
    instance = data.draw(strategies.instances(rule, rows_over=strategies.float_rows))
    exploration = exact_law(round_program(rule, instance), max_paths=MAX_PATHS)
    emitted = exploration.law.image(lambda verification: verification.tokens)
    target, horizon = instance.target, rule.horizon(instance)
    possible = target_joint(target, horizon)
    assert outside_support(complete(emitted, target, horizon), possible) == Law({})


@every_rule
@few
@given(data=st.data())
def test_recorded_draws_replay_to_the_same_outcome(rule: Rule[Any], data: st.DataObject) -> None:
    """Every one of them is used, and it is all one whether they are floats or fractions."""
    rows_over = data.draw(st.sampled_from([strategies.rows, strategies.float_rows]))
    instance = data.draw(strategies.instances(rule, rows_over=rows_over))
    source = RecordedDraws(EndlessDraws(tuple(map(float, data.draw(strategies.draws(7))))))
    outcome = play_round(rule, instance, source)
    for kind in (float, Fraction):
        replayed = ReplayedDraws(tuple(map(kind, source.record)))
        assert play_round(rule, instance, replayed) == outcome
        replayed.require_all_used()


@every_rule
@few
@given(data=st.data())
def test_any_draws_of_a_path_replay_to_its_outcome(rule: Rule[Any], data: st.DataObject) -> None:
    instance = data.draw(strategies.instances(rule))
    program = round_program(rule, instance)
    followed = list(islice(paths(program), 50))
    assert [program(ReplayedDraws(path.draws)) for path in followed] == [
        path.outcome for path in followed
    ]


@every_rule
def test_a_parameter_that_is_missing_is_refused_before_anything_is_drawn(rule: Rule[Any]) -> None:
    anything = ConstantModel(Row([1]))
    with pytest.raises(InvalidParameterError, match="is missing"):
        rule.horizon(Instance(anything, (anything,), {}))
