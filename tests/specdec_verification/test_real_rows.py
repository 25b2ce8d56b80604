import numpy as np
import pytest

from specdec_core.errors import InvalidParameterError
from specdec_verification.real_rows import RealRound, real_rounds


def rounds(vocab_size: int = 1000, gamma: int = 3, dtype: str = "float32") -> dict[str, RealRound]:
    made = real_rounds(vocab_size, gamma, dtype, np.random.default_rng(1))
    return {one.name: one for one in made}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_are_distributions_and_drafts_are_possible(dtype: str) -> None:
    for one in rounds(dtype=dtype).values():
        for table in (one.target_probs, one.draft_probs):
            assert table.dtype == np.dtype(dtype)
            sums = table.astype(np.float64).sum(axis=1)
            assert np.abs(sums - 1).max() < 1000 * np.finfo(dtype).eps
        assert (one.draft_probs[np.arange(3), one.draft_tokens] > 0).all()


def test_each_kind_is_what_it_is_called() -> None:
    def distance(one: RealRound) -> np.ndarray:
        return np.abs(one.target_probs[:-1] - one.draft_probs).sum(axis=1) / 2

    found = rounds()
    assert distance(found["close"]).max() < 0.1
    assert distance(found["far"]).min() > 0.5
    assert distance(found["equal"]).max() == 0
    assert found["peaked"].target_probs.max(axis=1).min() > 0.99
    support, other = (
        table[0] > 0 for table in (found["masked"].target_probs, found["masked"].draft_probs)
    )
    assert (support.sum(), other.sum(), (support & other).sum()) == (50, 50, 25)


def test_one_generator_gives_one_set_of_rounds() -> None:
    one, other = rounds()["far"], rounds()["far"]
    assert (one.target_probs == other.target_probs).all()
    assert one.label == "V=1000 gamma=3 float32"


@pytest.mark.parametrize(("vocab_size", "gamma"), [(99, 1), (1000, 0)])
def test_sizes_out_of_range_are_an_error(vocab_size: int, gamma: int) -> None:
    with pytest.raises(InvalidParameterError):
        list(real_rounds(vocab_size, gamma, "float32", np.random.default_rng(1)))


@pytest.mark.parametrize("dtype", ["int32", "bfloat16"])
def test_rows_of_another_dtype_are_an_error(dtype: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"dtype is '{dtype}', expected float16 or"):
        list(real_rounds(1000, 1, dtype, np.random.default_rng(1)))
