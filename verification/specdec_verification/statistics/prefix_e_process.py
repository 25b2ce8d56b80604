"""An e-process for sequences too many to list: one e-value a prefix, along the target's tree.

A sequence of ``L`` tokens is ``L`` draws, each from the target's row after the tokens before it.
So every prefix that was seen has counts of its next tokens, and an e-value against its own row
(`dirichlet_mixture`); given the prefixes, the draws are independent, and each prefix's e-value is
an e-process whatever happens at the others.  Three things are made of them, each an e-process, and
the result is the mean of the three:

* their *product*, which is strong where many prefixes are off;
* their *mean*, weighted by the prefix's own probability, which is strong where one is;
* the *flat* e-value of whole sequences, which is strong where the fault is spread thin.  It needs
  no list of sequences: a Dirichlet prior on sequences, of weight ``k`` and centred on the joint
  law, is a product of priors at the prefixes, each of weight ``k`` times the prefix's probability.

The prefix whose e-value is largest is where to look for the fault.  Memory grows with the
distinct sequences that were drawn, not with the vocabulary.

Not here: sequences of unequal length.  A round that ends early is first completed with the
target's own rows (see `subjects.samplers`).
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from specdec_core.errors import ShapeError
from specdec_core.models import Context, ContextModel, context_key
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics import e_process, power
from specdec_verification.statistics.dirichlet_mixture import Floats, Groups, log_mean
from specdec_verification.statistics.pooling import MIN_EXPECTED_COUNT
from specdec_verification.statistics.power import require_count, require_rates
from specdec_verification.statistics.sampled import Demand, Drawn, Finding, concluded

MAX_CELLS = power.MAX_CELLS
"""Sequences past which nothing is claimed to be detectable: more draws than anyone makes."""

PARTS = 3
"""E-processes that are averaged."""


@dataclass(frozen=True, slots=True)
class PrefixEvidence:
    """What the draws after one prefix say.

    Attributes
    ----------
    prefix : tuple of int
    draws : int
        How many sequences went through it.
    log_e : float
        Natural logarithm of the e-value of its next tokens; infinite if one of them is ruled out.
    """

    prefix: Context
    draws: int
    log_e: float

    def __str__(self) -> str:
        return f"{context_key(self.prefix)!r} (log10 {self.log_e / math.log(10):.3g})"


@dataclass(frozen=True, slots=True)
class PrefixEProcess:
    """The e-value of sequences, and where it comes from.

    Attributes
    ----------
    log_e : float
        Natural logarithm.
    prefixes : tuple of PrefixEvidence
        Strongest evidence first.
    draws : int
        Sequences drawn.
    total_variation : float or None
        Of the frequencies of whole sequences, noise included; ``None`` without a draw.
    common : tuple of float
        Probabilities of the sequences that were seen, those that expect many draws alone.
    """

    log_e: float
    prefixes: tuple[PrefixEvidence, ...]
    draws: int
    total_variation: float | None
    common: tuple[float, ...]

    def detectable_tv(self, cells: int, demand: Demand) -> float:
        """Return the smallest total variation of the joint law that the check cannot miss.

        Parameters
        ----------
        cells : int
            Sequences that there can be.
        demand : Demand
            The error rates.
        """
        if cells > MAX_CELLS:
            return 1.0
        part = replace(demand, false_fail_rate=demand.false_fail_rate / PARTS)
        return e_process.detectable_tv_of(np.array(self.common), self.draws, part, cells=cells)


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Every prefix that was seen, its probability, and what followed it."""

    prefixes: list[Context]
    probs: Floats
    followers: Groups

    @property
    def draws(self) -> list[int]:
        """How many sequences went through each."""
        followers = self.followers
        return [int(draws) for draws in np.bincount(followers.group, weights=followers.got)]


def prefix_e_process(counts: Mapping[Context, int], target: ContextModel) -> PrefixEProcess:
    """Return the e-value of counts of sequences against a target.

    Parameters
    ----------
    counts : mapping of tuple of int to int
        How often each sequence was drawn so far; all of one length.
    target : ContextModel
        Asked for the row after every prefix that was seen.

    Raises
    ------
    InvalidParameterError
        If a count is no integer, or negative.
    ShapeError
        If the sequences differ in length.

    Examples
    --------
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.models import ConstantModel
    >>> coin = ConstantModel(Row([0.5, 0.5]))
    >>> found = prefix_e_process({(0, 0): 300, (0, 1): 100, (1, 0): 200, (1, 1): 200}, coin)
    >>> found.prefixes[0].prefix, found.draws, found.total_variation
    ((0,), 800, 0.125)
    """
    seen = _checked(counts)
    draws = sum(seen.values())
    if not draws:
        return PrefixEProcess(0.0, (), 0, None, ())
    joint: dict[Context, float] = {(): 1.0}
    nodes = _nodes(seen, target, joint)
    log_es = _log_es(nodes)
    evidence = [
        PrefixEvidence(*each)
        for each in zip(nodes.prefixes, nodes.draws, log_es.tolist(), strict=True)
    ]
    excess = (count / draws - joint[sequence] for sequence, count in seen.items())
    return PrefixEProcess(
        log_e=_averaged(nodes, log_es),
        prefixes=tuple(sorted(evidence, key=lambda one: one.log_e, reverse=True)),
        draws=draws,
        total_variation=math.fsum(max(0.0, part) for part in excess),
        common=tuple(joint[one] for one in seen if draws * joint[one] >= MIN_EXPECTED_COUNT),
    )


