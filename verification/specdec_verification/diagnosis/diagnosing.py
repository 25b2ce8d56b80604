"""What a program that fails its audit does: which fault that is known, or which claim it breaks.

The program's exact law is compared, on every instance, with the exact laws of all the faults that
are known of its shape: with ``==`` where it is exact, within the rounding bound where it computes
in floats.  A fault is named only if it is the same on all of them.  Faults that are the same on
all of them are named together, never one for another; and where they differ on an instance that
was not tried yet, that one is tried, or named if the program is known to run on given ones only.
Runs that raise or emit nothing may hide another fault than the one that the rest is like: then a
fault is named with the probability of such runs, and never as what the program is exactly like.

Not here: faults of serving loops, whose shape is a loop's, and faults that leave the law alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specdec_core.errors import SpecdecError
from specdec_core.rules import rule_named
from specdec_verification.diagnosis.broken_claims import Broken, earliest_broken
from specdec_verification.diagnosis.known_faults import agreement_with, differing, of_shape
from specdec_verification.diagnosis.observations import Agreement, Observation, observe
from specdec_verification.emissions import shown
from specdec_verification.faults.block_slips import SlippedBlockRule
from specdec_verification.faults.catalogue import FAULTS
from specdec_verification.faults.composed import PlantedRule
from specdec_verification.faults.fault import Fault
from specdec_verification.faults.path_slips import SlippedPathRule
from specdec_verification.faults.tree_slips import SlippedTreeRule
from specdec_verification.subjects.adapters import Program
from specdec_verification.subjects.cases import Case, cases
from specdec_verification.subjects.exact import DEFAULT, Execution

MORE = 54
"""Generated instances among which one is looked for that tells the faults left apart."""

_STATED = {
    SlippedPathRule: "token_rejection_bonus",
    SlippedBlockRule: "block_verification",
    SlippedTreeRule: "deterministic_candidates",
}
"""Rules made of steps that can be replaced, and the rule that each is with none replaced."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a program.

    Attributes
    ----------
    fits : tuple of Fault
        Those whose law is the program's on every instance tried.
    claim : str or None
        The claim that breaks first, where no fault fits; ``None`` where one does, or where the
        law is right.
    sentence : str
        All of it, to be read.
    """

    fits: tuple[Fault, ...]
    claim: str | None
    sentence: str


def diagnose(
    program: Program,
    tried: Iterable[Case],
    execution: Execution = DEFAULT,
    more: Iterable[Case] = (),
    faults: Sequence[Fault] = FAULTS,
) -> Diagnosis:
    """Say which fault a program behaves like.

    Parameters
    ----------
    program : callable
        As `audit_on` takes it.
    tried : iterable of Case
        Those that it is run on; what it cannot be run on, or followed on, is left out.
    execution : Execution
        Of each case, but for the seconds, which are of all.
    more : iterable of Case
        Those that it is run on besides, where faults that fit differ.
    faults : sequence of Fault
        Those that are known; of these, the ones whose rule takes what the instances give.
    """
    end = execution.end
    observed = (_observed(program, case, execution.until(end)) for case in tried)
    seen = [one for one in observed if one]
    wrong = [one for one in seen if not one.right]
    if not wrong:
        return Diagnosis((), None, _right(seen))
    left = _fitting(of_shape(faults, wrong[0].given), seen) if wrong[0].rows == 1 else ()
    remaining = iter(more if len(left) > 1 else ())
    while len(left) > 1 and (case := _telling(left, remaining)):
        observation = _observed(program, case, execution.until(end))
        seen += [observation] if observation else []
        left = _fitting(left, seen)
    return _named(left, seen) if left else _unnamed(wrong, faults)


def _telling(faults: Sequence[Fault], chosen: Iterable[Case]) -> Case | None:
    """Return the first case on which faults differ."""
    return next((case for case in chosen if differing(faults, case.instance)), None)


def _observed(program: Program, case: Case, execution: Execution) -> Observation | None:
    try:
        return observe(program, case, execution)
    except SpecdecError:
        return None


def _fitting(faults: Sequence[Fault], seen: Sequence[Observation]) -> tuple[Fault, ...]:
    """Return the faults that no observation speaks against, and one that is wrong speaks for."""
    return tuple(fault for fault in faults if _fits(fault, seen))


def _fits(fault: Fault, seen: Sequence[Observation]) -> bool:
    """Return whether no observation speaks against a fault, and one speaks for it.

    One does if it agrees with the fault more than with the law claimed.
    """
    spoken_for = False
    for observation in seen:
        found = agreement_with(fault, observation)
        if found is Agreement.NONE:
            return False
        spoken_for = spoken_for or (found is not None and found > observation.departure)
    return spoken_for


def _right(seen: Sequence[Observation]) -> str:
    """Say that nothing wrong was seen, and where little was."""
    partly = sum(one.missing > 0 for one in seen)
    so_far = f"; on {partly} of them no more is known than what was followed" if partly else ""
    return f"the law is right on all {len(seen)} instances tried{so_far}"


def _named(fits: Sequence[Fault], seen: Sequence[Observation]) -> Diagnosis:
    described = "; or ".join(map(_described, fits))
    end = "" if len(fits) == 1 else f"; {_apart(fits)}"
    on = "the one instance" if len(seen) == 1 else f"all {len(seen)} instances"
    like = f"on {on} tried, {_likeness(fits, seen)}: {described}{end}"
    return Diagnosis(tuple(fits), None, f"{like}. {_rule_of(fits[0])}")


def _likeness(fits: Sequence[Fault], seen: Sequence[Observation]) -> str:
    """Say how far a program's law is that of the faults that fit it."""
    agreements = [agreement_with(fault, one) for fault in fits for one in seen]
    if Agreement.PART not in agreements:
        partly = any(one.missing for one in seen)
        return "behaves as far as it was followed like" if partly else "behaves exactly like"
    worst = max(one.broken for one in seen)
    return (
        f"runs of probability up to {shown(worst)} raise or emit no tokens, the others behave like"
    )


def _described(fault: Fault) -> str:
    where = "here alone" if fault.seen == "specdec-verify" else f"in {fault.seen}"
    mechanism = fault.mechanism.removesuffix(".")
    return f"{mechanism[:1].lower()}{mechanism[1:]} ({fault.name}, {fault.kind}, seen {where})"


def _apart(fits: Sequence[Fault]) -> str:
    """Name an instance that tells faults apart, if there is one among the chosen."""
    case = _telling(fits, cases(MORE))
    return f"{f'instance {case.name}' if case else 'no instance that is chosen'} tells them apart"


def _rule_of(fault: Fault) -> str:
    """Say where the rule is stated that the fault departs from."""
    planted = fault.rule
    if isinstance(planted, PlantedRule):
        planted = planted.inner
    stated = _STATED.get(type(planted))
    rule = rule_named(stated) if stated else planted
    return f"The rule: {type(rule).__module__}, {rule.reference}"


def _unnamed(wrong: Sequence[Observation], faults: Sequence[Fault]) -> Diagnosis:
    known = len(of_shape(faults, wrong[0].given))
    first, *others = earliest_broken(wrong)
    unknown = f"like none of the {known} faults known of this shape"
    broken = [f"breaks first, {_on(first)}", *(f"where that holds, {_on(one)}" for one in others)]
    return Diagnosis((), first.claim, "; ".join([unknown, *broken]))


def _on(broken: Broken) -> str:
    seen = broken.observation
    return f"on {seen.case.name} ({seen.given.label}): {broken.claim}"
