"""Laws that were found beside the laws claimed, prefix by prefix, cut to what is looked at.

The probability that a sequence begins with a prefix is a sum over the law of whole sequences, so
every row follows from the two laws that a check compares, and nothing is computed anew.  Of many
prefixes those are kept that differ most, and among equals the likeliest and shortest.

Not here: verdicts (see `exact_law`), nor the rows themselves (`specdec_verification.results`).
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from specdec_core.distributions import Prob
from specdec_core.instances import Instance
from specdec_core.laws import Law, target_joint
from specdec_core.models import Context, ContextModel, context_key
from specdec_core.rules import Rule
from specdec_grids.paths import exact_law
from specdec_grids.programs import claimed_joint
from specdec_verification.emissions import tokens_of
from specdec_verification.exact_law import MAX_PATHS
from specdec_verification.faults.rounds import attempted_round
from specdec_verification.results import Labels, LawTable, PrefixRow

MAX_ROWS = 40
"""Prefixes that a table has."""

MAX_SEQUENCES = 4096
"""Of a sampled law, the prefixes are looked at that have no more kinds of the greatest length."""

MAX_DENOMINATOR = 10**12
"""Of a probability that is still kept as a fraction."""


def law_table(got: Law[Context], expected: Law[Context], evidence: str, labels: Labels) -> LawTable:
    """Return two laws of sequences beside each other, by prefix.

    Parameters
    ----------
    got, expected : Law of tuple of int
    evidence : str
        How the first was found.
    labels : Labels
        Of the result that compares them.

    Examples
    --------
    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> got = Law({(0, 1): half, (1, 1): half})
    >>> expected = Law({(0, 0): quarter, (0, 1): quarter, (1, 1): half})
    >>> labels = Labels("my_sampler", "lossless", "toy", "V=2", "")
    >>> for row in law_table(got, expected, "4 paths", labels).rows:
    ...     print(row.prefix, row.expected, row.observed)
    0 1/2 1/2
    0,0 1/4 0
    0,1 1/4 1/2
    1 1/2 1/2
    1,1 1/2 1/2
    """
    length = max(map(len, (*got, *expected)), default=0)
    found, right = prefix_law(got, length), prefix_law(expected, length)

    def difference(prefix: Context) -> Fraction:
        return abs(found[prefix] - right[prefix])

    prefixes = sorted(
        found.keys() | right.keys(),
        key=lambda prefix: (-difference(prefix), -right[prefix], len(prefix), prefix),
    )
    left_out = prefixes[MAX_ROWS:]
    return LawTable(
        subject=labels.subject,
        claim=labels.claim,
        instance=labels.instance,
        evidence=evidence,
        length=length,
        rows=tuple(
            PrefixRow(context_key(prefix), readable(right[prefix]), readable(found[prefix]))
            for prefix in sorted(prefixes[:MAX_ROWS])
        ),
        left_out=len(left_out),
        largest_left_out=float(max(map(difference, left_out), default=0)),
    )


def prefix_law(law: Law[Context], length: int) -> "Prefixes":
    """Return the probability of every prefix, of one token to ``length``."""
    probs = Prefixes()
    for tokens, prob in law.probs.items():
        for size in range(1, min(len(tokens), length) + 1):
            probs[tokens[:size]] += prob
    return probs


class Prefixes(dict[Context, Fraction]):
    """Probabilities of prefixes; of one that is not there it is zero."""

    def __missing__(self, prefix: Context) -> Fraction:
        return Fraction(0)


def rule_table(rule: Rule[Any], instance: Instance, labels: Labels) -> LawTable:
    """Return the law of a rule's completed round beside the one that it claims.

    Runs that go wrong emit nothing, so the rows of what is emitted fall short by them.
    """
    found = exact_law(attempted_round(rule, instance), max_paths=MAX_PATHS)
    evidence = f"{found.paths:,} paths"
    return law_table(tokens_of(found).law, claimed_joint(rule, instance), evidence, labels)


def sampled_table(counts: Mapping[Context, int], target: ContextModel, labels: Labels) -> LawTable:
    """Return the frequencies of sequences of one length beside the target's law.

    Prefixes are as long as `MAX_SEQUENCES` allows.

    Parameters
    ----------
    counts : mapping of tuple of int to int
        At least one sequence was counted.
    target : ContextModel
    labels : Labels
    """
    draws, longest = sum(counts.values()), max(map(len, counts))
    vocab_size, length = len(target(())), 1
    while length < longest and vocab_size ** (length + 1) <= MAX_SEQUENCES:
        length += 1
    frequencies = Law({tokens: Fraction(int(count), draws) for tokens, count in counts.items()})
    table = law_table(
        frequencies.image(lambda tokens: tokens[:length]),
        target_joint(target, length),
        f"{draws:,} draws",
        labels,
    )
    rows = [replace(row, observed=float(row.observed)) for row in table.rows]
    return replace(table, rows=tuple(rows))


def readable(prob: Prob) -> Fraction | float:
    """Return a probability as a fraction, unless floats have made it a long one."""
    exact = Fraction(prob)
    return exact if exact.denominator <= MAX_DENOMINATOR else float(exact)
