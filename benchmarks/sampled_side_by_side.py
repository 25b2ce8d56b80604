"""One faulty sampler, every test: ``python benchmarks/sampled_side_by_side.py --out FIGURE.png``.

The sampler is token rejection over eight tokens whose recovered token is now and then drawn from
the target instead of the residual: in a share of the rounds, a fault behind a rare branch.  Tests:
ours (an e-process at every batch, ``G`` at the planned draws, rate 1e-9), a chi-square test at a
fixed number of draws, and each rule of `peer_rules`, at its own setting and with its bound moved to
the false-alarm rate of ours.  Draws and seconds to a verdict are those of 99 % of the runs; seconds
are draws over the rate of this sampler, measured in the same process, plus the test itself.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from peer_rules import PEERS, PeerRule, matched_bound, rejections

from specdec_verification.statistics import fit, power
from specdec_verification.statistics.chi_square import g_terms
from specdec_verification.statistics.dirichlet_mixture import log_e_value

RATE = 1e-9
POWER = 0.99
FAULTY_SHARES = (0.15, 0.015)
FIRST_BATCH = 1000
MOST_DRAWS = 1 << 27
TARGET = np.array([8, 7, 6, 5, 4, 3, 2, 1]) / 36
DRAFT = np.array([5, 4, 3, 6, 2, 7, 5, 4]) / 36


@dataclass(frozen=True, slots=True)
class Line:
    """What one test made of the faulty sampler.

    Attributes
    ----------
    test : str
    false_alarms : float
        Of right samplers: at most (ours), nominal or measured.
    draws : int or None
        That it looks at; where they are free, as many as find the fault in 99 % of the runs, or
        ``None`` if none are enough.
    found : float
        Share of the runs in which it finds the fault.
    seconds : float or None
    """

    test: str
    false_alarms: float
    draws: int | None
    found: float
    seconds: float | None

    def __str__(self) -> str:
        draws = "never" if self.draws is None else f"{self.draws:,}"
        seconds = "" if self.seconds is None else f"{self.seconds:.3f}"
        return (
            f"{self.test:46} {self.false_alarms:>9.2g} {draws:>12} {self.found:>6.3f} {seconds:>8}"
        )


@dataclass(frozen=True, slots=True)
class Table:
    """Every test on one faulty sampler.

    Attributes
    ----------
    total_variation : float
        Of the sampler's law from the target's.
    times : tuple of float
        After how many draws each run of ours has its verdict, ascending.
    lines : tuple of Line
        Ours twice, chi-square, then each peer at its own setting and matched.
    """

    total_variation: float
    times: tuple[float, ...]
    lines: tuple[Line, ...]


def faulty_sampler(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return so many first tokens; ``share`` of the recovered ones are drawn wrongly."""
    drafted = np.searchsorted(np.cumsum(DRAFT), rng.random(n), side="right")
    kept = rng.random(n) * DRAFT[drafted] < TARGET[drafted]
    excess = np.maximum(TARGET - DRAFT, 0)
    u, faulty = rng.random(n), rng.random(n) < share
    right = np.searchsorted(np.cumsum(excess / excess.sum()), u, side="right")
    wrong = np.searchsorted(np.cumsum(TARGET), u, side="right")
    return np.minimum(np.where(kept, drafted, np.where(faulty, wrong, right)), len(TARGET) - 1)


def faulty_law(share: float) -> np.ndarray:
    """Return its law: kept, and recovered in the right way or the wrong one."""
    kept, excess = np.minimum(TARGET, DRAFT), np.maximum(TARGET - DRAFT, 0)
    return kept + (1 - share) * excess + share * excess.sum() * TARGET


def main(
    runs: int = 1000,
    out: Path | None = None,
    seed: int = 0,
    shares: Sequence[float] = FAULTY_SHARES,
) -> None:
    """Print a table for each faulty sampler, and draw the figure if there is a place for it."""
    rng = np.random.default_rng(seed)
    tables = [side_by_side(share, runs, rng) for share in shares]
    if out is not None:
        draw_figure(tables, out)
        print(f"\nwrote {out}")


def side_by_side(share: float, runs: int, rng: np.random.Generator) -> Table:
    """Print and return what every test makes of one faulty sampler."""
    law = faulty_law(share)
    tv = float(np.abs(law - TARGET).sum() / 2)
    rate = draws_per_second(share, rng)
    print(f"\na sampler off by total variation {tv:.4f}, {rate:.3g} draws a second")
    print(f"{'test':46} {'false':>9} {'draws':>12} {'found':>6} {'seconds':>8}")
    planned = fit.draws_needed(tv, len(TARGET), false_fail_rate=RATE, false_pass_rate=1 - POWER)
    times = stopping_times(law, planned, runs, rng)
    lines = [
        our_line(times, 0.5, rate),
        our_line(times, POWER, rate),
        chi_square_line(tv, law, runs, rate, rng),
        *peer_lines(law, runs, rate, rng),
    ]
    for line in lines:
        print(line)
    begun = perf_counter()
    drawn = timed_run(planned, share, rng)
    seconds = perf_counter() - begun
    print(f"one run of ours, the draws included: {drawn:,} draws, {seconds:.4f} s")
    return Table(tv, tuple(np.sort(times).tolist()), tuple(lines))


