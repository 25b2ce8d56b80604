"""What a run measures besides its checks: of rules, of checks, of diagnoses, of evidence.

Rows of tables, and points of a curve; no verdict hangs on any of them.  They are read by way of
`specdec_verification.results`.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class EfficiencyRow:
    """How much of its draft one rule keeps: exact, as a mean over instances.

    Attributes
    ----------
    subject, claim : str
        As in `Labels`.
    family : str
        Which instances: ``"toy"`` or ``"random"``.
    instances : int
    expected_accepted : Fraction
        Mean number of draft tokens kept a round.
    acceptance, optimum : Fraction
        Probability that a token is kept at the first position, and the greatest possible at no
        loss with that draft; in ``[0, 1]``.
    distance : Fraction
        Total variation of the claimed joint law from the target's, in ``[0, 1]``.
    """

    subject: str
    claim: str
    family: str
    instances: int
    expected_accepted: Fraction
    acceptance: Fraction
    optimum: Fraction
    distance: Fraction


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One rule's acceptance at one distance of the draft from the target.

    Attributes
    ----------
    subject : str
    lossless : bool
        What the rule claims.
    draft_tv : float
        Total variation of the draft's row from the target's, in ``[0, 1]``.
    acceptance, optimum : float
        As in `EfficiencyRow`.
    """

    subject: str
    lossless: bool
    draft_tv: float
    acceptance: float
    optimum: float


@dataclass(frozen=True, slots=True)
class DetectionRow:
    """What one check sees of one planted fault on the fault's witness.

    Attributes
    ----------
    subject : str
        The fault's name.
    kind : str
        ``"K01"`` to ``"K23"``.
    seen : str
        Where it was seen: repository and number.
    check : str
    total_variation : Fraction
        Exact distance, in ``[0, 1]``, of the fault's law from the one claimed.
    power : float
        Probability, in ``[0, 1]``, that the check fails the fault: of an exact check 0 or 1.
    size : int
        Paths, points or draws that the check takes.
    """

    subject: str
    kind: str
    seen: str
    check: str
    total_variation: Fraction
    power: float
    size: int


class Naming(StrEnum):
    """What a diagnosis made of a fault that was planted."""

    ALONE = "named alone"
    AMONG = "named among several"
    NONE = "not named"
    WRONG = "another named"


@dataclass(frozen=True, slots=True)
class DiagnosisRow:
    """What a diagnosis said of one planted fault in one form of program.

    Attributes
    ----------
    subject : str
        The fault's name.
    kind : str
        ``"K01"`` to ``"K23"``.
    form : str
        What the program draws from.
    naming : Naming
    named : str
        The faults that were named, with commas between; or the claim that breaks first.
    """

    subject: str
    kind: str
    form: str
    naming: Naming
    named: str


@dataclass(frozen=True, slots=True)
class PrefixCount:
    """At how many points of an example's lattice what is emitted begins with one prefix.

    Attributes
    ----------
    claim : str
        The example's name, as in `Labels`.
    prefix : str
        Token ids with commas between.
    expected, observed : int
        Points: as the contract states them, and as they were counted.
    points : int
        Of the whole lattice.
    """

    claim: str
    prefix: str
    expected: int
    observed: int
    points: int


@dataclass(frozen=True, slots=True)
class EvidencePoint:
    """What a sampled check had found at one look.

    Attributes
    ----------
    draws : int
        Made so far.
    log10_e : float or None
        Decimal logarithm of the e-value; ``None`` where it is infinite, since an outcome was drawn
        that the law rules out.
    total_variation : float
        Of the frequencies, in ``[0, 1]``, noise included.
    min_detectable_tv : float
        What so many draws are sure to see.
    """

    draws: int
    log10_e: float | None
    total_variation: float
    min_detectable_tv: float


@dataclass(frozen=True, slots=True)
class EvidenceCurve:
    """The looks of one sampled check, in the order of their draws.

    Attributes
    ----------
    subject, claim, instance : str
        As in `Labels`.
    rejects_from : float
        Decimal logarithm of the e-value from which on the law is rejected.
    points : tuple of EvidencePoint
    """

    subject: str
    claim: str
    instance: str
    rejects_from: float
    points: tuple[EvidencePoint, ...]


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """How often a law at one distance is failed, at least.

    Attributes
    ----------
    total_variation : float
        Of the law from the one claimed, in ``(0, 1]``.
    power : float
        In ``(0, 1)``.
    """

    total_variation: float
    power: float


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """What one sampled check sees with one number of draws.

    Attributes
    ----------
    subject, claim, instance : str
        As in `Labels`.
    draws : int
    drawn : bool
        Whether the check made so many, and not more or fewer.
    points : tuple of PowerPoint
        By power.
    """

    subject: str
    claim: str
    instance: str
    draws: int
    drawn: bool
    points: tuple[PowerPoint, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """What there is to say of a subject besides its results.

    Attributes
    ----------
    subject : str
    head : str
        What it is, such as ``"diagnosis"``.
    text : str
        A sentence, or lines of code.
    """

    subject: str
    head: str
    text: str
