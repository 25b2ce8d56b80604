"""`specdec-verify audit`: the exact law of someone's own function, or of published code."""

import math
import shlex
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from specdec_core.errors import InvalidParameterError, SpecdecError
from specdec_core.instances import Instance, read_instance
from specdec_verification.cli.console import (
    EXACT,
    EXIT_CODES,
    AsJson,
    OutDir,
    err,
    finish,
    naming,
    out,
    show_json,
    show_paths,
)
from specdec_verification.cli.runs import require_writable, write_reports
from specdec_verification.interrupts import interrupted, until_interrupted
from specdec_verification.results import CheckResult, Labels, Note, Verdict, worst
from specdec_verification.summaries import run_of

if TYPE_CHECKING:  # imported by the command itself: the others start without
    from specdec_verification.subjects.adapters import Program
    from specdec_verification.subjects.cases import Case
    from specdec_verification.subjects.exact import Execution


MAX_PATHS = 1_000_000
"""Unless told otherwise."""


def audit(
    program: Annotated[
        str,
        typer.Argument(
            help="A function in a file, or the word transformers.", metavar="FILE.py:NAME"
        ),
    ],
    instance: Annotated[
        Path | None, typer.Option(help="Your own instance, as JSON.", metavar="FILE.json")
    ] = None,
    case: Annotated[
        str | None, typer.Option(help="One of the chosen instances alone, as generated/3.")
    ] = None,
    max_paths: Annotated[int, typer.Option(help="Stop after so many paths.", min=1)] = MAX_PATHS,
    max_seconds: Annotated[
        float,
        typer.Option(
            help="Stop after so many seconds, when a run of the function ends; one run alone is "
            "cut off after 10.",
            show_default="no limit",
        ),
    ] = math.inf,
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Of a failure: the smallest instance, as a test.")
    ] = False,
    out_dir: OutDir = None,
    as_json: AsJson = False,
) -> None:
    """Find the exact law of what a function emits, and compare it with its target's.

    The function gets an instance: rows of a target and of a draft model, and gamma. It returns the
    tokens that one round emits. Write it in one of three ways:

    - verify(instance) draws from random, numpy or torch, as your code always does.

    - verify(instance, rng) draws from its second parameter. Call it rng or generator for a
    generator: numpy's, unless you annotate it random.Random or torch.Generator. Call it draws
    for a plain source of uniforms: draws.uniform().

    - verify(instance, draft_tokens) draws nothing. It returns its laws, an object with
    acceptance_probs (one of each token), recovered_probs (a row for each) and bonus_probs (a row).

    Without --instance, two dozen instances are chosen, with zeros, ties and rows that depend on
    the context. The word transformers audits the installed transformers instead of a file.
    """
    if out_dir is not None:
        require_writable(out_dir)
    from specdec_verification.subjects.auditing import together
    from specdec_verification.subjects.built_in import BUILT_IN

    own = instance is not None
    if program in BUILT_IN:
        limits = {"--max-paths": max_paths != MAX_PATHS, "--max-seconds": max_seconds != math.inf}
        _refuse_of_built_in(program, {"--instance": own, "--shrink": shrink, **limits})
        _audit_built_in(program, case, out_dir, as_json)
    asked = _Asked(program, _chosen(instance, case), own, max_paths, max_seconds)
    with redirect_stdout(sys.stderr):  # what their code prints is no part of what we print
        audited = _audited(asked)
        result, notes = together(audited.results, asked.labels(None)), {}
        if result.verdict is Verdict.FAILED:
            notes = audited.notes(shrink=shrink)
        files = [] if out_dir is None else audited.reports(notes, out_dir)
    finish(result, as_json, notes, files)


def _refuse_of_built_in(program: str, options: Mapping[str, bool]) -> None:
    for option, given in options.items():
        if given:
            raise InvalidParameterError(
                f"{program} is audited on instances of its own, and whole: expected no {option}"
            )


def _chosen(instance: Path | None, case: str | None) -> "tuple[Case, ...]":
    """Return the instances that were asked for: one's own, a chosen one, or all of those."""
    from specdec_verification.subjects.auditing import case_named
    from specdec_verification.subjects.cases import Case, cases

    if instance is not None:
        if case is not None:
            raise InvalidParameterError("--instance is your own: expected no --case of ours beside")
        return (Case(str(instance), read_instance(instance)),)
    return tuple(cases()) if case is None else (case_named(case),)


