"""A journal: what was written is what is read, torn lines go, and another run's is refused."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from specdec_core.errors import JournalError
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_verification import journal as journals
from specdec_verification.cells import unended
from specdec_verification.journal import Journal, source_digest
from specdec_verification.plan import Plan, Section
from specdec_verification.profiles import Profile
from specdec_verification.results import CheckResult, Risk, Verdict
from specdec_verification.runner import run_plan
from specdec_verification.tally import Position
from specdec_verification.units import Finished, Unit

TINY = Profile(
    "tiny",
    random=40,
    pairs=((2, 3),),
    floating=5,
    decoded=2,
    counted=5,
    sampled=2,
    draws=20_000,
    measured=2,
    trials=3,
)
RULES = (TokenRejection(), TokenRejectionBonus())


@pytest.fixture
def small(found: Callable[..., CheckResult]) -> Plan:
    sections = [Section("tiny", name, 9, lambda number, line: found()) for name in ("a/x", "b/y")]
    return Plan(TINY, RULES, tuple(sections))


def unit(plan: Plan, place: int, *results: CheckResult) -> Finished:
    cells = range(3, 3 + len(results))
    return Finished(Unit(place, plan.sections[place], cells), results)


def test_what_was_appended_is_read_back(
    small: Plan, found: Callable[..., CheckResult], tmp_path: Path
) -> None:
    results = (
        found(total_variation=Fraction(1, 3)),
        found(Verdict.FAILED, total_variation=0.1 + 0.2),
        found(Verdict.INCONCLUSIVE, total_variation=None),
        replace(found(), risk=Risk(1e-9, 0.01, float("inf"), 10), detail='"a"\n\u2260 b'),
        found(total_variation=Fraction(2)),
    )
    with Journal(tmp_path / "journal", small) as journal:
        assert list(journal.results()) == []
        journal.append(unit(small, 1, *results[:2]))
        journal.append(unit(small, 0, *results[2:]))
    with Journal(tmp_path / "journal", small) as journal:
        read = dict(journal.results())
    places = [(1, 3), (1, 4), (0, 3), (0, 4), (0, 5)]
    assert read == dict(zip([Position(*at) for at in places], results, strict=True))
    assert [type(one.total_variation) for one in read.values()] == [
        type(one.total_variation) for one in results
    ]


def test_cells_that_did_not_end_are_tried_again(
    small: Plan, found: Callable[..., CheckResult], tmp_path: Path
) -> None:
    section = small.sections[0]
    missing = [unended(section, number, "ran past its limit of 1 s") for number in (4, 7)]
    results = (found(), missing[0], found(), found(Verdict.INCONCLUSIVE), missing[1], missing[1])
    with Journal(tmp_path / "journal", small) as journal:
        journal.append(unit(small, 0, *results))
        journal.append(unit(small, 1, *missing))
    with Journal(tmp_path / "journal", small) as journal:
        assert [at.number for at, _ in journal.results()] == [3, 5, 6]
        ran = run_plan(small, lambda section, result: None, journal=journal)
    assert (ran.summary[0].instances, ran.summary[0].inconclusive) == (18, 1)


@pytest.mark.parametrize("torn", [1, 3 * journals.BLOCK])
def test_a_torn_line_of_any_length_is_cut_off(
    small: Plan, found: Callable[..., CheckResult], tmp_path: Path, torn: int
) -> None:
    path = tmp_path / "journal"
    with Journal(path, small) as journal:
        journal.append(unit(small, 0, found()))
    whole = path.read_bytes()
    path.write_bytes(whole + b"x" * torn)
    with Journal(path, small):
        assert path.read_bytes() == whole


def test_a_torn_line_is_cut_off_wherever_it_is_torn(
    small: Plan, found: Callable[..., CheckResult], tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    with Journal(path, small) as journal:
        journal.append(unit(small, 0, found()))
        whole = path.read_bytes()
        journal.append(unit(small, 1, found()))
    last = path.read_bytes()[len(whole) :]
    for kept in range(0, len(last), 7):
        path.write_bytes(whole + last[:kept])
        with Journal(path, small) as journal:
            assert [at for at, _ in journal.results()] == [Position(0, 3)]
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (lambda plan: replace(plan, profile=replace(TINY, draws=7)), "profile draws was 20000"),
        (lambda plan: replace(plan, profile=replace(TINY, name="b")), "profile name was 'tiny'"),
        (lambda plan: replace(plan, rules=RULES[:1]), "rules token_rejection_bonus is not there"),
        (
            lambda plan: replace(plan, sections=(replace(plan.sections[0], size=8),)),
            "sections a/x was 9, and is 8",
        ),
        (lambda plan: replace(plan, sections=plan.sections[:1]), "sections b/y is not there any"),
    ],
)
def test_the_journal_of_another_plan_is_refused_and_the_difference_named(
    small: Plan, tmp_path: Path, changed: Callable[[Plan], Plan], difference: str
) -> None:
    path = tmp_path / "journal"
    with Journal(path, small):
        before = path.read_bytes()
    with pytest.raises(JournalError, match=f"journal: cannot be resumed: {difference}"):
        Journal(path, changed(small))
    assert path.read_bytes() == before


def test_a_rule_that_was_not_there_is_named(small: Plan, tmp_path: Path) -> None:
    Journal(tmp_path / "journal", replace(small, rules=RULES[:1])).__exit__(None, None, None)
    with pytest.raises(JournalError, match="rules token_rejection_bonus was not there"):
        Journal(tmp_path / "journal", small)


@pytest.mark.parametrize(
    ("name", "value", "difference"),
    [
        ("version", lambda package: "9.9", "version was '[^']*', and is '9.9'"),
        ("source_digest", lambda: "other", "source was '[0-9a-f]{64}', and is 'other'"),
    ],
)
def test_the_journal_of_another_version_is_refused(
    small: Plan,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: Callable[..., str],
    difference: str,
) -> None:
    with Journal(tmp_path / "journal", small):
        pass
    monkeypatch.setattr(journals, name, value)
    with pytest.raises(JournalError, match=difference):
        Journal(tmp_path / "journal", small)


def test_a_changed_source_has_another_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names count as well as contents; what Python makes of them does not."""
    monkeypatch.setattr(journals, "__file__", str(tmp_path / "journal.py"))
    digests = set()
    for name, content in [("a.py", "1"), ("a.py", "2"), ("b.json", "2"), ("a.pyc", "3")]:
        (tmp_path / name).write_text(content, encoding="utf-8")
        digests.add(source_digest())
    assert len(digests) == 3


