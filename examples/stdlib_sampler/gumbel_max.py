"""Gumbel-max with noise made by hand, and the same with one slip."""

from math import log
from random import random


def choose(row):
    """Draw a token: the largest of log-weights and noise."""
    tokens = [token for token, weight in enumerate(row) if weight > 0]
    return max(tokens, key=lambda token: log(row[token]) - log(-log(random())))


def verify(instance, keep_rest=False):
    """Draft tokens, verify in logarithms, replace the first that fails or add one."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(choose(instance.draft(tuple(tokens))))
    for i, token in enumerate(tokens):
        p, q = instance.target(tuple(tokens[:i])), instance.draft(tuple(tokens[:i]))
        if p[token] == 0 or log(random()) >= log(p[token]) - log(q[token]):
            recovered = choose([a - b for a, b in zip(p, q)])
            return [*tokens[:i], recovered, *(tokens[i + 1 :] if keep_rest else [])]
    return [*tokens, choose(instance.target(tuple(tokens)))]


def verify_with_slip(instance):
    """Keep the rest of the draft behind the replacement."""
    return verify(instance, keep_rest=True)
