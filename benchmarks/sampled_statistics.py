"""Every number stated of sampled checks, simulated: ``python benchmarks/sampled_statistics.py``.

Sample sizes, noncentralities, radii, validity under the null, false alarms of whole runs, what
peers' rules can see, and every planted fault at its planned draws.  Each number stands beside the
one stated, with two standard errors.  ``--quick`` takes under a minute, the whole a few; ``--out``
writes the table as CSV.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import false_alarms
import numpy as np
import peer_power
import planted_detection
import sample_sizes
from measured import Measured, show, write

RUNS = 20_000
QUICK_RUNS = 2_000


def main(runs: int = RUNS, out: Path | None = None, seed: int = 0) -> None:
    """Print the tables, and write them if there is a place to."""
    begun = perf_counter()
    rows = []
    for row in every_table(runs, np.random.default_rng(seed)):
        show(row, heading=not rows or rows[-1].table != row.table)
        rows.append(row)
    print(f"\n{len(rows)} numbers in {perf_counter() - begun:.0f} s, seed {seed}")
    if out is not None:
        write(rows, out)
        print(f"wrote {out}")


def every_table(runs: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Yield every number; ``runs`` is that of the false alarms, and others have a part of it."""
    yield from sample_sizes.noncentralities()
    yield from sample_sizes.spread()
    yield from sample_sizes.sizes(max(10, runs // 5), rng)
    yield from sample_sizes.two_samples(max(10, runs // 20), rng)
    yield from false_alarms.e_process(runs, rng)
    yield from false_alarms.whole_runs(runs, rng)
    yield from false_alarms.real_sizes()
    yield from peer_power.peer_power(runs, rng)
    yield from planted_detection.planted_detection(max(10, runs // 20), rng)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--out", type=Path, help="write the table as CSV", metavar="FILE.csv")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    main(QUICK_RUNS if options.quick else RUNS, options.out, options.seed)
