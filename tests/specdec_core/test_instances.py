import json
import pickle
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec_core.distributions import Row
from specdec_core.errors import (
    InvalidDistributionError,
    InvalidInstanceError,
    InvalidParameterError,
    InvalidTokenError,
    MissingContextError,
    ShapeError,
    SpecdecError,
)
from specdec_core.instances import Instance, Parameter, dumps, loads, read_instance
from specdec_core.models import ConstantModel, TableModel
from specdec_core.rules.token_rejection import TokenRejection
from specdec_verification import strategies

TEXT = """
{"version": 1, "vocab_size": 2, "parameters": {"gamma": 2},
 "target": {"": ["1/3", "2/3"], "0": ["1/2", "1/2"], "1": ["1", "0"]},
 "draft": {"": ["2/3", "1/3"], "0": [0.25, 0.75], "1": [1, 0]}}
"""


def exact(*probs: str) -> Row:
    return Row(map(Fraction, probs))


TARGET = TableModel(
    {(): exact("1/3", "2/3"), (0,): exact("1/2", "1/2"), (1,): exact("1", "0")}, "target"
)
DRAFT = TableModel({(): exact("2/3", "1/3"), (0,): Row([0.25, 0.75]), (1,): Row([1, 0])}, "draft")
INSTANCE = Instance(TARGET, (DRAFT,), {"gamma": 2})


def text_with(**changed: object) -> str:
    """Return the text with some keys changed; ``None`` takes a key out."""
    document = {**json.loads(TEXT), **changed}
    return json.dumps({key: value for key, value in document.items() if value is not None})


def test_the_documented_form_is_read() -> None:
    assert loads(TEXT) == INSTANCE


def test_strings_and_whole_numbers_are_fractions_and_other_numbers_floats() -> None:
    draft = loads(TEXT).draft
    assert [draft(context).exact for context in ((), (0,), (1,))] == [True, False, True]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["1/3", "2/3"], exact("1/3", "2/3")),
        (["0.25", ".75"], exact("1/4", "3/4")),
        (["2/6", "04/6"], exact("1/3", "2/3")),
        (["1/02", "1/2"], exact("1/2", "1/2")),
        (["-0", "1"], exact("0", "1")),
        (["1", 0], exact("1", "0")),
        ([1, 0.0], Row([1.0, 0.0])),
        ([1e-999999, 1], Row([0.0, 1.0])),
    ],
)
def test_a_probability_may_be_written_so(written: list[object], read: Row) -> None:
    instance = loads(text_with(target={"*": written}))
    assert instance.target(()) == read
    assert instance.target(()).exact == read.exact


def test_a_context_independent_model_stands_under_a_star() -> None:
    instance = loads(text_with(target={"*": ["1/3", "2/3"]}))
    assert instance.target == ConstantModel(exact("1/3", "2/3"))


def test_several_drafters_stand_in_a_list() -> None:
    drafts = [{"": ["1", "0"]}, {"*": ["0", "1"]}]
    instance = loads(text_with(draft=None, drafts=drafts))
    assert instance.drafts == (
        TableModel({(): exact("1", "0")}, "drafts[0]"),
        ConstantModel(exact("0", "1")),
    )
    with pytest.raises(InvalidInstanceError, match="has 2 draft models, expected exactly one"):
        _ = instance.draft


def test_parameters_may_be_left_out() -> None:
    assert loads(text_with(parameters=None)).parameters == {}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (3, 3),
        ("3/2", Fraction(3, 2)),
        ("2", Fraction(2)),
        (0.5, 0.5),
        (True, True),
        ("word", "word"),
        ("１", "１"),
        ("", ""),
    ],
)
def test_a_parameter_is_a_number_or_a_word(written: object, read: Parameter) -> None:
    parameters = loads(text_with(parameters={"rho": written})).parameters
    assert parameters == {"rho": read}
    assert type(parameters["rho"]) is type(read)


