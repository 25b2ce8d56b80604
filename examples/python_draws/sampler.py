"""A single-path sampler as one would write it, and the same with one slip."""

from specdec_core.distributions import residual
from specdec_core.sampling import sample


def verify(instance, draws, slip=False):
    """Draft two tokens, keep those that pass, replace the first that does not."""
    tokens = ()
    for _ in range(instance.integer("gamma", minimum=1)):
        tokens += (sample(instance.draft(tokens), draws.uniform()),)
    for i, token in enumerate(tokens):
        p, q = instance.target(tokens[:i]), instance.draft(tokens[:i])
        if draws.uniform() * q[token] >= p[token]:
            row = p if slip else residual(p, q)
            return (*tokens[:i], sample(row, draws.uniform()))
    return (*tokens, sample(instance.target(tokens), draws.uniform()))


def verify_with_slip(instance, draws):
    """Draw the replacement from the target itself, and not from the residual."""
    return verify(instance, draws, slip=True)
