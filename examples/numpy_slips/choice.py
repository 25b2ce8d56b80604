"""Tokens by `Generator.choice`: slips in what is handed to it, and in what is not drawn at all.

Each function is a whole sampler with one slip, which its docstring names.
"""

import numpy as np


def drawn(row, rng):
    """Draw a token."""
    return int(rng.choice(len(row), p=row))


def residual(p, q):
    """Return what a rejected token is replaced from."""
    excess = np.maximum(p - q, 0)
    return excess / excess.sum() if excess.any() else p


def right(instance, rng, proposed=drawn, recovered=drawn, bonus=drawn):
    """Do it right, unless another way to choose tokens is given."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(proposed(np.array(instance.draft(tuple(tokens))), rng))
    for i, token in enumerate(tokens):
        p = np.array(instance.target(tuple(tokens[:i])))
        q = np.array(instance.draft(tuple(tokens[:i])))
        if not rng.random() * q[token] < p[token]:
            return [*tokens[:i], recovered(residual(p, q), rng)]
    return [*tokens, bonus(np.array(instance.target(tuple(tokens))), rng)]


def likeliest(row, rng):
    """Take the likeliest token."""
    return int(np.argmax(row))


def greedy_drafts(instance, rng):
    """Draft the likeliest tokens, and test them as if they had been drawn."""
    return right(instance, rng, proposed=likeliest)


def greedy_recovery(instance, rng):
    """Take the residual's likeliest token."""
    return right(instance, rng, recovered=likeliest)


def greedy_bonus(instance, rng):
    """Take the likeliest bonus token."""
    return right(instance, rng, bonus=likeliest)


def filtered(row, rng):
    """Draw from all tokens but the least likely of those that are possible."""
    possible = np.flatnonzero(row)
    if len(possible) > 1:
        row[possible[np.argmin(row[possible])]] = 0
    return drawn(row / row.sum(), rng)


def filtered_drafts(instance, rng):
    """Filter the row that drafts are drawn from, and test with the row that is not filtered."""
    return right(instance, rng, proposed=filtered)


def token_removed_from_target(instance, rng):
    """On a rejection, take the rejected token out of the target, and no more."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(drawn(instance.draft(tuple(tokens)), rng))
    for i, token in enumerate(tokens):
        p, q = np.array(instance.target(tuple(tokens[:i]))), instance.draft(tuple(tokens[:i]))
        if not rng.random() * q[token] < p[token]:
            p[token] = 0
            return [*tokens[:i], drawn(p / p.sum(), rng)]
    return [*tokens, drawn(instance.target(tuple(tokens)), rng)]


def tested_as_a_point_mass(instance, rng):
    """Accept a drawn token with the target's probability, and replace it from the residual."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(drawn(instance.draft(tuple(tokens)), rng))
    for i, token in enumerate(tokens):
        p = np.array(instance.target(tuple(tokens[:i])))
        q = np.array(instance.draft(tuple(tokens[:i])))
        if rng.random() >= p[token]:
            return [*tokens[:i], drawn(residual(p, q), rng)]
    return [*tokens, drawn(instance.target(tuple(tokens)), rng)]


def ratio_squared(instance, rng):
    """Ask twice whether to accept, with a new uniform each time."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(drawn(instance.draft(tuple(tokens)), rng))
    for i, token in enumerate(tokens):
        p = np.array(instance.target(tuple(tokens[:i])))
        q = np.array(instance.draft(tuple(tokens[:i])))
        if rng.random() * q[token] >= p[token] or rng.random() * q[token] >= p[token]:
            return [*tokens[:i], drawn(residual(p, q), rng)]
    return [*tokens, drawn(instance.target(tuple(tokens)), rng)]
