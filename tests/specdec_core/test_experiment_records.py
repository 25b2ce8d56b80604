import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.batch_models import batch_model
from specdec_core.decoding import DecodeMetrics, decode_autoregressive
from specdec_core.distributions import Row
from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidRecordError
from specdec_core.experiment_records import ExperimentRecord, RecordComparison

METRICS = DecodeMetrics(
    rounds=2,
    target_batches=2,
    target_queries=4,
    draft_batches=3,
    draft_queries=4,
    proposed=8,
    accepted=2,
    emitted=3,
    hypothetical_layered_target_batches=3,
    hypothetical_sequential_target_batches=4,
)
RECORD = ExperimentRecord("toy", (0, 1), 3, (1, 1, 0), METRICS)


def document() -> dict[str, Any]:
    return {"version": 1, **asdict(RECORD)}


def test_the_json_form_is_the_documented_one() -> None:
    assert json.loads(RECORD.to_json()) == {
        "version": 1,
        "target_model": "toy",
        "prompt": [0, 1],
        "continuation_length": 3,
        "tokens": [1, 1, 0],
        "metrics": {
            "rounds": 2,
            "target_batches": 2,
            "target_queries": 4,
            "draft_batches": 3,
            "draft_queries": 4,
            "proposed": 8,
            "accepted": 2,
            "emitted": 3,
            "hypothetical_layered_target_batches": 3,
            "hypothetical_sequential_target_batches": 4,
        },
    }


tokens = st.lists(st.integers(0, 2**70), max_size=5).map(tuple)


@given(st.text(min_size=1), tokens, tokens)
def test_a_record_survives_export_and_import(
    target_model: str, prompt: tuple[int, ...], emitted: tuple[int, ...]
) -> None:
    metrics = replace(METRICS, accepted=0, emitted=len(emitted))
    record = ExperimentRecord(target_model, prompt, len(emitted), emitted, metrics)
    assert ExperimentRecord.from_json(record.to_json()) == record


def test_a_decoding_becomes_a_record() -> None:
    model = batch_model(lambda context: Row([0.5, 0.5]))
    prompt = tuple(np.array([1]))
    decoding = decode_autoregressive(model, prompt, 2, ReplayedDraws([0.0, 0.5]))
    record = ExperimentRecord.of("coin", prompt, decoding)
    assert record == ExperimentRecord("coin", (1,), 2, (0, 1), decoding.metrics)
    assert ExperimentRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("{} {}", "not JSON"),
        ("null", "the record is null, expected an object"),
        ("[]", "the record is a list, expected an object"),
        ("7", "the record is 7, expected an object"),
        ("NaN", "NaN stands in it, expected finite numbers"),
        ('{"version": -Infinity}', "-Infinity stands in it, expected finite numbers"),
        ('{"version": 1, "version": 1}', "key 'version' stands twice"),
        ('{"metrics": {"rounds": 1, "rounds": 1}}', "key 'rounds' stands twice"),
        ("[" * 200_000, "nested too deeply"),
        ('{"metrics":' * 200_000, "nested too deeply"),
        ("9" * 5_000, "a number of 5000 characters, expected at most 1000"),
        (b"{}", "expected a JSON text"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidRecordError, match=re.escape(message)):
        ExperimentRecord.from_json(text)


@pytest.mark.parametrize("depth", range(900, 1000, 7))
def test_a_field_nested_as_deeply_as_can_be_read_is_refused(depth: int) -> None:
    nested = json.dumps({**document(), "tokens": ["DEEP"]}).replace(
        '"DEEP"', "[" * depth + "]" * depth
    )
    with pytest.raises(InvalidRecordError, match=r"tokens\[0\] is a list|nested too deeply"):
        ExperimentRecord.from_json(nested)


@pytest.mark.parametrize("name", document())
def test_a_missing_field_is_refused_by_name(name: str) -> None:
    changed = document()
    del changed[name]
    with pytest.raises(InvalidRecordError, match=f"field '{name}' of the record is missing"):
        ExperimentRecord.from_json(json.dumps(changed))


@pytest.mark.parametrize("name", asdict(METRICS))
def test_a_missing_metric_is_refused_by_name(name: str) -> None:
    changed = document()
    del changed["metrics"][name]
    with pytest.raises(InvalidRecordError, match=f"field '{name}' of metrics is missing"):
        ExperimentRecord.from_json(json.dumps(changed))


