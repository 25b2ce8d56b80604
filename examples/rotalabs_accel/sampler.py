"""`verify_tokens` of `rotalabs-accel`, which is told the draft's probability of each token only."""

from types import SimpleNamespace

import torch
from rotalabs_accel.speculative.core import verify_tokens

from specdec_core.errors import MissingContextError


def verify(instance):
    """Draft, and verify with q at the drafted tokens."""
    tokens, probs = (), []
    for _ in range(instance.integer("gamma", minimum=1)):
        row = logs(instance.draft, tokens).softmax(-1)
        tokens += (int(torch.multinomial(row, 1)),)
        probs.append(row[tokens[-1]])
    target = torch.stack([logs(instance.target, tokens[:i]) for i in range(len(tokens) + 1)])
    emitted, _, _ = verify_tokens(
        lambda ids, **_: SimpleNamespace(logits=target[None], past_key_values=None),
        torch.zeros(1, 1, dtype=torch.long),
        torch.tensor(tokens),
        torch.stack(probs),
        past_key_values=None,
    )
    return emitted.tolist()


def logs(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.zeros(model.vocab_size)
