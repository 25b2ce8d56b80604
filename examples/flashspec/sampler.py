"""The verify steps of `flashspec`: with a draft row, and for a drafter that is certain."""

import torch
from flashspec.sampling.rejection import rejection_step, rejection_step_onehot

from specdec_core.errors import MissingContextError


def verify(instance):
    """Draft, and verify against both rows."""
    tokens = ()
    for _ in range(instance.integer("gamma", minimum=1)):
        tokens += (int(torch.multinomial(logs(instance.draft, tokens).exp(), 1)),)
    prefixes = [tokens[:i] for i in range(len(tokens) + 1)]
    draft = torch.stack([logs(instance.draft, prefix) for prefix in prefixes[:-1]])
    target = torch.stack([logs(instance.target, prefix) for prefix in prefixes])
    kept, last = rejection_step(torch.tensor([tokens]), draft[None], target[None])[0].tolist()
    return (*tokens[:kept], last)


def verify_certain(instance):
    """Draft the likeliest tokens, and verify them as point masses."""
    tokens = ()
    for _ in range(instance.integer("gamma", minimum=1)):
        tokens += (int(logs(instance.draft, tokens).argmax()),)
    target = torch.stack([logs(instance.target, tokens[:i]) for i in range(len(tokens) + 1)])
    kept, last = rejection_step_onehot(torch.tensor([tokens]), target[None])[0].tolist()
    return (*tokens[:kept], last)


def logs(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.full((model.vocab_size,), 1 / model.vocab_size).log()
