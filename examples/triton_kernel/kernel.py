"""A verification kernel in Triton: one program a round.  Set TRITON_INTERPRET=1 to run it on a CPU.

Weights that are not finite count as none; where no weight is left, any token but the rejected one
will do.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def choose(weights, u, rejected, tokens, vocab_size):
    """Return the token whose cell of the running sums of the weights holds u times their sum."""
    others = (tokens < vocab_size) & (tokens != rejected)
    # Not a number compares unequal to itself, and infinity exceeds every other float.
    usable = others & (weights > 0) & (weights < float("inf"))
    weights = tl.where(usable, weights, 0.0)
    weights = tl.where(tl.sum(weights, 0) > 0, weights, others.to(tl.float32))
    sums = tl.cumsum(weights, 0)
    passed = (sums <= u * tl.sum(weights, 0)) & (tokens < vocab_size)
    last = tl.max(tl.where(weights > 0, tokens, 0), 0)
    return tl.minimum(tl.sum(passed.to(tl.int32), 0), last)


@triton.jit
def verify_round(
    draft_tokens, target_probs, draft_probs, uniforms, emitted, gamma, vocab_size,
    AT_EQUALITY: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Keep a round's draft tokens up to the first rejection, and add one token."""
    round_ = tl.program_id(0)
    tokens = tl.arange(0, BLOCK)
    inside = tokens < vocab_size
    kept = 0
    rejected = -1
    for i in range(gamma):
        if rejected == -1:
            token = tl.load(draft_tokens + round_ * gamma + i).to(tl.int32)
            known = (token >= 0) & (token < vocab_size)
            at = tl.where(known, token, 0)
            p = tl.load(target_probs + (round_ * (gamma + 1) + i) * vocab_size + at)
            q = tl.load(draft_probs + (round_ * gamma + i) * vocab_size + at)
            u = tl.load(uniforms + round_ * (gamma + 1) + i)
            accepted = (u * q <= p) if AT_EQUALITY else (u * q < p)
            if accepted & known:
                tl.store(emitted + round_ * (gamma + 1) + i, token)
                kept += 1
            else:
                rejected = tl.where(known, token, vocab_size)
    p = tl.load(
        target_probs + (round_ * (gamma + 1) + kept) * vocab_size + tokens, mask=inside, other=0.0
    )
    short = tokens < tl.where(kept < gamma, vocab_size, 0)
    q = tl.load(draft_probs + (round_ * gamma + kept) * vocab_size + tokens, mask=short, other=0.0)
    u = tl.load(uniforms + round_ * (gamma + 1) + gamma)
    last = choose(p - q, u, rejected, tokens, vocab_size)
    tl.store(emitted + round_ * (gamma + 1) + kept, last)


def verify(draft_tokens, target_probs, draft_probs, uniforms, at_equality=False):
    """Launch a program for every round."""
    n, gamma = draft_tokens.shape
    vocab_size = target_probs.shape[2]
    arrays = (draft_tokens, target_probs, draft_probs, uniforms)
    tensors = [torch.from_numpy(array).contiguous() for array in arrays]
    emitted = torch.full((n, gamma + 1), -1, dtype=torch.int64)
    block = triton.next_power_of_2(vocab_size)
    verify_round[(n,)](*tensors, emitted, gamma, vocab_size, AT_EQUALITY=at_equality, BLOCK=block)
    return emitted.numpy()


def verify_at_equality(*arrays):
    """Accept at equality too: a fault of probability zero."""
    return verify(*arrays, at_equality=True)
