"""The examples by prefix: as stated, as counted, and where the two differ."""

from specdec_verification.contract import binary_single_path, two_level_tree
from specdec_verification.prefix_counts import prefix_counts


def test_a_tree_is_counted_at_each_level() -> None:
    rows = prefix_counts(two_level_tree())
    counts = {row.prefix: row.observed for row in rows}
    assert counts == {"0": 2500, "0,0": 2000, "0,1": 500, "1": 7500, "1,0": 3000, "1,1": 4500}
    assert all(row.expected == row.observed and row.points == 10_000 for row in rows)


def test_what_is_stated_wrongly_or_not_at_all_stands_beside_what_was_counted() -> None:
    wrong = binary_single_path()._replace(counts={(0,): 2501, (2,): 1})
    rows = prefix_counts(wrong)
    assert [(row.prefix, row.expected, row.observed) for row in rows] == [
        *(("0", 2501, 2500), ("1", 0, 7500), ("2", 1, 0)),
    ]
