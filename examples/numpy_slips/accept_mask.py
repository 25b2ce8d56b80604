"""All positions at once, by an accept mask and cumulative products: slips that this form invites.

Each function is a whole sampler with one slip, which its docstring names.
"""

import numpy as np


def draw(row, rng):
    """Return the token in whose cell of the cumulative sums a uniform falls."""
    sums = np.cumsum(row)
    return int(np.searchsorted(sums / sums[-1], rng.random(), side="right"))


def drafted(instance, rng):
    """Return draft tokens, their rows, and the target's rows."""
    tokens, draft_probs = [], []
    for _ in range(instance.parameters["gamma"]):
        draft_probs.append(np.array(instance.draft(tuple(tokens))))
        tokens.append(draw(draft_probs[-1], rng))
    rows = [instance.target(tuple(tokens[:i])) for i in range(len(tokens) + 1)]
    return tokens, np.array(draft_probs), np.array(rows)


def finish(tokens, accepted, p, q, rng):
    """Add the bonus token, or replace the first rejected one."""
    if accepted == len(tokens):
        return [*tokens, draw(p[-1], rng)]
    excess = np.maximum(p[accepted] - q[accepted], 0)
    return [*tokens[:accepted], draw(excess if excess.any() else p[accepted], rng)]


def right(instance, rng):
    """Do it right: accepted tokens are those before the first zero of the mask."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = rng.random(len(tokens)) * q[places, tokens] < p[places, tokens]
    return finish(tokens, int(mask.cumprod().sum()), p, q, rng)


def ratio_upside_down(instance, rng):
    """Divide the draft's probabilities by the target's."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = rng.random(len(tokens)) * p[places, tokens] < q[places, tokens]
    return finish(tokens, int(mask.cumprod().sum()), p, q, rng)


def one_uniform_broadcast(instance, rng):
    """Draw one uniform, and let broadcasting compare every position with it."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = rng.random() * q[places, tokens] < p[places, tokens]
    return finish(tokens, int(mask.cumprod().sum()), p, q, rng)


def mask_without_uniforms(instance, rng):
    """Accept where the target finds the token at least as likely."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = p[places, tokens] >= q[places, tokens]
    return finish(tokens, int(mask.cumprod().sum()), p, q, rng)


def rows_shifted_by_one(instance, rng):
    """Slice the target's rows from the second on, where a model returns one row too many."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = rng.random(len(tokens)) * q[places, tokens] < p[1:][places, tokens]
    return finish(tokens, int(mask.cumprod().sum()), p, q, rng)


def column_of_first_row(instance, rng):
    """Index the target's first row with all the tokens."""
    tokens, q, p = drafted(instance, rng)
    mask = rng.random(len(tokens)) * q[np.arange(len(tokens)), tokens] < p[0][tokens]
    return finish(tokens, int(mask.cumprod().sum()), p, q, rng)


def slice_one_too_long(instance, rng):
    """Keep the rejected token: the slice ends one too late."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = rng.random(len(tokens)) * q[places, tokens] < p[places, tokens]
    accepted = int(mask.cumprod().sum())
    emitted = finish(tokens, accepted, p, q, rng)
    return emitted if mask.all() else [*tokens[: accepted + 1], emitted[-1]]


def mask_added_up(instance, rng):
    """Count all ones of the mask, those behind the first zero as well: no `cumprod`."""
    tokens, q, p = drafted(instance, rng)
    places = np.arange(len(tokens))
    mask = rng.random(len(tokens)) * q[places, tokens] < p[places, tokens]
    return finish(tokens, int(mask.sum()), p, q, rng)
