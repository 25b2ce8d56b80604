import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from specdec_core.draws import Draws
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.laws import target_joint
from specdec_core.models import ConstantModel, Context
from specdec_core.sampling import sample
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.adapters import audit_on, in_floats, laws_on
from specdec_verification.subjects.exact import DEFAULT
from specdec_verification.subjects.returned_laws import ReturnedLaws


def own_library(instance: Instance) -> list[int]:
    return random.choices([0, 1], weights=instance.target(()))


def given_numpys(instance: Instance, rng: Any) -> Any:  # noqa: ANN401
    return rng.choice(2, size=1, p=instance.target(()))


def given_librarys(instance: Instance, rng: random.Random, scale: float = 1) -> list[int]:
    return [int(rng.random() * scale >= instance.target(())[0])]


def given_generator(instance: Instance, generator: np.random.RandomState) -> list[int]:
    return [int(generator.random_sample() >= instance.target(())[0])]


def given_draws(instance: Instance, draws: Draws) -> list[int]:
    return [sample(instance.target(()), draws.uniform())]


def returning_laws(instance: Instance, draft_tokens: Context) -> ReturnedLaws:
    return ReturnedLaws([0.0], [instance.target(())], None)


@pytest.mark.parametrize(
    "program",
    [own_library, given_numpys, given_librarys, given_generator, given_draws, returning_laws],
)
def test_a_program_gets_what_its_parameters_name(
    program: Callable[..., Any], biased: Instance, labels: Labels
) -> None:
    found = audit_on(program, biased, labels, DEFAULT)
    assert found.verdict is Verdict.PASSED
    assert found.total_variation == 0


@pytest.mark.parametrize(
    "program",
    [own_library, given_numpys, given_librarys, given_generator, given_draws, returning_laws],
)
def test_the_two_laws_of_a_program_can_be_had(
    program: Callable[..., Any], biased: Instance
) -> None:
    laws = laws_on(program, biased, DEFAULT)
    assert laws.got.probs == laws.expected.probs
    length = 1 if program is given_draws else 2
    assert laws.expected == target_joint(biased.target, length)


@pytest.mark.parametrize(
    "program",
    [lambda: [0], lambda instance, other: [0], lambda instance, draws, rng: [0]],
)
def test_other_parameters_are_an_error(
    program: Callable[..., Any], biased: Instance, labels: Labels
) -> None:
    for given in (program, partial(program)):
        with pytest.raises(InvalidParameterError, match="expected \\(instance\\), or"):
            audit_on(given, biased, labels, DEFAULT)


def test_more_than_the_draft_and_one_token_is_a_malfunction(
    biased: Instance, labels: Labels
) -> None:
    found = audit_on(lambda instance: [0, 0, 0], biased, labels, DEFAULT)
    assert found.verdict is Verdict.FAILED
    assert "emitted 3 tokens, expected at most 2" in found.detail


def test_without_gamma_the_longest_run_sets_the_length(biased: Instance, labels: Labels) -> None:
    bare = Instance(biased.target, biased.drafts)
    assert audit_on(own_library, bare, labels, DEFAULT).verdict is Verdict.PASSED
    assert audit_on(lambda instance: [], bare, labels, DEFAULT).verdict is Verdict.FAILED


def test_rows_become_floats(biased: Instance) -> None:
    constant = Instance(ConstantModel(biased.target(())), biased.drafts)
    for instance in (in_floats(biased), in_floats(constant)):
        assert not instance.target(()).exact
        assert tuple(instance.target(())) == (0.25, 0.75)
        assert instance.parameters == {} or instance.parameters["gamma"] == 1
