"""What a failed audit says besides: the rows of the instance where the law first differs.

A prefix is a context and one token more; the rows of that context are what the step had to work
with when it went wrong.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from specdec_core.errors import MissingContextError
from specdec_core.instances import Instance
from specdec_core.models import Context, ContextModel, context_key
from specdec_verification.emissions import shown
from specdec_verification.results import CheckResult

MAX_SHOWN = 8
"""Entries of a row."""


def with_rows(result: CheckResult, instance: Instance, prefix: Context) -> CheckResult:
    """Return a failure that names the rows at the last token of a prefix.

    Parameters
    ----------
    result : CheckResult
    instance : Instance
        Its rows are shown as they are.
    prefix : tuple of int
        At least one token, the last of which is too likely or too rare.
    """
    context = prefix[:-1]
    rows = ", ".join(_rows(instance, context))
    return replace(result, detail=f"{result.detail}; at context {context_key(context)!r}: {rows}")


def _rows(instance: Instance, context: Context) -> Iterator[str]:
    yield f"target {_shown(instance.target, context)}"
    for number, draft in enumerate(instance.drafts, start=1):
        name = "draft" if len(instance.drafts) == 1 else f"draft {number}"
        try:
            yield f"{name} {_shown(draft, context)}"
        except MissingContextError:  # behind the last draft token
            yield f"{name} none"


def _shown(model: ContextModel, context: Context) -> str:
    row = [shown(Fraction(prob)) for prob in model(context)]
    rest = ["..."] if len(row) > MAX_SHOWN else []
    return f"[{', '.join([*row[:MAX_SHOWN], *rest])}]"
