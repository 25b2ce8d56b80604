"""Results as tables: pandas frames whose columns `specdec_reports.columns` names."""

import math
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import pandas as pd

from specdec_reports import columns
from specdec_verification.results import (
    CheckResult,
    CurvePoint,
    DetectionRow,
    DiagnosisRow,
    EfficiencyRow,
    EvidenceCurve,
    LawTable,
    Naming,
    PrefixCount,
    SummaryRow,
    TreeTable,
)

SURE = 0.99
"""A check that fails a fault with a greater probability is said to see it."""

ADDED = ["instances", "passed", "failed", "inconclusive", "size"]
"""What adds up when rows of a summary are put together."""


def summary_frame(summary: Iterable[SummaryRow]) -> pd.DataFrame:
    """Return one row for each check, subject, claim and shape of instance."""
    records = [asdict(row) for row in summary]
    return pd.DataFrame(records, columns=list(columns.SUMMARY))


def overview_frame(summary: Iterable[SummaryRow]) -> pd.DataFrame:
    """Return one row for each check, subject and claim, whatever the shape."""
    frame = summary_frame(summary)
    keys = ["check", "subject", "claim", "evidence"]
    how: dict[str, Any] = {**dict.fromkeys(ADDED, "sum"), "largest_tv": "max"}
    return frame.groupby(keys, sort=False, as_index=False).agg(how)


def verdict_frame(summary: Iterable[SummaryRow]) -> pd.DataFrame:
    """Return one row for each subject, with how many instances passed each check."""
    frame = overview_frame(summary)
    frame["passed"] = [
        f"{passed:,}" if passed == instances else f"{passed:,} of {instances:,}"
        for passed, instances in zip(frame["passed"], frame["instances"], strict=True)
    ]
    checks = list(dict.fromkeys(frame["check"]))
    subjects = ["subject", "claim"]
    wide = frame.pivot_table(
        index=subjects, columns="check", values="passed", aggfunc="first", sort=False
    )
    return wide.reindex(columns=checks).fillna("").rename_axis(columns=None).reset_index()


def efficiency_frame(rows: Iterable[EfficiencyRow]) -> pd.DataFrame:
    """Return one row for each rule and family of instances."""
    records = [{name: _short(value) for name, value in asdict(row).items()} for row in rows]
    return pd.DataFrame(records, columns=list(columns.EFFICIENCY))


def curve_frame(points: Iterable[CurvePoint]) -> pd.DataFrame:
    """Return one row for each rule and distance of the draft."""
    return pd.DataFrame([asdict(point) for point in points])


def detection_frame(rows: Iterable[DetectionRow]) -> pd.DataFrame:
    """Return one row for each fault and check."""
    records = [{name: _short(value) for name, value in asdict(row).items()} for row in rows]
    return pd.DataFrame(records, columns=list(columns.DETECTION))


def power_frame(rows: Iterable[DetectionRow]) -> pd.DataFrame:
    """Return the power of each check, a column, against each fault, a row; NaN where not asked."""
    frame = detection_frame(rows)
    wide = frame.pivot_table(
        index=["kind", "subject"], columns="check", values="power", aggfunc="first", sort=False
    )
    wide = wide.reindex(columns=list(dict.fromkeys(frame["check"])))
    return wide.sort_index(level="kind", sort_remaining=False, kind="stable")


def matrix_frame(rows: Iterable[DetectionRow]) -> pd.DataFrame:
    """Return one row for each fault, by kind: its distance, and what each check sees of it."""
    rows = list(rows)
    powers = power_frame(rows)
    frame = detection_frame(rows).drop_duplicates("subject").set_index(["kind", "subject"])
    facts = frame.loc[powers.index, ["seen", "total_variation"]]
    return facts.join(powers.map(_shown_power)).reset_index()


def cost_frame(rows: Iterable[DetectionRow]) -> pd.DataFrame:
    """Return one row for each check: how many faults it was asked about, and what it took."""
    frame = detection_frame(rows)
    frame["size"] = frame["size"].map(float)  # lattices have more points than an integer of numpy
    grouped = frame.groupby("check", sort=False)
    sure = grouped["power"].agg(lambda powers: int((powers > SURE).sum()))
    costs = grouped["size"].agg(["median", "max"])
    counts = grouped.size().rename("faults")
    return pd.concat([counts, sure.rename("caught"), costs], axis=1).reset_index()


