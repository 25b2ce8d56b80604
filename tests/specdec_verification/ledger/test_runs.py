from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from specdec_core.errors import InvalidParameterError, LedgerError
from specdec_core.models import Context
from specdec_verification.ledger.runs import check_stream, continue_stream, merge_ledgers
from specdec_verification.ledger.store import Ledger
from specdec_verification.ledger.streams import Stream
from specdec_verification.results import Labels, Verdict
from specdec_verification.statistics.sampled import Demand

STREAM = Stream("sampler", "1.0", "toy", "batch number is the seed")
OTHER = Stream("sampler", "1.0", "other", "batch number is the seed")
EVEN = {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
DEMAND = Demand(false_fail_rate=1e-6, false_pass_rate=0.01, max_tv=0.05)


def balanced(number: int) -> Mapping[Context, int]:
    return {(0,): 500 + number, (1,): 500 - number}


def interrupted(number: int) -> Mapping[Context, int]:
    if number == 3:
        raise KeyboardInterrupt
    return balanced(number)


def test_an_interrupted_run_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "resumed") as ledger, pytest.raises(KeyboardInterrupt):
        continue_stream(ledger, STREAM, interrupted, 8)
    with Ledger(tmp_path / "resumed") as ledger, Ledger(tmp_path / "whole") as whole:
        assert continue_stream(ledger, STREAM, balanced, 8) == 5
        assert continue_stream(ledger, STREAM, balanced, 8) == 0
        assert continue_stream(whole, STREAM, balanced, 8) == 8
        assert ledger.batches(STREAM) == whole.batches(STREAM)


def test_no_batches_are_none(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        assert continue_stream(ledger, STREAM, balanced, 0) == 0
        with pytest.raises(InvalidParameterError, match="batches is -1"):
            continue_stream(ledger, STREAM, balanced, -1)


def test_merging_counts_each_batch_once(tmp_path: Path) -> None:
    one, other, into = (tmp_path / name for name in ("one", "other", "into"))
    with Ledger(one) as ledger:
        continue_stream(ledger, STREAM, balanced, 3)
    with Ledger(other) as ledger:
        continue_stream(ledger, STREAM, balanced, 5)
        ledger.report(OTHER, "0", {(2,): 1})
    assert merge_ledgers(into, [one, other]) == 6
    assert merge_ledgers(into, [one, other, into]) == 0
    with Ledger(into) as merged, Ledger(other) as ledger:
        assert merged.counts(STREAM) == ledger.counts(STREAM)
        assert merged.counts(OTHER) == {(2,): 1}


def test_ledgers_that_contradict_one_another_do_not_merge(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one", "other")]
    for path, counts in zip(paths, ({(0,): 1}, {(0,): 2}), strict=True):
        with Ledger(path) as ledger:
            ledger.report(STREAM, "0", counts)
    with pytest.raises(LedgerError, match="reported before with other counts"):
        merge_ledgers(tmp_path / "into", paths)


def test_a_source_that_is_not_there_is_an_error_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="missing: no such file"):
        merge_ledgers(tmp_path / "into", [tmp_path / "missing"])
    assert not (tmp_path / "into").exists()


def test_a_check_is_of_all_runs_together(tmp_path: Path, labels: Labels) -> None:
    """Each batch alone, 60 off in 1000, is no proof at 1e-6; ten of them are."""
    with Ledger(tmp_path / "ledger") as ledger:
        verdicts = []
        for number in range(10):
            ledger.report(STREAM, str(number), {(0,): 560, (1,): 440})
            verdicts.append(
                check_stream(ledger, STREAM, EVEN, demand=DEMAND, labels=labels).verdict
            )
        assert verdicts[0] is Verdict.INCONCLUSIVE
        assert verdicts[-1] is Verdict.FAILED


def test_a_right_stream_passes_once_there_is_enough(tmp_path: Path, labels: Labels) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        continue_stream(ledger, STREAM, balanced, 20)
        found = check_stream(ledger, STREAM, EVEN, demand=DEMAND, labels=labels)
    assert (found.verdict, found.size) == (Verdict.PASSED, 20_000)


def test_a_stream_without_draws_is_inconclusive(tmp_path: Path, labels: Labels) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        found = check_stream(ledger, STREAM, EVEN, demand=DEMAND, labels=labels)
    assert found.verdict is Verdict.INCONCLUSIVE


def test_nothing_is_made_or_merged_if_a_source_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with Ledger(tmp_path / "good") as ledger:
        ledger.report(STREAM, "0", balanced(0))
    with pytest.raises(LedgerError, match="an empty file"):
        merge_ledgers(tmp_path / "whole", [tmp_path / "good", tmp_path / "empty"])
    assert not (tmp_path / "whole").exists()
