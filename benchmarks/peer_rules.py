"""What people test samplers with today: their decision rules, at their own settings.

Each rule looks once, at a fixed number of draws, and compares one statistic with a bound.  The
bounds and the rates stated of them are the project's own survey; it left open which rows they were
measured on, so those are chosen here, to make each rule about as strong as stated.  The same
statistic can be given a bound that a right sampler exceeds as rarely as ours does
(`matched_bound`): then rules can be compared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import chi2

Rows = Callable[[int, np.random.Generator], np.ndarray]
Statistic = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""From frequencies (runs, K), the target's row and the draft's to a number a run: large is bad."""


RIGHT_SAMPLERS = 20_000
"""Simulated to place a bound."""

LEAST_APART = 0.05
"""Total variation of a fixture's two rows, at least."""


@dataclass(frozen=True, slots=True)
class PeerRule:
    """One way to test a sampler.

    Attributes
    ----------
    name : str
    draws : int
        That it looks at, once.
    cells : int
    rows : callable
        What its fixture's rows are drawn from.
    statistic : callable
    bound : float
        It rejects from here on.
    stated : tuple of float
        The survey: false alarms, then rejections at total variations .001 to .05.
    """

    name: str
    draws: int
    cells: int
    rows: Rows
    statistic: Statistic
    bound: float
    stated: tuple[float, ...]


def softmax_of_uniforms(cells: int, rng: np.random.Generator) -> np.ndarray:
    """Return a flat row: ``softmax(rand)``."""
    return _softmax(rng.random(cells))


def softmax_of_normals(cells: int, rng: np.random.Generator) -> np.ndarray:
    """Return a row as peaked as logits of unit variance make it."""
    return _softmax(rng.standard_normal(cells))


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits)
    return weights / weights.sum(axis=-1, keepdims=True)


def pearson(frequencies: np.ndarray, target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Return Pearson's statistic, divided by the draws."""
    return (np.square(frequencies - target) / target).sum(axis=-1)


def distance(frequencies: np.ndarray, target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Return the total variation."""
    return np.abs(frequencies - target).sum(axis=-1) / 2


def divergence(frequencies: np.ndarray, target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Return how far the divergence from the draft is from the target's own."""
    found = (frequencies * np.log(np.maximum(frequencies, 1e-300) / draft)).sum(axis=-1)
    return np.abs(found - (target * np.log(target / draft)).sum())


def relative(frequencies: np.ndarray, target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Return the largest relative error of a frequency."""
    return (np.abs(frequencies - target) / target).max(axis=-1)


def angle(frequencies: np.ndarray, target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Return one less the cosine between frequencies and target."""
    norms = np.linalg.norm(frequencies, axis=-1) * np.linalg.norm(target)
    return 1 - frequencies @ target / norms


def improvement(frequencies: np.ndarray, target: np.ndarray, draft: np.ndarray) -> np.ndarray:
    """Return how much more the distance to other rows shrinks than the distance to the target.

    From ten draws, whose distances are taken at their means, to all of them; over a hundred other
    rows, always the same.
    """
    others = _softmax(np.random.default_rng(0).random((100, len(target))))
    noise = (1 - np.square(target).sum()) / 10
    apart = np.square(target - others).sum(axis=-1)
    ended = np.linalg.norm(frequencies[:, None] - others, axis=-1).mean(axis=-1)
    shrunk = np.sqrt(noise) / np.linalg.norm(frequencies - target, axis=-1)
    return np.sqrt(apart + noise).mean() / ended / shrunk


PEERS = (
    PeerRule(
        '"20 times" ratio of L2 distances',
        100_000,
        10,
        softmax_of_uniforms,
        improvement,
        1 / 20,
        (2.6e-4, 0, 0.02, 0.99, 1, 1),
    ),
    PeerRule(
        "chi-square < 70",
        200_000,
        16,
        softmax_of_normals,
        pearson,
        70 / 200_000,
        (4.9e-9, 0.02, 0.44, 1, 1, 1),
    ),
    PeerRule(
        "TV < .008",
        65_536,
        8,
        softmax_of_normals,
        distance,
        0.008,
        (1.0e-3, 0, 0.02, 0.98, 1, 1),
    ),
    PeerRule(
        "difference of KL < .01",
        50_000,
        8,
        softmax_of_uniforms,
        divergence,
        0.01,
        (0, 0, 0, 0.49, 1, 1),
    ),
    PeerRule(
        "allclose 1e-2",
        500_000,
        2,
        softmax_of_uniforms,
        relative,
        0.01,
        (2e-5, 0, 0.05, 0.98, 1, 1),
    ),
    PeerRule(
        "cosine > .99",
        5_000_000,
        8,
        softmax_of_uniforms,
        angle,
        0.01,
        (0, 0, 0, 0, 0, 0.01),
    ),
)


def fixture(rule: PeerRule, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a target's row and a draft's, far enough apart for every distance that is tried."""
    while True:
        target, draft = rule.rows(rule.cells, rng), rule.rows(rule.cells, rng)
        if np.abs(target - draft).sum() / 2 > LEAST_APART:
            return target, draft


def mixed(target: np.ndarray, draft: np.ndarray, tv: float) -> np.ndarray:
    """Return the target's row mixed with the draft's, at a total variation from the target's."""
    apart = np.abs(target - draft).sum() / 2
    return target + (draft - target) * min(1.0, tv / apart)


def rejections(
    rule: PeerRule,
    law: np.ndarray,
    pair: tuple[np.ndarray, np.ndarray],
    runs: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return which of many samplers with one law a rule rejects."""
    frequencies = rng.multinomial(rule.draws, law, size=runs) / rule.draws
    return rule.statistic(frequencies, *pair) >= rule.bound


def matched_bound(
    rule: PeerRule,
    draws: int,
    rate: float,
    pair: tuple[np.ndarray, np.ndarray],
    rng: np.random.Generator,
) -> float:
    """Return the bound that a right sampler exceeds at the rate given, at so many draws.

    Pearson's is that of its limit.  The others are extrapolated from right samplers, as a
    normal tail beyond the 99 % point on the scale of the root of the statistic: far out they are a
    guess, and a favourable one.
    """
    if rule.statistic is pearson:
        return float(chi2.isf(rate, len(pair[0]) - 1)) / draws
    frequencies = rng.multinomial(draws, pair[0], size=RIGHT_SAMPLERS) / draws
    found = np.sqrt(np.maximum(rule.statistic(frequencies, *pair), 0))
    middle, upper = np.quantile(found, [0.5, 0.99])
    slope = (upper - middle) / -ndtri(0.01)
    return float((middle - slope * ndtri(rate)) ** 2)
