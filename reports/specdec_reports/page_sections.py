"""What stands on the page, in which order: what did not pass first, what is longest last."""

from collections.abc import Iterator
from dataclasses import dataclass

from specdec_reports.page_tables import PageTable, bar_table, matrix_table, page_table
from specdec_reports.render import EXAMPLE
from specdec_reports.tables import (
    cost_frame,
    diagnosis_frame,
    efficiency_frame,
    matrix_frame,
    naming_frame,
    power_frame,
    prefix_frame,
    result_frame,
    summary_frame,
    verdict_frame,
)
from specdec_verification.results import Run

NOT_PASSED = ["verdict", "detail", "reproduce", "check", "subject"]
TRIAL = ["subject", "verdict", "detail", "total_variation", "claim"]
"""What a phone shows of a row before it scrolls is what was found."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    anchor : str
        Its name in a link.
    head, lead : str
        Its heading, and what to know before its tables.
    tables : tuple of PageTable
    shows_acceptance : bool
        Whether the figure of the acceptance curves stands before its tables.
    """

    anchor: str
    head: str
    lead: str
    tables: tuple[PageTable, ...]
    shows_acceptance: bool = False


def sections(run: Run) -> Iterator[Section]:
    """Yield the sections of what there is."""
    if run.exceptions:
        yield _exceptions(run)
    if run.examples:
        yield _examples(run)
    yield _verdicts(run)
    if run.efficiencies or run.curves:
        yield _efficiency(run)
    if run.detection:
        yield _detection(run)
    if run.diagnoses:
        yield _diagnoses(run)
    if run.trials:
        yield _trials(run)
    yield _shapes(run)


def _exceptions(run: Run) -> Section:
    return Section(
        anchor="exceptions",
        head="What did not pass",
        lead="Each with the line that runs it again. An inconclusive result is never a pass.",
        tables=(page_table("What did not pass", result_frame(run.exceptions)[NOT_PASSED]),),
    )


def _examples(run: Run) -> Section:
    results = result_frame(run.examples)[[*EXAMPLE, "reproduce"]]
    by_example = prefix_frame(run.prefix_counts).groupby("claim", sort=False)
    lead = "Counted over a lattice of draws"
    by_prefix = ", and by prefix: at how many points what is emitted begins so"
    return Section(
        anchor="examples",
        head="The contract's examples",
        lead=f"{lead}{by_prefix if run.prefix_counts else ''}.",
        tables=(
            page_table("By name", results),
            *(bar_table(str(name), counts) for name, counts in by_example),
        ),
    )


def _verdicts(run: Run) -> Section:
    return Section(
        anchor="verdicts",
        head="Instances that passed, by check",
        lead="One number if all passed, else how many of how many.",
        tables=(page_table("Instances that passed", verdict_frame(run.summary)),),
    )


def _efficiency(run: Run) -> Section:
    frame = efficiency_frame(run.efficiencies)
    return Section(
        anchor="efficiency",
        head="What each rule keeps of its draft",
        lead="Acceptance is that of the first position; no lossless rule can exceed the optimum "
        "with the same draft. The toy model is that of Sun et al. 2024, Section 2; the random "
        "instances are the same for all rules.",
        tables=() if frame.empty else (page_table("Acceptance", frame),),
        shows_acceptance=bool(run.curves),
    )


def _detection(run: Run) -> Section:
    powers = power_frame(run.detection)
    return Section(
        anchor="detection",
        head="Which check sees which planted fault",
        lead="Each fault on its witness, at its exact distance from the law claimed: what a check "
        "sees for certain, never (-), or with the probability given; empty where it was not asked.",
        tables=(
            matrix_table("Detection matrix", matrix_frame(run.detection), powers),
            page_table("What the checks take", cost_frame(run.detection)),
        ),
    )


def _diagnoses(run: Run) -> Section:
    return Section(
        anchor="diagnoses",
        head="Which planted fault a diagnosis names",
        lead="Every fault that moves a law, planted in programs that draw from a library of their "
        "own, and diagnosed from their laws alone.",
        tables=(
            page_table("Faults named, by library", naming_frame(run.diagnoses)),
            page_table("Each diagnosis", diagnosis_frame(run.diagnoses)),
        ),
    )


def _trials(run: Run) -> Section:
    return Section(
        anchor="trials",
        head="The checks on trial",
        lead="Planted faults must be caught, and right rules that look wrong must be spared.",
        tables=(page_table("The checks on trial", result_frame(run.trials)[TRIAL]),),
    )


def _shapes(run: Run) -> Section:
    return Section(
        anchor="shapes",
        head="Checks by shape of instance",
        lead="One row for each check, subject, claim and shape.",
        tables=(page_table("Checks by shape", summary_frame(run.summary)),),
    )
