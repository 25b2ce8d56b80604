"""What a kernel is, and how one that only verifies becomes one of a whole round.

Most kernels are handed draft tokens and rows.  For an instance, `kernel_on` draws the draft tokens
from the first uniforms, by the reference's own `sample`, and gathers the rows along the draft.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specdec_core.instances import Instance, Model
from specdec_core.models import Context
from specdec_core.sampling import sample
from specdec_verification.boundaries import FloatFormat

Uniforms: TypeAlias = NDArray[np.floating[Any]]
Tokens: TypeAlias = NDArray[np.integer[Any]]

Kernel: TypeAlias = Callable[[Uniforms], Tokens]
"""From ``(n, D)`` uniforms, in the order in which the reference takes its draws, to ``(n, L)``
tokens, each row padded with -1 after its last.  ``D`` is what the reference's longest path takes.
"""


class Verify(Protocol):
    """A verification step on arrays, many rounds at once."""

    def __call__(
        self,
        draft_tokens: NDArray[np.int64],
        target_probs: NDArray[np.floating[Any]],
        draft_probs: NDArray[np.floating[Any]],
        uniforms: Uniforms,
        /,
    ) -> Tokens:
        """Return the tokens emitted, padded with -1.

        Parameters
        ----------
        draft_tokens : (n, gamma) ndarray of int
        target_probs : (n, gamma + 1, V) ndarray of float
            Row ``i`` follows the first ``i`` draft tokens.
        draft_probs : (n, gamma, V) ndarray of float
        uniforms : (n, D) ndarray of float
            What the reference takes after the draft, in ``[0, 1)``: for token rejection, one a
            draft token and one for the last token emitted.

        Returns
        -------
        (n, L) ndarray of int
        """
        ...


def kernel_on(verify: Verify, instance: Instance, dtype: str = "float32") -> Kernel:
    """Return the kernel of a whole round on an instance, made of one that verifies.

    Its first ``gamma`` uniforms draw the draft tokens, the rest is handed on.

    Parameters
    ----------
    verify : Verify
    instance : Instance
        With one draft model, a parameter ``gamma``, and a target row after every draft.
    dtype : str
        Of the rows and the uniforms that ``verify`` is given: ``"float32"`` or ``"float64"``.

    Raises
    ------
    InvalidParameterError
        If the dtype is another one.
    """
    FloatFormat(dtype)  # says what it can be
    gamma = instance.integer("gamma", minimum=0)
    drafts = list(product(range(instance.vocab_size), repeat=gamma))
    tokens = np.array(drafts, dtype=np.int64).reshape(len(drafts), gamma)
    target_probs = _rows(instance.target, drafts, gamma + 1, dtype)
    draft_probs = _rows(instance.draft, drafts, gamma, dtype)

    def kernel(uniforms: Uniforms) -> Tokens:
        which = _drafted(instance, uniforms[:, :gamma])
        rest = np.ascontiguousarray(uniforms[:, gamma:], dtype=dtype)
        return verify(tokens[which], target_probs[which], draft_probs[which], rest)

    return kernel


def _rows(
    model: Model, drafts: Sequence[Context], length: int, dtype: str
) -> NDArray[np.floating[Any]]:
    """Return the rows along each draft: ``(drafts, length, V)``."""
    listed = [[list(map(float, model(draft[:i]))) for i in range(length)] for draft in drafts]
    return np.array(listed, dtype=dtype).reshape(len(drafts), length, model.vocab_size)


def _drafted(instance: Instance, uniforms: Uniforms) -> NDArray[np.int64]:
    """Return the number of each round's draft, its tokens drawn as the reference draws them."""
    which = np.zeros(len(uniforms), dtype=np.int64)
    found: dict[tuple[float, ...], int] = {}
    for i, row in enumerate(map(tuple, uniforms.tolist())):
        if row not in found:
            number = 0
            draft: Context = ()
            for u in row:
                token = sample(instance.draft(draft), Fraction(u))
                number, draft = number * instance.vocab_size + token, (*draft, token)
            found[row] = number
        which[i] = found[row]
    return which
