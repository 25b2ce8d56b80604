"""What a check found: frozen values that the tables and the command read.

A failed check is a result, not an exception, and too little evidence is a verdict of its own.
This module imports nothing of ours but the rows of what was measured, so that reports can be made
of results alone.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from specdec_verification.law_rows import LawTable as LawTable
from specdec_verification.law_rows import PrefixRow as PrefixRow
from specdec_verification.law_rows import TreeNode as TreeNode
from specdec_verification.law_rows import TreeTable as TreeTable
from specdec_verification.measurements import CurvePoint as CurvePoint
from specdec_verification.measurements import DetectionRow as DetectionRow
from specdec_verification.measurements import DiagnosisRow as DiagnosisRow
from specdec_verification.measurements import EfficiencyRow as EfficiencyRow
from specdec_verification.measurements import EvidenceCurve as EvidenceCurve
from specdec_verification.measurements import EvidencePoint as EvidencePoint
from specdec_verification.measurements import Naming as Naming
from specdec_verification.measurements import Note as Note
from specdec_verification.measurements import PowerCurve as PowerCurve
from specdec_verification.measurements import PowerPoint as PowerPoint
from specdec_verification.measurements import PrefixCount as PrefixCount


class Verdict(StrEnum):
    """What a check concludes.

    ``INCONCLUSIVE`` says that there was too little evidence for the discrepancy asked for; it is
    never a pass.
    """

    PASSED = "PASSED"
    FAILED = "FAILED"
    INCONCLUSIVE = "INCONCLUSIVE"


class Evidence(StrEnum):
    """What a verdict rests on, strongest first."""

    EXACT_LAW = "exact law"
    """Every path was followed; the law is known as fractions."""
    LATTICE_COUNT = "lattice count"
    """Every point of a Cartesian lattice of draws was counted, as integers."""
    BOUNDARY_POINTS = "boundary points"
    """Both sides of every threshold were tried, and every end of ``[0, 1)``."""
    SAMPLED = "sampled"
    """Outcomes were drawn; both error rates are stated."""


@dataclass(frozen=True, slots=True)
class Risk:
    """What a statistical verdict risks, and what it could not have seen.

    Attributes
    ----------
    false_fail_rate : float
        Probability, in ``(0, 1)``, that a right subject fails this check; of the chi-square
        limit, where the check is one of fit.
    false_pass_rate : float
        Probability, in ``(0, 1)``, that a law at `min_detectable_tv` or farther passes.
    min_detectable_tv : float
        The smallest total variation that the check cannot miss at those rates.
    draws : int
        Outcomes drawn.
    """

    false_fail_rate: float
    false_pass_rate: float
    min_detectable_tv: float
    draws: int


@dataclass(frozen=True, slots=True)
class Labels:
    """What a result is called: what no check computes.

    Attributes
    ----------
    subject : str
        What was checked: a rule's name, or where the subject was found.
    claim : str
        What was claimed of it, such as ``"lossless"``.
    instance : str
        Which instance: a stable name and number, or a file.
    parameters : str
        The instance's size and parameters, such as ``"V=3 gamma=2"``; tables group by it.
    reproduce : str
        One line that runs this check again.
    """

    subject: str
    claim: str
    instance: str
    parameters: str
    reproduce: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found about one subject on one instance.

    Attributes
    ----------
    check : str
        The check's name, such as ``"exact_law"``.
    labels : Labels
        What was checked, and how to check it again.
    verdict : Verdict
    evidence : Evidence
    total_variation : Fraction, float or None
        Distance, in ``[0, 1]``, of the law found from the law claimed; of a sampled check, of
        the frequencies, noise included.  ``None`` where the check ended before it could tell.
    size : int
        Paths followed, lattice points counted, or outcomes drawn: which, `evidence` says.
    detail : str
        One sentence: what was found, and where it first differs from what was claimed.
    risk : Risk or None
        Both error rates, of a statistical check; ``None`` where there is nothing to risk.
    """

    check: str
    labels: Labels
    verdict: Verdict
    evidence: Evidence
    total_variation: Fraction | float | None
    size: int
    detail: str
    risk: Risk | None = None


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """What one check found about one subject on all instances of one shape.

    Attributes
    ----------
    check, subject, claim, parameters : str
        As in `CheckResult` and `Labels`.
    evidence : Evidence
    instances : int
        How many were checked.
    passed, failed, inconclusive : int
        How many ended so; they sum to `instances`.
    size : int
        Paths, points or draws of all of them together.
    largest_tv : float
        The largest total variation that was found; 0 where none was.
    """

    check: str
    subject: str
    claim: str
    parameters: str
    evidence: Evidence
    instances: int
    passed: int
    failed: int
    inconclusive: int
    size: int
    largest_tv: float


