"""Tokens by who arrives first, and the same with one slip."""

import random


def choose(row):
    """Draw a token: the one that arrives first."""
    tokens = [token for token, rate in enumerate(row) if rate > 0]
    return min(tokens, key=lambda token: random.expovariate(row[token]))


def verify(instance, reverse=False):
    """Draft tokens, keep those that pass, replace the first that does not."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(choose(instance.draft(tuple(tokens))))
    for i, token in enumerate(tokens):
        p, q = instance.target(tuple(tokens[:i])), instance.draft(tuple(tokens[:i]))
        if random.random() * q[token] >= p[token]:
            more, less = (q, p) if reverse else (p, q)
            return [*tokens[:i], choose([a - b for a, b in zip(more, less)])]
    return [*tokens, choose(instance.target(tuple(tokens)))]


def verify_with_slip(instance):
    """Take the residual the wrong way round."""
    return verify(instance, reverse=True)
