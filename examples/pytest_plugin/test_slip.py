"""One token with a slip: the test fails, and says why."""

import random

from specdec_verification.pytest_plugin import assert_lossless


def step_with_slip(instance):
    p, q = instance.target(()), instance.draft(())
    (token,) = random.choices(range(len(q)), q)
    if random.random() < p[token] / q[token]:
        return [token]
    return random.choices(range(len(p)), p)  # from the target, and not from the residual


def test_step_with_slip():
    assert_lossless(step_with_slip)
