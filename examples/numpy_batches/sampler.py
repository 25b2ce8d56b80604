"""A sampler of whole batches, whose draws nobody hands in, for `specdec-verify sample`."""

import numpy as np


def sampler(instance, n, rng, recover_from_target=False):
    """Return the tokens ``(n, gamma + 1)`` of n rounds, and how many each emits."""
    gamma = instance.parameters["gamma"]
    tokens, lengths = np.zeros((n, gamma + 1), dtype=int), np.full(n, gamma + 1)
    for row in range(n):
        drafted, draft_probs = [], []
        for _ in range(gamma):
            draft_probs.append(np.array(instance.draft(tuple(drafted)), dtype=float))
            drafted.append(int(rng.choice(len(draft_probs[-1]), p=draft_probs[-1])))
        tokens[row, :gamma] = drafted
        for i, token in enumerate(drafted):
            target_probs = np.array(instance.target(tuple(drafted[:i])), dtype=float)
            if rng.random() * draft_probs[i][token] < target_probs[token]:
                continue
            residual = np.maximum(target_probs - draft_probs[i], 0)
            recovery = target_probs if recover_from_target else residual / residual.sum()
            tokens[row, i], lengths[row] = rng.choice(len(recovery), p=recovery), i + 1
            break
        else:
            bonus = np.array(instance.target(tuple(drafted)), dtype=float)
            tokens[row, gamma] = rng.choice(len(bonus), p=bonus)
    return tokens, lengths


def sampler_with_slip(instance, n, rng):
    """Draw a recovered token from the target, and not from the residual."""
    return sampler(instance, n, rng, recover_from_target=True)
