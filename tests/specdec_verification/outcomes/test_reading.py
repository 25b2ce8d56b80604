"""Every format gives the same counts; whatever is wrong with a file, nothing of it is counted."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from specdec_core.errors import InvalidInstanceError, InvalidOutcomesError
from specdec_core.instances import Instance, dumps
from specdec_core.rules import rule_named
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.outcomes import array_files, parquet_files, text_files
from specdec_verification.outcomes.reading import is_outcome_file, read_outcomes

Write = Callable[[Path, Instance, Mapping[tuple[int, ...], int]], Path]
INSTANCE = dyadic_instance(rule_named("token_rejection_bonus"), 4)  # three tokens, gamma 2
COUNTS = {(0, 1, 2): 7, (2,): 4, (1, 0): 1, (1,): 9}


def test_every_format_gives_the_same_counts(write: Write, tmp_path: Path) -> None:
    found = read_outcomes(write(tmp_path, INSTANCE, COUNTS))
    assert found.counts == COUNTS
    assert (found.longest, found.instance.vocab_size) == (3, 3)


def test_pieces_add_up(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "CHUNK", 4)
    monkeypatch.setattr(array_files, "ROWS", 4)
    monkeypatch.setattr(parquet_files, "ROWS", 4)
    assert read_outcomes(write(tmp_path, INSTANCE, COUNTS)).counts == COUNTS


@pytest.mark.parametrize("bad", [(0, 3), (3,), (0, 1, 2, 0)], ids=str)
def test_an_outcome_outside_the_claim_is_named_by_its_place(
    write: Write, bad: tuple[int, ...], tmp_path: Path
) -> None:
    path = write(tmp_path, INSTANCE, {(0, 1): 1, bad: 1, (1,): 1})
    with pytest.raises(InvalidOutcomesError, match=r"(line [3456]|row 2): tokens \[") as caught:
        read_outcomes(path)
    assert str(path) in str(caught.value)
    assert "of 0 to 2" in str(caught.value)
    assert "at most 3" in str(caught.value)


@pytest.mark.parametrize("lost", [1, 3, 40])
def test_a_file_that_was_cut_short_is_an_error(write: Write, lost: int, tmp_path: Path) -> None:
    """But for JSON Lines that lost a newline: the last line is whole all the same."""
    path = write(tmp_path, INSTANCE, COUNTS)
    content = path.read_bytes()
    path.write_bytes(content[:-lost])
    if path.name == "outcomes.jsonl" and lost == 1:
        assert read_outcomes(path).counts == COUNTS
        return
    with pytest.raises(InvalidOutcomesError, match=str(path)):
        read_outcomes(path)


@pytest.mark.parametrize(
    "text", ["# outcomes: 3\ntokens\n0\n1\n", '{"outcomes": 3}\n{"tokens": [0], "count": 2}\n']
)
def test_a_file_cut_between_two_lines_is_told_by_its_number(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("outcomes.csv" if text.startswith("#") else "outcomes.jsonl")
    path.write_text(text)
    with pytest.raises(InvalidOutcomesError, match="2 outcomes, but it says that there are 3"):
        read_outcomes(path, INSTANCE)


def test_changed_bytes_of_an_archive_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.npz"
    np.savez(path, tokens=np.zeros((100_000, 1), dtype=np.int8), instance=dumps(INSTANCE))
    content = bytearray(path.read_bytes())
    content[50_000] = 1
    path.write_bytes(content)
    with pytest.raises(InvalidOutcomesError, match="broken archive: Bad CRC-32"):
        read_outcomes(path)


def test_an_instance_can_be_given_instead(write: Write, tmp_path: Path) -> None:
    path = write(tmp_path, INSTANCE, {(0, 1): 2})
    two = dyadic_instance(rule_named("token_rejection_bonus"), 3)
    assert read_outcomes(path, two).instance == two


def test_a_file_of_no_outcomes_has_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    path.write_text("")
    assert read_outcomes(path, INSTANCE).counts == {}


def test_the_most_tokens_are_said_or_follow_from_gamma(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text("tokens\n0\n")
    without = Instance(INSTANCE.target, INSTANCE.drafts, {})
    with pytest.raises(InvalidOutcomesError, match="says nothing of 'longest'"):
        read_outcomes(path, without)
    path.write_text("# longest: 5\ntokens\n0\n")
    assert read_outcomes(path, without).longest == 5


def test_a_file_without_an_instance_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text("tokens\n0\n")
    with pytest.raises(InvalidOutcomesError, match="names no instance, and none was given"):
        read_outcomes(path)


def test_an_instance_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    path.write_text("# instance: nowhere.json\ntokens\n0\n")
    with pytest.raises(InvalidInstanceError, match=r"nowhere\.json"):
        read_outcomes(path)


@pytest.mark.parametrize("name", ["missing.csv", "missing.npz"])
def test_a_file_that_is_not_there_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidOutcomesError, match="No such file"):
        read_outcomes(tmp_path / name)


def test_other_endings_are_none_of_ours(tmp_path: Path) -> None:
    assert [is_outcome_file(Path(name)) for name in ("a.jsonl", "a.py", "a.parquet")] == [
        True,
        False,
        True,
    ]
    with pytest.raises(InvalidOutcomesError, match=r"expected a name that ends in \.jsonl"):
        read_outcomes(tmp_path / "outcomes.txt")


def test_counts_that_do_not_fit_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    count = 1 << 62
    path.write_text(f'{{"tokens": [0], "count": {count}}}\n{{"count": {count}, "tokens": [0]}}\n')
    with pytest.raises(InvalidOutcomesError, match=r"a\.jsonl: 9\.223e\+18 outcomes"):
        read_outcomes(path, INSTANCE)
