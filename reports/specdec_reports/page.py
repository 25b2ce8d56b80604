"""A run as one HTML page that needs no network: its summary first, then every table and figure.

Tables are whole in the page, so that it reads without a script; DataTables, which the package
itables carries, makes each sortable and filterable.  It is put into the page with its licences.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import metadata, version
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from specdec_reports.figures import acceptance_svg
from specdec_reports.page_sections import Section, sections
from specdec_verification.results import Run, Verdict

COLOURS: Final = {"#ffffff": "none", "#000000": "ink", "#222222": "ink"} | {
    "#1f5fa8": "observed",
    "#b3541e": "lossy",
}
"""From a colour of a figure to the page's own, which knows light from dark."""
