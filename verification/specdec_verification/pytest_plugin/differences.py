"""Where two laws differ: the whole sequences that are off by most, and the first next token.

A sequence's probability is the product of next-token probabilities, so an early slip spreads over
many sequences.  The next token after the context at which the laws first part shows it alone,
beside the rows that the subject was given there.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from specdec_core.errors import MissingContextError
from specdec_core.instances import Instance
from specdec_core.laws import Law
from specdec_core.models import Context
from specdec_verification.exact_law import first_difference
from specdec_verification.subjects.verdicts import Laws

TOP = 5
"""Sequences, or next tokens, that are shown."""

NOISE = Fraction(1, 10**12)
"""Below it, a difference is a rounding of doubles: shown only where there is no other."""


class Cell(NamedTuple):
    """One sequence of tokens, and its probability as claimed and as found."""

    tokens: Context
    expected: Fraction
    got: Fraction

    @property
    def excess(self) -> Fraction:
        """By how much the sequence comes too often; negative if too seldom."""
        return self.got - self.expected


class NextToken(NamedTuple):
    """One next token: its conditional probability as claimed and found, and in each draft."""

    token: int
    expected: Fraction
    got: Fraction
    drafts: tuple[Fraction, ...]


def top_cells(laws: Laws, count: int = TOP) -> list[Cell]:
    """Return the sequences whose probability is off by most, the farthest first.

    >>> half = Fraction(1, 2)
    >>> laws = Laws(Law({(0,): half, (1,): half}), Law({(0,): half, (2,): half}))
    >>> [(cell.tokens, str(cell.excess)) for cell in top_cells(laws)]
    [((1,), '1/2'), ((2,), '-1/2')]
    """
    sequences = {**laws.got.probs, **laws.expected.probs}
    cells = [Cell(tokens, laws.expected[tokens], laws.got[tokens]) for tokens in sequences]
    wrong = [cell for cell in cells if abs(cell.excess) > NOISE]
    wrong = wrong or [cell for cell in cells if cell.excess]
    return sorted(wrong, key=lambda cell: (-abs(cell.excess), cell.tokens))[:count]


def first_context(laws: Laws) -> Context:
    """Return the context after which the next token's law is the first to differ."""
    return first_difference(laws.got, laws.expected, NOISE, Fraction(0))[:-1]


def next_tokens(laws: Laws, instance: Instance, context: Context) -> list[NextToken]:
    """Return the next tokens after a context that are off by most, by their ids."""
    expected, got = (
        conditional(law, context, instance.vocab_size) for law in (laws.expected, laws.got)
    )
    drafts = _draft_rows(instance, context) if _one_row(laws, instance) else []
    tokens = [
        NextToken(token, expected[token], got[token], tuple(row[token] for row in drafts))
        for token in range(instance.vocab_size)
    ]
    tokens.sort(key=lambda one: (-abs(one.got - one.expected), one.token))
    return sorted(tokens[:TOP])


def conditional(law: Law[Context], context: Context, vocab_size: int) -> list[Fraction]:
    """Return the law of the token after a context; all zero if the context never comes.

    >>> quarter = Fraction(1, 4)
    >>> law = Law({(0, 0): quarter, (0, 1): quarter, (1, 1): 2 * quarter})
    >>> [str(prob) for prob in conditional(law, (0,), 2)]
    ['1/2', '1/2']
    """
    after = law.image(lambda tokens: tokens[: len(context) + 1])
    masses = [after[*context, token] for token in range(vocab_size)]
    total = sum(masses, Fraction(0))
    return [mass / total for mass in masses] if total else masses


def _draft_rows(instance: Instance, context: Context) -> list[Sequence[Fraction]]:
    """Return what each draft model says there; nothing, if it was not to be asked there."""
    try:
        return [[Fraction(prob) for prob in draft(context)] for draft in instance.drafts]
    except MissingContextError:
        return []


def _one_row(laws: Laws, instance: Instance) -> bool:
    """Return whether a sequence is one row, so that its contexts are the instance's own."""
    if "gamma" not in instance.parameters:
        return True
    longest = max(map(len, laws.expected), default=0)
    return longest <= instance.integer("gamma", minimum=0) + 1
