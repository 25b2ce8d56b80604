import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from specdec_core.distributions import Row
from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.models import ConstantModel, TableModel
from specdec_core.sampling import sample
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects.adapters import audit_with_rows
from specdec_verification.subjects.exact import DEFAULT
from specdec_verification.subjects.failing_rows import with_rows

HALVES, THIRDS = Row([Fraction(1, 2)] * 2), Row([Fraction(1, 3), Fraction(2, 3)])
TARGET = TableModel({(): HALVES, (0,): THIRDS, (1,): HALVES})
INSTANCE = Instance(TARGET, (TableModel({(): THIRDS}),), {"gamma": 1})


def by_draws(instance: Instance, draws: Draws) -> list[int]:
    """Emit a token of the target, and one more from the wrong row."""
    return [sample(instance.target(()), draws.uniform()), sample(HALVES, draws.uniform())]


def by_library(instance: Instance) -> list[int]:
    """Do the same with draws of the library's."""
    return random.choices([0, 1], k=2)


def refusing(instance: Instance) -> list[int]:
    """Emit no token at all."""
    return []


@pytest.mark.parametrize("program", [by_draws, by_library])
def test_a_failure_names_the_rows_where_the_law_differs(
    program: Callable[..., Any], labels: Labels
) -> None:
    result = audit_with_rows(program, INSTANCE, labels, DEFAULT)
    assert result.verdict is Verdict.FAILED
    assert result.detail.startswith("first difference at prefix '0,0'")
    assert result.detail.endswith("; at context '0': target [1/3, 2/3], draft none")


def test_what_did_not_emit_names_no_rows(labels: Labels) -> None:
    assert "context" not in audit_with_rows(refusing, INSTANCE, labels, DEFAULT).detail


def test_several_drafts_are_numbered_and_long_rows_cut(labels: Labels) -> None:
    long = ConstantModel(Row([Fraction(1, 10)] * 10))
    instance = Instance(long, (long, long), {})
    result = audit_with_rows(lambda instance: [0], instance, labels, DEFAULT)
    told = with_rows(result, instance, (0,)).detail
    row = f"[{', '.join(['1/10'] * 8)}, ...]"
    assert told.endswith(f"at context '': target {row}, draft 1 {row}, draft 2 {row}")
