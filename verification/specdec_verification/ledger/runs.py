"""Going on where a run stopped, merging what several machines have drawn, and judging it all."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from specdec_core.distributions import Prob
from specdec_core.models import Context
from specdec_core.parameters import require_integer
from specdec_verification.ledger.store import Ledger, existing_ledger
from specdec_verification.ledger.streams import Stream
from specdec_verification.results import CheckResult, Labels
from specdec_verification.statistics.e_process import check_e_process
from specdec_verification.statistics.sampled import Demand

Draw = Callable[[int], Mapping[Context, int]]
"""From the number of a batch to its counts; the number determines them."""


def continue_stream(ledger: Ledger, stream: Stream, draw: Draw, batches: int) -> int:
    """Draw and report the batches ``0 .. batches - 1`` that are missing; return how many were.

    Raises
    ------
    InvalidParameterError
        If ``batches`` is negative, or no integer.
    LedgerError
        If a batch cannot be written; those before it are kept.
    """
    require_integer(batches, "batches", minimum=0)
    there = ledger.keys(stream)
    missing = [number for number in range(batches) if str(number) not in there]
    for number in missing:
        ledger.report(stream, str(number), draw(number))
    return len(missing)


def check_stream(
    ledger: Ledger,
    stream: Stream,
    expected_law: Mapping[Context, Prob],
    *,
    demand: Demand,
    labels: Labels,
) -> CheckResult:
    """Check everything that was ever drawn of a stream against a law.

    Equivalent to ``check_e_process(ledger.counts(stream), expected_law, ...)``: it may be asked
    after every batch of every run, and its false-fail rate is of all these looks together.
    """
    return check_e_process(ledger.counts(stream), expected_law, demand=demand, labels=labels)


def merge_ledgers(into: Path, sources: Iterable[Path]) -> int:
    """Report every batch of some ledgers to another, and return how many were new to it.

    Interrupted, it can be run again: what has been merged is not counted twice.

    Parameters
    ----------
    into : Path
        Made if it does not exist.
    sources : iterable of Path
        Each left as it is.

    Raises
    ------
    LedgerError
        If a source does not exist, or two ledgers have one batch with different counts.
    """
    new = 0
    with ExitStack() as stack:
        # All sources are opened before anything is written.
        parts = [stack.enter_context(existing_ledger(path)) for path in sources]
        whole = stack.enter_context(Ledger(into))
        for part in parts:
            for standing in part.standings():
                for key, counts in part.batches(standing.stream).items():
                    new += whole.report(standing.stream, key, counts)
    return new
