"""One call for a rule from outside: whether it is what it claims to be."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.parameters import require_integer
from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances, shapes
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.loading import load
from specdec_verification.results import CheckResult, Labels, Verdict

LEAST_INSTANCES = 100
A_SHAPE = 3
"""Instances of every shape, at least, whose law is compared."""

MEMBERS = ("name", "lossless", "reference", "parameters", "horizon", "propose", "verify")
"""What makes a rule (`specdec_core.rules.rule.Rule`)."""


def check_rule(
    rule: Rule[Any], *, instances: int | None = None, reproduce: str | None = None
) -> tuple[CheckResult, ...]:
    """Check a rule on generated instances of every shape: its exact law, and exact counts.

    The rule need not be registered.  It passes if every result is ``PASSED``
    (`specdec_verification.results.worst`).

    Parameters
    ----------
    rule : Rule
        Its `parameters` say which shapes there are.
    instances : int or None
        How many have their law compared: a hundred, or three of every shape if that is more,
        unless told otherwise.  The first of every shape is counted over lattices too.
    reproduce : str or None
        One line that runs this again, for the results to carry; a call of this function, unless
        told otherwise.

    Raises
    ------
    InvalidParameterError
        If what is given is no rule.

    Examples
    --------
    >>> from specdec_core.rules import rule_named
    >>> {str(result.verdict) for result in check_rule(rule_named("token_rejection"), instances=9)}
    {'PASSED'}
    """
    require_rule(rule, "rule")
    size = instances_for(rule) if instances is None else instances
    require_integer(size, "instances", minimum=1)
    line = reproduce or f"check_rule({rule!r}, instances={size})"
    return tuple(result for checked in check_each(rule, size, line) for result in checked.results)


class Checked(NamedTuple):
    """An instance, and what its checks found."""

    instance: Instance
    results: tuple[CheckResult, ...]


def check_each(rule: Rule[Any], instances: int, reproduce: str) -> Iterator[Checked]:
    """Yield the results of one instance after another, as `check_rule` returns them."""
    for number, instance in enumerate(RandomInstances(rule, instances)):
        yield Checked(instance, tuple(_checked(rule, instance, number, reproduce)))


def instances_for(rule: Rule[Any]) -> int:
    """Return on how many instances a rule is checked, unless told otherwise."""
    return max(LEAST_INSTANCES, A_SHAPE * len(shapes(rule)))


def _checked(rule: Rule[Any], instance: Instance, number: int, line: str) -> Iterator[CheckResult]:
    labels = labels_of(rule, instance, number, line)
    by_law = check_exact_law(rule, instance, labels)
    yield by_law
    # What a failed law leaves to count would fail the same way, or not run at all.
    if number < len(shapes(rule)) and by_law.verdict is Verdict.PASSED:
        yield check_exact_count(rule, instance, labels)


def labels_of(rule: Rule[Any], instance: Instance, number: int, line: str) -> Labels:
    """Return what the results of one of `check_rule`'s instances are called."""
    claim = "lossless" if rule.lossless else "its own law"
    return Labels(rule.name, claim, f"{rule.name}/random/{number}", instance.label, line)


def require_rule(rule: object, place: str) -> None:
    """Raise `InvalidParameterError` unless a value has what makes a rule."""
    for name in MEMBERS:
        if isinstance(rule, type) or not hasattr(rule, name):
            advice = "; `specdec-verify audit` asks about a function" if callable(rule) else ""
            raise InvalidParameterError(
                f"{place} is {rule!r}: it has no {name!r}, so it is no rule{advice}"
            )
    parameters = getattr(rule, "parameters", None)
    if not isinstance(getattr(rule, "name", None), str) or not isinstance(parameters, Mapping):
        raise InvalidParameterError(
            f"{place}: its name must be a string, and its parameters a mapping from names to values"
        )


def load_rule(place: str) -> Rule[Any]:
    """Return the rule that ``FILE.py:NAME`` stands for: a value, or a class that makes one.

    Raises
    ------
    InvalidParameterError
        If the file does not exist or does not import, or what is there is no rule.
    """
    rule = load(place)
    if isinstance(rule, type):
        try:
            rule = rule()
        except TypeError as error:
            raise InvalidParameterError(
                f"{place} cannot be made without arguments: {error}"
            ) from None
    require_rule(rule, place)
    return rule  # type: ignore[no-any-return]