def test_a_context_that_is_missing_is_an_error_only_when_it_is_asked_for() -> None:
    instance = loads(text_with(target={"1": ["1", "0"]}))
    with pytest.raises(MissingContextError, match="target has no row for the context ''"):
        instance.target(())


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"version": None}, InvalidInstanceError, "key 'version' is missing"),
        ({"vocab_size": None}, InvalidInstanceError, "key 'vocab_size' is missing"),
        ({"target": None}, InvalidInstanceError, "key 'target' is missing"),
        ({"draft": None}, InvalidInstanceError, "expected exactly one of the keys 'draft' and"),
        ({"drafts": []}, InvalidInstanceError, "expected exactly one of the keys 'draft' and"),
        ({"gamma": 1}, InvalidInstanceError, "unknown key 'gamma', expected draft, drafts, param"),
        ({"version": 2}, InvalidInstanceError, "version is 2, expected 1"),
        ({"version": 1.0}, InvalidInstanceError, "version is 1.0, expected 1"),
        ({"version": True}, InvalidInstanceError, "version is True, expected 1"),
        ({"version": "1"}, InvalidInstanceError, "version is '1', expected 1"),
        ({"vocab_size": 0}, InvalidInstanceError, "vocab_size is 0, expected a positive integer"),
        ({"vocab_size": -2}, InvalidInstanceError, "vocab_size is -2, expected a positive"),
        ({"vocab_size": 2.0}, InvalidInstanceError, "vocab_size is 2.0, expected a positive"),
        ({"vocab_size": True}, InvalidInstanceError, "vocab_size is True, expected a positive"),
        ({"vocab_size": 3}, ShapeError, "target[''] has 2 tokens, but vocab_size is 3"),
        ({"target": []}, InvalidInstanceError, "target: expected an object from contexts to rows"),
        ({"target": {}}, InvalidInstanceError, "target: expected an object from contexts to rows"),
        ({"draft": 5}, InvalidInstanceError, "draft: expected an object from contexts to rows"),
        (
            {"target": {"*": [1, 0], "": [1, 0]}},
            InvalidInstanceError,
            "target: '*' stands for every context, so it stands alone",
        ),
        (
            {"draft": None, "drafts": []},
            InvalidInstanceError,
            "drafts: expected a list of at least one draft model",
        ),
        (
            {"draft": None, "drafts": {"": [1, 0]}},
            InvalidInstanceError,
            "drafts: expected a list of at least one draft model",
        ),
        (
            {"draft": None, "drafts": [{"": [1, 0]}, {"": [1]}]},
            ShapeError,
            "drafts[1][''] has 1 tokens, but vocab_size is 2",
        ),
        ({"target": {"": [1]}}, ShapeError, "target[''] has 1 tokens, but vocab_size is 2"),
        ({"target": {"*": []}}, ShapeError, "target['*'] has 0 tokens, but vocab_size is 2"),
        ({"target": {"": {}}}, InvalidInstanceError, "target['']: an object, expected a list of"),
        ({"target": {"": None}}, InvalidInstanceError, "target['']: null, expected a list of"),
        ({"target": {"": "10"}}, InvalidInstanceError, "target['']: '10', expected a list of"),
        (
            {"target": {"": [1, True]}},
            InvalidInstanceError,
            "target[''][1]: True, expected a fraction or a number",
        ),
        (
            {"target": {"": [[], 1]}},
            InvalidInstanceError,
            "target[''][0]: a list, expected a fraction or a number",
        ),
        (
            {"target": {"": ["1/3", "1/3"]}},
            InvalidDistributionError,
            "target[''] sums to 2/3, not 1 (off by -1/3)",
        ),
        (
            {"target": {"": ["-1/3", "4/3"]}},
            InvalidDistributionError,
            "target[''][0] is -1/3, expected a nonnegative probability",
        ),
        (
            {"target": {"": ["1/2", 0.5]}},
            InvalidDistributionError,
            "target[''] mixes fractions and floats, expected one kind",
        ),
        (
            {"target": {"": [10**400, 0]}},
            InvalidDistributionError,
            "target[''][0] is a number of 1329 bits, expected at most 1",
        ),
        (
            {"target": {"": [f"1{'0' * 400}", "0"]}},
            InvalidDistributionError,
            "target[''][0] is a number of 1329 bits, expected at most 1",
        ),
        (
            {"target": {"": [10**400, 0.5]}},
            InvalidDistributionError,
            "target[''][0] is a number of 1329 bits, expected at most 1",
        ),
        (
            {"target": {"": [10**1000, 0]}},
            InvalidInstanceError,
            "a number of 1001 characters, expected at most 1000",
        ),
        (
            {"target": {"": ["1" * 1001, "0"]}},
            InvalidInstanceError,
            "a number of 1001 characters, expected at most 1000",
        ),
        (
            {"target": {"1" * 1001: [1, 0]}},
            InvalidInstanceError,
            "a number of 1001 characters, expected at most 1000",
        ),
        (
            {"parameters": {"rho": f"1/{'3' * 999}"}},
            InvalidInstanceError,
            "a number of 1001 characters, expected at most 1000",
        ),
        ({"target": {"2": [1, 0]}}, InvalidTokenError, "the context of target['2']: token 2"),
        ({"target": {"0,9": [1, 0]}}, InvalidTokenError, "the context of target['0,9']: token 9"),
        ({"parameters": []}, InvalidInstanceError, "parameters: a list, expected an object"),
        (
            {"parameters": {"k": []}},
            InvalidInstanceError,
            "parameter 'k': a list, expected a number or a word",
        ),
        (
            {"parameters": {"k": {}}},
            InvalidInstanceError,
            "parameter 'k': an object, expected a number or a word",
        ),
    ],
)
def test_a_document_at_fault_is_refused(
    changed: dict[str, object], error: type[SpecdecError], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        loads(text_with(**changed))


@pytest.mark.parametrize(
    "fraction",
    ["", " ", " 1", "1 ", "1\n", "+1", "1/0", "0/0", "1/00", "1/-2", "1//2", "1/2/3", "/2", "1/",
     "1.", ".", "1.5.", "1_0", "1/3 ", " 1/3", "1 /3", "0x1", "1e0", "1e-1", "1e999999999", "nan",
     "inf", "-inf", "Infinity", "1,0", "½", "１", "1/３", "٣", "--1", "-", "1.0/2", "one"],
)  # fmt: skip
def test_what_is_no_fraction_is_refused(fraction: str) -> None:
    message = f"target[''][0]: {fraction!r} is no fraction, expected one like '1/3'"
    with pytest.raises(InvalidInstanceError, match=f"^{re.escape(message)}$"):
        loads(text_with(target={"": [fraction, "0"]}))


@pytest.mark.parametrize(
    "context",
    [" ", ",", "0,", ",0", "0,,1", "00", "01", "0 ", "0, 1", "-1", "+1", "1.0", "a", "0;1", "0\n",
     "１", "1１", "0,１", "[0]", "**", "null", "1e0", "0_1"],
)  # fmt: skip
def test_what_is_no_context_is_refused(context: str) -> None:
    message = f"draft: {context!r} is no context, expected token ids joined by commas"
    with pytest.raises(InvalidInstanceError, match=f"^{re.escape(message)}$"):
        loads(text_with(draft={context: ["1", "0"]}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        (" ", "not JSON"),
        ("{", "not JSON"),
        (TEXT[:-3], "not JSON"),
        (TEXT + "{}", "not JSON: Extra data"),
        ("\ufeff" + TEXT, "not JSON: Unexpected UTF-8 BOM"),
        ("[]", "the document is a list, expected an object"),
        ("null", "the document is null, expected an object"),
        ("1", "the document is 1, expected an object"),
        ('"1"', "the document is '1', expected an object"),
        ("{}", "key 'version' is missing"),
        (TEXT.replace("0.25", "NaN"), "NaN"),
        (TEXT.replace("0.25", "Infinity"), "Infinity"),
        (TEXT.replace("0.25", "-Infinity"), "-Infinity"),
        (TEXT.replace("0.25", "1e999"), "'1e999' is too large for a float"),
        (TEXT.replace("0.25", "-1e999"), "'-1e999' is too large for a float"),
        (TEXT.replace("0.25", "0." + "1" * 999), "a number of 1001 characters, expected at most"),
        (TEXT.replace('"gamma": 2', '"gamma": 2, "gamma": 2'), "key 'gamma' stands twice"),
        (TEXT.replace('"": ["1/3"', '"0": ["1", "0"], "": ["1/3"'), "key '0' stands twice"),
        (TEXT.replace('"version": 1', '"version": 1, "version": 1'), "key 'version' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        ('{"version":' * 100_000, "nested too deeply"),
    ],
)
def test_a_text_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=re.escape(message)):
        loads(text)


def test_a_text_is_text() -> None:
    with pytest.raises(InvalidInstanceError, match="expected a JSON text"):
        loads(TEXT.encode())


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text(TEXT, encoding="utf-8")
    assert read_instance(path) == INSTANCE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (TEXT.encode("utf-16"), "cannot be read"),
        (TEXT.encode().replace(b"gamma", b"g\xe4mma"), "cannot be read"),
        (TEXT.encode("utf-8-sig"), "not JSON: Unexpected UTF-8 BOM"),
        (TEXT.encode().replace(b"1/3", b"1/2"), "target[''] sums to 7/6, not 1 (off by 1/6)"),
        (TEXT.encode().replace(b'"0": ["', b'"7": ["'), "token 7, expected 0 to 1"),
        (TEXT.encode().replace(b'"vocab_size": 2', b'"vocab_size": 3'), "vocab_size is 3"),
    ],
)
def test_a_file_at_fault_is_refused_by_its_name(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "instance.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInstanceError, match=re.escape(message)) as refused:
        read_instance(path)
    assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["missing.json", "", "nul\0.json"])
