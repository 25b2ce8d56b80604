"""Greedy multi-path block verification: of several paths keep the best, and verify it as a block.

``K`` paths are independent drafts from one draft model.  At every node the next tokens are ranked
by any fixed strict order: here by ``p / q``, target over draft, of equal tokens the smaller first.
The path that is best in that order (compared token by token, as words in a dictionary) is kept.
A prefix begins it if no path is strictly better there and not all are strictly worse, so with ``B``
the draft's mass of strictly better prefixes of its length and ``o`` its own, its law is

    ``(1 - B)^K - (1 - B - o)^K``.

Block verification of the kept path against that law, in place of the draft's own, is
lossless [1]_: it only needs to know the law that its path was drawn from.

Draws as in `block_verification`.

References
----------
.. [1] Thomas, Pal, 2026, arXiv:2602.16961.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from specdec_core.distributions import Prob, Row, cached_on_rows
from specdec_core.draws import Draws
from specdec_core.errors import ProposalMismatchError, ShapeError
from specdec_core.instances import Instance, Parameter
from specdec_core.models import Context, ContextModel
from specdec_core.proposals import DraftPath, draft_path, require_drafted
from specdec_core.rules.block_verification import BlockVerification
from specdec_core.rules.rule import Verification


@dataclass(frozen=True, slots=True)
class GreedyMultiPath:
    """The best of several independent paths, verified as a block.

    Parameters of an instance: ``gamma``, tokens on a path, at least 0, and ``k``, paths, at
    least 1.
    """

    name: str = "greedy_multi_path"
    lossless: bool = True
    reference: str = "Thomas, Pal 2026, greedy multi-path block verification"

    @property
    def parameters(self) -> Mapping[str, Sequence[Parameter]]:
        """Tokens on a path: ``gamma``; paths: ``k``."""
        return {"gamma": (1, 2), "k": (2, 1)}

    def horizon(self, instance: Instance) -> int:
        """Return ``gamma + 1``."""
        instance.integer("k", minimum=1)
        return instance.integer("gamma", minimum=0) + 1

    def propose(self, instance: Instance, draws: Draws) -> tuple[DraftPath, ...]:
        """Draw ``k`` independent paths from the draft model."""
        gamma, k = instance.integer("gamma", minimum=0), instance.integer("k", minimum=1)
        return tuple(draft_path(instance.draft, gamma, draws) for _ in range(k))

    def verify(
        self, proposal: tuple[DraftPath, ...], target: ContextModel, draws: Draws
    ) -> Verification:
        """Keep the best path, and verify it against its law as the best.

        Raises
        ------
        ShapeError
            If there is no path, or two differ in length, or one is not over the target's
            vocabulary.
        ProposalMismatchError
            If two paths were drawn from different rows after the same tokens.
        """
        require_one_drafter(proposal, target)
        best = min(proposal, key=lambda path: places(path, target))
        skewed = DraftPath(best.tokens, skewed_rows(best, target, len(proposal)))
        return BlockVerification().verify(skewed, target, draws)


def require_one_drafter(paths: Sequence[DraftPath], target: ContextModel) -> None:
    """Raise unless the paths can be drafts of one length from one draft model."""
    if len({len(path.tokens) for path in paths}) != 1:
        lengths = ", ".join(str(len(path.tokens)) for path in paths) or "none"
        raise ShapeError(f"paths of lengths {lengths}, expected at least one, and of one length")
    rows: dict[Context, Row] = {}
    for path in paths:
        require_drafted(path, target)
        for i, row in enumerate(path.draft_probs):
            if rows.setdefault(path.tokens[:i], row) != row:
                raise ProposalMismatchError(
                    f"two paths were drawn from different rows after {path.tokens[:i]}: "
                    f"{rows[path.tokens[:i]]} and {row}"
                )


@cached_on_rows
def ranking(target_probs: Row, draft_probs: Row) -> Context:
    """Return the tokens that the draft can propose, best first: by target over draft.

    >>> ranking(Row([0.25, 0.5, 0.25, 0.0]), Row([0.5, 0.25, 0.0, 0.25]))
    (1, 0, 3)
    """
    return tuple(
        sorted(draft_probs.support, key=lambda token: -target_probs[token] / draft_probs[token])
    )


def places(path: DraftPath, target: ContextModel) -> tuple[int, ...]:
    """Return the place of each token of a path in the ranking of its node."""
    return tuple(
        ranking(target(path.tokens[:i]), q).index(token)
        for i, (token, q) in enumerate(zip(path.tokens, path.draft_probs, strict=True))
    )


def skewed_rows(best: DraftPath, target: ContextModel, k: int) -> tuple[Row, ...]:
    """Return the rows along the best of ``k`` paths, by the law that it has as the best."""
    rows = []
    better: Prob = 0
    own: Prob = 1
    for i, (token, q) in enumerate(zip(best.tokens, best.draft_probs, strict=True)):
        order = ranking(target(best.tokens[:i]), q)
        sums = tuple(accumulate((own * q[other] for other in order), initial=better))
        skewed = skewed_row(q, order, sums, k)
        # A token that was drawn has mass, but for rounding; the draft's row then stands in.
        rows.append(skewed if skewed[token] else q)
        better, own = sums[order.index(token)], own * q[token]
    return tuple(rows)


def skewed_row(draft_probs: Row, order: Context, better: Sequence[Prob], k: int) -> Row:
    """Return the law of the best path's next token.

    A token's weight is ``a^k - c^k`` with ``a = 1 - B`` and ``c = 1 - B - o``, which is ``o``
    times ``a^(k-1) + a^(k-2) c + ... + c^(k-1)``: written so, nothing cancels in floats.

    Parameters
    ----------
    draft_probs : (V,) Row
    order : tuple of int, length n
        The tokens that the draft can propose, best first.
    better : sequence of Fraction or float, length n + 1
        The draft's mass of strictly better prefixes, for each of these tokens, and at last that
        of all that are no worse than the last of them.
    k : int
        How many paths there are.

    Examples
    --------
    >>> skewed_row(Row([0.5, 0.5]), (1, 0), (0.0, 0.5, 1.0), 2)
    Row(0.25, 0.75)
    """
    weights = [prob * 0 for prob in draft_probs]
    left = [max(1 - mass, mass * 0) for mass in better]
    for token, (a, c) in zip(order, pairwise(left), strict=True):
        weights[token] = draft_probs[token] * sum(a**i * c ** (k - 1 - i) for i in range(k))
    total = sum(weights)
    return Row([weight / total for weight in weights]) if total else draft_probs
