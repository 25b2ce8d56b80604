"""What is stored is what was found, and says itself how far each fault of a family shows."""

from fractions import Fraction
from pathlib import Path

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import read_instance
from specdec_verification.faults.rounds import distance
from specdec_verification.witnesses import stored
from specdec_verification.witnesses.families import FAMILIES, Family
from specdec_verification.witnesses.search import floor
from specdec_verification.witnesses.stored import store, witness


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_floor_stored_is_the_floor_of_the_instance_stored(family: Family) -> None:
    found = witness(family.name)
    assert (found.floor, found.faintest) == floor(family.lawless, found.instance)
    assert found.floor > 0


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_witness_has_the_shape_of_its_family(family: Family) -> None:
    instance = witness(family.name).instance
    assert instance.vocab_size == family.vocab_size
    assert instance.parameters == dict(family.parameters)


def test_floors_are_as_they_are_said_to_be() -> None:
    assert witness("path").floor == Fraction(1, 32)
    assert witness("tree").floor == Fraction(7, 32)
    assert witness("siblings").floor == Fraction(15, 128)


def test_the_faintest_fault_shows_as_much_as_the_floor() -> None:
    found = witness("path")
    (fault,) = [
        fault for family in FAMILIES for fault in family.faults if fault.name == found.faintest
    ]
    assert distance(fault.rule, found.instance) == found.floor


def test_an_unknown_family_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidParameterError, match="'paths', expected one of path, coarse, "):
        witness("paths")


def test_what_is_stored_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [witness("lenience"), witness("relaxed")]
    store(found, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        "floors.json",
        "lenience.json",
        "relaxed.json",
    }
    assert read_instance(tmp_path / "relaxed.json") == found[1].instance
    monkeypatch.setattr(stored, "files", lambda package: tmp_path)
    assert [witness.__wrapped__(one.family) for one in found] == found
