"""The smallest instance on which a program fails, found and shrunk by Hypothesis.

Shapes are gone through from the fewest tokens and the smallest parameters up, so that the first
shape on which the program fails is the least on which one was found.  Within a shape, Hypothesis
shrinks: rows towards the point mass at token 0, so to the smallest denominators and the most
zeros.  The search is derandomised and keeps no database: the same program yields the same instance.

Paths are not rehearsed during the search: a program with state or randomness of its own is found
out on the instance that the search ends on, which is audited in full.

Not here: a proof that nothing smaller fails.  Of each shape so many instances are tried.

References
----------
.. [1] MacIver, Donaldson, "Test-Case Reduction via Test-Case Generation: Insights from the
   Hypothesis Reducer", ECOOP 2020.
"""

import json
import math
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from specdec_core.errors import NoCounterexampleError
from specdec_core.instances import Instance, Parameter, dumps
from specdec_core.models import context_key
from specdec_core.rules import RULES, Rule, rule_named
from specdec_verification.emissions import NOT_SUITED
from specdec_verification.results import CheckResult, Labels, Verdict
from specdec_verification.strategies import horizon_of, table_models
from specdec_verification.subjects.adapters import Program, audit_on, laws_on
from specdec_verification.subjects.exact import DEFAULT, Execution
from specdec_verification.subjects.verdicts import Laws

VOCAB_SIZES = (1, 2, 3, 4)
"""Of the shapes that are gone through."""

EXAMPLES = 60
"""Instances tried of each shape."""

UNSEEN = Fraction(1, 10**12)
"""How far a probability computed in floats may lie from the fraction that it is shown as."""

SHORT = 10_000
"""The largest denominator of such a fraction."""

_SHAPE = rule_named("token_rejection_bonus")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An instance on which a program fails.

    Attributes
    ----------
    instance : Instance
    laws : Laws
        Of whole sequences, found and claimed; of runs that go wrong there is none.
    result : CheckResult
        Of the audit on it.
    """

    instance: Instance
    laws: Laws
    result: CheckResult

    def as_table(self) -> str:
        """Return both laws in fractions, a line for each sequence of tokens."""
        got, expected = self.laws
        lines = [("tokens", "expected", "emitted")]
        for tokens in sorted({**expected.probs, **got.probs}):
            lines.append((context_key(tokens), _short(expected[tokens]), _short(got[tokens])))
        widths = [max(len(line[column]) for line in lines) for column in range(3)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def as_document(self) -> str:
        """Return the instance's JSON, a model a line."""
        document = json.loads(dumps(self.instance))
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in document.items()]
        return "{" + ",\n ".join(lines) + "}"

    def as_test(self, place: str) -> str:
        """Return a test that fails until the program is lossless on the instance.

        Parameters
        ----------
        place : str
            ``FILE.py:NAME``, where the test finds the program.
        """
        return _TEST.format(
            place=place,
            name=place.rpartition(":")[2],
            instance=self.as_document(),
            table=textwrap.indent(self.as_table(), " " * 4),
        )


def smallest_failing(
    program: Program,
    rule: Rule[Any] = _SHAPE,
    execution: Execution = DEFAULT,
    max_examples: int = EXAMPLES,
    max_seconds: float = math.inf,
) -> Counterexample:
    """Return the smallest instance, of those tried, on which a program fails its audit.

    Parameters
    ----------
    program : callable
        As `audit_on` takes it; a rule becomes one by `draws_form`.
    rule : Rule
        Its parameters and their values are an instance's; its horizon says which rows there are.
    execution : Execution
        Of each instance.
    max_examples : int
        Instances tried of each shape, before one fails.
    max_seconds : float
        Past it, no further instance is run, and the smallest so far is returned.

    Raises
    ------
    NoCounterexampleError
        If the program failed on none that was run.
    OpaqueDrawError, NondeterminismError
        If the program cannot be followed.
    """
    fails = _Fails(program, replace(execution, rehearsals=0), time.monotonic() + max_seconds)
    tried = sorted(_shapes(rule.parameters), key=_order)
    for shape in tried:
        if fails.late:
            raise NoCounterexampleError(f"no failure within {max_seconds:g} seconds")
        # With one token there is one instance, however often it is drawn.
        examples = 1 if shape.vocab_size == 1 else max_examples
        try:
            instance = find(shape.instances(rule), fails, settings=_settings(examples))
        except NoSuchExample:
            continue
        laws = laws_on(program, instance, execution)
        return Counterexample(instance, laws, audit_on(program, instance, _LABELS, execution))
    raise NoCounterexampleError(
        f"no failure on {max_examples} instances of each of {len(tried)} shapes"
    )


