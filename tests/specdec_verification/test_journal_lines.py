"""Lines of a journal: what is said once is read for every cell, and nothing else is read."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_verification.journal_lines import line_of, results_of
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Evidence, Labels, Risk, Verdict
from specdec_verification.units import Finished, Unit

risks = st.builds(
    Risk, st.just(1e-9), st.just(0.01), st.sampled_from([0.05, float("inf")]), st.integers(1, 9)
)
words = st.sampled_from(["", "a", '"a"\n\u2260 b', "specdec-verify verify --only a/x/4"])
results = st.builds(
    CheckResult,
    check=words,
    labels=st.builds(Labels, words, words, words, words, words.filter(bool)),
    verdict=st.sampled_from(Verdict),
    evidence=st.sampled_from(Evidence),
    total_variation=st.one_of(
        st.none(), st.sampled_from([Fraction(0), Fraction(1, 3), 0.1 + 0.2, 0.0])
    ),
    size=st.integers(0, 3),
    detail=words,
    risk=st.one_of(st.none(), risks),
)


def never(number: int, line: str) -> CheckResult:
    raise AssertionError("a cell is read, not run")


SECTION = Section("tiny", "a/x", 9, never)


@given(found=st.lists(results, min_size=1, max_size=5), first=st.integers(0, 4))
def test_what_was_written_is_read(found: list[CheckResult], first: int) -> None:
    unit = Unit(0, SECTION, range(first, first + len(found)))
    line = line_of(Finished(unit, tuple(found)))
    assert line.count(b"\n") == 1
    read = dict(results_of(json.loads(line), SECTION))
    assert read == dict(zip(unit.cells, found, strict=True))
    kinds = [type(result.total_variation) for result in found]
    assert [type(result.total_variation) for result in read.values()] == kinds
    assert pickle.loads(pickle.dumps(read)) == read  # text of JSON is no verdict


def test_a_thousand_cells_that_differ_in_their_numbers_take_little(
    found: Callable[..., CheckResult], labels: Labels
) -> None:
    section = replace(SECTION, size=1000)
    each = tuple(
        found(labels=replace(labels, instance=f"x/{number}", reproduce=section.line(number)))
        for number in range(1000)
    )
    assert len(line_of(Finished(Unit(0, section, range(1000)), each))) < 12_000


@pytest.mark.parametrize(
    "changed",
    [
        {"first": -1},
        {"first": 8},
        {"first": "0"},
        {"cells": 0},
        {"cells": 3},
        {"verdict": "passed"},
        {"size": [1]},
        {"detail": ["a", "b", "c"]},
        {"risk": {"draws": 1}},
        {"total_variation": "a half"},
    ],
)
def test_a_line_that_no_unit_makes_is_refused(
    found: Callable[..., CheckResult], changed: dict[str, object]
) -> None:
    line = line_of(Finished(Unit(0, SECTION, range(2)), (found(), found(size=5))))
    with pytest.raises((LookupError, TypeError, ValueError)):
        list(results_of({**json.loads(line), **changed}, SECTION))
