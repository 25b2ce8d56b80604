"""Cells by their names, and those whose check cannot end."""

from collections.abc import Callable

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification.cells import ENDS, cell, described, run_cell
from specdec_verification.plan import Section, plan
from specdec_verification.profiles import QUICK
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

SECTIONS = plan(QUICK, (TokenRejection(), TokenRejectionBonus()))


def raising(error: type[BaseException], name: str = "exact_law/some_rule/random") -> Section:
    def check(number: int, line: str) -> CheckResult:
        raise error("the first line\n  and the second")

    return Section("quick", name, 9, check)


@pytest.mark.parametrize("number", [0, 1, 99])
def test_a_cell_is_found_by_its_name(number: int) -> None:
    found, at = cell(f"exact_law/token_rejection/random/{number}", SECTIONS)
    assert (found.name, at) == ("exact_law/token_rejection/random", number)


@pytest.mark.parametrize(
    "number", ["", "2", "-1", "+1", "01", "1.0", " 1", "1_0", "٣", "one", "9" * 5000]
)
def test_a_number_that_is_no_cell_is_refused(number: str) -> None:
    with pytest.raises(InvalidParameterError, match="expected a number from 0 to 1 at the end"):
        cell(f"contract/{number}", SECTIONS)


@pytest.mark.parametrize("number", ["01", "٣", "٣٣", "-1", "1_", "999"])
def test_a_number_is_written_in_one_way(number: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"cell 'faults/{number}': expected a number"):
        cell(f"faults/{number}", SECTIONS)


@pytest.mark.parametrize("name", ["", "/0", "nothing/0", "nope"])
def test_a_section_that_nothing_resembles_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameterError) as info:
        cell(name, SECTIONS)
    assert str(info.value) == f"cell {name!r}: no such section; `verify --list` lists all"


@pytest.mark.parametrize(
    ("name", "closest"),
    [
        ("contract", "contract"),
        ("exact_law/token_rejecton/random/7", "exact_law/token_rejection/random"),
        ("exact_law/token_rejection/0", "exact_law/token_rejection/random"),
        ("lookalike/0", "lookalikes"),
    ],
)
def test_a_section_that_does_not_exist_is_answered_with_the_closest(
    name: str, closest: str
) -> None:
    with pytest.raises(InvalidParameterError, match="no such section; the closest are") as info:
        cell(name, SECTIONS)
    assert closest in str(info.value)
    assert str(info.value).count(",") <= 2


@pytest.mark.parametrize("error", [ValueError, ZeroDivisionError, MemoryError, SystemExit])
def test_a_cell_that_raises_is_inconclusive_with_its_error(error: type[BaseException]) -> None:
    result = run_cell(raising(error), 7)
    assert (result.verdict, result.total_variation, result.size) == (Verdict.INCONCLUSIVE, None, 0)
    assert result.labels == Labels(
        "some_rule",
        ENDS,
        "random/7",
        "",
        "specdec-verify verify --profile quick --only exact_law/some_rule/random/7",
    )
    assert result.detail.startswith(f"raised {error.__name__} (test_cells.py:")
    assert result.detail.endswith("): the first line and the second")


@pytest.mark.parametrize(
    ("name", "subject", "instance", "evidence"),
    [
        ("contract", "contract", "contract/0", Evidence.LATTICE_COUNT),
        ("faults", "faults", "faults/0", Evidence.EXACT_LAW),
        ("exact_law/decode/random", "decode", "random/0", Evidence.EXACT_LAW),
        ("exact_count/rule/random", "rule", "random/0", Evidence.LATTICE_COUNT),
        ("g_test/rule/random", "rule", "random/0", Evidence.SAMPLED),
    ],
)
def test_a_cell_that_raises_is_labelled_by_its_section(
    name: str, subject: str, instance: str, evidence: Evidence
) -> None:
    result = run_cell(raising(ValueError, name), 0)
    assert result.check == name.split("/")[0]
    assert (result.labels.subject, result.labels.instance) == (subject, instance)
    assert result.evidence is evidence


def test_an_interrupt_is_not_the_cell_s_error() -> None:
    with pytest.raises(KeyboardInterrupt):
        run_cell(raising(KeyboardInterrupt), 0)


def test_a_cell_that_ends_is_what_it_found(found: Callable[..., CheckResult]) -> None:
    assert run_cell(Section("p", "a", 1, lambda number, line: found()), 0) == found()


def test_an_error_that_was_not_raised_here_has_no_place() -> None:
    assert described(ValueError()) == "raised ValueError"
