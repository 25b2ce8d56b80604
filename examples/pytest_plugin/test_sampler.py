"""Token rejection with `random`, as one would write it: ``pytest examples/pytest_plugin``."""

import random

import pytest


def step(instance):
    tokens = ()
    for _ in range(instance.parameters["gamma"]):
        tokens += tuple(random.choices(range(instance.vocab_size), instance.draft(tokens)))
    for i, token in enumerate(tokens):
        p, q = instance.target(tokens[:i]), instance.draft(tokens[:i])
        if random.random() >= p[token] / q[token]:
            residual = [max(a - b, 0) for a, b in zip(p, q)]
            return [*tokens[:i], *random.choices(range(len(p)), residual)]
    return [*tokens, *random.choices(range(instance.vocab_size), instance.target(tokens))]


@pytest.mark.specdec_lossless
def test_step(specdec):
    specdec.assert_lossless(step)
