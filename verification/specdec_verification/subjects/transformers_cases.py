"""The built-in subject: what of transformers is audited, case by case.

The verify step, on generated instances, against the instance's target; ``generate`` with each
candidate generator that runs on tiny random models, under sampling parameters, end tokens and
caps, against ``generate`` without one.  The library supports assisted generation of one row at a
time only, so there is no case of a batch.

Two candidate generators are not here: multi-token prediction reads its layers from a checkpoint,
and an assistant with a tokenizer of its own is in ``examples/transformers_two_tokenizers``.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

import torch

from specdec_core.models import Context
from specdec_core.rules import rule_named
from specdec_grids.generated import RandomInstances
from specdec_verification.results import CheckResult, Labels
from specdec_verification.subjects.built_in import BuiltInCase
from specdec_verification.subjects.curves import Item
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.transformers_generate import generation
from specdec_verification.subjects.transformers_models import tiny_block_drafter, tiny_llama
from specdec_verification.subjects.transformers_verify import verify_step
from specdec_verification.subjects.two_laws import Emissions, check_same_law
from specdec_verification.subjects.verdicts import audit

SINGLE = Fraction(torch.finfo(torch.float32).eps)
"""The epsilon of the floats that transformers samples with."""

VOCAB_SIZE = 4
NEW_TOKENS = 3
PROMPT: Context = (1, 2, 1, 2)
"""It repeats itself, so that looking up in the prompt finds something."""

VERIFY_STEPS = 8
"""Generated instances that the verify step is audited on."""

SAMPLING: Mapping[str, Mapping[str, Item]] = {
    "plain": {},
    "temperature": {"temperature": 0.7},
    "top_k": {"top_k": 2},
    "top_p": {"top_p": 0.8},
    "min_p": {"min_p": 0.2},
    "end token": {"eos_token_id": 2, "pad_token_id": 0},
}
"""Options that both programs get."""


def cases() -> Iterator[BuiltInCase]:
    """Yield every case, the verify step first."""
    for number in range(VERIFY_STEPS):
        name = f"verify step {number}"
        yield BuiltInCase(name, partial(_check_verify_step, number, name))
    for generator, speculation in _generators().items():
        for sampling, options in SAMPLING.items():
            name = f"generate, {generator}, {sampling}"
            yield BuiltInCase(name, partial(_check_generate, name, speculation, options))


def _generators() -> dict[str, Mapping[str, Item]]:
    """Return the options that switch speculation on, by the name of the candidate generator."""
    drafter = tiny_block_drafter(VOCAB_SIZE, seed=2)
    return {
        "assistant": {"assistant_model": tiny_llama(VOCAB_SIZE, seed=1)},
        "prompt lookup": {"prompt_lookup_num_tokens": 2},
        "early exit": {"assistant_early_exit": 1},
        "block drafter": {"assistant_model": drafter, "speculation_type": "dflash"},
    }


def _check_verify_step(number: int, name: str) -> CheckResult:
    instance = RandomInstances(rule_named("token_rejection_bonus"), number + 1)[number]
    length = instance.integer("gamma", minimum=1) + 1
    found = audit(
        verify_step(instance),
        target=instance.target,
        length=length,
        execution=Execution(epsilon=SINGLE),
        labels=_labels(name, f"token_rejection_bonus #{number}", instance.label),
    )
    return found.result


def _check_generate(
    name: str, speculation: Mapping[str, Item], options: Mapping[str, Item]
) -> CheckResult:
    model = tiny_llama(VOCAB_SIZE, seed=0, layers=2)
    return check_same_law(
        generation(model, PROMPT, NEW_TOKENS, {**options, **speculation}),
        generation(model, PROMPT, NEW_TOKENS, options),
        Emissions(VOCAB_SIZE, NEW_TOKENS),
        _labels(name, "tiny random models", f"V={VOCAB_SIZE} length={NEW_TOKENS}"),
        Execution(epsilon=SINGLE),
    )


def _labels(name: str, instance: str, parameters: str) -> Labels:
    return Labels(
        subject=f"transformers: {name}",
        claim="lossless",
        instance=instance,
        parameters=parameters,
        reproduce=f"specdec-verify audit transformers --case {name!r}",
    )
