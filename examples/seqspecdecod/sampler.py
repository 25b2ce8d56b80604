"""The rounds of `sequential-speculative-decoding`: standard, hierarchical, and capped."""

from types import SimpleNamespace

import torch
from seqspecdecod.capped_hsd import capped_hsd_step
from seqspecdecod.naive_hsd import naive_hsd_step
from seqspecdecod.standard_sd import standard_speculative_step

from specdec_core.errors import MissingContextError


def verify(instance, step=standard_speculative_step):
    """Give a step two tables for models."""
    models = [lambda ids, m=model: output(m, ids) for model in (instance.draft, instance.target)]
    prompt, gamma = torch.zeros(1, 1, dtype=torch.long), instance.integer("gamma", minimum=1)
    ids, _, _ = step(*models, prompt, gamma, draft_temperature=1.0, target_temperature=1.0)
    return ids[0, 1:].tolist()


def verify_hierarchical(instance):
    """Verify whole prefixes, the longest first."""
    return verify(instance, naive_hsd_step)


def verify_capped(instance):
    """Verify whole prefixes, with the ratio capped."""
    return verify(instance, capped_hsd_step)


def output(model, ids):
    """Return logits at every position; any will do behind a token that is ruled out."""
    tokens, rows = ids[0, 1:].tolist(), []
    for i in range(len(tokens) + 1):
        try:
            rows.append(torch.tensor([float(prob) for prob in model(tuple(tokens[:i]))]).log())
        except MissingContextError:
            rows.append(torch.zeros(model.vocab_size))
    return SimpleNamespace(logits=torch.stack(rows)[None])
