"""The check of a serving loop: its exact law against plain decoding's, and every claim.

Nothing is risked: both laws are fractions, and compared with ``==``.  The detail says what went
wrong and how often; a loop whose law is right and whose books are wrong fails too.
"""

from specdec_core.laws import Law, outside_support, total_variation
from specdec_verification.emissions import Malfunction, shown
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict
from specdec_verification.testbed.cases import ServingCase
from specdec_verification.testbed.laws import Answers, LoopLaw, law_of_loop
from specdec_verification.testbed.loop import ServingLoop
from specdec_verification.testbed.plain import batch_law

LAW = "law"
"""Name of the claim that the law of the answers is plain decoding's."""


def check_loop(loop: ServingLoop, case: ServingCase, labels: Labels | None = None) -> CheckResult:
    """Check a serving loop on one case.

    Parameters
    ----------
    loop : ServingLoop
    case : ServingCase
    labels : Labels or None
        What the result is called; `labels_of` if ``None``.

    Returns
    -------
    CheckResult
        ``PASSED`` if the law of the batch's answers is plain decoding's and no round breaks a
        claim; ``FAILED`` if not; ``INCONCLUSIVE`` if there are too many paths to tell.

    Raises
    ------
    OpaqueDrawError, NondeterminismError
        If the loop cannot be followed: it keeps a state or a randomness of its own.
    """
    found, expected = law_of_loop(loop, case), claimed_answers(case)
    distance = total_variation(found.answers, expected)
    return CheckResult(
        check="serving_loop",
        labels=labels or labels_of(loop, case),
        verdict=_verdict(found, expected),
        evidence=Evidence.EXACT_LAW,
        total_variation=distance if found.answers.mass == 1 else None,
        size=found.paths,
        detail=_detail(found, expected),
    )


def broken_claims(loop: ServingLoop, case: ServingCase) -> tuple[str, ...]:
    """Return the names of the claims that a loop breaks on a case, `LAW` first."""
    found = law_of_loop(loop, case)
    names = tuple(name for name, _ in found.breaches)
    return (LAW, *names) if total_variation(found.answers, claimed_answers(case)) else names


def claimed_answers(case: ServingCase) -> Law[Answers | Malfunction]:
    """Return the law that a loop's answers should have: plain decoding never goes wrong."""
    expected = batch_law(case)
    return Law({answers: expected[answers] for answers in expected})


def labels_of(loop: ServingLoop, case: ServingCase) -> Labels:
    """Return what a check of a loop on a case is called, for want of a better name."""
    gammas = ",".join(str(request.gamma) for request in case.requests)
    return Labels(
        subject=loop.name,
        claim="plain decoding's law and true books",
        instance="given",
        parameters=f"V={case.target.vocab_size} requests={len(case.requests)} gamma={gammas}",
        reproduce=f"check_loop({loop.name}, case)",
    )


def _verdict(found: LoopLaw, expected: Law[Answers | Malfunction]) -> Verdict:
    missing = 1 - found.answers.mass
    if found.breaches or total_variation(found.answers, expected) > missing / 2:
        return Verdict.FAILED
    return Verdict.INCONCLUSIVE if missing else Verdict.PASSED


def _detail(found: LoopLaw, expected: Law[Answers | Malfunction]) -> str:
    parts = [f"{name} broken in {shown(rounds)} rounds a run" for name, rounds in found.breaches]
    if found.answers.mass < 1:
        parts.append(f"paths of probability {shown(1 - found.answers.mass)} not followed")
    elif total_variation(found.answers, expected):
        parts.insert(0, _law_detail(found, expected))
    return "; ".join(parts) or "the law is plain decoding's, and every claim holds"


def _law_detail(found: LoopLaw, expected: Law[Answers | Malfunction]) -> str:
    gaps = {
        outcome: abs(expected[outcome] - found.answers[outcome])
        for outcome in (*expected, *found.answers)
    }
    outcome = max(gaps, key=gaps.__getitem__)
    distance = shown(total_variation(found.answers, expected))
    text = (
        f"the law is off by TV {distance}: {_shown(outcome)} has "
        f"probability {shown(found.answers[outcome])}, expected {shown(expected[outcome])}"
    )
    outside = outside_support(found.answers, expected).mass
    return f"{text}; answers of probability {shown(outside)} cannot be" if outside else text


def _shown(outcome: Answers | Malfunction) -> str:
    if isinstance(outcome, Malfunction):
        return f"a run that {outcome.reason}"
    return " and ".join(f"{answer.tokens} ({answer.finish})" for answer in outcome)
