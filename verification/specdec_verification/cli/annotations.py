"""Lines that GitHub Actions shows beside the code: ``::error file=...::what was found``.

They go to standard error, where the server reads them too and no JSON is broken, and only if
``GITHUB_ACTIONS`` is ``true``.  The file is the subject's: where it was found, or where its rule is
defined, if that lies below the current folder.
"""

import inspect
import os
from collections.abc import Iterable
from pathlib import Path

from specdec_verification.cli.console import err
from specdec_verification.results import CheckResult, Verdict

LEVELS = {Verdict.FAILED: "error", Verdict.INCONCLUSIVE: "warning"}


def annotate(results: Iterable[CheckResult]) -> None:
    """Print a line for each result that is not a pass, if a run of GitHub Actions asks."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for result in results:
        if result.verdict in LEVELS:
            err.out(annotation(result), highlight=False)


def annotation(result: CheckResult) -> str:
    """Return a result that is not a pass as a workflow command."""
    labels = result.labels
    title = f"{result.verdict}: {labels.subject}, {result.check}"
    where = _place(labels.subject)
    place = f"file={_property(where)}," if where else ""
    message = _data(f"{result.detail}\n{labels.reproduce}")
    return f"::{LEVELS[result.verdict]} {place}title={_property(title)}::{message}"


def _place(subject: str) -> str:
    """Return the file of a subject, or nothing if it is not one of this folder's."""
    name, colon, _ = subject.rpartition(":")
    path = Path(name) if colon else _definition(subject)
    if path is None or not path.is_file():
        return ""
    full, here = path.resolve(), Path.cwd()
    return full.relative_to(here).as_posix() if full.is_relative_to(here) else ""


def _definition(subject: str) -> Path | None:
    from specdec_core.rules import RULES

    for rule in RULES:
        if rule.name == subject:
            return Path(inspect.getfile(type(rule)))
    return None


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
