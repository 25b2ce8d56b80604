"""A verification kernel on numpy arrays, many rounds at once, and the same with slips.

Rows and uniforms arrive as arrays, and the kernel works in the dtype that they have.  Weights that
are not finite count as none; where no weight is left, any token but the rejected one will do.
"""

import numpy as np


def choose(weights, u):
    """Return, for each round, the token whose cell of the running sums holds u times their sum."""
    sums = np.cumsum(weights, axis=1)
    passed = (sums <= u[:, None] * sums[:, -1:]).sum(axis=1)
    last = weights.shape[1] - 1 - np.argmax(weights[:, ::-1] > 0, axis=1)
    return np.minimum(passed, last)


def residual(p, q):
    """Return what a rejected token is replaced from."""
    return np.maximum(p - q, 0)


def below(u, p, q):
    """Return which draft tokens are accepted."""
    return u * q < p


def usable(weights, rejected):
    """Return weights that can be chosen from; ``rejected`` is a token of each round, or -1."""
    tokens = np.arange(weights.shape[1])
    others = tokens[None, :] != rejected[:, None]
    weights = np.where(np.isfinite(weights) & (weights > 0) & others, weights, 0)
    empty = weights.sum(axis=1) == 0
    weights[empty] = others[empty]
    return weights


def verify(draft_tokens, target_probs, draft_probs, uniforms, accepts=below, recovered=residual):
    """Keep each round's draft tokens up to the first rejection, and add one token."""
    n, gamma = draft_tokens.shape
    rounds = np.arange(n)
    inside = (draft_tokens >= 0) & (draft_tokens < target_probs.shape[2])
    at_draft = (rounds[:, None], np.arange(gamma)[None, :], np.where(inside, draft_tokens, 0))
    kept = accepts(uniforms[:, :gamma], target_probs[at_draft], draft_probs[at_draft]) & inside
    lengths = np.where(kept.all(axis=1), gamma, np.argmin(kept, axis=1))
    rows, rejected = target_probs[rounds, lengths].copy(), np.full(n, -1)
    short = np.flatnonzero(lengths < gamma)
    at_rejected = (short, lengths[short])
    rows[short] = recovered(target_probs[at_rejected], draft_probs[at_rejected])
    rejected[short] = draft_tokens[at_rejected]
    tokens = np.full((n, gamma + 1), -1)
    tokens[:, :gamma] = np.where(np.arange(gamma) < lengths[:, None], draft_tokens, -1)
    tokens[rounds, lengths] = choose(usable(rows, rejected), uniforms[:, -1])
    return tokens


def verify_at_equality(*arrays):
    """Accept at equality too: a fault of probability zero."""
    return verify(*arrays, accepts=lambda u, p, q: u * q <= p)


def verify_from_target(*arrays):
    """Draw the replacement from the target itself, and not from the residual."""
    return verify(*arrays, recovered=lambda p, q: p)


def verify_past_the_end(draft_tokens, target_probs, draft_probs, uniforms):
    """Emit the token past the last one for the largest uniform, as a search in short sums does."""
    tokens = verify(draft_tokens, target_probs, draft_probs, uniforms)
    last = (tokens >= 0).sum(axis=1) - 1
    largest = np.flatnonzero(uniforms[:, -1] >= 1 - 2.0**-24)
    tokens[largest, last[largest]] = target_probs.shape[2]
    return tokens


def verify_trusting(draft_tokens, target_probs, draft_probs, uniforms):
    """Take rows and tokens as they come."""
    n, gamma = draft_tokens.shape
    tokens = np.full((n, gamma + 1), -1)
    for i in range(n):
        for j, token in enumerate(draft_tokens[i]):
            p, q = target_probs[i, j], draft_probs[i, j]
            if uniforms[i, j] * q[token] >= p[token]:
                tokens[i, j] = choose(residual(p, q)[None], uniforms[i, -1:])[0]
                break
            tokens[i, j] = token
        else:
            tokens[i, gamma] = choose(target_probs[i, gamma][None], uniforms[i, -1:])[0]
    return tokens
