"""The columns of every table: the only words that reports use, in the order they stand in."""

from dataclasses import fields
from typing import Final

from specdec_verification.results import (
    DetectionRow,
    DiagnosisRow,
    EfficiencyRow,
    EvidencePoint,
    PrefixCount,
    PrefixRow,
    SummaryRow,
    TreeNode,
)

SUMMARY: Final = {
    "check": "check",
    "subject": "subject",
    "claim": "claim",
    "parameters": "parameters",
    "evidence": "evidence",
    "instances": "instances",
    "passed": "passed",
    "failed": "failed",
    "inconclusive": "inconclusive",
    "size": "paths, points or draws",
    "largest_tv": "largest TV",
}
"""From a field of `SummaryRow` to its column's head."""

EFFICIENCY: Final = {
    "subject": "subject",
    "claim": "claim",
    "family": "family",
    "instances": "instances",
    "expected_accepted": "expected accepted",
    "acceptance": "acceptance",
    "optimum": "optimum",
    "distance": "TV from the target",
}
"""From a field of `EfficiencyRow` to its column's head."""

DETECTION: Final = {
    "subject": "subject",
    "kind": "kind",
    "seen": "seen in",
    "check": "check",
    "total_variation": "TV",
    "power": "power",
    "size": "paths, points or draws",
}
"""From a field of `DetectionRow` to its column's head."""

DIAGNOSIS: Final = {
    "form": "draws from",
    "subject": "subject",
    "kind": "kind",
    "naming": "the fault is",
    "named": "named",
}
"""From a field of `DiagnosisRow` to its column's head."""

PREFIX_COUNT: Final = {
    "claim": "claim",
    "prefix": "prefix",
    "expected": "expected",
    "observed": "observed",
    "points": "points",
}
"""From a field of `PrefixCount` to its column's head."""

LAW: Final = {
    "prefix": "prefix",
    "expected": "expected",
    "observed": "observed",
    "difference": "difference",
}
"""From a field of `PrefixRow`, or its difference, to its column's head."""

TREE: Final = {
    "path": "node",
    "proposed": "proposed",
    "reached": "accepted",
    "residual": "residual",
}
"""From a field of `TreeNode` to its column's head."""

EVIDENCE: Final = {
    "draws": "draws",
    "log10_e": "log10 of the e-value",
    "total_variation": "TV",
    "min_detectable_tv": "detectable TV",
}
"""From a field of `EvidencePoint` to its column's head."""

RESULT: Final = {
    "check": "check",
    "subject": "subject",
    "claim": "claim",
    "instance": "instance",
    "parameters": "parameters",
    "verdict": "verdict",
    "evidence": "evidence",
    "total_variation": "TV",
    "size": "paths, points or draws",
    "false_fail_rate": "false-fail rate",
    "false_pass_rate": "false-pass rate",
    "min_detectable_tv": "detectable TV",
    "detail": "detail",
    "reproduce": "reproduce",
}
"""From a field of a result (or of its labels, or of its risk) to its column's head."""

assert set(EFFICIENCY) == {field.name for field in fields(EfficiencyRow)}, (
    "every field has a column"
)
assert set(DETECTION) == {field.name for field in fields(DetectionRow)}, "every field has a column"
assert set(DIAGNOSIS) == {field.name for field in fields(DiagnosisRow)}, "every field has a column"
assert set(PREFIX_COUNT) == {field.name for field in fields(PrefixCount)}, (
    "every field has a column"
)
assert set(LAW) == {field.name for field in fields(PrefixRow)} | {"difference"}, (
    "every field has a column"
)
assert set(TREE) == {field.name for field in fields(TreeNode)}, "every field has a column"
assert set(EVIDENCE) == {field.name for field in fields(EvidencePoint)}, "every field has a column"
assert set(SUMMARY) == {field.name for field in fields(SummaryRow)}, "every field has a column"
