"""The loop of `speculative-decoding`, over tables for models, with temperature and no filter."""

import torch
from speculative_decoding.speculative_decoding import speculative_decoding

from specdec_core.errors import MissingContextError


def verify(instance):
    """Decode one token more than is drafted."""
    gamma = instance.integer("gamma", minimum=1)
    emitted, _ = speculative_decoding(
        network(instance.target),
        network(instance.draft),
        torch.zeros(1, 1, dtype=torch.long),
        seq_len=gamma + 2,
        gamma=gamma,
        filter_thres=0.0,
    )
    return emitted[0].tolist()


def network(model):
    """Return a table as a network; its cache has the right length, and nothing else."""

    def call(ids, **_):
        tokens = ids[0, 1:].tolist()
        rows = [logs(model, tuple(tokens[:i])) for i in range(len(tokens) + 1)]
        return torch.stack(rows)[None], (torch.zeros(1, ids.shape[1], 1), None)

    return call


def logs(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.zeros(model.vocab_size)
