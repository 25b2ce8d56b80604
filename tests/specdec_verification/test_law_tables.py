"""Laws by prefix: the two that a check compares, cut where they differ least."""

from fractions import Fraction

import pytest

from specdec_core.draws import Draws
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath
from specdec_core.rules import Verification, rule_named
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification import law_tables
from specdec_verification.law_tables import MAX_ROWS, law_table, rule_table, sampled_table
from specdec_verification.results import Labels
from specdec_verification.tree_tables import tree_table


def test_of_many_prefixes_those_are_kept_that_differ_most(labels: Labels) -> None:
    tokens = [(first, second) for first in range(8) for second in range(8)]
    even = {one: Fraction(1, 64) for one in tokens}
    moved: dict[Context, Fraction] = {**even, (7, 7): Fraction(2, 64), (0, 3): Fraction(0)}
    table = law_table(Law(moved), Law(even), "9 paths", labels)
    shown = {row.prefix: row.observed - row.expected for row in table.rows}  # type: ignore[operator]
    assert (len(shown), table.left_out, table.largest_left_out) == (MAX_ROWS, 72 - MAX_ROWS, 0)
    assert {prefix for prefix, difference in shown.items() if difference} == {
        *("0", "7", "0,3", "7,7")
    }
    assert list(shown)[:2] == ["0", "0,0"]


def test_a_fraction_that_floats_made_long_is_a_float(labels: Labels) -> None:
    law = Law({(0,): Fraction(0.1), (1,): 1 - Fraction(0.1)})
    first, _ = law_table(law, Law({(0,): Fraction(1)}), "2 paths", labels).rows
    assert (first.observed, first.expected) == (0.1, Fraction(1))


class RaisesOnRejection(TokenRejection):
    """A rule that cannot recover."""

    def verify(self, proposal: DraftPath, target: ContextModel, draws: Draws) -> Verification:
        found = super().verify(proposal, target, draws)
        if found.final is not None:
            raise ZeroDivisionError
        return found


def test_runs_that_go_wrong_leave_their_mass_out(labels: Labels, biased: Instance) -> None:
    rows = rule_table(RaisesOnRejection(), biased, labels).rows
    assert [(row.prefix, row.expected, row.observed) for row in rows] == [
        *(("0", Fraction(1, 4), Fraction(1, 4)), ("1", Fraction(3, 4), Fraction(1, 2)))
    ]
    root, *_ = tree_table(RaisesOnRejection(), biased, labels).nodes
    assert (root.reached, root.residual) == (Fraction(3, 4), 0)


def test_a_rule_that_is_right_has_equal_columns(labels: Labels, biased: Instance) -> None:
    table = rule_table(rule_named("token_rejection"), biased, labels)
    assert all(row.expected == row.observed for row in table.rows)
    assert table.evidence == "3 paths"


def test_frequencies_stand_beside_the_target_as_deep_as_there_is_room(
    labels: Labels, biased: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(law_tables, "MAX_SEQUENCES", 100)
    counts = {(0,) * 20: 3, (1,) * 20: 1}
    table = sampled_table(counts, lambda _: biased.target(()), labels)
    assert (table.length, table.evidence) == (6, "4 draws")
    first = next(row for row in table.rows if row.prefix == "0")
    assert (first.expected, first.observed) == (Fraction(1, 4), 0.75)
