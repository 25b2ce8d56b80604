import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy

from specdec_core.errors import InvalidOutcomesError
from specdec_core.rules import rule_named
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.outcomes.reading import read_outcomes

INSTANCE = dyadic_instance(rule_named("token_rejection_bonus"), 4)
TOKENS = np.array([[0, 1], [2, -1]])


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"counts": np.array([1])}, "expected tokens, and none but"),
        ({"tokens": TOKENS, "more": TOKENS}, "expected tokens, and none but"),
        ({"tokens": TOKENS * 1.0}, "tokens is float64"),
        ({"tokens": TOKENS[0]}, r"tokens is int64 of shape \(2,\)"),
        ({"tokens": TOKENS[:, :0]}, r"tokens is int64 of shape \(2, 0\)"),
        ({"tokens": TOKENS, "counts": np.array([1])}, r"counts is int64 of shape \(1,\)"),
        ({"tokens": TOKENS, "counts": np.array([1.0, 2.0])}, "counts is float64"),
        ({"tokens": TOKENS, "counts": np.array([1, -2])}, "row 2: count -2"),
        ({"tokens": np.array([[0, 1], [-1, 0]])}, r"row 2: tokens \[-1, 0\]"),
        ({"tokens": np.asfortranarray(np.zeros((4, 2), dtype=int))}, "Fortran order"),
        ({"tokens": np.array([[None]])}, "pickle|tokens is object"),
        ({"tokens": TOKENS, "longest": 0}, "longest is 0"),
        ({"tokens": TOKENS, "longest": "three"}, "longest is 'three'"),
        ({"tokens": TOKENS, "instance": 3}, "instance is 3"),
        ({"tokens": np.full((2, 4), 0)}, "at most 3"),
        ({"tokens": np.full((0, 4), 0)}, None),
        ({"tokens": np.array([[0, 1, -1, -1]])}, "rows of 4 tokens, expected at most 3"),
    ],
)
def test_arrays_of_another_kind_are_an_error(
    arrays: dict[str, Any], said: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "outcomes.npz"
    np.savez(path, **arrays)
    if said is None:
        assert read_outcomes(path, INSTANCE).counts == {}
        return
    with pytest.raises(InvalidOutcomesError, match=said):
        read_outcomes(path, INSTANCE)


def test_a_file_that_is_no_archive_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.npz"
    path.write_bytes(b"tokens\n0\n")
    with pytest.raises(InvalidOutcomesError, match="no NPZ archive"):
        read_outcomes(path, INSTANCE)


@pytest.mark.parametrize("dtype", ["int8", "uint8", ">i4", "uint64"])
def test_any_integers_will_do(dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "outcomes.npz"
    np.savez(path, tokens=np.array([[0, 1], [2, 2]], dtype=dtype))
    assert read_outcomes(path, INSTANCE).counts == {(0, 1): 1, (2, 2): 1}


def damaged(path: Path, at: int, content: bytes) -> Path:
    data = bytearray(path.read_bytes())
    data[at : at + len(content)] = content
    path.write_bytes(data)
    return path


def test_a_compressed_stream_that_is_none_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, tokens=np.zeros((100, 2), dtype=int))
    start = path.read_bytes().index(b"tokens.npy") + len("tokens.npy") + 20
    with pytest.raises(InvalidOutcomesError, match="a broken archive: Error -3"):
        read_outcomes(damaged(path, start, b"\xff" * 20), INSTANCE)


def test_an_archive_that_says_it_is_encrypted_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, tokens=TOKENS)
    flags = path.read_bytes().rindex(b"PK\x01\x02") + 8
    with pytest.raises(InvalidOutcomesError, match="is encrypted"):
        read_outcomes(damaged(path, flags, b"\x01"), INSTANCE)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["tokens.npy", "tokens"])
def test_an_array_that_is_there_twice_or_is_none_is_an_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, tokens=TOKENS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, b"other")
    with pytest.raises(InvalidOutcomesError, match="each once and as NPY"):
        read_outcomes(path, INSTANCE)


def test_a_negative_shape_is_an_error_and_not_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": (-1, 2)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tokens.npy", header.getvalue())
    with pytest.raises(InvalidOutcomesError, match=r"an array of shape \(-1, 2\)"):
        read_outcomes(path, INSTANCE)


def test_wide_rows_are_read_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("specdec_verification.outcomes.array_files.PIECE", 100)
    np.savez(tmp_path / "a.npz", tokens=np.zeros((7, 3), dtype=np.int64))
    assert read_outcomes(tmp_path / "a.npz", INSTANCE).counts == {(0, 0, 0): 7}
