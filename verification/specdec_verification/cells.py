"""One cell of a plan by its name, and what is found of a cell that cannot end.

A check that raises is a result like any other, so that one bad cell does not cost a run: it is
inconclusive, its detail is the error, and it stands in a row of its own.  It never passes.
"""

import difflib
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from specdec_core.errors import CellLimitError, InvalidParameterError
from specdec_verification.limits import UNLIMITED, Limits
from specdec_verification.plan import Section
from specdec_verification.results import CheckResult, Evidence, Labels, Verdict

ENDS = "the check ends"
"""What is claimed of a cell that did not."""

EVIDENCE = {
    "contract": Evidence.LATTICE_COUNT,
    "exact_count": Evidence.LATTICE_COUNT,
    "e_process": Evidence.SAMPLED,
    "g_test": Evidence.SAMPLED,
    "chi_square": Evidence.SAMPLED,
}
"""What a check rests on, where that is not the exact law."""

CLOSEST = 3
"""Section names that are shown for one that does not exist."""


def cell(name: str, sections: Sequence[Section]) -> tuple[Section, int]:
    """Return the section and number that a cell's name stands for.

    Raises
    ------
    InvalidParameterError
        If no section has that name, or the section has no such cell.
    """
    section_name, _, number = name.rpartition("/")
    for section in sections:
        if section.name == section_name:
            if number.isdecimal() and len(number) <= len(str(section.size)):
                at = int(number)
                if at < section.size and str(at) == number:
                    return section, at
            raise InvalidParameterError(
                f"cell {name!r}: expected a number from 0 to {section.size - 1} at the end"
            )
    raise InvalidParameterError(
        f"cell {name!r}: no such section; {_closest(name, sections)}`verify --list` lists all"
    )


def run_cell(section: Section, number: int, limits: Limits = UNLIMITED) -> CheckResult:
    """Run one cell, and return what it found or how it failed to end."""
    try:
        return limits.run(partial(section.run, number))
    except CellLimitError as error:
        return unended(section, number, str(error))
    except (Exception, SystemExit) as error:  # whatever it is, the other cells must be run
        return unended(section, number, described(error))


def unended(section: Section, number: int, detail: str) -> CheckResult:
    """Return the result of a cell that has none, with the reason."""
    check, _, rest = section.name.partition("/")
    subject, _, family = rest.rpartition("/")
    name = f"{family or check}/{number}"
    labels = Labels(subject or check, ENDS, name, "", section.line(number))
    evidence = EVIDENCE.get(check, Evidence.EXACT_LAW)
    return CheckResult(check, labels, Verdict.INCONCLUSIVE, evidence, None, 0, detail)


def ended(result: CheckResult) -> bool:
    """Return whether a result is what a check found, and not how it failed to end."""
    return result.labels.claim != ENDS


def described(error: BaseException) -> str:
    """Return an error in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    message = " ".join(str(error).split())
    return f"raised {type(error).__name__}{place}{message and ': '}{message}"


def _closest(name: str, sections: Sequence[Section]) -> str:
    """Return the section names like this one, with the number or without it."""
    names = [section.name for section in sections]
    for asked in (name.rpartition("/")[0], name):
        close = difflib.get_close_matches(asked, names, CLOSEST, cutoff=0.5)
        if close:
            return f"the closest are {', '.join(close)}; "
    return ""
