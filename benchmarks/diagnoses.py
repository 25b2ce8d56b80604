"""Which fault a failing sampler is said to have: ``python benchmarks/diagnoses.py``.

Every fault of a path rule is planted in a numpy program, which is followed while it runs, and so
are samplers written by hand, each with a slip.  Printed of each: what the diagnosis names, and at
the end how many it named right.  A fault whose law is the right one passes its audit, and is not
among them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from specdec_verification.audit import load_program
from specdec_verification.diagnosis import MORE, Diagnosis, diagnose
from specdec_verification.faults import FAULTS
from specdec_verification.subjects.adapters import Program
from specdec_verification.subjects.cases import cases
from specdec_verification.subjects.rule_programs import numpy_form

EXAMPLES = Path(__file__).parent.parent / "examples"

SLIPS: dict[str, str | None] = {
    "numpy_sampler/accept_mask.py:verify_with_slip": "rejected_token_emitted",
    "numpy_sampler/exponential_race.py:verify_with_slip": "coin_shared_by_positions",
    "numpy_sampler/gumbel_max.py:verify_with_slip": "bonus_row_off_by_one",
    "numpy_sampler/rejection_loop.py:verify_with_slip": "recovered_from_target",
    "stdlib_sampler/exponential_race.py:verify_with_slip": "residual_reversed",
    "stdlib_sampler/gumbel_max.py:verify_with_slip": "draft_kept_after_rejection",
    "stdlib_sampler/inverse_distribution.py:verify_with_slip": "bonus_from_draft",
    "stdlib_sampler/rejection_loop.py:verify_with_slip": "accept_ratio_swapped",
    "numpy_slips/accept_mask.py:ratio_upside_down": "accept_ratio_swapped",
    "numpy_slips/accept_mask.py:one_uniform_broadcast": "coin_shared_by_positions",
    "numpy_slips/accept_mask.py:mask_without_uniforms": "accept_without_draw",
    "numpy_slips/accept_mask.py:rows_shifted_by_one": "accept_by_next_row",
    "numpy_slips/accept_mask.py:column_of_first_row": "accept_by_first_row",
    "numpy_slips/accept_mask.py:slice_one_too_long": "rejected_token_emitted",
    "numpy_slips/accept_mask.py:mask_added_up": None,
    "numpy_slips/searchsorted.py:target_in_place_of_residual": "recovered_from_target",
    "numpy_slips/searchsorted.py:draft_in_place_of_residual": "recovered_from_draft",
    "numpy_slips/searchsorted.py:residual_not_divided": "residual_unnormalised",
    "numpy_slips/searchsorted.py:residual_turned_round": "residual_reversed",
    "numpy_slips/searchsorted.py:residual_of_absolute_values": None,
    "numpy_slips/searchsorted.py:bonus_from_the_draft": "bonus_from_draft",
    "numpy_slips/choice.py:greedy_drafts": "draft_argmax_recorded_soft",
    "numpy_slips/choice.py:greedy_recovery": "recovered_likeliest",
    "numpy_slips/choice.py:greedy_bonus": "bonus_likeliest",
    "numpy_slips/choice.py:filtered_drafts": "draft_filtered_recorded_whole",
    "numpy_slips/choice.py:token_removed_from_target": "recovered_as_point_mass",
    "numpy_slips/choice.py:tested_as_a_point_mass": "accept_as_point_mass",
    "numpy_slips/choice.py:ratio_squared": None,
    "numpy_slips/gumbel_max.py:bonus_row_before": "bonus_row_off_by_one",
    "numpy_slips/gumbel_max.py:recovery_row_after": "recovered_by_next_row",
    "numpy_slips/gumbel_max.py:draft_row_repeated": "draft_row_recorded_wrong",
    "numpy_slips/gumbel_max.py:whole_row_after": None,
}
"""Samplers written by hand, and the fault that each has; ``None`` where none that is known."""


class Subject(NamedTuple):
    """A failing sampler, and the name of its fault, if it is a known one."""

    name: str
    program: Program
    fault: str | None


def planted() -> Iterator[Subject]:
    """Yield the faults of path rules, each as a numpy program."""
    for fault in FAULTS:
        if set(fault.rule.parameters) == {"gamma"}:
            yield Subject(f"planted: {fault.name}", numpy_form(fault.rule), fault.name)


def by_hand() -> Iterator[Subject]:
    """Yield the samplers written by hand."""
    for place, fault in SLIPS.items():
        yield Subject(place, load_program(f"{EXAMPLES / place}"), fault)


def outcome(subject: Subject, found: Diagnosis) -> str:
    """Return how right a diagnosis is."""
    names = [fault.name for fault in found.fits]
    if not names:
        if found.claim is None:
            return "law is right"
        return "none" if subject.fault else "none, as it should be"
    if subject.fault in names:
        return "right" if len(names) == 1 else "several, the right one among them"
    return "wrong only"


def main(subjects: Iterator[Subject] | None = None) -> Counter[str]:
    """Print a line for each subject, and the sums; return them."""
    sums: Counter[str] = Counter()
    for subject in subjects or (*planted(), *by_hand()):
        start = perf_counter()
        found = diagnose(subject.program, cases(), more=cases(MORE))
        seconds = perf_counter() - start
        sums[outcome(subject, found)] += 1
        said = ", ".join(fault.name for fault in found.fits) or found.claim or found.sentence
        print(f"{subject.name:62} {outcome(subject, found):22} {seconds:5.1f} s  {said}")
    for kind, count in sums.most_common():
        print(f"{count:4}  {kind}")
    return sums


if __name__ == "__main__":
    main()
