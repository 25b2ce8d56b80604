"""Which fault a failing sampler is said to have: ``python benchmarks/diagnoses.py``.

Every fault of a rule that moves a law is planted in programs that draw from numpy and, where it is
installed, from torch; so are samplers written by hand, each with a slip.  Printed of each: what the
diagnosis names, and at the end of each form how many it named.  ``python benchmarks/diagnoses.py
numpy`` takes one form alone, or ``by-hand``.

Measured: all 83 faults are named, each alone, in numpy programs (106 s of the processor) and in
torch programs (398 s), and so are all 28 slips by hand that are a known fault; the other four are
said to be none.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time

from specdec_verification.audit import load_program
from specdec_verification.diagnosis import MORE, diagnose
from specdec_verification.diagnosis.planted import MOVING, diagnosis_row, naming_of
from specdec_verification.faults.fault import Fault
from specdec_verification.results import DiagnosisRow, Naming
from specdec_verification.subjects.cases import cases
from specdec_verification.subjects.rule_programs import FORMS

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


BY_HAND = "by-hand"
"""What the forms written by hand are called, in a line and on the command line."""

Measured = Callable[[], DiagnosisRow]


def planted(form: str, faults: Sequence[Fault] = MOVING) -> Iterator[Measured]:
    """Yield the faults of rules, each planted in a form."""
    for fault in faults:
        yield partial(diagnosis_row, fault, form)


def by_hand() -> Iterator[Measured]:
    """Yield the samplers written by hand."""
    for place in SLIPS:
        yield partial(slip_row, place)


def slip_row(place: str) -> DiagnosisRow:
    """Return what a diagnosis says of a slip; where no fault is known, a claim is what it names."""
    fault = SLIPS[place]
    found = diagnose(load_program(f"{EXAMPLES / place}"), cases(), more=cases(MORE))
    named = ", ".join(fit.name for fit in found.fits) or found.claim or ""
    unknown = Naming.ALONE if found.claim else Naming.WRONG
    return DiagnosisRow(place, "", BY_HAND, naming_of(found, fault) if fault else unknown, named)


def main(measured: Iterator[Measured]) -> Counter[str]:
    """Print a line for each, and the sums; return them."""
    sums: Counter[str] = Counter()
    for measure in measured:
        start = process_time()
        row = measure()
        seconds = process_time() - start
        sums[row.naming] += 1
        print(f"{row.form:7} {row.subject:57} {row.naming:19} {seconds:5.1f} s cpu  {row.named}")
    for naming, count in sums.most_common():
        print(f"{count:4}  {naming}")
    return sums


if __name__ == "__main__":
    for form in sys.argv[1:] or [*(name for name in FORMS if name != "draws"), BY_HAND]:
        main(by_hand() if form == BY_HAND else planted(form))
