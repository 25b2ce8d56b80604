"""`specdec-verify audit`: the exact law of someone's own function, or of published code."""

import math
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from specdec_core.errors import SpecdecError
from specdec_core.instances import read_instance
from specdec_verification.cli.console import EXIT_CODES, AsJson, err, finish, out, show_json
from specdec_verification.results import Labels, Verdict, worst

if TYPE_CHECKING:  # imported by the command itself: the others start without
    from specdec_verification.subjects.adapters import Program
    from specdec_verification.subjects.cases import Case
    from specdec_verification.subjects.exact import Execution


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
    max_paths: Annotated[int, typer.Option(help="Stop after so many paths.", min=1)] = 1_000_000,
    max_seconds: Annotated[
        float, typer.Option(help="Stop after so many seconds, when a run of the function ends.")
    ] = math.inf,
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Of a failure: the smallest instance, as a test.")
    ] = False,
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
    from specdec_verification.audit import load_program
    from specdec_verification.subjects.built_in import BUILT_IN

    if program in BUILT_IN:
        _audit_built_in(program, case, as_json)
    from specdec_verification.subjects.adapters import audit_with_rows
    from specdec_verification.subjects.auditing import audit_cases, case_named
    from specdec_verification.subjects.cases import Case, cases
    from specdec_verification.subjects.exact import Execution
    from specdec_verification.subjects.watching import watching

    if instance is not None:
        chosen = [Case(str(instance), read_instance(instance))]
    else:
        chosen = list(cases()) if case is None else [case_named(case)]
    option = "--case" if instance is None else "--instance"

    def labels(case: Case | None) -> Labels:
        which = () if case is None else (option, case.name)
        command = ("specdec-verify", "audit", program, *which, "--max-paths", str(max_paths))
        name, sizes = ("chosen", "") if case is None else (case.name, case.instance.label)
        return Labels(program, "lossless", name, sizes, shlex.join(command))

    with redirect_stdout(sys.stderr):  # what their code prints is no part of what we print
        emit = load_program(program)
        with watching(err) as watch:
            execution = Execution(max_paths, max_seconds, watch=watch)
            result = audit_cases(emit, chosen, labels, execution, audit_with_rows)
        notes = {}
        if result.verdict is Verdict.FAILED:
            own = None if instance is None else chosen
            notes["diagnosis"] = _diagnosis(emit, own, execution)
            if shrink:
                notes["smallest"] = _smallest(program, emit, chosen[0], execution)
    finish(result, as_json, notes)


def _diagnosis(emit: "Program", own: "list[Case] | None", execution: "Execution") -> str:
    """Say what is wrong, on the user's own instance alone, or on all that are chosen."""
    from specdec_verification.diagnosis import MORE, diagnose
    from specdec_verification.subjects.cases import cases

    tried, more = (cases(), cases(MORE)) if own is None else (own, ())
    return diagnose(emit, tried, execution, more).sentence


def _smallest(program: str, emit: "Program", like: "Case", execution: "Execution") -> str:
    """Return a test on the smallest instance, of the shape of one, that was found to fail."""
    from specdec_verification.shrinking import rule_of_shape, smallest_failing

    try:
        return smallest_failing(emit, rule_of_shape(like.instance), execution).as_test(program)
    except SpecdecError as error:
        return str(error)


def _audit_built_in(subject: str, case: str | None, as_json: bool) -> NoReturn:
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
    raise typer.Exit(EXIT_CODES[worst([result.verdict for result in results])])
