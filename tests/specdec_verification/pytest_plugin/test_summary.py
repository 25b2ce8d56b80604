from specdec_verification.pytest_plugin.recording import AuditLine
from specdec_verification.pytest_plugin.summary import table, total

LINES = [
    AuditLine("a.py::test", "step", "chosen", "PASSED", "exact law", "equal", "0", 25, 381, 0.5),
    AuditLine("b.py::test", "slip", "case", "INCONCLUSIVE", "exact law", "cut", "", 3, 1, 12.25),
]


def test_the_table_is_aligned() -> None:
    assert table(LINES) == [
        "verdict       TV  instances  paths  seconds  test and subject",
        "PASSED         0         25    381     0.50  a.py::test step",
        "INCONCLUSIVE   -          3      1    12.25  b.py::test slip",
    ]


def test_the_total_counts_verdicts() -> None:
    assert total(LINES, "full") == "1 PASSED, 1 INCONCLUSIVE (--specdec-profile full)"
