"""One round of `mini_infer.speculative`: it drafts, scores and verifies by itself."""

import torch
from mini_infer.speculative.verifier import speculative_step

from specdec_core.errors import MissingContextError


def verify(instance):
    """Give the step two tables for models."""
    tokens, _ = speculative_step(
        lambda ids: (logits(instance.target, ids), None),
        lambda ids: (logits(instance.draft, ids), None),
        torch.zeros(1, 1, dtype=torch.long),
        k_draft=instance.integer("gamma", minimum=1),
        temperature=1.0,
    )
    return tokens


def logits(model, ids):
    """Return logits at every position; the first token is the prompt."""
    tokens = ids[0, 1:].tolist()
    return torch.stack([row(model, tuple(tokens[:i])) for i in range(len(tokens) + 1)])[None]


def row(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.zeros(model.vocab_size)
