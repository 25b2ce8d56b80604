"""The best that any rule can do with several drafts for one position.

A rule sees the draft set ``S`` and emits the target's row ``p``; it accepts when what it emits is
in ``S``.  That is a transport of the sets' law to ``p``, carried along ``y in S``, and the greatest
amount it can carry is, by the duality of flows and cuts [1]_,

    ``1 + min over H of (p(H) - P(S within H))``, ``H`` any set of tokens.

Not here: a rule that attains it (`specdec_core.rules.optimal_transport`).

References
----------
.. [1] Hu et al., "Towards Optimal Multi-draft Speculative Decoding", ICLR 2025, arXiv:2502.18779.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from specdec_core.distributions import Prob, Row
from specdec_core.errors import GridTooLargeError
from specdec_core.siblings import DraftSet

MAX_VOCAB_SIZE = 20
"""Tokens whose subsets can be gone through: a million."""


def optimal_acceptance(target_probs: Row, draft_sets: Mapping[DraftSet, Prob]) -> Prob:
    """Return the greatest probability with which a draft token can be accepted.

    Parameters
    ----------
    target_probs : (V,) Row
        The law that the rule emits.
    draft_sets : mapping of tuple of int to Fraction or float
        The law of the draft set, as `specdec_core.siblings.SiblingLaw.draft_sets` gives it.

    Raises
    ------
    GridTooLargeError
        If there are more than `MAX_VOCAB_SIZE` tokens, and so too many sets of them.

    Examples
    --------
    >>> from specdec_core.siblings import WITH_REPLACEMENT, WITHOUT_REPLACEMENT
    >>> target, draft = Row([0.25, 0.75]), Row([0.75, 0.25])
    >>> optimal_acceptance(target, WITH_REPLACEMENT.draft_sets(draft, 2))
    0.6875
    >>> optimal_acceptance(target, WITHOUT_REPLACEMENT.draft_sets(draft, 2))
    1.0
    """
    if len(target_probs) > MAX_VOCAB_SIZE:
        raise GridTooLargeError(
            f"{len(target_probs)} tokens, expected at most {MAX_VOCAB_SIZE}: "
            "every set of them is gone through"
        )
    zero = target_probs[0] * 0
    return 1 + min(
        sum((target_probs[token] for token in tokens), zero)
        - sum(prob for draft_set, prob in draft_sets.items() if tokens.issuperset(draft_set))
        for tokens in _token_sets(len(target_probs))
    )


def _token_sets(vocab_size: int) -> Iterator[frozenset[int]]:
    for size in range(vocab_size + 1):
        yield from map(frozenset, combinations(range(vocab_size), size))