@pytest.mark.parametrize("content", [b"mine", b"mine\n", b'{"journal": 1}\n', b"[1]\n", b"\xff\n"])
def test_a_file_that_is_no_journal_is_left_as_it_is(
    small: Plan, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="no journal of a run"):
        Journal(path, small)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_journal(small: Plan, tmp_path: Path) -> None:
    (tmp_path / "journal").touch()
    with Journal(tmp_path / "journal", small) as journal:
        assert list(journal.results()) == []


@pytest.mark.parametrize("name", [".", "no/such/folder/journal"])
def test_a_file_that_cannot_be_opened_is_refused(small: Plan, tmp_path: Path, name: str) -> None:
    with pytest.raises(JournalError, match=r"Is a directory|No such file|no journal"):
        Journal(tmp_path / name, small)


@pytest.mark.parametrize(
    "line",
    [
        "nothing",
        "{}",
        "[]",
        '{"section": "c/z", "first": 1, "cells": 1}',
        '{"section": "a/x", "first": 1, "cells": 1}',
    ],
)
def test_a_line_that_no_run_writes_is_an_error(small: Plan, tmp_path: Path, line: str) -> None:
    with Journal(tmp_path / "journal", small) as journal:
        with (tmp_path / "journal").open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
        with pytest.raises(JournalError, match=r"journal, line 2: no finished cells of this plan"):
            list(journal.results())


def test_a_full_disk_is_an_error(small: Plan, found: Callable[..., CheckResult]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    journal = Journal.__new__(Journal)
    journal._path, journal._file = full, full.open("ab", buffering=0)
    with pytest.raises(JournalError, match="No space left on device"):
        journal.append(unit(small, 0, found()))
    journal.__exit__(None, None, None)
