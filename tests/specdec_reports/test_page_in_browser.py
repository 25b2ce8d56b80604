"""The page in Chromium, as people meet it: wide and narrow, light and dark, by mouse and by axe.

Needs Playwright, axe-core and a Chromium of the system's; `make test-page` runs it.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from specdec_reports.page import page
from specdec_verification.results import Run

pytest.importorskip("axe_playwright_python", reason="make test-page installs it")

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

LOOKS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}_{look[1]}")
def shown(
    request: pytest.FixtureRequest, browser: "Browser", whole: Run, tmp_path: Path
) -> Iterator["Page"]:
    """Yield the page as it looks, and see that it says nothing to the console."""
    width, scheme = request.param
    (tmp_path / "report.html").write_text(page(whole), "utf-8")
    view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    view.on("console", lambda message: said.append(message.text))
    view.on("pageerror", lambda error: said.append(str(error)))
    view.on("request", lambda request: said.append(request.url) if _is_remote(request) else None)
    view.goto((tmp_path / "report.html").as_uri())
    view.wait_for_function("!document.querySelector('.box > table')")  # each is in a container
    yield view
    assert said == []
    view.close()


def _is_remote(request: "Request") -> bool:
    return not request.url.startswith(("file:", "data:", "blob:"))


def test_nothing_is_wider_than_the_screen_and_figures_can_be_read(shown: "Page") -> None:
    assert shown.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    widths = shown.locator("figure svg").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().width)"
    )
    assert len(widths) == 6
    assert min(widths) >= 330


def test_axe_finds_nothing(shown: "Page") -> None:
    found = Axe().run(shown)
    assert found.violations_count == 0, found.generate_report()


def test_a_table_is_sorted_and_filtered_by_hand(shown: "Page") -> None:
    table = shown.locator("table[aria-label='Checks by shape']")
    box = shown.locator(".dt-container", has=table)
    box.get_by_role("columnheader", name="paths, points or draws").click()
    shown.wait_for_function(
        "document.querySelector(\"table[aria-label='Checks by shape'] [aria-sort=ascending]\")"
    )
    assert [text.split("\t")[9] for text in table.locator("tbody tr").all_inner_texts()] == [
        *("1,000", "5,000", "9,000")
    ]
    box.get_by_role("searchbox").fill("g_test")
    shown.wait_for_timeout(500)
    assert table.locator("tbody tr").count() == 1


def test_every_figure_is_reached_by_the_keyboard_and_says_what_it_shows(shown: "Page") -> None:
    regions = shown.locator("figure [role=region]")
    assert regions.evaluate_all("(all) => all.every((one) => one.tabIndex === 0)")
    names = shown.locator("figure svg[role=img]").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert len(set(names)) == regions.count() == 6
