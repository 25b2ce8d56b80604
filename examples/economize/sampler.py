"""The rejection verifier of `economize`, with a seeded generator of its own in each round."""

import torch
from economize.decoding.config import DecodeConfig
from economize.decoding.protocols import Draft
from economize.decoding.selectors import TopPSampler
from economize.decoding.verifiers import RejectionVerifier

from specdec_core.errors import MissingContextError

VERIFIER = RejectionVerifier(DecodeConfig(verifier="rejection"))


def verify(instance):
    """Draft and verify one row of a batch, all from one seeded generator."""
    selector, tokens, rows = TopPSampler(), (), []
    gamma = instance.integer("gamma", minimum=1)
    for _ in range(gamma):
        drawn, row = VERIFIER.draft_many(logs(instance.draft, tokens)[None], selector)
        tokens, rows = (*tokens, int(drawn)), [*rows, row]
    draft = Draft(torch.tensor([tokens]), [gamma], probs=torch.stack(rows, 1))
    scores = torch.stack([logs(instance.target, tokens[:i]) for i in range(gamma + 1)])[None]
    kept, last = VERIFIER.verify_batch(scores, draft, selector, torch.tensor([tokens]), [0])
    return (*tokens[: int(kept)], int(last))


def logs(model, context):
    """Return the logarithms of a row; any will do behind a token that is ruled out."""
    try:
        return torch.tensor([float(prob) for prob in model(context)]).log()
    except MissingContextError:
        return torch.zeros(model.vocab_size)