def test_a_file_that_cannot_be_opened_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInstanceError, match="cannot be read"):
        read_instance(tmp_path / name)


def test_an_instance_needs_a_draft() -> None:
    with pytest.raises(ShapeError, match="drafts is empty, expected at least one draft model"):
        Instance(TARGET, ())


@pytest.mark.parametrize("place", [0, 1])
def test_models_are_over_one_vocabulary(place: int) -> None:
    drafts = [DRAFT, DRAFT]
    drafts[place] = ConstantModel(Row([1, 0, 0]))
    with pytest.raises(ShapeError, match=rf"^drafts\[{place}\] has 3 tokens, but the target has 2"):
        Instance(TARGET, tuple(drafts))


def test_an_instance_is_deaf_to_later_changes_of_its_parameters() -> None:
    parameters: dict[str, Parameter] = {"gamma": 2}
    instance = Instance(TARGET, (DRAFT,), parameters)
    parameters["gamma"] = 3
    assert instance.integer("gamma", minimum=1) == 2
    assert Instance(TARGET, (DRAFT,)).parameters == {}


def test_a_label_is_the_size_and_the_parameters_in_order() -> None:
    parameters: dict[str, Parameter] = {"rho": Fraction(3, 2), "gamma": 2}
    assert Instance(TARGET, (DRAFT,), parameters).label == "V=2 gamma=2 rho=3/2"
    assert Instance(TARGET, (DRAFT,)).label == "V=2"


