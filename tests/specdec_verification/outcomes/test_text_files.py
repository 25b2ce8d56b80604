from pathlib import Path

import pytest

from specdec_core.errors import InvalidOutcomesError
from specdec_core.rules import rule_named
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.outcomes.reading import read_outcomes

INSTANCE = dyadic_instance(rule_named("token_rejection_bonus"), 4)


def counts(path: Path, text: str) -> dict[tuple[int, ...], int]:
    path.write_text(text)
    return dict(read_outcomes(path, INSTANCE).counts)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"tokens": [0, 1', "not JSON"),
        ('{"tokens": [0, 1], "tokens": [2]}', "key 'tokens' stands twice"),
        ('{"tokens": [0], "weight": 1}', "unknown key 'weight'"),
        ('{"tokens": []}', "expected at least one"),
        ('{"tokens": [-1]}', "none negative"),
        ('{"tokens": [true]}', "expected a list of integers"),
        ('{"tokens": [0.0]}', "expected a list of integers"),
        ('{"tokens": 1}', "tokens is 1, expected a list"),
        ('{"count": 1}', "tokens is null"),
        ('{"tokens": [0], "count": -1}', "count is -1"),
        ('{"tokens": [0], "count": NaN}', "NaN stands in it"),
        ('{"tokens": [0], "count": 9223372036854775807}', "at most 4611686018427387904"),
        ("[0, 1]", "a list, expected an object"),
        ("", "not JSON"),
        ("\x00\xff", "not JSON"),
    ],
)
def test_a_malformed_json_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    text = '{"tokens": [0]}\n{"tokens": [0]}\n' + line + '\n{"tokens": [1]}\n'
    with pytest.raises(InvalidOutcomesError, match=r"outcomes\.jsonl: line 3: ") as caught:
        counts(tmp_path / "outcomes.jsonl", text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "''"),
        ("0 1 ", "expected tokens parted by spaces"),
        ("0,1", "expected tokens parted by spaces"),
        ("-1", "expected tokens parted by spaces"),
        ("01", "expected tokens parted by spaces"),
        ("0 1.0", "expected tokens parted by spaces"),
        ("# longest: 3", "expected tokens parted by spaces"),
    ],
)
def test_a_malformed_csv_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(InvalidOutcomesError, match=r"outcomes\.csv: line 3: ") as caught:
        counts(tmp_path / "outcomes.csv", f"tokens\n0 1\n{line}\n1\n")
    assert said in str(caught.value)


@pytest.mark.parametrize("line", ["0 1", "0 1,", ",3", "0 1,-1", "0,1,2"])
def test_a_malformed_csv_count_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidOutcomesError, match=r"line 3: .*a comma and a count"):
        counts(tmp_path / "outcomes.csv", f"tokens,count\n0 1,5\n{line}\n1,1\n")


@pytest.mark.parametrize("header", ["", "tokens;count", "token", "# other: 3", '"tokens"'])
def test_a_csv_without_its_header_is_an_error(tmp_path: Path, header: str) -> None:
    with pytest.raises(InvalidOutcomesError, match=r"line 1: .*the header 'tokens' or"):
        counts(tmp_path / "outcomes.csv", f"{header}\n0 1\n")


def test_a_csv_of_comments_alone_has_no_header(tmp_path: Path) -> None:
    with pytest.raises(InvalidOutcomesError, match="no header"):
        counts(tmp_path / "outcomes.csv", "# longest: 3\n")


@pytest.mark.parametrize("longest", ["0", "-3", "three", "1.5"])
def test_the_most_tokens_are_a_positive_integer(tmp_path: Path, longest: str) -> None:
    with pytest.raises(InvalidOutcomesError, match=r"longest is .*, expected a positive integer"):
        counts(tmp_path / "outcomes.csv", f"# longest: {longest}\ntokens\n0\n")


@pytest.mark.parametrize("head", ['{"longest": 0}', '{"longest": true}', '{"instance": 3}', "{}x"])
def test_a_malformed_first_line_is_named(tmp_path: Path, head: str) -> None:
    with pytest.raises(InvalidOutcomesError, match=r"line 1"):
        counts(tmp_path / "outcomes.jsonl", f"{head}\n")


def test_the_line_is_that_of_its_first_occurrence_past_a_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specdec_verification.outcomes.text_files.CHUNK", 3)
    lines = ["0"] * 7 + ["0 5"] * 3
    with pytest.raises(InvalidOutcomesError, match=r"line 9: tokens \[0, 5\]"):
        counts(tmp_path / "outcomes.csv", "\n".join(["tokens", *lines, ""]))


def test_a_last_csv_line_without_newline_may_be_half_a_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidOutcomesError, match=r"line 3: '0 1' has no newline"):
        counts(tmp_path / "outcomes.csv", "tokens\n0\n0 1")


def test_counts_and_repeated_lines_multiply(tmp_path: Path) -> None:
    text = "tokens,count\n0 1,5\n0 1,5\n0 1,2\n2,0\n"
    assert counts(tmp_path / "outcomes.csv", text) == {(0, 1): 12}


def test_a_comment_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    text = "# longest: 2\n# longest: 3\ntokens\n0 1\n"
    with pytest.raises(InvalidOutcomesError, match=r"line 2: a second '# longest: '"):
        counts(tmp_path / "outcomes.csv", text)


@pytest.mark.parametrize(
    ("name", "text"),
    [("outcomes.jsonl", '{"longest": 3}\n{"tokens": [0]}\n'), ("outcomes.csv", "tokens\n0\n")],
)
def test_a_byte_order_mark_is_passed_over(tmp_path: Path, name: str, text: str) -> None:
    assert counts(tmp_path / name, f"\ufeff{text}") == {(0,): 1}


@pytest.mark.parametrize(
    ("name", "head", "line", "long"),
    [
        ("outcomes.jsonl", "{}", '{{"tokens": [0], "count": {}}}', '{{"tokens": [0{}]}}'),
        ("outcomes.csv", "tokens,count", "0,{}", "0{},1"),
    ],
)
@pytest.mark.parametrize("tokens", [500, 100_000])
def test_one_long_line_among_many_costs_no_memory(
    tmp_path: Path, name: str, head: str, line: str, long: str, tokens: int
) -> None:
    """Padded to its length, the other lines of its chunk would take a gibibyte or 160."""
    lines = [head, *(line.format(i) for i in range(200_000 // 500)), ""]
    lines[-1] = long.format((", 0" if name.endswith("jsonl") else " 0") * tokens)
    with pytest.raises(InvalidOutcomesError, match=rf"{name}: line 402: ") as caught:
        counts(tmp_path / name, "\n".join([*lines, ""]))
    assert len(str(caught.value)) < 300


def test_a_first_line_that_never_ends_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specdec_verification.outcomes.text_files.MAX_HEAD", 1000)
    for name in ("outcomes.jsonl", "outcomes.csv"):
        with pytest.raises(InvalidOutcomesError, match=r"line 1: 1000 characters or more"):
            counts(tmp_path / name, "x" * 5000)
