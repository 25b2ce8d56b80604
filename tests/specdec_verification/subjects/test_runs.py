import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from specdec_core.errors import OpaqueDrawError
from specdec_verification.emissions import Malfunction
from specdec_verification.subjects.exact import exact_law
from specdec_verification.subjects.runs import ABANDONED, frozen, replay


def test_a_generator_function_emits_what_it_yields(law: Callable[..., Any]) -> None:
    def tokens() -> Iterator[int]:
        yield int(random.random() < 0.5)

    assert law(tokens) == {(0,): 0.5, (1,): 0.5}


def test_what_has_no_hash_is_a_malfunction() -> None:
    assert frozen({1, 2}) == Malfunction("returned {1, 2}: unhashable type: 'set'")


def test_a_replay_that_asks_for_more_is_abandoned() -> None:
    assert replay(lambda: 3, []) == 3
    from specdec_verification.subjects.libraries import available
    from specdec_verification.subjects.running import replacing

    with replacing(available()):
        assert replay(lambda: random.random() < 0.5, []) is ABANDONED


def test_the_first_refusal_stands() -> None:
    def twice() -> float:
        try:
            return float(random.random())
        except OpaqueDrawError:
            return hash(random.random())

    with pytest.raises(OpaqueDrawError, match="float of a draw"):
        exact_law(twice)