@pytest.mark.parametrize("value", [2, 3, np.int64(2)])
def test_an_integer_parameter_at_or_above_the_minimum_is_returned(value: int) -> None:
    assert Instance(TARGET, (DRAFT,), {"k": value}).integer("k", minimum=2) == value


@pytest.mark.parametrize("value", [1, -1, 2.0, Fraction(2), True, "2", None])
def test_another_parameter_is_refused_and_named(value: Parameter) -> None:
    with pytest.raises(InvalidParameterError, match=rf"^parameter 'k' is {re.escape(repr(value))}"):
        Instance(TARGET, (DRAFT,), {"k": value}).integer("k", minimum=2)


@pytest.mark.parametrize(
    ("parameters", "given"), [({}, "none"), ({"rho": 2, "gamma": 1}, "gamma, rho")]
)
def test_a_missing_parameter_is_refused_with_those_given(
    parameters: dict[str, Parameter], given: str
) -> None:
    message = f"parameter 'k' is missing (given: {given})"
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
        Instance(TARGET, (DRAFT,), parameters).integer("k", minimum=1)


ROWS_OVER = [strategies.rows, strategies.float_rows]


@given(
    st.sampled_from(ROWS_OVER).flatmap(
        lambda rows_over: strategies.instances(TokenRejection(), rows_over=rows_over)
    )
)
def test_what_is_written_is_read_back(instance: Instance) -> None:
    assert loads(dumps(instance)) == instance


@pytest.mark.parametrize("value", [3, 0.1, Fraction(1, 3), Fraction(2), True, "word"])
def test_a_parameter_is_read_back_as_what_it_was(value: Parameter) -> None:
    instance = Instance(TARGET, (ConstantModel(exact("0", "1")),), {"rho": value})
    read = loads(dumps(instance))
    assert read == instance
    assert type(read.parameters["rho"]) is type(value)


def test_several_drafters_are_read_back() -> None:
    drafts = (TableModel({(1, 0): exact("0", "1")}, "drafts[0]"), ConstantModel(exact("1", "0")))
    instance = Instance(TARGET, drafts)
    assert loads(dumps(instance)) == instance


def test_an_instance_goes_to_another_process_and_back() -> None:
    """What a process pool does with it; read-only mappings cannot be pickled by themselves."""
    third = Row([Fraction(1, 3), Fraction(2, 3)])
    tables = (TableModel({(): third, (0,): third}, "draft"), ConstantModel(third))
    instance = Instance(TableModel({(): third}, "target"), tables, {"gamma": 2})
    copy = pickle.loads(pickle.dumps(instance))
    assert copy == instance
    assert copy.drafts[0]((0,)) == third
