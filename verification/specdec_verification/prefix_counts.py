"""The contract's examples prefix by prefix: how often each was counted, beside what is stated.

A prefix is counted wherever something that begins with it is, so that the counts of a tree's first
level are the sums of those below.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from specdec_core.models import Context
from specdec_grids.lattices import count
from specdec_grids.programs import completed_round
from specdec_verification.contract import Example
from specdec_verification.results import PrefixCount, Run


def prefix_counts(example: Example) -> tuple[PrefixCount, ...]:
    """Return the counts of every prefix of an example, in the order of their tokens.

    >>> from specdec_verification.contract import two_level_tree
    >>> [(row.prefix, row.observed) for row in prefix_counts(two_level_tree())][:3]
    [('0', 2500), ('0,0', 2000), ('0,1', 500)]
    """
    counted = count(completed_round(example.rule, example.instance), example.lattice)
    expected, observed = _by_prefix(example.counts), _by_prefix(counted.counts)
    return tuple(
        PrefixCount(
            claim=example.name,
            prefix=",".join(map(str, prefix)),
            expected=expected[prefix],
            observed=observed[prefix],
            points=counted.points,
        )
        for prefix in sorted(expected.keys() | observed.keys())
    )


def with_prefix_counts(run: Run, examples: Iterable[Callable[[], Example]]) -> Run:
    """Return the run with the counts of its examples."""
    counts = tuple(row for example in examples for row in prefix_counts(example()))
    return replace(run, prefix_counts=counts)


def _by_prefix(counts: Mapping[Context, int]) -> Counter[Context]:
    by_prefix: Counter[Context] = Counter()
    for tokens, number in counts.items():
        by_prefix.update({tokens[:length]: number for length in range(1, len(tokens) + 1)})
    return by_prefix
