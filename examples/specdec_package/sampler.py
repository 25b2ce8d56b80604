"""One round of `specdec.SpecDecoder`: it drafts, scores and verifies by itself."""

from types import SimpleNamespace

import torch
from specdec.decoder import SpecDecoder

from specdec_core.errors import MissingContextError


def verify(instance):
    """Give the decoder two tables for models, and let it run one round."""
    decoder = SpecDecoder.__new__(SpecDecoder)  # whose constructor would load checkpoints
    decoder.device = "cpu"
    decoder.small_model = lambda ids, **_: output(instance.draft, ids)
    decoder.big_model = lambda ids, **_: output(instance.target, ids)
    prompt = torch.zeros(1, 1, dtype=torch.long)
    tokens, rows = decoder.generate_small(prompt, instance.integer("gamma", minimum=1))
    return decoder.verify(prompt, tokens, rows)


def output(model, ids):
    """Return logits at every position; the first token is the prompt."""
    tokens = ids[0, 1:].tolist()
    rows = [logits(model, tuple(tokens[:i])) for i in range(len(tokens) + 1)]
    return SimpleNamespace(logits=torch.stack(rows)[None])


def logits(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.zeros(model.vocab_size)
