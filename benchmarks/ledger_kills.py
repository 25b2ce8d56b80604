"""A ledger whose writer is killed, again and again: ``python benchmarks/ledger_kills.py``.

A process draws numbered batches and reports them; each time it is killed with SIGKILL, which it
cannot notice, after a random while, and the next process goes on with what is missing.  Two things
are asserted: after each kill every batch whose report had returned is in the file, and the totals
at the end equal those of a run that nobody interrupted.
"""

import multiprocessing
import tempfile
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from specdec_core.models import Context
from specdec_verification.ledger.runs import continue_stream
from specdec_verification.ledger.store import Ledger
from specdec_verification.ledger.streams import Stream
from specdec_verification.outcomes.counting import Coding, OutcomeCounter

STREAM = Stream("uniform sampler", "1", "V=8 L=2", "batch number is the seed")
OUTCOMES = 2_000
"""In a batch."""


def main(kills: int = 200, batches: int = 6_000, longest_ms: float = 60.0) -> None:
    """Print what the kills left, and compare the totals."""
    rng = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        killed, whole = Path(folder) / "killed", Path(folder) / "whole"
        began = time.perf_counter()
        found = [
            _killed_after(killed, batches, wait) for wait in rng.random(kills) * longest_ms / 1000
        ]
        seconds = time.perf_counter() - began
        with Ledger(killed) as resumed, Ledger(whole) as uninterrupted:
            left = len(resumed.keys(STREAM))
            continue_stream(resumed, STREAM, drawn, batches)
            continue_stream(uninterrupted, STREAM, drawn, batches)
            assert resumed.counts(STREAM) == uninterrupted.counts(STREAM)
            assert len(resumed.keys(STREAM)) == batches
    print(f"{'kills':<34} {kills:>8}")
    print(f"{'in the middle of a transaction':<34} {sum(found):>8}")
    print(f"{'batches before the last kill':<34} {left:>8}")
    print(f"{'batches in all':<34} {batches:>8}")
    print(f"{'seconds of being killed':<34} {seconds:>8.1f}")
    print("resumed and uninterrupted totals are equal")


def drawn(number: int) -> Mapping[Context, int]:
    """Return the counts of one batch."""
    counter = OutcomeCounter(Coding(8, 2))
    counter.add(np.random.default_rng(number).integers(8, size=(OUTCOMES, 2)))
    return counter.counts()


def write(path: Path, batches: int, sending: Connection) -> None:
    """Report the missing batches, and say of each that its report has returned."""

    def said(number: int) -> Mapping[Context, int]:
        if done:
            sending.send(done[-1])  # asked for the next one: the report before has returned
        done.append(number)
        return drawn(number)

    done: list[int] = []
    with Ledger(path) as ledger:
        sending.send(None)
        continue_stream(ledger, STREAM, said, batches)


def _killed_after(path: Path, batches: int, wait: float) -> bool:
    """Kill a writer after so many seconds of writing; return whether it was within a report."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "specdec_verification.ledger.runs"])
    receiving, sending = context.Pipe(duplex=False)
    writer = context.Process(target=write, args=(path, batches, sending))
    writer.start()
    sending.close()
    receiving.recv()  # it has opened the file
    time.sleep(wait)
    writer.kill()
    writer.join()
    within = path.with_name(f"{path.name}-journal").exists()
    reported = set(map(str, _received(receiving)))
    with Ledger(path) as ledger:
        assert reported <= ledger.keys(STREAM), "a report that had returned is lost"
    return within


def _received(receiving: Connection) -> list[int]:
    """Return everything that was said before the end."""
    said = []
    while True:
        try:
            said.append(receiving.recv())
        except EOFError:
            receiving.close()
            return said


if __name__ == "__main__":
    main()
