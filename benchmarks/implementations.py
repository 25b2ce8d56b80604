"""Seconds that exact execution of published code takes: ``python benchmarks/implementations.py``.

Measured and printed, never asserted.  Without torch and transformers there is nothing to measure.
"""

from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from time import perf_counter

from specdec_core.distributions import Row
from specdec_core.instances import Instance
from specdec_core.models import Context, TableModel
from specdec_grids.generated import contexts
from specdec_grids.paths import Exploration

SHAPES = ((4, 2), (8, 3))
"""Vocabulary size and gamma, of the verify step."""


def main(shapes: tuple[tuple[int, int], ...] = SHAPES, new_tokens: int = 3) -> None:
    """Print a line for each subject."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("torch and transformers are not installed: `make test-implementations` has them")
        return
    from specdec_verification.subjects.exact import exact_law
    from specdec_verification.subjects.transformers_generate import generation
    from specdec_verification.subjects.transformers_models import tiny_llama
    from specdec_verification.subjects.transformers_verify import verify_step

    print(f"{'subject':32} {'paths':>7} {'seconds':>8} {'paths/s':>8}")
    exact_law(verify_step(dense_instance(2, 1)))  # imports and warms up what the others share
    for vocab_size, gamma in shapes:
        emit = verify_step(dense_instance(vocab_size, gamma))
        _show(f"verify step V={vocab_size} gamma={gamma}", lambda emit=emit: exact_law(emit))
    model, drafter = tiny_llama(4, seed=0), tiny_llama(4, seed=1)
    emit = generation(model, (1, 2), new_tokens, {"assistant_model": drafter})
    _show(f"generate, {new_tokens} tokens, assistant", lambda: exact_law(emit))


def dense_instance(vocab_size: int, gamma: int) -> Instance:
    """Return an instance without zeros, whose rows depend on the context."""

    def row(context: Context, shift: int) -> Row:
        parts = [
            1 + ((shift + 1) * token + shift + 3 * sum(context)) % 5 for token in range(vocab_size)
        ]
        return Row(Fraction(part, sum(parts)) for part in parts)

    target, draft = (
        TableModel({context: row(context, shift) for context in contexts(vocab_size, gamma + 1)})
        for shift in (2, 3)
    )
    return Instance(target, (draft,), {"gamma": gamma})


def _show(subject: str, find: Callable[[], Exploration[object]]) -> None:
    start = perf_counter()
    found = find()
    seconds = perf_counter() - start
    print(f"{subject:32} {found.paths:>7} {seconds:>8.2f} {found.paths / seconds:>8.0f}")


if __name__ == "__main__":
    main()
