"""The portable rejection sampler of `lmdeploy`: one row of noise for all positions of a request."""

import torch
from lmdeploy.pytorch.backends.default.rejection_sampling import DefaultRejectionSamplingImpl

from specdec_core.errors import MissingContextError

SAMPLER = DefaultRejectionSamplingImpl()


def verify(instance):
    """Draft, draw the bonus token beforehand, and verify."""
    tokens = ()
    for _ in range(instance.integer("gamma", minimum=1)):
        tokens += (int(torch.multinomial(logs(instance.draft, tokens).softmax(-1), 1)),)
    prefixes = [tokens[:i] for i in range(len(tokens))]
    emitted, _, _ = SAMPLER.forward(
        torch.stack([logs(instance.target, prefix) for prefix in prefixes])[None],
        torch.tensor([tokens]),
        torch.multinomial(logs(instance.target, tokens).softmax(-1), 1),
        is_greedy=None,
        draft_probs=torch.stack([logs(instance.draft, prefix) for prefix in prefixes]).softmax(-1)[
            None
        ],
    )
    return [token for token in emitted[0].tolist() if token >= 0]


def logs(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.zeros(model.vocab_size)