def diagnosis_frame(rows: Iterable[DiagnosisRow]) -> pd.DataFrame:
    """Return one row for each fault and form that it was planted in."""
    records = [{name: str(value) for name, value in asdict(row).items()} for row in rows]
    return pd.DataFrame(records, columns=list(columns.DIAGNOSIS))


def naming_frame(rows: Iterable[DiagnosisRow]) -> pd.DataFrame:
    """Return one row for each form: how many faults were planted, and what was made of them."""
    frame = diagnosis_frame(rows)
    counts = pd.crosstab(frame["form"], frame["naming"]).reindex(columns=list(Naming), fill_value=0)
    counts.insert(0, "planted", counts.sum(axis=1))
    return counts.rename_axis(columns=None).rename(columns=str).reset_index()


def prefix_frame(counts: Iterable[PrefixCount]) -> pd.DataFrame:
    """Return one row for each example and prefix."""
    records = [asdict(count) for count in counts]
    return pd.DataFrame(records, columns=list(columns.PREFIX_COUNT))


def law_frame(law: LawTable) -> pd.DataFrame:
    """Return one row for each prefix of a law."""
    return _frame(law.rows, columns.LAW)


def tree_frame(tree: TreeTable) -> pd.DataFrame:
    """Return one row for each node of a tree."""
    frame = _frame(tree.nodes, columns.TREE)
    return frame.assign(path=frame["path"].replace("", "root"))


def evidence_frame(curve: EvidenceCurve) -> pd.DataFrame:
    """Return one row for each look of a sampled check."""
    frame = _frame(curve.points, columns.EVIDENCE)
    return frame.assign(
        log10_e=["infinite" if point.log10_e is None else point.log10_e for point in curve.points]
    )


def _frame(rows: Iterable[object], names: Iterable[str]) -> pd.DataFrame:
    """Return one row for each of some values, a column for each of some of what they say."""
    names = list(names)
    records = [[_short(getattr(row, name)) for name in names] for row in rows]
    return pd.DataFrame(records, columns=names, dtype=object)


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame as people read it: heads for names, numbers grouped or rounded, as text."""
    return frame.map(_shown_cell).rename(
        columns={
            **columns.DETECTION,
            **columns.DIAGNOSIS,
            **columns.SUMMARY,
            **columns.RESULT,
            **columns.EFFICIENCY,
            **columns.LAW,
            **columns.TREE,
            **columns.EVIDENCE,
        }
    )


def numeric(frame: pd.DataFrame) -> list[bool]:
    """Return which columns hold nothing but numbers."""
    return [bool(frame[name].map(_is_number).all()) for name in frame]


def result_record(result: CheckResult) -> dict[str, Any]:
    """Return one result as a flat record; what a result does not have is empty."""
    risk = asdict(result.risk) if result.risk else {}
    flat = {**asdict(result), **asdict(result.labels), **risk}
    return {name: _cell(flat.get(name)) for name in columns.RESULT}


def result_frame(results: Iterable[CheckResult]) -> pd.DataFrame:
    """Return one row for each result."""
    records = [result_record(result) for result in results]
    return pd.DataFrame(records, columns=list(columns.RESULT))


def _cell(value: object) -> object:
    """Return a value that every format can hold: fractions are written out."""
    if value is None:
        return ""
    return value if isinstance(value, int | float) else str(value)


def _short(value: object) -> object:
    """Return a fraction as itself if it is short, else as a float."""
    if not isinstance(value, Fraction):
        return value
    return str(value) if value.denominator < 1000 else float(value)


def _shown_power(power: float) -> str:
    """Return what a check sees, in words where it is sure."""
    if math.isnan(power):  # it was not asked
        return ""
    return "seen" if power > SURE else f"{power:.2g}" if power > 1 - SURE else "-"


def _shown_cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if _is_number(value) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
