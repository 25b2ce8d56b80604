"""Every token by Gumbel-max on logits, and the same with one slip."""

import numpy as np


def choose(row, rng):
    """Draw a token: the largest of logits and noise."""
    with np.errstate(divide="ignore"):
        return int(np.argmax(np.log(row) + rng.gumbel(size=len(row))))


def verify(instance, rng, bonus_row=-1):
    """Draft, verify in logarithms, and replace or add a token."""
    gamma = instance.parameters["gamma"]
    tokens = []
    for _ in range(gamma):
        tokens.append(choose(instance.draft(tuple(tokens)), rng))
    rows = np.array([instance.target(tuple(tokens[:i])) for i in range(gamma + 1)])
    for i, token in enumerate(tokens):
        q = np.array(instance.draft(tuple(tokens[:i])))
        with np.errstate(divide="ignore"):
            if np.log(rng.random()) >= np.log(rows[i, token]) - np.log(q[token]):
                return [*tokens[:i], choose(np.maximum(rows[i] - q, 0), rng)]
    return [*tokens, choose(rows[bonus_row], rng)]


def verify_with_slip(instance, rng):
    """Draw the bonus token from the row before: off by one."""
    return verify(instance, rng, bonus_row=-2)
