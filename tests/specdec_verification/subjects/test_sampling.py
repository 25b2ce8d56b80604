"""What a sampler is asked for, and what it may return."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec_core.distributions import Row
from specdec_core.errors import InvalidParameterError, ShapeError
from specdec_core.models import ConstantModel
from specdec_verification.emissions import Malfunction
from specdec_verification.results import Labels
from specdec_verification.subjects.sampling import Look, SampledSubject, Sampling, drawn_batch

LABELS = Labels("my sampler", "lossless", "coin", "V=2", "pytest")
COIN = ConstantModel(Row([Fraction(1, 2)] * 2))


def subject(tokens: np.ndarray, lengths: np.ndarray, horizon: int = 2) -> SampledSubject:
    return SampledSubject(lambda n, rng: (tokens, lengths), COIN, horizon, LABELS)


def test_batches_double_up_to_what_the_memory_holds() -> None:
    batches = Sampling(planned_draws=100, first_batch=8, largest_batch=30).batches()
    assert list(batches) == [8, 8, 16, 30, 30, 8]


def test_no_batch_is_begun_when_the_time_is_over() -> None:
    assert not list(Sampling(planned_draws=100, max_seconds=0.0).batches())
    assert not list(Sampling(planned_draws=100, stopped=lambda: True).batches())


def test_a_look_is_one_line() -> None:
    assert str(Look(1000, 0.0123, -0.5, 0.25)) == (
        "1,000 draws, total variation 0.0123 with its noise, log10 E -0.5, detectable 0.25"
    )


def test_a_batch_of_any_integers_is_taken() -> None:
    one = subject(np.array([[0, 1]], dtype=np.uint8), np.array([2], dtype=np.int16))
    tokens, lengths = drawn_batch(one, 1, np.random.default_rng())
    assert (tokens.dtype, lengths.dtype) == (np.int64, np.int64)
    assert (one.vocab_size, one.sequences) == (2, 4)


@pytest.mark.parametrize(("shape", "rows"), [((1, 1), 1), ((2, 2), 1), ((1, 2), 2), ((2,), 1)])
def test_shapes_that_do_not_fit_are_refused(shape: tuple[int, ...], rows: int) -> None:
    one = subject(np.zeros(shape, dtype=int), np.ones(rows, dtype=int))
    with pytest.raises(ShapeError, match="the sampler returned tokens of shape"):
        drawn_batch(one, 1, np.random.default_rng())


@pytest.mark.parametrize("name", ["planned_draws", "first_batch", "largest_batch"])
def test_nothing_to_draw_is_refused(name: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"{name} is 0, expected at least 1"):
        Sampling(**{"planned_draws": 10, name: 0})


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "a NoneType, expected tokens and lengths"),
        (np.zeros((3, 2), dtype=int), "a ndarray of 3, expected"),
        (([[0, 1], [1]], [2, 1]), "rows of unequal lengths"),
    ],
    ids=["nothing", "an array", "ragged"],
)
def test_what_is_no_pair_of_arrays_is_refused(returned: Any, said: str) -> None:  # noqa: ANN401
    one = SampledSubject(lambda n, rng: returned, COIN, 2, LABELS)
    with pytest.raises(ShapeError, match=said):
        drawn_batch(one, 2, np.random.default_rng())


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(InvalidParameterError, match="max_seconds is"):
        Sampling(planned_draws=1, max_seconds=seconds)


@pytest.mark.parametrize("error", [TypeError, RuntimeError], ids=["of a device", "of a graph"])
def test_a_tensor_that_is_no_array_is_refused(error: type[Exception]) -> None:
    class Tensor:
        def __array__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            raise error("call detach and cpu first")

    one = SampledSubject(lambda n, rng: (Tensor(), Tensor()), COIN, 2, LABELS)  # type: ignore[arg-type,return-value]
    with pytest.raises(ShapeError, match="no array: call detach and cpu first"):
        drawn_batch(one, 2, np.random.default_rng())


def test_a_batch_that_goes_wrong_tells_its_size() -> None:
    one = SampledSubject(lambda n, rng: 1 // 0, COIN, 2, LABELS)  # type: ignore[arg-type,return-value]
    broken = drawn_batch(one, 4096, np.random.default_rng())
    assert isinstance(broken, Malfunction)
    assert broken.reason.startswith("of 4096 raised ZeroDivisionError")
