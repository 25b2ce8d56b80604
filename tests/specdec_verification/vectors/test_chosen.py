from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.instances import Instance
from specdec_core.rules import RULES, Rule, play_round, rule_named
from specdec_grids.generated import FloatingInstances
from specdec_verification.boundaries import Side
from specdec_verification.round_laws import round_law
from specdec_verification.vectors import chosen
from specdec_verification.vectors.chosen import Vectors, chosen_vectors, vectors_of

SMALL = ("token_rejection", "token_rejection_bonus", "block_verification", "gumbel_coupling")


@pytest.mark.parametrize("name", SMALL)
def test_the_weights_are_the_law(name: str) -> None:
    rule = rule_named(name)
    for vectors in chosen_vectors(rule, 6):
        sums: dict[Any, Fraction] = {}
        for point in vectors.middles:
            tokens = point.outcome.tokens
            sums[tokens] = sums.get(tokens, Fraction(0)) + point.weight
        assert sums == round_law(rule, vectors.instance).emitted.probs


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_replay_in_doubles_decides_as_the_fractions_do(rule: Rule[Any]) -> None:
    """The rule itself on floating rows: cumulative sums, ratios and residuals are rounded."""
    for vectors in chosen_vectors(rule, 2):
        assert not _wrong(rule, vectors, _floating(vectors.instance))


def _floating(instance: Instance) -> Instance:
    return FloatingInstances([instance])[0]


def _wrong(rule: Rule[Any], vectors: Vectors, instance: Instance) -> list[str]:
    return [
        str(point.place)
        for point in (*vectors.middles, *vectors.boundaries)
        if play_round(rule, instance, ReplayedDraws(list(map(float, point.draws)))).tokens
        != point.outcome.tokens
    ]


def test_boundaries_are_on_dyadic_instances_and_ends_on_all() -> None:
    dyadic, random = chosen_vectors(rule_named("token_rejection_bonus"), 2)
    sides = [
        {point.place.side for point in one.boundaries if point.place} for one in (dyadic, random)
    ]
    assert sides == [set(Side), {Side.END}]


def test_every_vector_keeps_the_margin() -> None:
    vectors = list(chosen_vectors(rule_named("token_rejection_bonus"), 6))
    assert min(one.margin for one in vectors) > Fraction(1, 100)


def test_instances_of_too_many_paths_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first six of recursive rejection, two have at most ten paths."""
    monkeypatch.setattr(chosen, "MAX_PATHS", 10)
    rule = rule_named("recursive_rejection")
    assert [len(one.middles) for one in chosen_vectors(rule, 2)] == [8, 5]


def test_an_instance_of_one_path_has_one_middle(toy: Callable[[int], Instance]) -> None:
    vectors = vectors_of(rule_named("greedy"), toy(2))
    assert len(vectors.middles) == 1
    assert not vectors.boundaries
