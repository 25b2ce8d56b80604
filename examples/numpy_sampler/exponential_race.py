"""Every token by an exponential race, and the same with one slip."""

import numpy as np


def choose(weights, rng):
    """Draw a token: the weights need not sum to one."""
    return int(np.argmax(weights / rng.exponential(size=len(weights))))


def verify(instance, rng, one_coin=False):
    """Draft tokens, and find the first rejection with `argmax` on a mask."""
    gamma = instance.parameters["gamma"]
    tokens = []
    for _ in range(gamma):
        tokens.append(choose(np.array(instance.draft(tuple(tokens))), rng))
    p = np.array([instance.target(tuple(tokens[:i])) for i in range(gamma + 1)])
    q = np.array([instance.draft(tuple(tokens[:i])) for i in range(gamma)])
    places = np.arange(gamma)
    coins = np.repeat(rng.random(), gamma) if one_coin else rng.random(gamma)
    rejected = coins * q[places, tokens] >= p[places, tokens]
    if not rejected.any():
        return [*tokens, choose(p[gamma], rng)]
    first = int(rejected.argmax())
    return [*tokens[:first], choose(np.maximum(p[first] - q[first], 0), rng)]


def verify_with_slip(instance, rng):
    """Compare every position with one and the same uniform."""
    return verify(instance, rng, one_coin=True)
