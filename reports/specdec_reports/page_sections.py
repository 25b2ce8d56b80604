"""What stands on the page, in which order: what did not pass first, what is longest last."""

from collections.abc import Iterator
from dataclasses import dataclass

from specdec_reports.figures import (
    acceptance_drawing,
    evidence_drawing,
    law_drawings,
    power_drawings,
    tree_drawing,
)
from specdec_reports.figures.drawing import Drawing
from specdec_reports.page_tables import PageTable, bar_table, matrix_table, page_table
from specdec_reports.render import EXAMPLE
from specdec_reports.tables import (
    cost_frame,
    diagnosis_frame,
    efficiency_frame,
    evidence_frame,
    law_frame,
    matrix_frame,
    naming_frame,
    power_frame,
    prefix_frame,
    result_frame,
    summary_frame,
    tree_frame,
    verdict_frame,
)
from specdec_verification.results import LawTable, Note, Run

NOT_PASSED = ["verdict", "detail", "total_variation", "reproduce", "check", "subject", "instance"]
TRIAL = ["subject", "verdict", "detail", "total_variation", "claim"]
"""What a phone shows of a row before it scrolls is what was found."""


@dataclass(frozen=True, slots=True)
class Part:
    """A figure, a table or a text of a section.

    Attributes
    ----------
    head : str
        What stands above it; of the only part of a section, nothing does.
    of : Drawing, PageTable or Note
    """

    head: str
    of: Drawing | PageTable | Note

    @property
    def kind(self) -> str:
        """Which of the page's forms it has."""
        match self.of:
            case Drawing():
                return "figure"
            case PageTable():
                return "table"
        return "text"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    anchor : str
        Its name in a link.
    head, lead : str
        Its heading, and what to know before its parts.
    parts : tuple of Part
    """

    anchor: str
    head: str
    lead: str
    parts: tuple[Part, ...]

    @property
    def tables(self) -> tuple[PageTable, ...]:
        """The tables among its parts."""
        return tuple(part.of for part in self.parts if isinstance(part.of, PageTable))


def sections(run: Run) -> Iterator[Section]:
    """Yield the sections of what there is."""
    if run.exceptions:
        yield _exceptions(run)
    if run.summary:
        yield _verdicts(run)
    if run.laws:
        yield _laws(run)
    if run.trees:
        yield _trees(run)
    if run.evidence or run.power:
        yield _evidence(run)
    if run.notes and not run.exceptions:
        yield _beside(run)
    if run.examples:
        yield _examples(run)
    if run.efficiencies or run.curves:
        yield _efficiency(run)
    if run.detection:
        yield _detection(run)
    if run.diagnoses:
        yield _diagnoses(run)
    if run.trials:
        yield _trials(run)
    if run.summary:
        yield _shapes(run)


def _table(table: PageTable) -> Part:
    return Part(table.name, table)


def _exceptions(run: Run) -> Section:
    return Section(
        anchor="exceptions",
        head="What did not pass",
        lead="Each with the line that runs it again. An inconclusive result is never a pass.",
        parts=(
            *_notes(run),
            _table(page_table("What did not pass", result_frame(run.exceptions)[NOT_PASSED])),
        ),
    )


def _notes(run: Run) -> Iterator[Part]:
    for note in run.notes:
        yield Part(f"{note.subject}: {note.head}", note)


def _beside(run: Run) -> Section:
    return Section(
        anchor="notes",
        head="What was found beside",
        lead="It did not decide the verdict.",
        parts=tuple(_notes(run)),
    )


def _laws(run: Run) -> Section:
    parts = []
    for number, law in enumerate(run.laws, start=1):
        head = f"{law.subject} on {law.instance}"
        parts += [Part(head, drawing) for drawing in law_drawings(law, number)]
        parts.append(Part(f"{head}: {_extent(law)}", page_table(head, law_frame(law))))
    return Section(
        anchor="laws",
        head="The law, expected beside observed",
        lead="A prefix has the probability that what is emitted begins with it, completed with the "
        "target's own rows where a round ends before. Exact fractions, or floats where it was "
        "sampled or floats made the fractions long.",
        parts=tuple(parts),
    )


def _extent(law: LawTable) -> str:
    """Say how much of a law its table has."""
    tokens = "1 token" if law.length == 1 else f"up to {law.length} tokens"
    whole = f"prefixes of {tokens}, {law.evidence}"
    if not law.left_out:
        return f"all {whole}"
    return (
        f"{len(law.rows)} {whole}; {law.left_out:,} that differ by {law.largest_left_out:.3g} or "
        "less are left out"
    )


def _trees(run: Run) -> Section:
    parts = []
    for number, tree in enumerate(run.trees, start=1):
        head = f"{tree.subject} on {tree.instance}"
        parts += [
            Part(head, tree_drawing(tree, number)),
            Part(f"{head}: by node", page_table(f"{head}, by node", tree_frame(tree))),
        ]
    return Section(
        anchor="trees",
        head="The draft tree, and what leaves it",
        lead="Found by following the rule itself, path by path: no node's numbers are sampled.",
        parts=tuple(parts),
    )


def _evidence(run: Run) -> Section:
    parts = []
    for number, curve in enumerate(run.evidence, start=1):
        head = f"Evidence against {curve.subject}"
        parts += [
            Part(head, evidence_drawing(curve, number)),
            Part(f"{head}, look by look", page_table(f"{head}, by look", evidence_frame(curve))),
        ]
    parts += [Part("Power", drawing) for drawing in power_drawings(run)]
    return Section(
        anchor="evidence",
        head="What the draws say, and what they could not miss",
        lead="However often one looks, a right subject is rejected with the stated probability at "
        "most.",
        parts=tuple(parts),
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
        parts=(
            _table(page_table("By name", results)),
            *(_table(bar_table(str(name), counts)) for name, counts in by_example),
        ),
    )


def _verdicts(run: Run) -> Section:
    return Section(
        anchor="verdicts",
        head="Instances that passed, by check",
        lead="One number if all passed, else how many of how many.",
        parts=(_table(page_table("Instances that passed", verdict_frame(run.summary))),),
    )


def _efficiency(run: Run) -> Section:
    frame = efficiency_frame(run.efficiencies)
    return Section(
        anchor="efficiency",
        head="What each rule keeps of its draft",
        lead="Acceptance is that of the first position; no lossless rule can exceed the optimum "
        "with the same draft. The toy model is that of Sun et al. 2024, Section 2; the random "
        "instances are the same for all rules.",
        parts=(
            *((Part("Acceptance curves", acceptance_drawing(run)),) if run.curves else ()),
            *(() if frame.empty else (_table(page_table("Acceptance", frame)),)),
        ),
    )


def _detection(run: Run) -> Section:
    powers = power_frame(run.detection)
    return Section(
        anchor="detection",
        head="Which check sees which planted fault",
        lead="Each fault on its witness, at its exact distance from the law claimed: what a check "
        "sees for certain, never (-), or with the probability given; empty where it was not asked.",
        parts=(
            _table(matrix_table("Detection matrix", matrix_frame(run.detection), powers)),
            _table(page_table("What the checks take", cost_frame(run.detection))),
        ),
    )


def _diagnoses(run: Run) -> Section:
    return Section(
        anchor="diagnoses",
        head="Which planted fault a diagnosis names",
        lead="Every fault that moves a law, planted in programs that draw from a library of their "
        "own, and diagnosed from their laws alone.",
        parts=(
            _table(page_table("Faults named, by library", naming_frame(run.diagnoses))),
            _table(page_table("Each diagnosis", diagnosis_frame(run.diagnoses))),
        ),
    )


def _trials(run: Run) -> Section:
    return Section(
        anchor="trials",
        head="The checks on trial",
        lead="Planted faults must be caught, and right rules that look wrong must be spared.",
        parts=(_table(page_table("The checks on trial", result_frame(run.trials)[TRIAL])),),
    )


def _shapes(run: Run) -> Section:
    return Section(
        anchor="shapes",
        head="Checks by shape of instance",
        lead="One row for each check, subject, claim and shape.",
        parts=(_table(page_table("Checks by shape", summary_frame(run.summary))),),
    )
