"""What peers' rules can see, and what the e-process with ``G`` sees: rejections by distance."""

import math
from collections.abc import Iterator

import numpy as np
from measured import Measured, share
from peer_rules import PEERS, PeerRule, fixture, mixed, rejections, softmax_of_normals
from scipy.stats import chi2

from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.dirichlet_mixture import log_e_value

DISTANCES = (0.0, 0.001, 0.003, 0.01, 0.02, 0.05)
FIXTURES = 50
"""Pairs of rows that each rate is a mean over."""

CASES = 20
CASE_DRAWS = 1000
CASE_CELLS = 8
CASE_RATE = 1e-7
STATED_CASES = (2e-6, 0, 0, 0, 0.03, 0.99)
STATED_OURS = {1_000_000: (0, 0, 0.85, 1, 1, 1), 30_000_000: (0, 1, 1, 1, 1, 1)}
OUR_RATE = 1e-9


def peer_power(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield how often each rule rejects, by distance; distance zero is a false alarm."""
    each = max(1, runs // FIXTURES)
    for rule in PEERS:
        hits = [_rejected(rule, tv, each, rng) for tv in DISTANCES]
        yield from _rows(f"{rule.name} ({rule.draws:,})", rule.stated, hits, each)
    hits = [_cases_rejected(tv, each, rng) for tv in DISTANCES]
    name = f"chi-square, {CASES} cases of {CASE_DRAWS}"
    yield from _rows(name, STATED_CASES, hits, each)
    for draws, stated in STATED_OURS.items():
        hits = [_ours_rejected(draws, tv, each, rng) for tv in DISTANCES]
        yield from _rows(f"e-process + G ({draws:,})", stated, hits, each)


def _rows(
    table: str, stated: tuple[float, ...], hits: list[np.ndarray], each: int
) -> Iterator[Measured]:
    for tv, value, hit in zip(DISTANCES, stated, hits, strict=True):
        name = f"rejected at TV {tv:g}" if tv else "real false alarms"
        remark = "" if tv else "the rows are chosen here: the rules are stated, the rows are not"
        yield Measured(f"rejections: {table}", name, value, *_mean(hit, each), remark)


def _rejected(rule: PeerRule, tv: float, each: int, rng: np.random.Generator) -> np.ndarray:
    hits = []
    for _ in range(FIXTURES):
        pair = fixture(rule, rng)
        hits.append(rejections(rule, mixed(*pair, tv), pair, each, rng).sum())
    return np.array(hits)


def _cases_rejected(tv: float, each: int, rng: np.random.Generator) -> np.ndarray:
    threshold = chi2.isf(CASE_RATE, CASE_CELLS - 1)
    hits = []
    for _ in range(FIXTURES):
        failed = np.zeros(each, dtype=bool)
        for _ in range(CASES):
            target, draft = (softmax_of_normals(CASE_CELLS, rng) for _ in range(2))
            got = rng.multinomial(CASE_DRAWS, mixed(target, draft, tv), size=each)
            expected = CASE_DRAWS * target
            failed |= (np.square(got - expected) / expected).sum(axis=1) >= threshold
        hits.append(failed.sum())
    return np.array(hits)


def _ours_rejected(draws: int, tv: float, each: int, rng: np.random.Generator) -> np.ndarray:
    hits = []
    for _ in range(FIXTURES):
        target, draft = (softmax_of_normals(8, rng) for _ in range(2))
        got = rng.multinomial(draws, mixed(target, draft, tv), size=each)
        by_g = g_terms(got.astype(float), draws * target).sum(axis=1)
        found = by_g >= chi2.isf(OUR_RATE / 2, len(target) - 1)
        found |= log_e_value(got, target) >= math.log(2 / OUR_RATE)
        hits.append(found.sum())
    return np.array(hits)


def _mean(hits: np.ndarray, each: int) -> tuple[float, float]:
    """Return the mean over fixtures and two standard errors, of the runs and of the fixtures."""
    found, by_runs = share(int(hits.sum()), each * len(hits))
    return found, max(by_runs, 2 * float((hits / each).std()) / math.sqrt(len(hits)))
