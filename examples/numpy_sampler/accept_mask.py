"""All positions at once: an accept mask, and tokens by searching cumulative sums."""

import numpy as np

rng = np.random.default_rng(0)


def invert(row, mass):
    """Return the token in whose cell of the cumulative sums a uniform below ``mass`` falls."""
    token = np.searchsorted(np.cumsum(row), rng.random() * mass, side="right")
    return int(min(token, np.flatnonzero(row)[-1]))  # rounding can leave the sums below 1


def verify(instance, kept_too_many=0):
    """Draft tokens, find how many pass before the first that does not, and add one."""
    gamma = instance.parameters["gamma"]
    tokens, draft_probs = [], []
    for _ in range(gamma):
        draft_probs.append(np.array(instance.draft(tuple(tokens))))
        tokens.append(invert(draft_probs[-1], 1))
    target_probs = np.array([instance.target(tuple(tokens[:i])) for i in range(gamma + 1)])
    places = np.arange(gamma)
    ratios = target_probs[places, tokens] / np.array(draft_probs)[places, tokens]
    accepted = int((rng.random(gamma) < ratios).cumprod().sum())
    if accepted == gamma:
        return [*tokens, invert(target_probs[gamma], 1)]
    excess = np.maximum(target_probs[accepted] - draft_probs[accepted], 0)
    return [*tokens[: accepted + kept_too_many], invert(excess, excess.sum())]


def verify_with_slip(instance):
    """Keep the rejected token before its replacement."""
    return verify(instance, kept_too_many=1)