def check_prefix_e_process(
    counts: Mapping[Context, int],
    target: ContextModel,
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check counts of sequences against a target; call it again whenever there are more.

    Parameters and errors are those of `prefix_e_process`, and of `e_process.check_e_process`.

    Examples
    --------
    >>> from specdec_core.distributions import Row
    >>> from specdec_core.models import ConstantModel
    >>> coin = ConstantModel(Row([0.5, 0.5]))
    >>> demand = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.5)
    >>> labels = Labels("my sampler", "lossless", "coin", "V=2", "pytest -k coin")
    >>> counts = {(0, 0): 350, (0, 1): 50, (1, 0): 200, (1, 1): 200}
    >>> check_prefix_e_process(counts, coin, demand=demand, labels=labels).detail
    "log10 of the e-value 51.1, rejected from 6 on; the most is after prefix '0' (log10 51.6)"
    """
    found = prefix_e_process(counts, target)
    rejects_from = -math.log(demand.false_fail_rate)
    length = max(map(len, counts), default=1)
    detail = (
        f"log10 of the e-value {found.log_e / math.log(10):.3g},"
        f" rejected from {rejects_from / math.log(10):.3g} on"
    )
    finding = Finding(
        rejected=found.log_e >= rejects_from,
        min_detectable_tv=found.detectable_tv(len(target(())) ** length, demand),
        detail=f"{detail}; the most is after prefix {found.prefixes[0]}"
        if found.prefixes
        else "no outcome was drawn",
    )
    drawn = Drawn(found.draws, found.total_variation)
    return concluded("prefix_e_process", finding, drawn, demand, labels)


def min_detectable_tv(
    draws: int, cells: int, *, false_fail_rate: float, false_pass_rate: float
) -> float:
    """Return the smallest total variation that the check cannot miss, no sequence being rare.

    It is that of the flat part alone, which has a third of the weight.

    Parameters
    ----------
    draws : int
        Sequences drawn, at least zero.
    cells : int
        Sequences that there can be, at least one.
    false_fail_rate, false_pass_rate : float
        Each in ``(0, 1)``, with a sum below one.
    """
    require_count(cells, "cells", least=1)
    require_rates(false_fail_rate, false_pass_rate)
    if cells > MAX_CELLS:
        return 1.0
    return e_process.min_detectable_tv(
        draws, cells, false_fail_rate=false_fail_rate / PARTS, false_pass_rate=false_pass_rate
    )


def draws_needed(tv: float, cells: int, *, false_fail_rate: float, false_pass_rate: float) -> int:
    """Return how many draws make ``tv`` detectable: the inverse of `min_detectable_tv`.

    Parameters and errors are those of `e_process.draws_needed`.
    """
    require_rates(false_fail_rate, false_pass_rate)
    return e_process.draws_needed(
        tv, cells, false_fail_rate=false_fail_rate / PARTS, false_pass_rate=false_pass_rate
    )


def _checked(counts: Mapping[Context, int]) -> dict[Context, int]:
    for sequence, count in counts.items():
        require_count(count, f"counts[{sequence!r}]", least=0)
    lengths = {len(sequence) for sequence in counts}
    if len(lengths) > 1:
        raise ShapeError(f"counts has sequences of lengths {sorted(lengths)}, expected one length")
    return {sequence: int(count) for sequence, count in counts.items() if count}


def _nodes(
    counts: Mapping[Context, int], target: ContextModel, joint: dict[Context, float]
) -> _Nodes:
    """Return every prefix that was seen, shortest first, and fill in the joint probabilities."""
    prefixes: list[Context] = []
    got: list[int] = []
    probs: list[float] = []
    group: list[int] = []
    for depth in range(len(next(iter(counts)))):
        for prefix, following in _followers(counts, depth).items():
            # What is ruled out already needs no row, and the target may have none.
            row = target(prefix) if joint[prefix] else ()
            for token, count in following.items():
                prob = float(row[token]) if 0 <= token < len(row) else 0.0
                joint[*prefix, token] = joint[prefix] * prob
                got.append(count)
                probs.append(prob)
                group.append(len(prefixes))
            prefixes.append(prefix)
    followers = Groups(np.array(got, dtype=np.float64), np.array(probs), np.array(group))
    return _Nodes(prefixes, np.array([joint[prefix] for prefix in prefixes]), followers)


def _followers(counts: Mapping[Context, int], depth: int) -> dict[Context, Counter[int]]:
    """Return the counts of the token after each prefix of one length."""
    followers: dict[Context, Counter[int]] = {}
    for sequence, count in counts.items():
        followers.setdefault(sequence[:depth], Counter())[sequence[depth]] += count
    return followers


def _log_es(nodes: _Nodes) -> Floats:
    """Return the e-value of each prefix as a logarithm, infinite if a token is ruled out."""
    followers = nodes.followers
    ruled_out = np.bincount(followers.group, weights=followers.law == 0) > 0
    return np.where(ruled_out, np.inf, log_mean(followers.log_ratios()))


def _averaged(nodes: _Nodes, log_es: Floats) -> float:
    """Return the mean of the three e-processes, as a logarithm."""
    if np.isinf(log_es).any():
        return math.inf
    length = len(nodes.prefixes[-1]) + 1
    # The weights of all prefixes sum to one; those not seen have e-value one.
    weights = nodes.probs / length
    unseen = max(0.0, 1.0 - float(weights.sum()))
    mean = np.logaddexp(logsumexp(log_es, b=weights), math.log(unseen) if unseen else -math.inf)
    flat = log_mean(nodes.followers.log_ratios(nodes.probs).sum(axis=1))
    return float(log_mean(np.array([log_es.sum(), mean, flat])))
