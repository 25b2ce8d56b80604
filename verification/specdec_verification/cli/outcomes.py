"""`specdec-verify check outcomes.parquet`: outcomes that were drawn elsewhere, as a file."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from specdec_core.instances import read_instance
from specdec_verification.cli.console import finish
from specdec_verification.cli.runs import write_reports
from specdec_verification.results import Labels
from specdec_verification.statistics.sampled import Demand
from specdec_verification.summaries import run_of

FALSE_FAIL_RATE, FALSE_PASS_RATE = 1e-9, 0.01
"""Of one file."""


@dataclass(frozen=True, slots=True)
class OutcomeFile:
    """What was asked about a file of outcomes.

    Attributes
    ----------
    path : Path
    instance : Path or None
        In the place of the one that the file names.
    tv : float
        Total variation that a pass rules out.
    seed : int
        Of the draws that complete short outcomes.
    """

    path: Path
    instance: Path | None
    tv: float
    seed: int

    @property
    def line(self) -> str:
        """The command that asks it again."""
        given = () if self.instance is None else ("--instance", str(self.instance))
        options = ("--tv", str(self.tv), "--seed", str(self.seed))
        return shlex.join(("specdec-verify", "check", str(self.path), *given, *options))


def check_file(asked: OutcomeFile, out_dir: Path | None, as_json: bool) -> NoReturn:
    """Check a file of outcomes, print the result, write its reports, and exit with its code."""
    from specdec_verification.outcomes.checking import completed_outcomes
    from specdec_verification.pictures import with_outcomes

    chosen = None if asked.instance is None else read_instance(asked.instance)
    demand = Demand(FALSE_FAIL_RATE, FALSE_PASS_RATE, asked.tv)
    labels = Labels(
        subject=str(asked.path),
        claim="lossless",
        instance="its own" if asked.instance is None else str(asked.instance),
        parameters="" if chosen is None else chosen.label,
        reproduce=asked.line,
    )
    completed = completed_outcomes(asked.path, np.random.default_rng(asked.seed), chosen)
    result = completed.check(demand, labels)
    files = []
    if out_dir is not None:
        run = run_of([result], "check", demand.sentence)
        files = write_reports(out_dir, with_outcomes(run, completed, demand, labels))
    finish(result, as_json, files=files)
