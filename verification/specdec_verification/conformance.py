"""One call for a rule from outside: whether it is what it claims to be."""

from typing import Any

from specdec_core.errors import InvalidParameterError
from specdec_core.rules import Rule
from specdec_grids.generated import RandomInstances
from specdec_verification.exact_count import check_exact_count
from specdec_verification.exact_law import check_exact_law
from specdec_verification.loading import load
from specdec_verification.results import CheckResult, Labels, Verdict

INSTANCES = 100
COUNTED = 9


def check_rule(
    rule: Rule[Any],
    *,
    instances: int = INSTANCES,
    counted: int = COUNTED,
    reproduce: str | None = None,
) -> tuple[CheckResult, ...]:
    """Check a rule on generated instances of every shape: its exact law, and exact counts.

    The rule need not be registered.  It passes if every result is ``PASSED``
    (`specdec_verification.results.worst`).

    Parameters
    ----------
    rule : Rule
        Its `parameters` say which shapes there are.
    instances, counted : int
        How many instances have their law compared, and how many of the first are counted too.
    reproduce : str or None
        One line that runs this again, for the results to carry; a call of this function, unless
        told otherwise.

    Examples
    --------
    >>> from specdec_core.rules import rule_named
    >>> {str(result.verdict) for result in check_rule(rule_named("token_rejection"), instances=9)}
    {'PASSED'}
    """
    line = reproduce or f"check_rule({rule!r}, instances={instances}, counted={counted})"
    results = []
    for number, instance in enumerate(RandomInstances(rule, instances)):
        claim = "lossless" if rule.lossless else "its own law"
        name = f"{rule.name}/random/{number}"
        labels = Labels(rule.name, claim, name, instance.label, line)
        results.append(check_exact_law(rule, instance, labels))
        # What a failed law leaves to count would fail the same way, or not run at all.
        if number < counted and results[-1].verdict is Verdict.PASSED:
            results.append(check_exact_count(rule, instance, labels))
    return tuple(results)


def load_rule(place: str) -> Rule[Any]:
    """Return the rule that ``FILE.py:NAME`` stands for: a value, or a class that makes one.

    Raises
    ------
    InvalidParameterError
        If the file does not exist or does not import, or what is there is no rule.
    """
    found = load(place)
    rule = found() if isinstance(found, type) else found
    for name in ("name", "lossless", "reference", "parameters", "horizon", "propose", "verify"):
        if not hasattr(rule, name):
            raise InvalidParameterError(f"{place} has no {name!r}, so it is no rule")
    return rule  # type: ignore[no-any-return]