@dataclass(frozen=True, slots=True)
class Run:
    """What a whole run found: everything that a report is made of.

    Attributes
    ----------
    version : str
        Of this library.
    profile : str
        Which profile was run, or which command.
    verdict : Verdict
        Of the whole.
    budget : str
        The run's false-fail rate, and how its statistical checks share it.
    instances : int
        Generated instances whose joint law was found exactly.
    summary : tuple of SummaryRow
        Of all checks but the examples and the trials, in the order in which they were first met.
    examples : tuple of CheckResult
        The contract's own examples, by name.
    trials : tuple of CheckResult
        The checks on trial: planted faults caught, right rules spared.
    efficiencies : tuple of EfficiencyRow
        Two a rule: on the toy model, and on random instances.
    curves : tuple of CurvePoint
        By rule, and along the curve.
    exceptions : tuple of CheckResult
        Every result that is not a pass, in order, up to a limit; the summary counts all.
    detection : tuple of DetectionRow
        By fault, and by check.
    diagnoses : tuple of DiagnosisRow
        By form, and by fault.
    prefix_counts : tuple of PrefixCount
        Of the examples, each prefix before what it begins.
    laws : tuple of LawTable
        Of the first exceptions, or of the first instance if there is none; then of the examples.
    trees : tuple of TreeTable
        Of the instances of `laws` that are verified as trees.
    evidence : tuple of EvidenceCurve
        Of samplers, look by look.
    power : tuple of PowerCurve
        Of sampled checks, by draws.
    notes : tuple of Note
        On what failed.
    """

    version: str
    profile: str
    verdict: Verdict
    budget: str
    instances: int
    summary: tuple[SummaryRow, ...]
    examples: tuple[CheckResult, ...]
    trials: tuple[CheckResult, ...]
    exceptions: tuple[CheckResult, ...]
    efficiencies: tuple[EfficiencyRow, ...] = ()
    curves: tuple[CurvePoint, ...] = ()
    detection: tuple[DetectionRow, ...] = ()
    diagnoses: tuple[DiagnosisRow, ...] = ()
    prefix_counts: tuple[PrefixCount, ...] = ()
    laws: tuple[LawTable, ...] = ()
    trees: tuple[TreeTable, ...] = ()
    evidence: tuple[EvidenceCurve, ...] = ()
    power: tuple[PowerCurve, ...] = ()
    notes: tuple[Note, ...] = ()


def worst(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict of a whole: one failure fails it, one inconclusive check leaves it open.

    No verdict at all is no evidence, so it is inconclusive.

    >>> worst([Verdict.PASSED, Verdict.INCONCLUSIVE]), worst([])
    (<Verdict.INCONCLUSIVE: 'INCONCLUSIVE'>, <Verdict.INCONCLUSIVE: 'INCONCLUSIVE'>)
    """
    if Verdict.FAILED in verdicts:
        return Verdict.FAILED
    if not verdicts or Verdict.INCONCLUSIVE in verdicts:
        return Verdict.INCONCLUSIVE
    return Verdict.PASSED
