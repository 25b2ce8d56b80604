"""`specdec-verify check outcomes.parquet`: outcomes that were drawn elsewhere, as a file."""

import shlex
from pathlib import Path
from typing import NoReturn

import numpy as np

from specdec_core.instances import read_instance
from specdec_verification.cli.console import finish
from specdec_verification.results import Labels
from specdec_verification.statistics.sampled import Demand

FALSE_FAIL_RATE, FALSE_PASS_RATE = 1e-9, 0.01
"""Of one file."""


def check_file(path: Path, instance: Path | None, tv: float, seed: int, as_json: bool) -> NoReturn:
    """Check a file of outcomes, print the result, and exit with its code."""
    from specdec_verification.outcomes.checking import check_outcomes

    given = () if instance is None else ("--instance", str(instance))
    command = ("specdec-verify", "check", str(path), *given, "--tv", str(tv), "--seed", str(seed))
    chosen = None if instance is None else read_instance(instance)
    result = check_outcomes(
        path,
        np.random.default_rng(seed),
        demand=Demand(FALSE_FAIL_RATE, FALSE_PASS_RATE, tv),
        labels=Labels(
            subject=str(path),
            claim="lossless",
            instance="its own" if instance is None else str(instance),
            parameters="" if chosen is None else chosen.label,
            reproduce=shlex.join(command),
        ),
        instance=chosen,
    )
    finish(result, as_json)
