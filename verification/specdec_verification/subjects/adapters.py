"""Programs in a file, and what each is given, by the names of its parameters.

``instance, draws``
    a program over draws: `specdec_verification.audit`;
``instance``
    a function that draws from its own library, which is followed while it runs;
``instance, rng`` (or ``generator``)
    the same, drawing from the generator that it is given: numpy's, unless the annotation says
    `random.Random` or `torch.Generator`;
``instance, draft_tokens``
    a step that draws nothing and returns its laws: `returned_laws`.

A function that draws from its own library gets an instance whose rows are floats, and its target
is the law of those floats.  It returns the tokens that it emits: a list, an array or a
`Verification`.
"""

import time
from collections.abc import Callable, Hashable, Sized
from dataclasses import replace
from fractions import Fraction
from inspect import Parameter, signature
from typing import Any, NamedTuple

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, Model
from specdec_core.models import ConstantModel, TableModel
from specdec_core.rules import Verification
from specdec_grids.paths import Exploration
from specdec_verification.audit import audit_program, followed
from specdec_verification.emissions import tokens_of
from specdec_verification.exact_law import EPSILON, exact, first_difference
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.subjects.exact import Execution, executed
from specdec_verification.subjects.failing_rows import with_rows
from specdec_verification.subjects.libraries import generator_for
from specdec_verification.subjects.returned_laws import law_of_step
from specdec_verification.subjects.verdicts import (
    Claim,
    Laws,
    goes_wrong,
    judged,
    laws_of,
    rounding_bound,
)

Program = Callable[..., Any]


def audit_on(
    program: Program, instance: Instance, labels: Labels, execution: Execution
) -> CheckResult:
    """Audit a program of any of the kinds above on an instance.

    Raises
    ------
    InvalidParameterError
        If its parameters are none of those.
    """
    return _judged(program, instance, labels, execution)[0]


def audit_with_rows(
    program: Program, instance: Instance, labels: Labels, execution: Execution
) -> CheckResult:
    """Audit a program as `audit_on` does; a failure names the rows where the law first differs."""
    result, then = _judged(program, instance, labels, execution)
    if result.verdict is not Verdict.FAILED:
        return result
    _, found, claim = then or followed_on(program, instance, execution)
    if goes_wrong(found, claim):
        return result
    laws = laws_of(found, claim)
    bound = rounding_bound(laws.expected, claim, 1)
    return with_rows(result, instance, first_difference(*laws, bound, found.missing))


def _judged(
    program: Program, instance: Instance, labels: Labels, execution: Execution
) -> tuple[CheckResult, "Followed | None"]:
    """Return the verdict, and the law that it is on unless `followed_on` must find it again."""
    if _second(program) == "draws":
        return audit_program(program, instance, labels, execution), None
    started = time.perf_counter()
    then = followed_on(program, instance, execution)
    return judged(then.found, then.claim, labels, started).result, then


class Followed(NamedTuple):
    """What a program emits.

    Attributes
    ----------
    given : Instance
        The rows that the program got: the instance's own, or the doubles nearest to them.
    found : Exploration
        The law of what it returned, malfunctions among it.
    claim : Claim
        What is claimed of that law.
    """

    given: Instance
    found: Exploration[Hashable]
    claim: Claim


def followed_on(program: Program, instance: Instance, execution: Execution) -> Followed:
    """Return the law of what a program emits, as `audit_on` finds it."""
    if _second(program) != "draws":
        return Followed(in_floats(instance), *_followed(program, instance, execution))
    found: Exploration[Any] = followed(program, instance, execution)
    longest = max(map(len, tokens_of(found).law), default=1)
    epsilon = Fraction(0) if exact(instance) else EPSILON
    return Followed(instance, found, Claim((instance.target,), longest, epsilon))


def laws_on(program: Program, instance: Instance, execution: Execution) -> Laws:
    """Return the two laws that `audit_on` compares; of runs that went wrong there is none."""
    _, found, claim = followed_on(program, instance, execution)
    return laws_of(found, claim)


def _followed(
    program: Program, instance: Instance, execution: Execution
) -> tuple[Exploration[Hashable], Claim]:
    """Return the law of what a program emits on rows of floats, and what is claimed of it."""
    given = in_floats(instance)
    if _second(program) == "draft_tokens":
        found, epsilon = law_of_step(program, given), execution.epsilon
    else:
        emission = _emission(program, given, _parameters(program)[1:])
        found, epsilon = executed(emission, execution)
    return found, Claim((given.target,), _length(given, found), epsilon)


def _second(program: Program) -> str:
    """Return the name of a program's second parameter; empty if it takes an instance alone."""
    parameters = _parameters(program)
    return parameters[1].name if len(parameters) == 2 else ""


def in_floats(instance: Instance) -> Instance:
    """Return an instance whose rows are the doubles nearest to its own."""
    drafts = tuple(map(_model_in_floats, instance.drafts))
    return replace(instance, target=_model_in_floats(instance.target), drafts=drafts)


def _model_in_floats(model: Model) -> Model:
    if isinstance(model, ConstantModel):
        return ConstantModel(_row_in_floats(model.row))
    table = {context: _row_in_floats(row) for context, row in model.table.items()}
    return TableModel(table, model.name)


def _row_in_floats(row: Row) -> Row:
    return Row(map(float, row))


def _parameters(program: Program) -> list[Parameter]:
    """Return the parameters that have to be given, checked."""
    given = [
        parameter
        for parameter in signature(program).parameters.values()
        if parameter.default is Parameter.empty
        and parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    ]
    names = [parameter.name for parameter in given]
    if not 1 <= len(given) <= 2 or (len(given) == 2 and names[1] not in _SECOND):
        name = getattr(program, "__name__", repr(program))
        if isinstance(program, type):
            raise InvalidParameterError(
                f"{name} is a class, expected a function: give a method of one a name, as "
                f"step = {name}().step"
            )
        raise InvalidParameterError(
            f"{name}({', '.join(names)}): expected (instance), or (instance, and one "
            f"of {', '.join(_SECOND)}); any other parameter needs a default"
        )
    return given


_SECOND = ("draws", "rng", "generator", "draft_tokens")


def _emission(program: Program, instance: Instance, second: list[Parameter]) -> Callable[[], Any]:
    if not second:
        return lambda: program(instance)
    make = generator_for(str(second[0].annotation))
    return lambda: program(instance, make())


def _length(instance: Instance, found: Exploration[Hashable]) -> int:
    """Return how many tokens may be emitted: those drafted and one, or what the longest run did."""
    if "gamma" in instance.parameters:
        return instance.integer("gamma", minimum=0) + 1
    returned = tokens_of(found).law
    emitted = (one.tokens if isinstance(one, Verification) else one for one in returned)
    return max((len(tokens) for tokens in emitted if isinstance(tokens, Sized)), default=1)
