"""A small run, made by hand, that every report is made of."""

from dataclasses import replace
from fractions import Fraction

import pytest

from specdec_verification.results import (
    CheckResult,
    CurvePoint,
    DetectionRow,
    DiagnosisRow,
    EfficiencyRow,
    Evidence,
    EvidenceCurve,
    EvidencePoint,
    Labels,
    LawTable,
    Naming,
    Note,
    PowerCurve,
    PowerPoint,
    PrefixCount,
    PrefixRow,
    Risk,
    Run,
    SummaryRow,
    TreeNode,
    TreeTable,
    Verdict,
)


def labels(subject: str, claim: str, number: int) -> Labels:
    return Labels(subject, claim, f"random/{number}", "V=2 gamma=1", f"specdec-verify {number}")


@pytest.fixture(scope="session")
def failed() -> CheckResult:
    """Return a failed exact check, with what would break a table in its detail."""
    return CheckResult(
        check="exact_law",
        labels=labels("token_rejection", "lossless", 3),
        verdict=Verdict.FAILED,
        evidence=Evidence.EXACT_LAW,
        total_variation=Fraction(1, 9),
        size=4,
        detail="a | b \\| c\nd",
    )


@pytest.fixture(scope="session")
def sampled() -> CheckResult:
    """Return a sampled check, with its risk."""
    return CheckResult(
        check="g_test",
        labels=labels("token_rejection", "lossless", 4),
        verdict=Verdict.INCONCLUSIVE,
        evidence=Evidence.SAMPLED,
        total_variation=0.0123456789,
        size=1000,
        detail="only a total variation of 0.25 is sure to be seen",
        risk=Risk(1e-9, 0.01, 0.25, 1000),
    )


@pytest.fixture(scope="session")
def run(failed: CheckResult, sampled: CheckResult) -> Run:
    """Return a run with two shapes, one example, one trial, and two exceptions."""
    example = CheckResult(
        check="contract",
        labels=labels("token_rejection", "single path: 2500 of 10000", 1),
        verdict=Verdict.PASSED,
        evidence=Evidence.LATTICE_COUNT,
        total_variation=None,
        size=10_000,
        detail="counted [2500, 7500] of 10000, expected [2500, 7500]",
    )
    trial = CheckResult(
        check="faults",
        labels=labels("accept_always", "a planted fault is caught", 2),
        verdict=Verdict.PASSED,
        evidence=Evidence.EXACT_LAW,
        total_variation=Fraction(1, 3),
        size=7,
        detail="caught by exact_law: first difference at prefix '0'",
    )
    exact = ("exact_law", "token_rejection", "lossless")
    return Run(
        version="0.1.0",
        profile="tiny",
        verdict=Verdict.FAILED,
        budget="2 checks at 5e-10 each",
        instances=1501,
        summary=(
            SummaryRow(*exact, "V=2 gamma=1", Evidence.EXACT_LAW, 1000, 999, 1, 0, 5000, 1 / 9),
            SummaryRow(*exact, "V=3 gamma=1", Evidence.EXACT_LAW, 500, 500, 0, 0, 9000, 0.0625),
            SummaryRow(
                "g_test",
                "token_rejection",
                "lossless",
                "V=2 gamma=1",
                Evidence.SAMPLED,
                *(1, 0, 0, 1, 1000),
                0.0123456789,
            ),
        ),
        examples=(example,),
        trials=(trial,),
        exceptions=(failed, sampled),
    )


@pytest.fixture(scope="session")
def whole(run: Run) -> Run:
    """Return the run with everything measured, and a text that could break any report."""
    odd = replace(run.trials[0], detail="<b>&amp; {{ 1 }} 50% $x_1$ \\end{tabular} \x0b ]]> γ")
    third = Fraction(10**20 + 1, 3 * 10**20)
    fault = ("fault_one", "K01", "owner/project #7")
    return replace(
        run,
        trials=(*run.trials, odd),
        efficiencies=(
            EfficiencyRow("token_rejection", "lossless", "toy", 1, third, third, third, third),
        ),
        curves=tuple(CurvePoint("a_rule", True, tv, 1 - tv, 1 - tv) for tv in (0.0, 0.5)),
        detection=(
            DetectionRow(*fault, "exact law", Fraction(41, 256), 1.0, 80),
            DetectionRow(*fault, "sampled", Fraction(41, 256), 0.25, 10**30),
            DetectionRow("fault_two", "K02", "nobody", "exact law", Fraction(0), 0.0, 8),
        ),
        diagnoses=(DiagnosisRow("fault_one", "K01", "numpy", Naming.AMONG, "one, two"),),
        prefix_counts=(
            PrefixCount("single path: 2500 of 10000", "0", 2500, 2500, 10_000),
            PrefixCount("single path: 2500 of 10000", "1", 7500, 7400, 10_000),
        ),
        laws=(LawTable(*NAMED, "12 paths", 2, law_rows(), 7, 0.0),),
        trees=(TreeTable(*NAMED, tree_nodes(), 0),),
        evidence=(EvidenceCurve(*NAMED, 9.0, looks()),),
        power=tuple(
            PowerCurve(*NAMED, draws, draws == 4000, (PowerPoint(tv, 0.5), PowerPoint(2 * tv, 0.9)))
            for draws, tv in ((400, 0.25), (4000, 0.0625))
        ),
        notes=(Note("my_rule", "diagnosis", "like <nothing> & no one"),),
    )


NAMED = ("my_rule", "lossless", "random/3")


def law_rows() -> tuple[PrefixRow, ...]:
    """Return a law whose second token is wrong: some of it is ruled out."""
    return tuple(
        PrefixRow(prefix, Fraction(expected, 16), Fraction(observed, 16))
        for prefix, expected, observed in (
            *(("0", 4, 4), ("0,0", 3, 2), ("0,1", 1, 2)),
            *(("1", 12, 12), ("1,0", 0, 4), ("1,1", 12, 8)),
        )
    )


def tree_nodes() -> tuple[TreeNode, ...]:
    """Return a tree of two nodes below the root, and one below the first of them."""
    return tuple(
        TreeNode(path, Fraction(proposed), Fraction(reached), Fraction(residual))
        for path, proposed, reached, residual in (
            *(("", "1", "1", "1/4"), ("0", "1", "1/2", "1/3")),
            *(("0,1", "1/2", "1/6", "0"), ("1", "1", "1/4", "0")),
        )
    )


def looks() -> tuple[EvidencePoint, ...]:
    """Return three looks, the last of which saw what the law rules out."""
    return (
        EvidencePoint(1000, -0.25, 0.125, 0.5),
        EvidencePoint(2000, 4.5, 0.0625, 0.25),
        EvidencePoint(4000, None, 0.03125, 0.125),
    )


@pytest.fixture(scope="session")
def empty() -> Run:
    """Return what an interrupt of the first cell leaves."""
    return Run("0.1.0", "tiny", Verdict.INCONCLUSIVE, "2 checks", 0, (), (), (), ())
