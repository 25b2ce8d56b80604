"""The page: whole, by itself, and at work in a browser where there is one."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from specdec_reports.page import page
from specdec_reports.page_sections import sections
from specdec_verification.results import Run

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

PROBE = """
<script type="module">
const errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));
const tables = [...document.querySelectorAll(".box > table")];
while (document.querySelectorAll(".dt-container").length < tables.length)
  await new Promise((resume) => setTimeout(resume, 20));
const table = document.querySelector("table[aria-label='Checks by shape']");
const rows = () => [...table.tBodies[0].rows].map((row) => row.innerText.split(/\\s/)[0]);
const sizes = () => [...table.tBodies[0].rows].map((row) => row.cells[9].innerText);
const head = table.tHead.rows[0].cells[9];
const pause = () => new Promise((resume) => setTimeout(resume, 500));
const sorted = [];
for (const _ of ["ascending", "descending"]) {
  head.click();
  await pause();
  sorted.push([head.getAttribute("aria-sort"), ...sizes()]);
}
const filter = table.closest(".dt-container").querySelector("input");
filter.value = "g_test";
filter.dispatchEvent(new Event("input", { bubbles: true }));
await pause();
const figures = [...document.querySelectorAll("figure svg[role=img][aria-label]")].length;
const found = { errors, tables: tables.length, figures, sorted, filtered: rows() };
document.body.innerHTML = `<pre id="found">${JSON.stringify(found)}</pre>`;
</script>
"""


class Reader(HTMLParser):
    """Collects what a page loads, and the rows of its tables as text."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.rows: list[list[str]] = []
        self.cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "srcset")]
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "td" and self.cell is not None:
            self.rows[-1].append("".join(self.cell).rstrip())
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


def test_every_row_of_every_table_is_in_it(whole: Run) -> None:
    rows = [row for row in read(page(whole)).rows if row]
    tables = [table for section in sections(whole) for table in section.tables]
    assert rows == [[cell.text for cell in row] for table in tables for row in table.rows]


def test_it_loads_nothing_from_elsewhere(whole: Run) -> None:
    text = page(whole)
    assert {link for link in read(text).loaded if not link.startswith("#")} == {"data:,"}
    style = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    assert all(url.startswith("data:") for url in re.findall(r"url\(['\"]?([^)]*)", style))
    assert "@import" not in style


def test_what_it_carries_is_named_with_its_licence(run: Run) -> None:
    text = page(run)
    for notice in ("Marc Wouts", "THE SOFTWARE IS PROVIDED", "DataTables 2", "jQuery JavaScript"):
        assert notice in text


def test_its_size_is_bounded(run: Run) -> None:
    short = len(page(run))
    assert short < 1_100_000  # nearly all of it the library
    longer = replace(run, summary=run.summary * 51)
    assert (len(page(longer)) - short) / (50 * len(run.summary)) < 700  # bytes a row


def test_an_empty_run_has_a_page_too(empty: Run) -> None:
    assert '<strong class="verdict inconclusive">INCONCLUSIVE</strong>' in page(empty)


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_sorts_and_filters_it_without_an_error(whole: Run, tmp_path: Path) -> None:
    found = probed(page(whole), tmp_path)
    assert found == {
        "errors": [],
        "tables": 14,
        "figures": 6,
        "sorted": [
            ["ascending", "1,000", "5,000", "9,000"],
            ["descending", "9,000", "5,000", "1,000"],
        ],
        "filtered": ["g_test"],
    }


def probed(text: str, folder: Path) -> object:
    """Return what the probe finds in a page."""
    (folder / "page.html").write_text(text.replace("</body>", f"{PROBE}</body>"), "utf-8")
    line = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    line += ["--virtual-time-budget=20000", f"--user-data-dir={folder}/profile"]
    line.append((folder / "page.html").as_uri())
    dom = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    found: object = json.loads(re.findall(r'<pre id="found">(.*?)</pre>', dom)[0])
    return found
