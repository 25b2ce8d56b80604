"""A rejection loop on numpy's global generator, and the same with one slip."""

import numpy as np


def choose(row):
    """Draw a token."""
    return int(np.random.choice(len(row), p=row))


def residual(p, q):
    """Return what a rejected token is replaced from."""
    excess = np.maximum(p - q, 0)
    return excess / excess.sum()


def verify(instance, recovered_from=residual):
    """Draft tokens, keep those that pass, replace the first that does not."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(choose(instance.draft(tuple(tokens))))
    for i, token in enumerate(tokens):
        p = np.array(instance.target(tuple(tokens[:i])))
        q = np.array(instance.draft(tuple(tokens[:i])))
        if np.random.rand() >= p[token] / q[token]:
            return [*tokens[:i], choose(recovered_from(p, q))]
    return [*tokens, choose(instance.target(tuple(tokens)))]


def verify_with_slip(instance):
    """Draw the replacement from the target itself, and not from the residual."""
    return verify(instance, lambda p, q: p)
