"""`specdec-verify faults`: every planted fault, and what its witness shows of it."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from specdec_core.instances import read_instance
from specdec_verification import detection
from specdec_verification.faults import FAULTS
from specdec_verification.faults.loop_catalogue import PLANTED
from specdec_verification.faults.rounds import distance
from specdec_verification.witnesses import families, search
from specdec_verification.witnesses.search import Effort


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """List six faults: of a rule and of a loop, two of which leave the law alone."""
    names = ("accept_inclusive", "recovered_from_target", "tree_accept_likeliest")
    rules = tuple(fault for fault in FAULTS if fault.name in names)
    monkeypatch.setattr(detection, "FAULTS", rules)
    monkeypatch.setattr(detection, "PLANTED", (*PLANTED[:2], PLANTED[-1]))


def test_a_fault_is_listed_with_its_kind_place_distance_and_mechanism(
    command: Callable[..., Any],
) -> None:
    ended = command("faults")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert len(lines) == 12
    at = next(i for i, line in enumerate(lines) if "recovered_from_target" in line)
    assert lines[at].split() == ["K09", "recovered_from_target", "TV", "41/256", *SPEC_RL]
    assert lines[at + 1].startswith("    A rejected token is replaced from the target's row")
    assert "accept_inclusive                   TV 0: at thresholds" in ended.out
    assert "loop_bonus_dropped                 TV 0: in bonus" in ended.out


SPEC_RL = ("ShopeeLLM/Spec-RL", "#14")


def test_json_has_every_fraction(command: Callable[..., Any]) -> None:
    listed = json.loads(command("faults", "--json").out)
    assert len(listed) == 6
    assert {*listed[0]} == {"name", "kind", "seen", "mechanism", "total_variation", "shows"}
    distances = {fault["name"]: Fraction(fault["total_variation"]) for fault in listed}
    assert distances["recovered_from_target"] == Fraction(41, 256)
    assert distances["accept_inclusive"] == distances["loop_bonus_dropped"] == 0
    shows = {fault["name"]: fault["shows"] for fault in listed}
    assert shows["recovered_from_target"] == "law"
    assert shows["accept_inclusive"] == "at thresholds"


def test_witnesses_are_searched_anew_and_written(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(families, "FAMILIES", families.FAMILIES[-3:])
    monkeypatch.setattr(search, "Effort", lambda: Effort(points=10, moves=10))
    ended = command("faults", "--regenerate-witnesses", "found")
    names = [line.split()[0] for line in ended.out.splitlines()]
    assert (ended.code, names) == (0, ["typical", "relaxed", "lenience"])
    floors = json.loads((tmp_path / "found" / "floors.json").read_text())
    instance = read_instance(tmp_path / "found" / "lenience.json")
    (fault,) = families.FAMILIES[-1].faults
    assert distance(fault.rule, instance) == Fraction(floors["lenience"]["floor"])
    assert f"lenience   floor {floors['lenience']['floor']}, of {fault.name}" in ended.out
