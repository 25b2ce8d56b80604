"""Tables of the page: what a cell shows, and what it is sorted by."""

import sys

import pandas as pd
import pytest

from specdec_reports.page_tables import bar_table, matrix_table, page_table
from specdec_reports.tables import matrix_frame, power_frame, prefix_frame
from specdec_verification.results import Run


def orders(values: list[object]) -> list[float | None]:
    table = page_table("a table", pd.DataFrame({"column": pd.Series(values, dtype=object)}))
    return [row[0].order for row in table.rows]


@pytest.mark.parametrize(
    ("values", "sorted_by"),
    [
        ([1, 0.5, 10**400], [1.0, 0.5, sys.float_info.max]),
        (["1/4", 0.3, "2"], [0.25, 0.3, 2.0]),
        (["1,499 of 1,500", "9", ""], [1499.0, 9.0, None]),
        (["0", "0,1"], [None, None]),
        (["K01", "2"], [None, None]),
        (["", ""], [None, None]),
    ],
)
def test_a_column_is_sorted_by_number_if_all_of_it_is(
    values: list[object], sorted_by: list[float | None]
) -> None:
    assert orders(values) == sorted_by


def test_what_a_check_sees_is_shaded_by_its_power(whole: Run) -> None:
    rows = whole.detection
    table = matrix_table("matrix", matrix_frame(rows), power_frame(rows))
    seen = [[(cell.text, cell.order, cell.shade) for cell in row[-2:]] for row in table.rows]
    assert seen == [[("seen", 1.0, 1.0), ("0.25", 0.25, 0.25)], [("-", 0, 0), ("", -1, None)]]


def test_a_bar_is_as_long_as_its_share_of_the_points(whole: Run) -> None:
    table = bar_table("counts", prefix_frame(whole.prefix_counts))
    assert [cell.shade for cell in table.rows[1]] == [None, 0.75, 0.74]
    assert table.ordered == (False, True, True)
