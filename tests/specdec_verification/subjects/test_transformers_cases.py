from collections.abc import Callable
from typing import Any

import pytest

from specdec_verification.results import Labels, Verdict

pytest.importorskip("torch")
pytest.importorskip("transformers")
from specdec_verification.subjects import transformers_cases
from specdec_verification.subjects.transformers_generate import generation
from specdec_verification.subjects.transformers_models import tiny_llama

CASES = {case.name: case for case in transformers_cases.cases()}
SHORT = [name for name in CASES if not name.endswith(("plain", "temperature"))]


@pytest.mark.parametrize("name", [*SHORT, "generate, assistant, plain"])
def test_every_case_passes(name: str) -> None:
    result = CASES[name].check()
    assert result.verdict is Verdict.PASSED, result.detail


def test_the_names_are_one_for_each_case() -> None:
    assert len(CASES) == len(list(transformers_cases.cases()))


def test_a_batch_is_what_the_library_refuses(labels: Labels) -> None:
    """A batch of two raises, which the audit reports as what it is."""
    import torch

    model, drafter = tiny_llama(4, seed=0), tiny_llama(4, seed=1)
    with pytest.raises(ValueError, match="batch_size = 1"):
        model.generate(torch.tensor([[1], [2]]), assistant_model=drafter, max_new_tokens=2)


def test_the_real_generation_draws_from_the_exact_law(
    law: Callable[..., Any], agrees: Callable[..., None]
) -> None:
    emit = generation(tiny_llama(3, seed=0), (1,), 1, {"prompt_lookup_num_tokens": 2})
    agrees(emit, law(emit))
