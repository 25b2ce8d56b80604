"""The figures of a run: what each is of, what it shows in words, and how to read it.

Every figure is a `Drawing`, so that a file and the page hold the same one and a run that lacks
something has no figure of it.  One module a kind draws them.
"""

from collections import defaultdict
from collections.abc import Iterator

from specdec_reports.figures.acceptance import acceptance_figure
from specdec_reports.figures.detection import detection_figure
from specdec_reports.figures.drawing import Drawing
from specdec_reports.figures.laws import has_rows, law_figure, rows_figure
from specdec_reports.figures.prefixes import prefix_figure
from specdec_reports.figures.sampled import evidence_figure, power_figure
from specdec_reports.figures.trees import tree_figure
from specdec_verification.results import EvidenceCurve, LawTable, PowerCurve, Run, TreeTable


def drawings(run: Run) -> Iterator[Drawing]:
    """Yield every figure of what there is."""
    for number, law in enumerate(run.laws, start=1):
        yield from law_drawings(law, number)
    for number, tree in enumerate(run.trees, start=1):
        yield tree_drawing(tree, number)
    for number, curve in enumerate(run.evidence, start=1):
        yield evidence_drawing(curve, number)
    yield from power_drawings(run)
    if run.curves:
        yield acceptance_drawing(run)
    if run.detection:
        yield detection_drawing(run)
    if run.prefix_counts:
        yield prefix_drawing(run)


def law_drawings(law: LawTable, number: int) -> Iterator[Drawing]:
    """Yield the bars of a law, and the rows of next tokens if there are several."""
    yield Drawing(
        f"law-{number}",
        f"Bars: the law of {law.subject} on {law.instance} by prefix, expected and observed. "
        f"{_differs(law)}",
        "How probable it is that what is emitted begins with each prefix: grey as claimed, blue as "
        "found, and how far apart they are. Of many prefixes those that differ most.",
        law_figure,
        law,
    )
    if has_rows(law):
        yield Drawing(
            f"rows-{number}",
            f"Heat map: the law of the next token after each context, for {law.subject} on "
            f"{law.instance}: expected, observed, and the difference.",
            "The law of the next token after what was emitted before it. A row that differs here "
            "while those above it do not is where the law first goes wrong.",
            rows_figure,
            law,
        )


def _differs(law: LawTable) -> str:
    """Say where two laws differ most."""
    furthest = max(law.rows, key=lambda row: row.distance, default=None)
    if furthest is None or not furthest.difference:
        return "They are equal at every prefix."
    return (
        f"They differ most at {furthest.prefix}: expected {float(furthest.expected):.3g}, "
        f"observed {float(furthest.observed):.3g}."
    )


def tree_drawing(tree: TreeTable, number: int) -> Drawing:
    """Return the figure of a tree."""
    residual = sum(float(node.residual) for node in tree.nodes)
    return Drawing(
        f"tree-{number}",
        f"Draft tree of {tree.subject} on {tree.instance}: {len(tree.nodes) - 1} nodes, the "
        f"probability that a round accepts each, and the residual mass that leaves at each, "
        f"{residual:.3g} in all.",
        "The draft tree from its root, a token in every node. Blue: the probability that the "
        "round accepts a node, and, where the tree is drawn, that it has the node. Orange: that "
        "the round rejects all children and goes on with a token of the residual.",
        tree_figure,
        tree,
    )


def evidence_drawing(curve: EvidenceCurve, number: int) -> Drawing:
    """Return the figure of a sampled check's evidence."""
    last = curve.points[-1]
    found = "infinite" if last.log10_e is None else f"{last.log10_e:.3g}"
    return Drawing(
        f"evidence-{number}",
        f"Evidence against {curve.subject} by draws: after {last.draws:,} the logarithm of the "
        f"e-value is {found}; from {curve.rejects_from:.3g} on the law is rejected.",
        "The e-value at every look, and the line from which on it rejects; below, the distance of "
        "the frequencies and the distance that so many draws are sure to see.",
        evidence_figure,
        curve,
    )


def power_drawings(run: Run) -> Iterator[Drawing]:
    """Yield the power curves of each subject."""
    by_subject: defaultdict[str, list[PowerCurve]] = defaultdict(list)
    for curve in run.power:
        if curve.points:
            by_subject[curve.subject].append(curve)
    for number, (subject, curves) in enumerate(by_subject.items(), start=1):
        yield Drawing(
            f"power-{number}",
            f"Power curves of {subject}: the probability that a law is failed, against its "
            f"distance, at {', '.join(f'{curve.draws:,}' for curve in curves)} draws.",
            "How often a law at each distance is failed, at least. The grey line is at 0.99.",
            power_figure,
            tuple(curves),
        )


def acceptance_drawing(run: Run) -> Drawing:
    """Return the figure of the acceptance curves."""
    return Drawing(
        "acceptance",
        "Acceptance curves, a panel for each rule: acceptance falls as the draft moves away.",
        "Probability that a draft token is kept at the first position, against the total variation "
        "of the draft from the target. Blue: lossless rules; orange: lossy ones; dashed: the "
        "greatest possible at no loss with the same draft.",
        acceptance_figure,
        run.curves,
    )


def detection_drawing(run: Run) -> Drawing:
    """Return the figure of the detection matrix."""
    return Drawing(
        "detection",
        "Heat map: the probability that each check fails each planted fault.",
        "Faults by kind; what was not asked is blank.",
        detection_figure,
        run.detection,
    )


def prefix_drawing(run: Run) -> Drawing:
    """Return the figure of the examples' counts."""
    return Drawing(
        "prefixes",
        "Bars: the counts of the contract's examples by prefix, expected and observed.",
        "At how many points of a lattice what is emitted begins with each prefix.",
        prefix_figure,
        run.prefix_counts,
    )
