"""Tokens by Gumbel-max on logits, rows in one array: slips in which row is read.

Each function is a whole sampler with one slip, which its docstring names.
"""

import numpy as np


def choose(row, rng):
    """Draw a token: the largest of logits and noise."""
    with np.errstate(divide="ignore"):
        return int(np.argmax(np.log(row) + rng.gumbel(size=len(row))))


def rows_of(instance, tokens):
    """Return the target's rows and the draft's after every prefix of the draft."""
    prefixes = [tuple(tokens[:i]) for i in range(len(tokens) + 1)]
    return np.array([instance.target(prefix) for prefix in prefixes]), np.array(
        [instance.draft(prefix) for prefix in prefixes[:-1]]
    )


def right(instance, rng, test_row=0, recovery_row=0, bonus_row=-1, constant_draft=0):
    """Do it right, unless rows are to be read elsewhere."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(choose(instance.draft(tuple(tokens)), rng))
    p, q = rows_of(instance, tokens)
    q = np.repeat(q[:1], len(tokens), axis=0) if constant_draft else q
    for i, token in enumerate(tokens):
        if rng.random() * q[i, token] >= p[i + test_row, token]:
            excess = np.maximum(p[i + recovery_row] - q[i], 0)
            return [*tokens[:i], choose(excess if excess.any() else p[i + recovery_row], rng)]
    return [*tokens, choose(p[bonus_row], rng)]


def bonus_row_before(instance, rng):
    """Draw the bonus token from the row before the last."""
    return right(instance, rng, bonus_row=-2)


def recovery_row_after(instance, rng):
    """Take the residual from the next row of the target."""
    return right(instance, rng, recovery_row=1)


def draft_row_repeated(instance, rng):
    """Keep the draft's first row for every position."""
    return right(instance, rng, constant_draft=1)


def whole_row_after(instance, rng):
    """Read the next row in the test and in the recovery alike."""
    return right(instance, rng, test_row=1, recovery_row=1)
