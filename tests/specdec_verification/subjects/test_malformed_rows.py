"""Each kind of misbehaviour on rows that are no distributions is named; a kernel that dies too."""

import os
import signal
import time

import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.results import Labels, Verdict
from specdec_verification.subjects import malformed_rows
from specdec_verification.subjects.malformed_rows import CASES, check_malformed_rows

GAMMA = 2


def first_allowed(
    draft_tokens: np.ndarray,
    target_probs: np.ndarray,
    draft_probs: np.ndarray,
    uniforms: np.ndarray,
) -> np.ndarray:
    """Reject every draft, and emit the first other token: no law, but nothing that is asked."""
    tokens = np.full((len(draft_tokens), GAMMA + 1), -1)
    tokens[:, 0] = np.where(draft_tokens[:, 0] == 0, 1, 0)
    return tokens


def rejected_again(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    tokens = first_allowed(draft_tokens, *others)
    if np.isnan(others[0]).all():
        tokens[:, 0] = draft_tokens[:, 0]
    return tokens


def out_of_range(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    tokens = first_allowed(draft_tokens, *others)
    if (others[1] == 0).all():
        tokens[-1, 0] = 5
    return tokens


def floats(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    return first_allowed(draft_tokens, *others).astype(float)


def raises(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    if draft_tokens.max() >= 1 << 30:
        raise IndexError("no such token")
    return first_allowed(draft_tokens, *others)


def dies(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    if draft_tokens.min() < 0:
        os.kill(os.getpid(), signal.SIGSEGV)
    return first_allowed(draft_tokens, *others)


def emits_nothing(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    return np.zeros((len(draft_tokens), 0), dtype=int)


def too_long(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    tokens = np.pad(draft_tokens, ((0, 0), (0, 2)), constant_values=4)
    return np.where((tokens < 0) | (tokens >= 5), 4, tokens)


def goes_on(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    return np.full((len(draft_tokens), GAMMA + 1), 4)


def complains(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    if not others[0].any() and not others[1].any():
        raise InvalidParameterError("no probability")
    return first_allowed(draft_tokens, *others)


def objects(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    return np.array([lambda: 0] * len(draft_tokens), dtype=object)


def hangs(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
    time.sleep(60)
    return first_allowed(draft_tokens, *others)


def test_a_kernel_that_keeps_its_head_passes(labels: Labels) -> None:
    found = check_malformed_rows(first_allowed, "float32", labels)
    assert found.verdict is Verdict.PASSED
    assert found.size == len(CASES) * 27


@pytest.mark.parametrize(
    ("kernel", "detail"),
    [
        (rejected_again, "1 of 19 kinds of malformed rows go wrong; target is NaN: draft token 0"),
        (out_of_range, "draft is zero: emitted [5, -1, -1] for the uniforms"),
        (floats, "19 of 19 kinds of malformed rows go wrong; nothing malformed: returned float64"),
        (raises, "a draft token is far past the vocabulary: raised IndexError('no such token')"),
        (dies, "a draft token is negative: the process ended with exit code -11"),
        (emits_nothing, "nothing malformed: emitted [] for the uniforms"),
        (too_long, "nothing malformed: emitted 4 tokens, of a draft of 2, for the uniforms"),
        (goes_on, "nothing malformed: emitted 4 in place of draft token 0, and went on, for"),
        (complains, "both are zero: raised InvalidParameterError('no probability')"),
        (objects, "nothing malformed: returned object of shape (27,), expected integers"),
    ],
    ids=[
        "rejected_again",
        "out_of_range",
        "floats",
        "raises",
        "dies",
        "emits_nothing",
        "too_long",
        "goes_on",
        "complains",
        "objects",
    ],
)
def test_what_goes_wrong_is_named(
    kernel: malformed_rows.Verify, detail: str, labels: Labels
) -> None:
    found = check_malformed_rows(kernel, "float32", labels)
    assert found.verdict is Verdict.FAILED
    assert detail in found.detail


def test_a_kernel_that_hangs_fails(labels: Labels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(malformed_rows, "MAX_SECONDS", 1.0)
    found = check_malformed_rows(hangs, "float32", labels)
    assert found.verdict is Verdict.FAILED
    assert found.detail.endswith("nothing malformed: took longer than 1 s")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_come_in_the_dtype(dtype: str) -> None:
    assert {array.dtype for case in CASES for array in case.arrays(dtype)[1:]} == {np.dtype(dtype)}
    assert all(case.arrays(dtype)[0].dtype == np.int64 for case in CASES)


def test_a_kernel_that_no_other_process_can_find_is_refused(labels: Labels) -> None:
    with pytest.raises(InvalidParameterError, match="the kernel cannot be sent to another process"):
        check_malformed_rows(lambda *arrays: arrays[0], "float32", labels)
