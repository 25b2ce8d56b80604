"""The verify step of `naive-speculate`, from its file: the package itself asks for Python 3.14."""

import importlib.metadata
import importlib.util

import torch

from specdec_core.errors import MissingContextError

FILE = importlib.metadata.distribution("naive-speculate").locate_file(
    "naive_speculate/speculate/utils.py"
)
SPEC = importlib.util.spec_from_file_location("naive_speculate_utils", FILE)
STEP = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(STEP)


def verify(instance):
    """Draft, and verify."""
    tokens = ()
    for _ in range(instance.integer("gamma", minimum=1)):
        tokens += (int(torch.multinomial(probs(instance.draft, tokens), 1)),)
    prefixes = [tokens[:i] for i in range(len(tokens) + 1)]
    kept, last = STEP.speculative_sampling(
        torch.stack([probs(instance.target, prefix) for prefix in prefixes]),
        torch.stack([probs(instance.draft, prefix) for prefix in prefixes[:-1]]),
        torch.tensor(tokens),
    )
    return (*tokens[: int(kept)], int(last))


def probs(model, context):
    """Return a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)])
    except MissingContextError:
        return torch.full((model.vocab_size,), 1 / model.vocab_size)
