import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import InvalidOutcomesError, InvalidParameterError
from specdec_core.rules import rule_named
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.outcomes.reading import read_outcomes

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

INSTANCE = dyadic_instance(rule_named("token_rejection_bonus"), 4)
INT32 = pa.int32()


def written(path: Path, columns: dict[str, Any]) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "kind", [pa.list_(INT32), pa.large_list(pa.int8()), pa.list_(pa.uint16(), 2)], ids=str
)
def test_any_lists_of_integers_will_do(kind: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = written(tmp_path / "a.parquet", {"tokens": pa.array([[0, 1], [2, 2]], type=kind)})
    assert read_outcomes(path, INSTANCE).counts == {(0, 1): 1, (2, 2): 1}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"token": [[0]]}, "columns token; expected tokens"),
        ({"tokens": [[0]], "more": [1]}, "columns tokens, more; expected"),
        ({"tokens": [0]}, "tokens is int64, expected lists"),
        ({"tokens": [[0.5]]}, "tokens is list<.*double>, expected lists of integers"),
        ({"tokens": [[0]], "count": [1.5]}, "count is double, expected integers"),
        ({"tokens": [[0], None]}, "row 2: no tokens"),
        ({"tokens": [[0], [1]], "count": [1, None]}, "row 2: no count"),
        ({"tokens": [[0], [1, None]]}, "a token is missing"),
        ({"tokens": [[0], []]}, r"row 2: tokens \[-1"),
        ({"tokens": [[0], [1]], "count": [1, -1]}, "row 2: count -1"),
    ],
)
def test_columns_of_another_kind_are_an_error(
    columns: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.parquet", columns)
    with pytest.raises(InvalidOutcomesError, match=said):
        read_outcomes(path, INSTANCE)


def test_a_file_that_is_no_parquet_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InvalidOutcomesError, match="no Parquet file"):
        read_outcomes(path, INSTANCE)


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.parquet", {"tokens": [[0]]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidParameterError, match=r"specdec-verify\[parquet\]"):
        read_outcomes(path, INSTANCE)


@pytest.mark.parametrize("names", [["tokens", "tokens"], ["tokens", "count", "count"]], ids=str)
def test_a_column_that_is_there_twice_is_an_error(names: list[str], tmp_path: Path) -> None:
    columns = {"tokens": pa.array([[0, 1]]), "count": pa.array([2])}
    table = pa.Table.from_arrays([columns[name] for name in names], names=names)
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InvalidOutcomesError, match="each once"):
        read_outcomes(tmp_path / "a.parquet", INSTANCE)


@pytest.mark.parametrize(
    "metadata", [{"instance": b"\xff"}, {"longest": b"\xff"}, {"longest": "9" * 5000}], ids=str
)
def test_what_a_file_says_of_itself_is_a_text_or_a_number(
    metadata: dict[str, Any], tmp_path: Path
) -> None:
    table = pa.table({"tokens": [[0, 1]]}).replace_schema_metadata(metadata)
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InvalidOutcomesError, match=f"{next(iter(metadata))} is "):
        read_outcomes(tmp_path / "a.parquet", INSTANCE)


def test_other_metadata_may_be_anything(tmp_path: Path) -> None:
    table = pa.table({"tokens": [[0, 1]]}).replace_schema_metadata({b"\xff": b"\xff"})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert read_outcomes(tmp_path / "a.parquet", INSTANCE).draws == 1


def test_one_long_row_among_many_costs_no_memory(tmp_path: Path) -> None:
    rows = [*[[0]] * 1000, [0] * 100_000]
    with pytest.raises(InvalidOutcomesError, match=r"row 1001: tokens \[0, .* and 99992 more\]"):
        read_outcomes(written(tmp_path / "a.parquet", {"tokens": rows}), INSTANCE)


def test_a_missing_token_names_its_row(tmp_path: Path) -> None:
    rows = [[0], [0, 1], [2, None]]
    with pytest.raises(InvalidOutcomesError, match="row 3: a token is missing at place 1"):
        read_outcomes(written(tmp_path / "a.parquet", {"tokens": rows}), INSTANCE)


def test_fewer_outcomes_than_the_file_states_are_an_error(tmp_path: Path) -> None:
    table = pa.table({"tokens": [[0, 1]]}).replace_schema_metadata({"outcomes": "3"})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InvalidOutcomesError, match="1 outcomes, but it says that there are 3"):
        read_outcomes(tmp_path / "a.parquet", INSTANCE)


def test_a_changed_byte_of_a_page_fails_its_checksum(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"tokens": [[0, 1]] * 50})
    parquet.write_table(
        table, path, write_page_checksum=True, compression="none", use_dictionary=False
    )
    content = path.read_bytes()
    tokens = np.array([0, 1] * 50).tobytes()
    assert tokens in content
    path.write_bytes(content.replace(tokens, tokens[:-8] + np.array([0]).tobytes()))
    with pytest.raises(InvalidOutcomesError, match="CRC"):
        read_outcomes(path, INSTANCE)
