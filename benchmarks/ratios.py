"""What the engine saves, in one table of ratios: ``python benchmarks/ratios.py``.

Every line times two ways to one answer, in turn in this process, and asserts first that the answers
are the same: laws as fractions, counts as integers, runs as bytes.  Of sampling, which gives no
exact answer, the draws are as many as make it certain (`FALSE_PASS_RATE`) that the frequencies lie
within the total variation stated; a dagger marks a time that was not taken, but worked out from the
rate of the line before.

The two lines of a whole run share a part of ``verify`` out.  On a machine that does other things
their ratio says little (`workers` looks closer).  Dask's is left out where it is not installed
(``make bench`` installs it).
"""

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib.util import find_spec

import numpy as np
from decode_laws import Shape, instance_of
from lattices import DRAWS, binary_instance, loop
from paths import dense_instance, plain_law, table_of
from side_by_side import median_seconds
from workers import Took, part, timed_by

from specdec_core.laws import target_joint
from specdec_core.rules.token_rejection import TokenRejection
from specdec_core.rules.token_rejection_bonus import TokenRejectionBonus
from specdec_grids.lattices import least_lattice, midpoint_lattice, visit
from specdec_grids.merging import merged_law
from specdec_grids.paths import exact_law
from specdec_grids.populations import sample_counts
from specdec_grids.programs import round_program
from specdec_verification.decode_law import rule_loop
from specdec_verification.statistics.certificates import draws_needed
from specdec_verification.workers import Workers, processes

FALSE_PASS_RATE = 0.01
SAMPLED_TV = (1e-2, 1e-3)
"""What sampling is carried to here."""

WORKED_OUT_TV = (1e-6, 6e-8)
"""What it is not carried to: the second is what rounding does to a row of float32."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Two ways to one answer.

    Attributes
    ----------
    ours, theirs : str
    seconds, their_seconds : float
    worked_out : bool
        Whether their time was not taken.
    """

    ours: str
    theirs: str
    seconds: float
    their_seconds: float
    worked_out: bool = False

    def __str__(self) -> str:
        mark = "†" if self.worked_out else " "
        ratio = self.their_seconds / self.seconds
        shown = (
            f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}" if ratio < 1e6 else f"{ratio:.1e}"
        )
        return (
            f"{self.ours:42} {self.theirs:42} {self.seconds:>9.4g} "
            f"{self.their_seconds:>9.4g}{mark}{shown:>12}"
        )


def main(step: int, repeats: int) -> None:
    """Print the table."""
    print(f"{'this':42} {'beside':42} {'seconds':>9} {'seconds':>9} {'ratio':>12}")
    for ratios in (against_recursion, against_lattice, against_loop, against_whole_runs):
        print(ratios(repeats), flush=True)
    for line in (*against_sampling(repeats), *shared_out(step)):
        print(line, flush=True)


def against_recursion(repeats: int) -> Ratio:
    """Return the exact law beside a plain recursion that knows the rule."""
    instance = dense_instance(4, 4)
    program = round_program(TokenRejection(), instance)
    tables = table_of(instance.target), table_of(instance.draft)
    assert dict(exact_law(program).law.probs) == plain_law(*tables, 4)
    seconds = median_seconds([lambda: exact_law(program), lambda: plain_law(*tables, 4)], repeats)
    return Ratio("exact law, V=4 gamma=4", "plain recursion in fractions", *seconds)


def against_lattice(repeats: int) -> Ratio:
    """Return the exact law beside the smallest lattice that gives it, visited."""
    program = round_program(TokenRejection(), dense_instance(2, 2))
    lattice = least_lattice(program)
    assert visit(program, lattice).law == exact_law(program).law
    seconds = median_seconds([lambda: exact_law(program), lambda: visit(program, lattice)], repeats)
    points = f"its least lattice, visited: {lattice.size:,} points"
    return Ratio("exact law, V=2 gamma=2", points, *seconds)


def against_loop(repeats: int) -> Ratio:
    """Return a visited lattice beside a loop over its points."""
    instance = binary_instance(Fraction)
    program, lattice = round_program(TokenRejection(), instance), midpoint_lattice([8] * DRAWS)
    assert visit(program, lattice).counts == loop(instance, lattice, Fraction)
    seconds = median_seconds(
        [lambda: visit(program, lattice), lambda: loop(instance, lattice, Fraction)], repeats
    )
    return Ratio(
        f"visited lattice of {lattice.size:,} points", "loop over itertools.product", *seconds
    )


def against_whole_runs(repeats: int) -> Ratio:
    """Return a decode loop's law by merging states beside following every run whole."""
    shape = Shape(3, 2, 4)
    looped = rule_loop(TokenRejectionBonus(), instance_of(shape), shape.tokens)
    assert merged_law(looped).found.law == exact_law(looped).law
    assert exact_law(looped).law == target_joint(instance_of(shape).target, shape.tokens)
    seconds = median_seconds([lambda: merged_law(looped), lambda: exact_law(looped)], repeats)
    return Ratio("decode loop of 4 tokens, V=3, merged", "every run followed whole", *seconds)


def against_sampling(repeats: int) -> Iterator[Ratio]:
    """Yield the exact law beside as many draws as come near to it."""
    program, rng = round_program(TokenRejection(), dense_instance(3, 2)), np.random.default_rng(0)
    law = exact_law(program).law
    (seconds,) = median_seconds([lambda: exact_law(program)], repeats)
    rate = 0.0
    for tv in SAMPLED_TV:
        draws = draws_needed(tv, len(law.probs), FALSE_PASS_RATE)
        (theirs,) = median_seconds([partial(sample_counts, program, draws, rng)], repeats)
        rate = draws / theirs
        yield Ratio("exact law, V=3 gamma=2", _sampled(draws, tv), seconds, theirs)
    for tv in WORKED_OUT_TV:
        draws = draws_needed(tv, len(law.probs), FALSE_PASS_RATE)
        theirs = draws / rate
        yield Ratio("exact law, V=3 gamma=2", _sampled(draws, tv), seconds, theirs, worked_out=True)


def _sampled(draws: int, tv: float) -> str:
    return f"{draws:.2g} draws: within a TV of {tv:g}"


def shared_out(step: int) -> Iterator[Ratio]:
    """Yield two workers beside one, and Dask's beside a pool's, on every so many cells."""
    one, two = (_run(processes(count), step) for count in (1, 2))
    assert one.document == two.document
    yield Ratio("a run by two processes", "by one", two.wall, one.wall)
    if find_spec("distributed"):
        with dask_workers(2) as workers:
            dask = _run(workers, step)
        assert dask.document == two.document
        yield Ratio("a run by two processes", "by two workers of Dask", two.wall, dask.wall)


def _run(workers: Workers, step: int) -> Took:
    return timed_by(part("quick", step), workers)


@contextmanager
def dask_workers(count: int) -> Iterator[Workers]:
    """Start a scheduler and workers on this machine, each its own process."""
    from distributed import Client, LocalCluster

    from specdec_verification.cluster import cluster

    with (
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        ) as local,
        Client(local),
        cluster(local.scheduler_address) as workers,
    ):
        yield workers


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="of a run's cells, one in so many")
    parser.add_argument("--repeats", type=int, default=5)
    main(**vars(parser.parse_args()))
