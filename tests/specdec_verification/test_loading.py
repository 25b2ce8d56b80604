"""Someone's own code, found by file and name."""

from pathlib import Path

import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.loading import load


def test_a_name_of_a_file_is_found_with_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_it.py").write_text("NUMBER = 7\n")
    (tmp_path / "own.py").write_text("from neighbour_of_it import NUMBER\n")
    assert load(f"{tmp_path}/own.py:NUMBER") == 7


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "own.py", "expected FILE.py:NAME"),
        ("", "own.py:not a name", "expected FILE.py:NAME"),
        ("", "other.py:NAME", "no Python file of that name"),
        ("", "own.py:NAME", "has no 'NAME'"),
        ("1 / 0\n", "own.py:NAME", "does not import: ZeroDivisionError"),
        ("raise SystemExit(3)\n", "own.py:NAME", "does not import: SystemExit"),
        ("def broken(:\n", "own.py:NAME", "does not import: SyntaxError"),
    ],
)
def test_what_cannot_be_found_is_one_clear_error(
    text: str, place: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(text)
    with pytest.raises(InvalidParameterError, match=message):
        load(f"{tmp_path}/{place}")
