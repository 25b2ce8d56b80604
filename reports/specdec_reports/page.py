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
from markupsafe import Markup, escape

from specdec_reports.figures.drawing import Drawing, svg
from specdec_reports.page_sections import sections
from specdec_verification.results import Run

COLOURS: Final = {
    "#ffffff": "none",
    "#000000": "var(--ink)",
    "#fdfdfd": "var(--paper)",
    "#222222": "var(--ink)",
    "#1f5fa8": "var(--observed)",
    "#9aa3ad": "var(--expected)",
    "#b3541e": "var(--other)",
    "#c9d0d8": "var(--line)",
}
"""From a colour of a figure to the page's own, which knows light from dark."""

POINTS: Final = re.compile(r'width="([0-9.]+)pt"')
"""Of an SVG file, how wide it is."""

SMALLEST, LARGEST = 0.84, 1.3
"""Between these parts of its width a figure is shown; on a narrower screen it scrolls."""

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
    environment.globals.update(own=_own, inline=_inline, largest=_largest)
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


def _inline(drawing: Drawing) -> Markup:
    """Return a figure as a part of the page: no prolog, no metadata, and the page's colours.

    Its names are its own, since several figures stand on one page.
    """
    text = svg(drawing).decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    for colour, own in COLOURS.items():
        text = text.replace(colour, own)
    for reference in ('id="', 'href="#', "url(#"):
        text = text.replace(reference, f"{reference}{drawing.name}-")
    width = width_of(drawing)
    head = (
        f'<svg role="img" aria-label="{escape(drawing.alt)}" '
        f'style="min-width: {SMALLEST * width:.0f}pt" '
    )
    return Markup(text.replace("<svg ", head, 1))


def _largest(drawing: Drawing) -> str:
    return f"{LARGEST * width_of(drawing):.0f}pt"


def width_of(drawing: Drawing) -> float:
    """Return how wide a figure was drawn, in points."""
    return float(POINTS.findall(svg(drawing).decode())[0])
