import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidParameterError, InvalidVectorsError
from specdec_core.instances import loads
from specdec_core.rules import play_round, rule_named
from specdec_verification.vectors.writing import CHECKSUMS, SCHEMA, read_vectors, write_vectors

RULE = rule_named("token_rejection_bonus")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_vectors(RULE, tmp_path_factory.mktemp("vectors"), instances=4)


def test_what_is_written_replays(path: Path) -> None:
    for case in read_vectors(path)["cases"]:
        instance = loads(json.dumps(case["instance"]))
        for vector in case["vectors"]:
            emitted = play_round(RULE, instance, ReplayedDraws(vector["uniforms"]))
            assert list(emitted.tokens) == vector["tokens"]
            assert len(emitted.accepted) == vector["accepted"]


def test_weights_sum_to_one_over_the_paths(path: Path) -> None:
    for case in read_vectors(path)["cases"]:
        weights = [Fraction(v["weight"]) for v in case["vectors"] if "weight" in v]
        assert sum(weights) == 1
        assert len(weights) == case["paths"]
        assert sum(map(Fraction, case["exact"]["law"].values())) == 1


@pytest.mark.parametrize("name", ["token_rejection_bonus", "specinfer_multi_step", "k_seq"])
def test_the_schema_describes_the_file(name: str, tmp_path: Path) -> None:
    path = write_vectors(rule_named(name), tmp_path, instances=2)
    schema = json.loads((tmp_path / SCHEMA).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(read_vectors(path), schema)


@pytest.mark.parametrize(
    "change",
    [{"uniforms": [1.0]}, {"tokens": [-1]}, {"boundary": "and weight"}, {"more": 1}],
    ids=lambda change: next(iter(change)),
)
def test_the_schema_refuses_another_vector(path: Path, change: dict) -> None:
    document = read_vectors(path)
    document["cases"][0]["vectors"][0].update(change)
    schema = json.loads((path.parent / SCHEMA).read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_two_runs_write_the_same_bytes(path: Path, tmp_path: Path) -> None:
    again = write_vectors(RULE, tmp_path, instances=4)
    assert again.read_bytes() == path.read_bytes()


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = write_vectors(RULE, tmp_path, instances=1)
    path.write_text(path.read_text().replace('"tokens": [0', '"tokens": [1', 1))
    with pytest.raises(InvalidVectorsError, match=r"its SHA-256 is .*, but SHA256SUMS says"):
        read_vectors(path)


def test_a_file_that_the_checksums_do_not_name_is_refused(tmp_path: Path) -> None:
    path = write_vectors(RULE, tmp_path, instances=1)
    other = path.rename(tmp_path / "other.json")
    with pytest.raises(InvalidVectorsError, match="nothing of it"):
        read_vectors(other)


def test_a_folder_without_checksums_is_not_whole(tmp_path: Path) -> None:
    path = write_vectors(RULE, tmp_path, instances=1)
    (tmp_path / CHECKSUMS).unlink()
    with pytest.raises(InvalidVectorsError, match="cannot be read"):
        read_vectors(path)


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InvalidParameterError, match=r"folder .*taken"):
        write_vectors(RULE, tmp_path / "taken", instances=1)


def test_no_instances_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="instances is 0"):
        write_vectors(RULE, tmp_path, instances=0)


def test_the_vectors_of_two_rules_stand_in_one_folder(tmp_path: Path) -> None:
    names = ("greedy", "token_rejection")
    paths = [write_vectors(rule_named(name), tmp_path, instances=1) for name in (*names, "greedy")]
    assert [read_vectors(path)["rule"] for path in paths] == [*names, "greedy"]
    sums = (tmp_path / CHECKSUMS).read_text().splitlines()
    assert sorted(line[66:] for line in sums) == ["greedy.json", "token_rejection.json", SCHEMA]


def test_checksums_that_are_no_text_are_an_error_and_stay(tmp_path: Path) -> None:
    (tmp_path / CHECKSUMS).write_bytes(b"\xff")
    with pytest.raises(InvalidParameterError, match="is no text"):
        write_vectors(RULE, tmp_path, instances=1)
    assert (tmp_path / CHECKSUMS).read_bytes() == b"\xff"