def rule_of_shape(instance: Instance) -> Rule[Any]:
    """Return the rule whose instances have the parameters of one: where to look for smaller ones.

    Raises
    ------
    NoCounterexampleError
        If there is none, so that nothing is known of smaller instances.
    """
    names = sorted(instance.parameters)
    for rule in (_SHAPE, *RULES):
        if sorted(rule.parameters) == names:
            return rule
    raise NoCounterexampleError(
        f"no rule has instances with the parameters {', '.join(names) or 'none'}: "
        "nothing is known of smaller ones"
    )


def _settings(max_examples: int) -> settings:
    return settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """A vocabulary size and a value of each parameter, and how far down its list the last stands.

    Attributes
    ----------
    vocab_size : int
    parameters : mapping of str to Parameter
    places : tuple of int
        Of each value among those of its parameter, smallest first.
    """

    vocab_size: int
    parameters: Mapping[str, Parameter]
    places: tuple[int, ...]

    def instances(self, rule: Rule[Any]) -> SearchStrategy[Instance]:
        """Return the rule's instances of this shape.

        Every row is drawn by itself.  Where target and draft are equal, or share no token, most
        faults hide, and `strategies.instances` has such rows often: it takes ten times as many.
        """
        horizon = horizon_of(rule, self.vocab_size, self.parameters)
        model = table_models(self.vocab_size, horizon)
        drafts = st.tuples(*[model] * int(self.parameters.get("drafters", 1)))
        return st.builds(Instance, model, drafts, st.just(self.parameters))


def _order(shape: Shape) -> tuple[bool, int, tuple[int, ...]]:
    """Put the third value of a parameter, and those after it, behind all shapes without."""
    return max(shape.places, default=0) > 1, shape.vocab_size, shape.places


def _shapes(parameters: Mapping[str, Sequence[Parameter]]) -> Iterator[Shape]:
    ranked = [list(enumerate(sorted(values, key=float))) for values in parameters.values()]
    for vocab_size, taken in product(VOCAB_SIZES, product(*ranked)):
        values = {name: value for name, (_, value) in zip(parameters, taken, strict=True)}
        yield Shape(vocab_size, values, tuple(place for place, _ in taken))


class _Fails:
    """Whether a program fails on an instance; shrinking comes back to the same ones."""

    def __init__(self, program: Program, execution: Execution, end: float) -> None:
        self._program = program
        self._execution = execution
        self._end = end
        self._known: dict[str, bool] = {}

    @property
    def late(self) -> bool:
        """Whether nothing more is to be run."""
        return time.monotonic() > self._end

    def __call__(self, instance: Instance) -> bool:
        key = dumps(instance)
        if key not in self._known:
            self._known[key] = not self.late and self._judged(instance)
        return self._known[key]

    def _judged(self, instance: Instance) -> bool:
        try:
            result = audit_on(self._program, instance, _LABELS, self._execution)
        except NOT_SUITED:
            return False
        return result.verdict is Verdict.FAILED


_LABELS = Labels("shrinking", "lossless", "shrunk", "", "")


def _short(prob: Fraction) -> str:
    """Return a probability as a short fraction, if there is one that rounding explains.

    >>> _short(Fraction(0.1)), _short(Fraction(0.123456789))
    ('1/10', '0.123456789')
    """
    near = prob.limit_denominator(SHORT)
    if abs(near - prob) <= UNSEEN:
        return str(near)
    return str(prob) if prob.denominator < 1 / UNSEEN else repr(float(prob))


_TEST = '''\
"""The smallest instance found on which a sampler did not emit the target's law."""

from specdec_core.instances import loads
from specdec_verification.audit import load_program
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.adapters import audit_on
from specdec_verification.subjects.exact import DEFAULT

SAMPLER = "{place}"
INSTANCE = """
{instance}
"""


def test_{name}_emits_the_law_of_the_target() -> None:
    """When this failed, the laws were:

{table}
    """
    labels = Labels(SAMPLER, "lossless", "shrunk", "", "")
    found = audit_on(load_program(SAMPLER), loads(INSTANCE), labels, DEFAULT)
    assert found.verdict is Verdict.PASSED, found.detail
'''
