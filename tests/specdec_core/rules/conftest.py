"""What the twin tests of the rules share: the toy model, laws of rounds, and what they must be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias, cast

import pytest

from specdec_core.distributions import Row
from specdec_core.efficiency import expected_accepted
from specdec_core.errors import InvalidTokenError, ProposalMismatchError, ShapeError
from specdec_core.instances import Instance, Parameter
from specdec_core.laws import Law, complete, target_joint, total_variation
from specdec_core.models import ConstantModel, TableModel, context_key
from specdec_core.proposals import DraftPath
from specdec_core.rules import Rule, Verification
from specdec_core.rules.rule import claimed_model
from specdec_grids.paths import exact_law
from specdec_grids.programs import round_program
from specdec_verification.exact_law import check_exact_law
from specdec_verification.results import Labels, Verdict

Parameters: TypeAlias = Mapping[str, Parameter]

LABELS = Labels("rule", "lossless", "instance", "preset", "reproduce")


@pytest.fixture
def toy_with() -> Callable[[Parameters], Instance]:
    """Return the toy model of Sun et al. 2024 (arXiv:2403.10444), Section 2, with parameters."""
    return toy_instance


def toy_instance(parameters: Parameters) -> Instance:
    target = ConstantModel(Row([Fraction(1, 3), Fraction(2, 3)]))
    draft = ConstantModel(Row([Fraction(2, 3), Fraction(1, 3)]))
    drafters = int(parameters.get("drafters", 1))
    return Instance(target, (draft,) * drafters, parameters)


def round_law(rule: Rule[Any], instance: Instance) -> Law[Verification]:
    return exact_law(round_program(rule, instance)).law


@pytest.fixture
def toy_law() -> Callable[[Rule[Any], Parameters], dict[str, str]]:
    """Return the law of a toy round: "emitted tokens|accepted length" to probability."""

    def law_of(rule: Rule[Any], parameters: Parameters) -> dict[str, str]:
        law = round_law(rule, toy_instance(parameters))
        shown = law.image(lambda outcome: f"{context_key(outcome.tokens)}|{len(outcome.accepted)}")
        return {outcome: str(prob) for outcome, prob in shown.probs.items()}

    return law_of


@pytest.fixture
def block_law() -> Callable[[Rule[Any], Instance], Law[Verification]]:
    """Return the law of a round: what is accepted, and what is added."""
    return round_law


@pytest.fixture
def accepted() -> Callable[[Rule[Any], Instance], Fraction]:
    """Return the expected accepted length of a round."""
    return lambda rule, instance: expected_accepted(round_law(rule, instance))


@pytest.fixture
def lossless() -> Callable[[Rule[Any], Instance], bool]:
    """Return whether a completed round has the target's joint law, in fractions."""

    def is_lossless(rule: Rule[Any], instance: Instance) -> bool:
        emitted = round_law(rule, instance).image(lambda outcome: outcome.tokens)
        horizon = rule.horizon(instance)
        completed = complete(emitted, instance.target, horizon)
        return completed == target_joint(instance.target, horizon)

    return is_lossless


@pytest.fixture
def claimed_in_floats() -> Callable[[Rule[Any], Instance], bool]:
    """Return whether a round keeps its claim up to rounding, with every row made floating."""

    def keeps_its_claim(rule: Rule[Any], instance: Instance) -> bool:
        drafts = tuple(map(floating, instance.drafts))
        rounded = Instance(floating(instance.target), drafts, instance.parameters)
        return check_exact_law(rule, rounded, LABELS).verdict is Verdict.PASSED

    return keeps_its_claim


def floating(model: Any) -> TableModel:  # noqa: ANN401  (a table model; an instance may hold others)
    return TableModel({context: Row(map(float, row)) for context, row in model.table.items()})


@dataclass(frozen=True, slots=True)
class Shape:
    """A rule's instances of one shape: what `RandomInstances` needs to know of a rule."""

    rule: Rule[Any]
    parameters: Mapping[str, tuple[Parameter, ...]]

    @property
    def name(self) -> str:
        return self.rule.name

    def horizon(self, instance: Instance) -> int:
        return self.rule.horizon(instance)


@pytest.fixture
def shaped() -> Callable[[Rule[Any], Parameters], Rule[Any]]:
    """Return a stand-in for a rule whose generated instances all have the given parameters."""

    def with_shape(rule: Rule[Any], parameters: Parameters) -> Rule[Any]:
        shape = Shape(rule, {name: (value,) for name, value in parameters.items()})
        return cast("Rule[Any]", shape)  # all that the generator asks for

    return with_shape


@pytest.fixture
def claim_distance() -> Callable[[Rule[Any], Instance], Fraction]:
    """Return how far a completed round lies from the joint law that the rule claims."""

    def distance(rule: Rule[Any], instance: Instance) -> Fraction:
        emitted = round_law(rule, instance).image(lambda outcome: outcome.tokens)
        claimed, horizon = claimed_model(rule, instance), rule.horizon(instance)
        return total_variation(complete(emitted, claimed, horizon), target_joint(claimed, horizon))

    return distance


@pytest.fixture(
    params=[
        (("1",), ("1",)),
        (("1/2", "1/3", "1/6"), ("1/2", "1/3", "1/6")),
        (("1/4", "3/4", "0"), ("0", "0", "1")),
        (("0", "1/2", "1/2"), ("1/3", "2/3", "0")),
        (("0", "1", "0"), ("1/3", "1/3", "1/3")),
        (("1/3", "1/3", "1/3"), ("0", "1", "0")),
        (("0", "1", "0"), ("1", "0", "0")),
    ],
    ids=["one token", "equal", "disjoint", "zeros", "certain", "certain draft", "both certain"],
)
def edge_models(request: pytest.FixtureRequest) -> tuple[ConstantModel, ConstantModel]:
    """Return a target and a draft where something degenerates."""
    target, draft = (ConstantModel(Row(map(Fraction, row))) for row in request.param)
    return target, draft


class BadPath(NamedTuple):
    """A draft path over two tokens that no rule can judge, and what is said of it."""

    path: DraftPath
    error: type[Exception]
    message: str


@pytest.fixture(
    params=[
        BadPath(
            DraftPath((0, 1), (Row([0.5, 0.5]),)),
            ShapeError,
            "2 draft tokens and 1 rows, expected one row a token",
        ),
        BadPath(
            DraftPath((0,), (Row([0.5, 0.25, 0.25]),)),
            ShapeError,
            r"draft_probs\[0\] has 3 tokens, but the target's row has 2",
        ),
        BadPath(
            DraftPath((2,), (Row([0.5, 0.5]),)),
            InvalidTokenError,
            "draft token 0: token 2, expected 0 to 1",
        ),
        BadPath(
            DraftPath((0, 1), (Row([0.5, 0.5]), Row([1.0, 0.0]))),
            ProposalMismatchError,
            r"draft token 1 is 1, which draft_probs\[1\] gives no probability",
        ),
    ],
    ids=["row missing", "vocabulary", "token", "impossible"],
)
def bad_path(request: pytest.FixtureRequest) -> BadPath:
    """Return a draft path to be refused, against a target over two tokens."""
    return request.param  # type: ignore[no-any-return]
