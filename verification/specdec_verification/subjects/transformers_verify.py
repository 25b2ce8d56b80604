"""The verify step of transformers, ``_speculative_sampling``, on an instance.

The draft tokens are drawn from the instance's draft model by ``torch.multinomial``, as
``generate`` draws them; the step gets the logarithms of the instance's rows as logits.
"""

from collections.abc import Callable
from functools import cache

import torch
from transformers.generation.utils import _speculative_sampling

from specdec_core.distributions import Row
from specdec_core.errors import MissingContextError
from specdec_core.instances import Instance
from specdec_core.models import Context


def verify_step(instance: Instance, ensemble_weight: float | None = None) -> Callable[[], Context]:
    """Return a program that drafts, verifies, and emits the tokens of one round.

    Parameters
    ----------
    instance : Instance
        With one draft model and the parameter ``gamma``.
    ensemble_weight : float or None
        The target's share of the mixture that ``assistant_ensemble_weight`` verifies against.
    """
    gamma = instance.integer("gamma", minimum=1)
    draft = cache(lambda context: logits(instance.draft(context)))
    target = cache(lambda context: _target_logits(instance, context))

    def emit() -> Context:
        draft_logits, target_logits = [], [target(())]
        tokens: Context = ()
        for _ in range(gamma):
            draft_logits.append(draft(tokens))
            tokens += (int(torch.multinomial(draft_logits[-1].softmax(-1), 1)),)
            target_logits.append(target(tokens))
        emitted, _ = _speculative_sampling(
            torch.tensor([tokens]),
            torch.stack(draft_logits)[None],
            gamma,
            torch.stack(target_logits)[None],
            ensemble_weight,
        )
        return tuple(emitted[0].tolist())

    return emit


def _target_logits(instance: Instance, context: Context) -> torch.Tensor:
    """Return the target's logits; behind a token that it rules out, where it may say nothing, 0."""
    try:
        return logits(instance.target(context))
    except MissingContextError:
        return torch.zeros(instance.vocab_size)


def logits(row: Row) -> torch.Tensor:
    """Return the logarithms of a row, as a model's logits come: in float32."""
    return torch.tensor([float(prob) for prob in row]).log()
