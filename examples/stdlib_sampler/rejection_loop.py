"""A rejection loop on the standard library, and the same with one slip."""

import random


def choose(row):
    """Draw a token; the weights need not sum to one."""
    return random.choices(range(len(row)), weights=row)[0]


def verify(instance, swapped=False):
    """Draft tokens, keep those that pass, replace the first that does not."""
    tokens = []
    for _ in range(instance.parameters["gamma"]):
        tokens.append(choose(instance.draft(tuple(tokens))))
    for i, token in enumerate(tokens):
        p, q = instance.target(tuple(tokens[:i])), instance.draft(tuple(tokens[:i]))
        kept, against = (q, p) if swapped else (p, q)
        if random.random() * against[token] >= kept[token]:
            excess = [max(a - b, 0) for a, b in zip(p, q)]
            return [*tokens[:i], choose(excess if any(excess) else p)]
    return [*tokens, choose(instance.target(tuple(tokens)))]


def verify_with_slip(instance):
    """Swap the two laws in the ratio."""
    return verify(instance, swapped=True)
