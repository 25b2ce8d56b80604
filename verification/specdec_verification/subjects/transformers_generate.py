"""``generate`` of transformers as a program: with speculation, and without."""

from collections.abc import Callable, Mapping

import torch

from specdec_core.models import Context
from specdec_verification.subjects.curves import Item


def generation(
    model: Item,
    prompt: Context,
    new_tokens: int,
    options: Mapping[str, Item],
) -> Callable[[], Context]:
    """Return a program that samples a continuation, and emits its tokens.

    Parameters
    ----------
    model : PreTrainedModel
    prompt : tuple of int
        At least one token.
    new_tokens : int
        How many to generate at most.
    options : mapping
        Of ``generate``: a candidate generator, sampling parameters, an end token.  ``top_k`` is
        off unless it is given.
    """
    ids = torch.tensor([prompt])
    asked = {"do_sample": True, "top_k": 0, "max_new_tokens": new_tokens, **options}

    def emit() -> Context:
        return tuple(model.generate(ids, **asked)[0, len(prompt) :].tolist())

    return emit
