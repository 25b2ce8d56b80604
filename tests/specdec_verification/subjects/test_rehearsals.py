import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specdec_core.errors import NondeterminismError, OpaqueDrawError
from specdec_verification.subjects.exact import Execution, exact_law
from specdec_verification.subjects.rehearsals import KEPT, RUNS, differ
from specdec_verification.subjects.streams import as_drawn


def test_state_that_only_one_path_has_is_found_out() -> None:
    rejected = [0]

    def counting() -> int:
        if random.random() < 0.5:
            return 2
        rejected[0] += 1
        return rejected[0] % 2

    with pytest.raises(NondeterminismError, match=r"state from run to run.* \(1, then 0\)"):
        exact_law(counting)


def test_one_more_question_on_a_path_is_found_out() -> None:
    calls = [0]

    def curious() -> int:
        if random.random() < 0.5:
            return 2
        calls[0] += 1
        return int(calls[0] > 1 and random.random() < 0) + 1

    with pytest.raises(NondeterminismError, match="state from run to run"):
        exact_law(curious)


def test_a_clock_is_found_out() -> None:
    ticks = iter(range(10_000))
    with pytest.raises(NondeterminismError, match="randomness of its own"):
        exact_law(lambda: next(ticks) % RUNS < RUNS - 1)


LOOKS: dict[str, Callable[[], Any]] = {
    "isinstance": lambda: _typed(random.random()),
    "numpy's type": lambda: _typed(np.random.rand(2)[0]),
    "repr": lambda: repr(random.random() / 4) < "0.2",
    "type": lambda: type(random.random()) is float,
    "hasattr": lambda: hasattr(random.random(), "hex"),
    "scalar": lambda: bool(np.isscalar(random.random())),
}


def _typed(number: object) -> bool:
    return number < 0.25 if isinstance(number, float) else number < 0.75  # type: ignore[operator]


@pytest.mark.parametrize("emit", LOOKS.values(), ids=LOOKS)
def test_a_look_at_what_a_draw_is_is_found_out(emit: Callable[[], Any]) -> None:
    with pytest.raises(OpaqueDrawError, match="where they were numbers"):
        exact_law(emit)


def test_few_paths_are_run_again_however_many_there_are() -> None:
    runs = [0]

    def counted() -> tuple[int, ...]:
        runs[0] += 1
        return tuple(random.choices(range(8), k=3))

    found = exact_law(counted)
    assert found.paths == 512
    assert found.paths + 2 + RUNS <= runs[0] <= found.paths + 2 + 2 * (RUNS + 2 * KEPT)


def test_right_programs_pass_on_the_lattice_too() -> None:
    found = exact_law(lambda: random.random() <= 0, Execution(resolved=as_drawn))
    assert found.law[True] > 0


def test_a_cell_too_narrow_for_rounding_is_not_replayed(law: Callable[..., Any]) -> None:
    def tiny() -> bool:
        u = random.random()
        return u < 2.0**-40 and (u + 1e9) - 1e9 > 0  # which floats would round to no

    assert law(tiny)[True] == 2.0**-40


def test_nan_is_nan() -> None:
    assert not differ(float("nan"), float("nan"))
    assert differ(1, 2)
