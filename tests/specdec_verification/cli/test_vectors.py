import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from specdec_verification.vectors.writing import read_vectors


def test_vectors_are_written(command: Callable[..., Any]) -> None:
    options = ("--rule", "token_rejection", "--out", "made/vectors", "--instances", "2")
    assert command("vectors", *options) == (0, "wrote made/vectors/token_rejection.json\n", "")
    assert len(read_vectors(Path("made/vectors/token_rejection.json"))["cases"]) == 2
    names = {path.name for path in Path("made/vectors").iterdir()}
    assert names == {"token_rejection.json", "vectors.schema.json", "SHA256SUMS"}
    assert json.loads(Path("made/vectors/vectors.schema.json").read_text())["type"] == "object"


def test_a_rule_that_is_none_is_bad_input(command: Callable[..., Any]) -> None:
    ended = command("vectors", "--rule", "token_rejectoin", "--out", "made")
    assert (ended.code, ended.has_one_error_line) == (2, True)
    assert "did you mean 'token_rejection'?" in ended.err
    assert not Path("made").exists()


def test_a_folder_that_cannot_be_made_is_bad_input(command: Callable[..., Any]) -> None:
    Path("taken").write_text("")
    ended = command("vectors", "--rule", "token_rejection", "--out", "taken", "--instances", "1")
    assert (ended.code, ended.has_one_error_line) == (2, True)
