"""Every setting that a request can have turns up, and no case has a row without a token."""

from collections.abc import Callable

import pytest
from hypothesis import Phase, find, given, settings

from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.plain import batch_law
from specdec_verification.testbed.requests import Penalties, Request
from specdec_verification.testbed.strategies import requests, serving_cases


@given(serving_cases())
def test_plain_decoding_never_runs_out_of_tokens(case: ServingCase) -> None:
    assert batch_law(case).mass == 1


SETTINGS: dict[str, Callable[[Request], bool]] = {
    "greedy": lambda request: request.sampling.temperature == 0,
    "top_k": lambda request: request.sampling.top_k is not None,
    "top_p": lambda request: request.sampling.top_p is not None,
    "min_p": lambda request: request.sampling.min_p is not None,
    "penalties": lambda request: request.penalties != Penalties(),
    "bias": lambda request: bool(request.constraints.bias),
    "banned": lambda request: bool(request.constraints.banned),
    "min_new_tokens": lambda request: request.constraints.min_new_tokens > 0,
    "grammar": lambda request: request.grammar is not None,
    "stop_tokens": lambda request: bool(request.limits.stop_tokens),
    "stop_sequences": lambda request: bool(request.limits.stop_sequences),
    "prompt": lambda request: bool(request.prompt),
}


SEARCH = settings(max_examples=500, phases=(Phase.generate,), database=None)
"""Found is enough: nothing has to be shrunk."""


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_turns_up(name: str) -> None:
    find(requests(3, longest=3, gamma=1, seed=None), SETTINGS[name], settings=SEARCH)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_size_of_batch_turns_up_with_unequal_drafts(size: int) -> None:
    def uneven(case: ServingCase) -> bool:
        gammas = {request.gamma for request in case.requests}
        return len(case.requests) == size and (size == 1 or len(gammas) > 1)

    find(serving_cases(), uneven, settings=SEARCH)


def test_a_reduced_vocabulary_turns_up() -> None:
    def reduced(case: ServingCase) -> bool:
        return case.draft.vocab_size < case.target.vocab_size

    find(serving_cases(), reduced, settings=SEARCH)
