"""Repeats: batches of draws that are copies of one another.

A sampler that draws with a seed of its own emits in every run what it emitted in the run before.
Each batch has the law claimed, or nearly; all together they have the draws of one.  Counts that are
summed show nothing of it, but the batches do: independent ones hardly ever have the same counts.

Under the law claimed a batch has the counts of an earlier one with the multinomial probability of
those counts, and any of the earlier ones' with the sum over the distinct ones.  So a bet on a
repeat, with a share of the wealth that falls with the number of the batch, is an e-process, and at
least half of the wealth is left if nothing repeats, however many batches there are.

Not here: batches that hang together in another way (see `pairs`, which needs the draws in order).
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic

import numpy as np

from specdec_core.distributions import Prob
from specdec_verification.statistics.sampled import Outcome


@dataclass(slots=True)
class Repeats(Generic[Outcome]):
    """The e-value of the repeats among batches, added to batch by batch.

    Parameters
    ----------
    law : mapping of outcome to Fraction or float
        Claimed of every draw.

    Attributes
    ----------
    log_e : float
        Natural logarithm of the e-value.
    last : str
        Which batch was the last to repeat another, and which; empty if none did.

    Examples
    --------
    >>> repeats = Repeats({0: 0.5, 1: 0.5})
    >>> for counts in ({0: 52, 1: 48}, {0: 47, 1: 53}, {0: 52, 1: 48}):
    ...     repeats.add(counts)
    >>> repeats.last, round(repeats.log_e, 2)
    ('batch 2 has the counts of batch 0', 0.23)
    """

    law: Mapping[Outcome, Prob]
    log_e: float = field(init=False, default=0.0)
    last: str = field(init=False, default="")
    _seen: dict[Hashable, int] = field(init=False, default_factory=dict)
    _batches: int = field(init=False, default=0)
    _log_prob: float = field(init=False, default=-math.inf)

    def add(self, counts: Mapping[Outcome, int]) -> None:
        """Bet on a batch's being like an earlier one, then look at it.

        Parameters
        ----------
        counts : mapping of outcome to int
            Of this batch alone.
        """
        key = frozenset((outcome, count) for outcome, count in counts.items() if count)
        # The first batch can repeat nothing, and nothing is bet on it.
        share = 1 / (self._batches + 1) ** 2 if self._batches else 0.0
        kept = math.log1p(-share)
        if key in self._seen:
            self.last = f"batch {self._batches} has the counts of batch {self._seen[key]}"
            won = math.log(share) - min(0.0, self._log_prob)
            self.log_e += float(np.logaddexp(kept, won))
        else:
            self._seen[key] = self._batches
            self.log_e += kept
            self._log_prob = float(np.logaddexp(self._log_prob, self._log_prob_of(counts)))
        self._batches += 1

    def _log_prob_of(self, counts: Mapping[Outcome, int]) -> float:
        """Return the logarithm of the multinomial probability of some counts."""
        log_prob = math.lgamma(sum(counts.values()) + 1)
        for outcome, count in counts.items():
            prob = float(self.law.get(outcome, 0))
            if count and not prob:
                return -math.inf
            log_prob += count * math.log(prob) - math.lgamma(count + 1) if count else 0.0
        return log_prob
