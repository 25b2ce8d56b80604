"""`specdec-verify sample`: a sampler whose draws cannot be controlled, asked until it is judged."""

import math
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, read_instance
from specdec_verification.cli.console import AsJson, err, finish
from specdec_verification.results import Labels, Verdict

if TYPE_CHECKING:  # imported by the command itself: the others start without
    from specdec_verification.subjects.sampling import Look, Sampler

LEDGER_BATCH = 100_000
"""Draws of a batch in a ledger."""


def sample(
    sampler: Annotated[
        str,
        typer.Argument(
            help="A function of (n, rng), or of (instance, n, rng), that returns tokens of shape "
            "(n, length) and the lengths of its n rounds.",
            metavar="FILE.py:SAMPLER",
        ),
    ],
    instance: Annotated[
        Path | None,
        typer.Option(
            help="What it samples, as JSON; a function of an instance gets a stored one otherwise.",
            metavar="FILE.json",
        ),
    ] = None,
    tv: Annotated[float, typer.Option(help="Total variation that a pass rules out.")] = 0.01,
    false_fail_rate: Annotated[
        float, typer.Option(help="How often a right sampler may fail.")
    ] = 1e-9,
    power: Annotated[float, typer.Option(help="How often a wrong one must fail.")] = 0.99,
    max_seconds: Annotated[
        float, typer.Option(help="Begin no batch after so many seconds.")
    ] = math.inf,
    seed: Annotated[int, typer.Option(help="Of the generator that it is given.", min=0)] = 0,
    ledger: Annotated[
        Path | None,
        typer.Option(help="Keep what is drawn here, and go on from it.", metavar="LEDGER"),
    ] = None,
    version: Annotated[
        str, typer.Option(help="Of the sampler, in the ledger: others are kept apart.")
    ] = "unnamed",
    as_json: AsJson = False,
) -> None:
    """Draw from a sampler until there is a verdict on its law, and stop at once where it fails.

    Its law is checked by an e-process and a G-test, and a pass is a pass of that.  That its draws
    are independent, and no more regular than such draws are, is checked beside: each can fail the
    sampler, and says what it was sure to see.  With a ledger, the law alone is checked, by
    everything that was ever drawn.
    """
    import numpy as np

    from specdec_verification.ledger.sampler_runs import Batches, check_sampler_on_ledger
    from specdec_verification.ledger.store import Ledger
    from specdec_verification.ledger.streams import Stream, instance_key
    from specdec_verification.statistics.power import require_rate
    from specdec_verification.statistics.sampled import Demand
    from specdec_verification.subjects.samplers import check_sampler, planned_draws
    from specdec_verification.subjects.sampling import SampledSubject, Sampling

    require_rate(power, "power")
    demand = Demand(false_fail_rate, 1 - power, tv)
    with redirect_stdout(sys.stderr):  # what their code prints is no part of what we print
        called, chosen = _called(sampler, instance)
    options = ("--tv", tv, "--false-fail-rate", false_fail_rate, "--power", power, "--seed", seed)
    given = () if instance is None else ("--instance", instance)
    kept = () if ledger is None else ("--ledger", ledger, "--version", version)
    line = shlex.join(map(str, ("specdec-verify", "sample", sampler, *given, *options, *kept)))
    name = "the stored witness of path rules" if instance is None else str(instance)
    labels = Labels(sampler, "lossless", name, chosen.label, line)
    horizon = chosen.integer("gamma", minimum=0) + 1
    subject = SampledSubject(called, chosen.target, horizon, labels)
    with _looking() as watch, redirect_stdout(sys.stderr):
        sampling = Sampling(
            planned_draws=planned_draws(subject, demand), max_seconds=max_seconds, watch=watch
        )
        if ledger is None:
            results = check_sampler(subject, demand, sampling, np.random.default_rng(seed))
        else:
            batches = Batches(seed, LEDGER_BATCH)
            stream = Stream(sampler, version, instance_key(chosen), batches.policy)
            with Ledger(ledger) as opened:
                results = (
                    check_sampler_on_ledger(opened, stream, subject, batches, demand, sampling),
                )
    law, *beside = results
    failed = [result for result in results if result.verdict is Verdict.FAILED]
    notes = {result.check: f"{result.verdict}: {result.detail}" for result in beside}
    finish(failed[0] if failed else law, as_json, notes)


def _called(place: str, instance: Path | None) -> "tuple[Sampler, Instance]":
    """Return a sampler of ``(n, rng)``, and the instance that it samples."""
    from specdec_verification.loading import load
    from specdec_verification.witnesses import witness

    function = load(place)
    parameters = signature(function).parameters.values() if callable(function) else ()
    names = [one.name for one in parameters if one.default is one.empty]
    if len(names) not in (2, 3):
        raise InvalidParameterError(
            f"{place}({', '.join(names)}): expected a function of (n, rng), or (instance, n, rng)"
        )
    if len(names) == 2 and instance is None:
        raise InvalidParameterError(
            f"{place} takes no instance: say with --instance FILE.json what it samples"
        )
    chosen = witness("path").instance if instance is None else read_instance(instance)
    return (partial(function, chosen) if len(names) == 3 else function), chosen


@contextmanager
def _looking() -> "Iterator[Callable[[Look], None]]":
    """Yield what to tell of every look: a line that is written over on a terminal."""
    if not err.is_terminal:
        yield lambda look: None
        return
    with err.status("") as status:
        yield lambda look: status.update(str(look))
