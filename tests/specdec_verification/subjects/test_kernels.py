from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from specdec_core.draws import ReplayedDraws
from specdec_core.errors import InvalidInstanceError, InvalidParameterError
from specdec_core.instances import Instance
from specdec_core.proposals import draft_path
from specdec_core.rules import rule_named
from specdec_verification.dyadic_instances import dyadic_instance
from specdec_verification.subjects.kernels import kernel_on

DYADIC = dyadic_instance(rule_named("token_rejection_bonus"), 4)


def nothing(*arrays: np.ndarray) -> np.ndarray:
    return np.zeros((len(arrays[0]), 1), dtype=int)


def test_a_verifying_kernel_gets_the_rows_of_its_own_draft() -> None:
    seen: list[tuple[np.ndarray, ...]] = []

    def verify(*arrays: np.ndarray) -> np.ndarray:
        seen.append(arrays)
        return np.zeros((len(arrays[0]), 1), dtype=int)

    uniforms = np.array(list(product((0.0, 0.75), repeat=5)))
    kernel_on(verify, DYADIC, "float64")(uniforms)
    (draft_tokens, target_probs, draft_probs, rest) = seen[0]
    assert (rest == uniforms[:, 2:]).all()
    for draft, p, q in zip(draft_tokens.tolist(), target_probs, draft_probs, strict=True):
        contexts = [tuple(draft[:i]) for i in range(3)]
        assert p.tolist() == [list(map(float, DYADIC.target(context))) for context in contexts]
        assert q.tolist() == [list(map(float, DYADIC.draft(context))) for context in contexts[:2]]


def test_the_draft_is_drawn_as_the_reference_draws_it() -> None:
    seen: list[np.ndarray] = []

    def verify(draft_tokens: np.ndarray, *others: np.ndarray) -> np.ndarray:
        seen.append(draft_tokens)
        return nothing(draft_tokens)

    uniforms = np.array(list(product((0.0, 0.25, 0.5, 0.999), repeat=2)) * 2, dtype=np.float32)
    kernel_on(verify, DYADIC)(np.hstack([uniforms, uniforms, uniforms[:, :1]]))
    drafts = [
        draft_path(DYADIC.draft, 2, ReplayedDraws(list(map(Fraction, row)))).tokens
        for row in uniforms.tolist()
    ]
    assert seen[0].tolist() == list(map(list, drafts))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_and_uniforms_come_in_the_dtype_and_in_order(dtype: str) -> None:
    seen: list[np.ndarray] = []

    def verify(*arrays: np.ndarray) -> np.ndarray:
        seen.extend(arrays)
        return nothing(*arrays)

    kernel_on(verify, DYADIC, dtype)(np.full((3, 5), 0.5))
    assert [array.dtype for array in seen[1:]] == [np.dtype(dtype)] * 3
    assert all(array.flags.c_contiguous for array in seen)


def test_an_instance_without_gamma_or_with_two_drafts_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="gamma"):
        kernel_on(nothing, Instance(DYADIC.target, DYADIC.drafts, {}))
    with pytest.raises(InvalidInstanceError, match="2 draft models"):
        kernel_on(nothing, Instance(DYADIC.target, DYADIC.drafts * 2, {"gamma": 2}))


def test_another_dtype_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="'bfloat16', expected 'float32' or 'float64'"):
        kernel_on(lambda *arrays: arrays[0], DYADIC, "bfloat16")
