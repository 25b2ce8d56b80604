"""A run as JSON, and back: nothing lost, and nothing read that was not written."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from specdec_reports.documents import InvalidResultsError, as_json, run_from_json
from specdec_verification.results import Run


def test_a_run_reads_back_to_itself(run: Run, empty: Run, whole: Run) -> None:
    for one in (run, empty, whole):
        assert run_from_json(as_json(one)) == one


def test_the_document_mirrors_the_run(run: Run) -> None:
    document = json.loads(as_json(run), parse_constant=pytest.fail)
    assert (document["schema_version"], document["verdict"], document["instances"]) == (
        *(3, "FAILED", 1501),
    )
    exact, sampled = document["exceptions"]
    assert (exact["total_variation"], exact["risk"]) == ("1/9", None)
    assert exact["labels"]["reproduce"] == "specdec-verify 3"
    assert sampled["risk"]["min_detectable_tv"] == 0.25
    assert document["summary"][0]["largest_tv"] == 1 / 9


def test_large_numbers_are_written_whole(run: Run, whole: Run) -> None:
    huge = replace(whole, summary=(replace(run.summary[0], size=10**300),))
    document = json.loads(as_json(huge))
    assert document["summary"][0]["size"] == 10**300
    third = document["efficiencies"][0]["optimum"]
    assert Fraction(third) == Fraction(10**20 + 1, 3 * 10**20)


def changed(text: str, change: Callable[[Any], object]) -> str:
    document = json.loads(text)
    change(document)
    return json.dumps(document)


def setting(*place: str | int, value: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:  # noqa: ANN401 (whatever JSON holds)
        for step in place[:-1]:
            document = document[step]
        document[place[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setting("schema_version", value=1), "schema_version is 1, expected 3; `specdec-verify "),
        (setting("schema_version", value=True), "schema_version is true, expected 3"),
        (lambda document: document.pop("schema_version"), "expected an object with a schema_ver"),
        (lambda document: document.pop("budget"), "key 'budget' is missing"),
        (
            lambda document: document["exceptions"][0]["labels"].pop("claim"),
            "key 'claim' is missing in exceptions[0].labels",
        ),
        (setting("extra", value=1), 'key "extra" is unknown'),
        (setting("instances", value="12"), 'instances is "12", expected an integer'),
        (setting("instances", value=True), "instances is true, expected an integer"),
        (setting("instances", value=1.0), "instances is 1.0, expected an integer"),
        (setting("summary", value={}), "summary is an object, expected a list"),
        (setting("summary", 0, value=[]), "summary[0] is a list, expected an object"),
        (setting("summary", 1, "largest_tv", value=None), "summary[1].largest_tv is null, exp"),
        (setting("summary", 1, "largest_tv", value=10**400), "[1].largest_tv is too large for a"),
        (setting("verdict", value="PASS"), "expected one of PASSED, FAILED, INCONCLUSIVE"),
        (setting("exceptions", 0, "total_variation", value="1/0"), 'is "1/0", expected a fract'),
        (setting("exceptions", 0, "total_variation", value=[]), 'a fraction such as "1/3" or '),
        (setting("curves", 0, "lossless", value=1), "lossless is 1, expected true or false"),
        (setting("efficiencies", 0, "optimum", value=0.5), "is 0.5, expected a fraction such"),
    ],
)
def test_what_was_not_written_is_not_read(
    whole: Run, change: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(InvalidResultsError) as error:
        run_from_json(changed(as_json(whole), change))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1]", "expected an object with a schema_version"),
        ('{"a": 1, "a": 2}', 'key "a" stands twice in one object'),
        ('{"a": NaN}', "NaN stands in it, expected finite numbers"),
        ("[" * 100_000, "nested too deeply"),
        (f'{{"a": {"1" * 5000}}}', "Exceeds the limit"),
    ],
    ids=["empty", "list", "twice", "nan", "deep", "long"],
)
def test_what_is_no_document_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidResultsError) as error:
        run_from_json(text)
    assert message in str(error.value)


def test_infinity_by_the_back_door_is_refused(whole: Run) -> None:
    text = as_json(whole).replace('"power": 0.25', '"power": 1e999')
    with pytest.raises(InvalidResultsError, match=r"detection\[1\].power is too large for a float"):
        run_from_json(text)