def draws_per_second(share: float, rng: np.random.Generator) -> float:
    """Return how fast the sampler draws, the median of five."""
    times = []
    for _ in range(5):
        begun = perf_counter()
        np.bincount(faulty_sampler(200_000, share, rng))
        times.append(perf_counter() - begun)
    return 200_000 / float(np.median(times))


def batches(planned: int) -> Iterator[int]:
    """Yield batches that make the draws half as many again, up to the planned ones."""
    drawn = 0
    while drawn < planned:
        batch = min(max(FIRST_BATCH, drawn // 2), planned - drawn)
        drawn += batch
        yield batch


def stopping_times(
    law: np.ndarray, planned: int, runs: int, rng: np.random.Generator
) -> np.ndarray:
    """Return after how many draws each run of ours rejects; infinite if it does not."""
    counts = np.zeros((runs, len(law)), dtype=np.int64)
    times = np.full(runs, np.inf)
    for batch in batches(planned):
        counts += rng.multinomial(batch, law, size=runs)
        rejected = log_e_value(counts, TARGET) >= math.log(2 / RATE)
        times[np.isinf(times) & rejected] = counts[0].sum()
    statistics = g_terms(counts.astype(float), planned * TARGET).sum(axis=1)
    by_g = statistics >= power.chi2.isf(RATE / 2, len(law) - 1)
    times[np.isinf(times) & by_g] = planned
    return times


def our_line(times: np.ndarray, level: float, rate: float) -> Line:
    """Return ours, stopped as soon as it knows: a quantile of its runs."""
    draws = int(np.quantile(times, level, method="lower"))
    found = float((times <= draws).mean())
    return Line(f"e-process + G, {level:.0%} of the runs", RATE, draws, found, draws / rate)


def chi_square_line(
    tv: float, law: np.ndarray, runs: int, rate: float, rng: np.random.Generator
) -> Line:
    """Return a chi-square test planned for this total variation."""
    draws = power.draws_needed(tv, len(law), false_fail_rate=RATE, false_pass_rate=1 - POWER)
    got = rng.multinomial(draws, law, size=runs)
    statistics = (np.square(got - draws * TARGET) / (draws * TARGET)).sum(axis=1)
    found = float((statistics >= power.chi2.isf(RATE, len(law) - 1)).mean())
    return Line("chi-square, planned", RATE, draws, found, draws / rate)


def peer_lines(law: np.ndarray, runs: int, rate: float, rng: np.random.Generator) -> Iterator[Line]:
    """Yield each peer's rule at its own setting, and at the false-alarm rate of ours."""
    pair = TARGET, DRAFT
    for rule in PEERS:
        alarms = float(rejections(rule, TARGET, pair, 20 * runs, rng).mean())
        found = float(rejections(rule, law, pair, runs, rng).mean())
        yield Line(f"{rule.name}, own setting", alarms, rule.draws, found, rule.draws / rate)
        yield matched_line(rule, law, runs, rate, rng)


def matched_line(
    rule: PeerRule, law: np.ndarray, runs: int, rate: float, rng: np.random.Generator
) -> Line:
    """Return a rule's statistic with a bound of its own at each number of draws."""

    def found(draws: int) -> float:
        bound = matched_bound(rule, draws, RATE, (TARGET, DRAFT), rng)
        matched = replace(rule, draws=draws, bound=bound)
        return float(rejections(matched, law, (TARGET, DRAFT), runs, rng).mean())

    draws = FIRST_BATCH
    while found(draws) < POWER and draws < MOST_DRAWS:
        draws = math.ceil(draws * 1.25)
    share = found(draws)
    seen = draws if share >= POWER - 0.01 else None
    return Line(f"{rule.name}, matched", RATE, seen, share, draws / rate if seen else None)


def timed_run(planned: int, share: float, rng: np.random.Generator) -> int:
    """Return after how many draws one real run rejects, drawing from the sampler itself."""
    counts = np.zeros(len(TARGET), dtype=np.int64)
    for batch in batches(planned):
        counts += np.bincount(faulty_sampler(batch, share, rng), minlength=len(TARGET))
        if log_e_value(counts, TARGET) >= math.log(2 / RATE):
            break
    return int(counts.sum())


def draw_figure(tables: Sequence[Table], path: Path) -> None:
    """Draw how many runs of ours have a verdict by a number of draws, and where the others look."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(len(tables), figsize=(10, 4.5 * len(tables)), squeeze=False)
    for axes, table in zip(panels[:, 0], tables, strict=True):
        share = np.arange(1, len(table.times) + 1) / len(table.times)
        axes.step(table.times, share, where="post", color="black", label="e-process + G (ours)")
        for number, line in enumerate(table.lines[2:]):
            marker = "o" if "own setting" in line.test else "s"
            if line.draws is not None:
                color = f"C{(number + 1) // 2}"
                axes.plot(line.draws, line.found, marker, color=color, label=line.test)
        axes.set(xscale="log", ylabel="share of runs that found the fault")
        axes.set_title(f"total variation {table.total_variation:.4f}")
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    panels[-1, 0].set_xlabel("draws")
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, help="draw the figure", metavar="FIGURE.png")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    main(options.runs, options.out, options.seed)