@pytest.mark.parametrize("value", [-1, 1.0, True, "1", None, [], {}])
@pytest.mark.parametrize("name", asdict(METRICS))
def test_a_metric_is_a_count(name: str, value: object) -> None:
    changed = document()
    changed["metrics"][name] = value
    with pytest.raises(InvalidRecordError, match=f"metrics.{name} is .*expected an integer"):
        ExperimentRecord.from_json(json.dumps(changed))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "version is 2, expected 1"),
        ({"version": True}, "version is True, expected 1"),
        ({"version": 1.0}, "version is 1.0, expected 1"),
        ({"version": [1]}, "version is a list, expected 1"),
        ({"target_model": ""}, "target_model is '', expected a string that is not empty"),
        ({"target_model": 7}, "target_model is 7, expected a string that is not empty"),
        ({"prompt": "01"}, "prompt is '01', expected a list of tokens"),
        ({"prompt": [0, -1]}, "prompt[1] is -1, expected an integer of at least 0"),
        ({"prompt": [0.0]}, "prompt[0] is 0.0, expected an integer of at least 0"),
        ({"prompt": [True]}, "prompt[0] is True, expected an integer of at least 0"),
        ({"tokens": {"0": 1}}, "tokens is an object, expected a list of tokens"),
        ({"tokens": [1, None, 0]}, "tokens[1] is null, expected an integer of at least 0"),
        (
            {"continuation_length": "3"},
            "continuation_length is '3', expected an integer of at least 0",
        ),
        (
            {"tokens": [1, 1]},
            "the number of tokens is 2, expected continuation_length, 3",
        ),
        (
            {"metrics": {**asdict(METRICS), "emitted": 4}},
            "metrics.emitted is 4, expected continuation_length, 3",
        ),
        (
            {"metrics": {**asdict(METRICS), "accepted": 4}},
            "metrics.accepted is 4, expected at most metrics.emitted, 3, and proposed, 8",
        ),
        (
            {"metrics": {**asdict(METRICS), "proposed": 1}},
            "metrics.accepted is 2, expected at most metrics.emitted, 3, and proposed, 1",
        ),
        ({"metrics": [1]}, "metrics is a list, expected an object"),
    ],
    ids=str,
)
def test_a_field_out_of_form_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRecordError, match=f"^{re.escape(message)}$"):
        ExperimentRecord.from_json(json.dumps({**document(), **changes}))


@pytest.mark.parametrize("place", ["the record", "metrics"])
def test_an_unknown_field_is_refused_by_name(place: str) -> None:
    changed = document()
    (changed if place == "the record" else changed["metrics"])["target_calls"] = 1
    with pytest.raises(InvalidRecordError, match=f"field 'target_calls' of {place} is unknown"):
        ExperimentRecord.from_json(json.dumps(changed))


@pytest.mark.parametrize("metrics", [None, asdict(METRICS)], ids=["none", "dict"])
def test_a_record_built_here_is_checked_as_strictly(metrics: DecodeMetrics) -> None:
    with pytest.raises(
        InvalidRecordError, match=r"metrics is (an object|null), expected DecodeMetrics"
    ):
        ExperimentRecord("toy", (0, 1), 3, (1, 1, 0), metrics)


def test_two_records_of_one_experiment_are_compared_though_their_tokens_differ() -> None:
    baseline = replace(
        RECORD, tokens=(0, 0, 0), metrics=replace(METRICS, target_batches=3, accepted=0)
    )
    assert RecordComparison(baseline, RECORD).target_batches_saved == 1
    assert RecordComparison(RECORD, baseline).target_batches_saved == -1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda: replace(RECORD, target_model="Toy"),
            "target_model is 'Toy' in the candidate and 'toy' in the baseline, "
            "expected one for both",
        ),
        (
            lambda: replace(RECORD, prompt=(0,)),
            "prompt is (0,) in the candidate and (0, 1) in the baseline, expected one for both",
        ),
        (
            lambda: replace(
                RECORD, tokens=(1, 1), continuation_length=2, metrics=replace(METRICS, emitted=2)
            ),
            "continuation_length is 2 in the candidate and 3 in the baseline, "
            "expected one for both",
        ),
    ],
    ids=["target_model", "prompt", "continuation_length"],
)
def test_records_of_different_experiments_are_refused(
    change: Callable[[], ExperimentRecord], message: str
) -> None:
    with pytest.raises(InvalidRecordError, match=f"^{re.escape(message)}$"):
        RecordComparison(RECORD, change())