def _limits(max_paths: int, max_seconds: float) -> list[str]:
    """Return the options that repeat the limits which were asked for."""
    paths = [] if max_paths == MAX_PATHS else ["--max-paths", str(max_paths)]
    return paths + ([] if max_seconds == math.inf else ["--max-seconds", f"{max_seconds:g}"])


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked about: a program, its instances, whether they are one's own, and limits."""

    place: str
    cases: "tuple[Case, ...]"
    own: bool
    max_paths: int
    max_seconds: float

    def labels(self, case: "Case | None") -> Labels:
        """Return what the result of an instance is called, or that of all."""
        option = "--instance" if self.own else "--case"
        which = () if case is None else (option, case.name)
        limits = _limits(self.max_paths, self.max_seconds)
        line = shlex.join(("specdec-verify", "audit", self.place, *which, *limits))
        name, sizes = ("chosen", "") if case is None else (case.name, case.instance.label)
        return Labels(self.place, "lossless", name, sizes, line)

    def lacking(self, made: int) -> CheckResult:
        """Return what stands for the instance that was interrupted, after so many."""
        return interrupted(self.labels(self.cases[min(made, len(self.cases) - 1)]))


def _audited(asked: _Asked) -> "_Audited":
    """Audit a program on one instance after another, until it fails or is interrupted."""
    from specdec_verification.audit import load_program
    from specdec_verification.subjects.auditing import audit_each
    from specdec_verification.subjects.exact import Execution
    from specdec_verification.subjects.watching import watching

    emit = load_program(asked.place)
    with watching(err) as watch:
        execution = Execution(asked.max_paths, asked.max_seconds, watch=watch)
        each = audit_each(emit, asked.cases, asked.labels, execution, _audit_named)
        results = tuple(until_interrupted(each, asked.lacking))
    return _Audited(asked, emit, execution, results)


def _audit_named(
    emit: "Program", instance: Instance, labels: Labels, execution: "Execution"
) -> CheckResult:
    from specdec_verification.subjects.adapters import audit_with_rows

    with naming(labels.instance):
        return audit_with_rows(emit, instance, labels, execution)


@dataclass(frozen=True, slots=True)
class _Audited:
    """A program that was audited, and what was found on the instances it came to."""

    asked: _Asked
    emit: "Program"
    execution: "Execution"
    results: tuple[CheckResult, ...]

    @property
    def cases(self) -> "tuple[Case, ...]":
        """The instances it came to."""
        return self.asked.cases[: len(self.results)]

    def notes(self, *, shrink: bool) -> dict[str, str]:
        """Say what is wrong, on the user's own instance alone or on all that are chosen.

        Ctrl-C ends it without, for the verdict stands.
        """
        from specdec_verification.diagnosis import MORE, diagnose
        from specdec_verification.subjects.cases import cases

        notes = {}
        tried, more = (self.cases, ()) if self.asked.own else (cases(), cases(MORE))
        with suppress(KeyboardInterrupt):
            notes["diagnosis"] = diagnose(self.emit, tried, self.execution, more).sentence
            if shrink:
                notes["smallest"] = self._smallest()
        return notes

    def _smallest(self) -> str:
        """Return a test on the smallest instance, of the case's shape, that was found to fail."""
        from specdec_verification.shrinking import rule_of_shape, smallest_failing

        try:
            rule = rule_of_shape(self.cases[0].instance)
            return smallest_failing(self.emit, rule, self.execution).as_test(self.asked.place)
        except SpecdecError as error:
            return str(error)

    def reports(self, notes: Mapping[str, str], folder: Path) -> list[Path]:
        """Write the reports, with the law on a case that is looked at."""
        from specdec_verification.pictures import looked_at, with_program

        run = run_of(self.results, "audit", EXACT)
        said = [Note(self.asked.place, head, text) for head, text in notes.items()]
        run = replace(run, notes=tuple(said))
        shown = looked_at(self.results)
        if shown.total_variation is not None:  # of a law that is not whole there is no picture
            instance = self.cases[self.results.index(shown)].instance
            run = with_program(run, self.emit, instance, shown.labels, self.execution)
        return write_reports(folder, run)


def _audit_built_in(
    subject: str, case: str | None, out_dir: Path | None, as_json: bool
) -> NoReturn:
    """Audit published code that this package has cases for, and exit with the worst verdict."""
    from specdec_reports.tables import result_record
    from specdec_verification.subjects.built_in import cases_of

    results = []
    for one in cases_of(subject, case):
        results.append(one.check())
        if not as_json:
            out.print(f"{results[-1].verdict} {one.name}: {results[-1].detail}")
    if as_json:
        show_json([result_record(result) for result in results])
    if out_dir is not None:
        written = write_reports(out_dir, run_of(results, "audit", EXACT))
        if not as_json:
            show_paths(written)
    raise typer.Exit(EXIT_CODES[worst([result.verdict for result in results])])
