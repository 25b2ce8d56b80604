"""Tokens by bisection of cumulative sums, on a generator of its own; and a slip."""

import random
from bisect import bisect
from itertools import accumulate


def choose(row, rng):
    """Draw a token by inverting its cumulative sums."""
    sums = list(accumulate(row))
    return min(bisect(sums, rng.uniform(0, sums[-1])), len(row) - 1)


def verify(instance, rng: random.Random, last_from="target"):
    """Draft tokens, count those before the first rejection, add one."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(choose(instance.draft(tuple(tokens)), rng))
    p = [instance.target(tuple(tokens[:i])) for i in range(len(tokens) + 1)]
    q = [instance.draft(tuple(tokens[:i])) for i in range(len(tokens))]
    passed = [rng.random() < p[i][token] / q[i][token] for i, token in enumerate(tokens)]
    if all(passed):
        return [*tokens, choose((p if last_from == "target" else q)[-1], rng)]
    i = passed.index(False)
    return [*tokens[:i], choose([max(a - b, 0) for a, b in zip(p[i], q[i])], rng)]


def verify_with_slip(instance, rng: random.Random):
    """Draw the bonus token from the last draft row."""
    return verify(instance, rng, last_from="draft")
