"""Tokens by searching cumulative sums: slips in what is searched.

Each function is a whole sampler with one slip, which its docstring names.
"""

import numpy as np


def draw(row, rng):
    """Return the token in whose cell of the cumulative sums a uniform falls."""
    sums = np.cumsum(row)
    return int(np.searchsorted(sums / sums[-1], rng.random(), side="right"))


def residual(p, q):
    """Return what a rejected token is replaced from."""
    excess = np.clip(p - q, 0, None)
    return excess / excess.sum() if excess.any() else p


def verify(instance, rng, recover, bonus):
    """Draft, test the tokens in turn, and leave recovery and bonus to the functions given."""
    tokens, draft_probs = [], []
    for _ in range(instance.parameters["gamma"]):
        draft_probs.append(np.array(instance.draft(tuple(tokens))))
        tokens.append(draw(draft_probs[-1], rng))
    for i, token in enumerate(tokens):
        p, q = np.array(instance.target(tuple(tokens[:i]))), draft_probs[i]
        if rng.random() >= p[token] / q[token]:
            return [*tokens[:i], recover(p, q)]
    return [*tokens, bonus(np.array(instance.target(tuple(tokens))), draft_probs[-1])]


def right(instance, rng):
    """Do it right."""
    return verify(instance, rng, lambda p, q: draw(residual(p, q), rng), lambda p, q: draw(p, rng))


def target_in_place_of_residual(instance, rng):
    """Search the target's cumulative sums for the replacement."""
    return verify(instance, rng, lambda p, q: draw(p, rng), lambda p, q: draw(p, rng))


def draft_in_place_of_residual(instance, rng):
    """Search the draft's cumulative sums for the replacement."""
    return verify(instance, rng, lambda p, q: draw(q, rng), lambda p, q: draw(p, rng))


def residual_not_divided(instance, rng):
    """Search the residual's sums as they are: what lies beyond them becomes the last token."""

    def recover(p, q):
        sums = np.cumsum(np.clip(p - q, 0, None))
        return int(min(np.searchsorted(sums, rng.random(), side="right"), len(p) - 1))

    return verify(instance, rng, recover, lambda p, q: draw(p, rng))


def residual_turned_round(instance, rng):
    """Take the draft's excess over the target."""
    return verify(instance, rng, lambda p, q: draw(residual(q, p), rng), lambda p, q: draw(p, rng))


def residual_of_absolute_values(instance, rng):
    """Take the absolute difference, where only the excess is meant."""

    def recover(p, q):
        return draw(np.abs(p - q) / np.abs(p - q).sum(), rng)

    return verify(instance, rng, recover, lambda p, q: draw(p, rng))


def bonus_from_the_draft(instance, rng):
    """Search the draft's last row for the bonus token."""
    return verify(instance, rng, lambda p, q: draw(residual(p, q), rng), lambda p, q: draw(q, rng))
