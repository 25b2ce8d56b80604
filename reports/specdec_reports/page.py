"""A run as one HTML page that needs no network: its summary first, then every table and figure.

The tables are whole in the page, so that it reads without a script.  DataTables, as the package
itables carries it, makes each sortable and filterable; it is put into the page with its licences.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution, version
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from specdec_reports.figures import acceptance_svg
from specdec_reports.page_sections import sections
from specdec_verification.results import Run

COLOURS: Final = {
    "#ffffff": "none",
    "#000000": "var(--ink)",
    "#222222": "var(--ink)",
    "#1f5fa8": "var(--observed)",
    "#b3541e": "var(--lossy)",
}
"""From a colour of a figure to the page's own, which knows light from dark."""

NOTICES: Final = "/*! Bundled license information:"
"""Where a bundle's own list of licences begins."""


@dataclass(frozen=True, slots=True)
class Library:
    """The script that sorts and filters, and what its licences ask to be said with it.

    Attributes
    ----------
    script : str
        As a ``data:`` URL, which nothing in a page can break out of.
    style : str
        Its style sheet.
    licences : str
        Of the package that carries it, and of everything in it.
    """

    script: str
    style: str
    licences: str


def page(run: Run) -> str:
    """Return the page of a run."""
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            run=run,
            failed=sum(row.failed for row in run.summary),
            inconclusive=sum(row.inconclusive for row in run.summary),
            checked=sum(row.instances for row in run.summary),
            sections=list(sections(run)),
            acceptance=_inline(acceptance_svg(run)) if run.curves else "",
            library=_library(),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("specdec_reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["own"] = _own
    return environment


def _own(name: str) -> Markup:
    """Return a file that stands beside the template, as it is."""
    return Markup((files("specdec_reports") / "templates" / name).read_text("utf-8"))


@cache
def _library() -> Library:
    folder = files("itables") / "html"
    script = (folder / "dt_bundle.js").read_text("utf-8")
    coded = b64encode(script.encode()).decode()
    own = next(file for file in distribution("itables").files or () if file.name == "LICENSE")
    carrier = f"itables {version('itables')}\n\n{own.read_text()}"
    return Library(
        script=f"data:text/javascript;charset=utf-8;base64,{coded}",
        style=Markup((folder / "dt_bundle.css").read_text("utf-8")),
        licences=f"{carrier}\n\n{script[script.index(NOTICES) :]}",
    )


def _inline(svg: bytes) -> Markup:
    """Return a figure as a part of the page: no prolog, no metadata, and the page's colours."""
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for colour, own in COLOURS.items():
        text = text.replace(colour, own)
    return Markup(text.replace("<svg ", '<svg role="img" aria-label="Acceptance curves" ', 1))
