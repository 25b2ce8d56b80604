"""`specdec-verify sample`: a sampler whose draws cannot be controlled, asked until it is judged."""

import math
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn, TypeAlias

import typer

from specdec_core.errors import InvalidParameterError
from specdec_core.instances import Instance, read_instance
from specdec_verification.cli.console import AsJson, OutDir, err, finish, naming
from specdec_verification.cli.runs import require_writable, write_reports
from specdec_verification.results import CheckResult, Labels, Note, Run, Verdict
from specdec_verification.summaries import run_of

if TYPE_CHECKING:  # imported by the command itself: the others start without
    from specdec_verification.statistics.sampled import Demand
    from specdec_verification.subjects.sampling import Look, SampledSubject, Sampler, Sampling

    Looks: TypeAlias = list[Look]

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
    out_dir: OutDir = None,
    as_json: AsJson = False,
) -> None:
    """Draw from a sampler until there is a verdict on its law, and stop at once where it fails.

    Its law is checked by an e-process and a G-test, and a pass is a pass of that.  That its draws
    are independent, and no more regular than such draws are, is checked beside: each can fail the
    sampler, and says what it was sure to see.  With a ledger, the law is checked by everything
    that was ever drawn, and beside it only that no batch repeats another.
    """
    if out_dir is not None:
        require_writable(out_dir)
    from specdec_verification.interrupts import first_interrupt
    from specdec_verification.statistics.power import require_rate
    from specdec_verification.statistics.sampled import Demand
    from specdec_verification.subjects.samplers import planned_draws
    from specdec_verification.subjects.sampling import Sampling

    require_rate(power, "power")
    demand = Demand(false_fail_rate, 1 - power, tv)
    given = () if instance is None else ("--instance", instance)
    options = ("--tv", tv, "--false-fail-rate", false_fail_rate, "--power", power, "--seed", seed)
    kept = () if ledger is None else ("--ledger", ledger, "--version", version)
    line = shlex.join(map(str, ("specdec-verify", "sample", sampler, *given, *options, *kept)))
    with redirect_stdout(sys.stderr):  # what their code prints is no part of what we print
        subject, chosen = _subject(sampler, instance, line)
    looks: list[Look] = []
    with (
        _looking(looks) as watch,
        first_interrupt(_stopping) as stopped,
        redirect_stdout(sys.stderr),
    ):
        with naming(subject.labels.instance):
            planned = planned_draws(subject, demand)
        sampling = Sampling(
            planned_draws=planned, max_seconds=max_seconds, watch=watch, stopped=stopped
        )
        if ledger is None:
            sampled = _drawn(subject, demand, sampling, seed, looks)
        else:
            source = _Source(seed, ledger, version, chosen)
            sampled = _drawn_on_ledger(subject, demand, sampling, source, looks)
    _finish(sampled, demand, out_dir, as_json)


def _subject(sampler: str, instance: Path | None, line: str) -> "tuple[SampledSubject, Instance]":
    """Return what is sampled, by its place and the line that repeats it, and on which instance."""
    from specdec_verification.subjects.sampling import SampledSubject

    called, chosen = _called(sampler, instance)
    name = "the stored witness of path rules" if instance is None else str(instance)
    labels = Labels(sampler, "lossless", name, chosen.label, line)
    horizon = chosen.integer("gamma", minimum=0) + 1
    return SampledSubject(called, chosen.target, horizon, labels), chosen


def _finish(sampled: "_Sampled", demand: "Demand", out_dir: Path | None, as_json: bool) -> NoReturn:
    """Write the reports, print the first failure or else what the law is found to be, and exit."""
    results, files = sampled.results, []
    if out_dir is not None:
        files = write_reports(out_dir, sampled.pictured(_run(results, demand)))
    law, *beside = results
    failed = [result for result in results if result.verdict is Verdict.FAILED]
    notes = {result.check: f"{result.verdict}: {result.detail}" for result in beside}
    finish(failed[0] if failed else law, as_json, notes, files)


def _run(results: tuple[CheckResult, ...], demand: "Demand") -> Run:
    """Return the results as a run; what is checked beside the law can fail it, and no more."""
    law, *beside = results
    decided = [result for result in beside if result.verdict is not Verdict.INCONCLUSIVE]
    notes = tuple(
        Note(result.labels.subject, f"{result.check}: {result.verdict}", result.detail)
        for result in beside
        if result not in decided
    )
    return replace(run_of([law, *decided], "sample", demand.sentence), notes=notes)


class _Sampled(NamedTuple):
    """What was found, and what adds to a run what there is to look at of it."""

    results: tuple[CheckResult, ...]
    pictured: Callable[[Run], Run]


def _drawn(
    subject: "SampledSubject", demand: "Demand", sampling: "Sampling", seed: int, looks: "Looks"
) -> _Sampled:
    import numpy as np

    from specdec_verification.pictures import with_sampler
    from specdec_verification.subjects.samplers import judged_sampler

    judged = judged_sampler(subject, demand, sampling, np.random.default_rng(seed))
    return _Sampled(judged.results, lambda run: with_sampler(run, subject, judged, looks, demand))


@dataclass(frozen=True, slots=True)
class _Source:
    """Where draws are kept, and what tells them from others."""

    seed: int
    ledger: Path
    version: str
    instance: Instance


def _drawn_on_ledger(
    subject: "SampledSubject",
    demand: "Demand",
    sampling: "Sampling",
    source: _Source,
    looks: "Looks",
) -> _Sampled:
    from specdec_verification.ledger.sampler_runs import Batches, check_sampler_on_ledger
    from specdec_verification.ledger.store import Ledger
    from specdec_verification.ledger.streams import Stream, instance_key
    from specdec_verification.pictures import with_ledger

    batches = Batches(source.seed, LEDGER_BATCH)
    name = subject.labels.subject
    stream = Stream(name, source.version, instance_key(source.instance), batches.policy)
    with Ledger(source.ledger) as opened:
        result = check_sampler_on_ledger(opened, stream, subject, batches, demand, sampling)
        counts = dict(opened.counts(stream))
    return _Sampled((result,), lambda run: with_ledger(run, subject, counts, looks, demand))


def _called(place: str, instance: Path | None) -> "tuple[Sampler, Instance]":
    """Return a sampler of ``(n, rng)``, and the instance that it samples."""
    from specdec_verification.loading import load
    from specdec_verification.witnesses import witness

    function = load(place)
    parameters = signature(function).parameters.values() if callable(function) else ()
    names = [one.name for one in parameters if one.default is one.empty]
    if len(names) not in (2, 3):
        raise InvalidParameterError(
            f"{place}({', '.join(names)}): expected a function of (n, rng), or (instance, n, rng); "
            "`specdec-verify audit` asks about a function that emits one round"
        )
    if len(names) == 2 and instance is None:
        raise InvalidParameterError(
            f"{place} takes no instance: say with --instance FILE.json what it samples"
        )
    chosen = witness("path").instance if instance is None else read_instance(instance)
    return (partial(function, chosen) if len(names) == 3 else function), chosen


def _stopping() -> None:
    err.print("stopping after this batch; Ctrl-C again ends at once")


@contextmanager
def _looking(looks: "list[Look]") -> "Iterator[Callable[[Look], None]]":
    """Yield what to tell of every look: a list, and a line that is written over on a terminal."""
    if not err.is_terminal:
        yield looks.append
        return
    with err.status("") as status:

        def watch(look: "Look") -> None:
            looks.append(look)
            status.update(str(look))

        yield watch
