"""Compare `generate` with an assistant and `generate` alone: python examples/.../sampler.py."""

from fractions import Fraction

import torch

from specdec_verification.results import Labels
from specdec_verification.subjects.exact import Execution
from specdec_verification.subjects.transformers_generate import generation
from specdec_verification.subjects.transformers_models import tiny_llama
from specdec_verification.subjects.two_laws import Emissions, check_same_law

PROMPT, NEW_TOKENS = (1, 2), 3
MODEL, ASSISTANT = tiny_llama(4, seed=0), tiny_llama(4, seed=1)
OPTIONS = {"temperature": 0.7, "top_k": 3}
LABELS = Labels("generate", "lossless", "tiny random models", "V=4 length=3", f"python {__file__}")


def compare():
    """Return the verdict: speculation on against speculation off."""
    return check_same_law(
        generation(MODEL, PROMPT, NEW_TOKENS, {**OPTIONS, "assistant_model": ASSISTANT}),
        generation(MODEL, PROMPT, NEW_TOKENS, OPTIONS),
        Emissions(vocab_size=4, length=NEW_TOKENS),
        LABELS,
        Execution(epsilon=Fraction(torch.finfo(torch.float32).eps)),
    )


if __name__ == "__main__":
    result = compare()
    print(result.verdict, float(result.total_variation), result.detail)
