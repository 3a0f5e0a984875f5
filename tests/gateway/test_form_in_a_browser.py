"""A person at a browser, without JavaScript: types words, sees results, asks why."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE
from tests.gateway.conftest import SITE, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Dialog, ViewportSize

pytestmark = pytest.mark.browser
WHY = "why?url=http://bakery.localhost:8400/rye.html&q=rye"
PHONE: ViewportSize = {"width": 360, "height": 740}
MILLISECONDS = PATIENCE * 1000  # as a browser counts
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]  # in a container there is neither


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on the PATH: install the package chromium to run this test")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=ARGUMENTS, timeout=MILLISECONDS)
        yield browser
        browser.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_person_searches_and_asks_why_without_javascript_on_a_phone(
    browser: Browser, bakery: Path, colours: str
) -> None:
    with running(bakery) as (address, _):
        context = browser.new_context(java_script_enabled=False, viewport=PHONE, color_scheme=colours)  # type: ignore[arg-type]  # a Literal
        context.set_default_timeout(MILLISECONDS)
        page = context.new_page()
        page.goto(address.geturl())
        page.get_by_label("Words to search for").fill("rye bread")
        page.get_by_role("button", name="Search").click()
        # wait_for waits until it is visible, however long the next page takes
        page.get_by_role("link", name="Rye bread", exact=True).wait_for()
        page.locator("mark").first.wait_for()
        page.get_by_role("link", name="Why is “Rye bread” here?").click()
        page.get_by_role("heading", name="What was decided").wait_for()
        page.get_by_role("heading", name="Its score for “rye bread”").wait_for()
        page.get_by_role("link", name="Cached").click()
        page.get_by_text("This is a copy").wait_for()
        context.close()


@pytest.mark.parametrize("path", ["search", "search?q=cake&site=bakery.localhost:8400", "bot", "stats", WHY])
def test_pages_fit_a_phone_and_break_no_policy(browser: Browser, bakery: Path, path: str) -> None:
    with running(bakery) as (address, _):
        context = browser.new_context(viewport=PHONE)
        context.set_default_timeout(MILLISECONDS)
        page = context.new_page()
        said: list[str] = []

        def note(message: ConsoleMessage) -> None:
            said.append(message.text)

        page.on("console", note)
        page.goto(f"{address.geturl()}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert said == []
        context.close()


def test_markup_of_a_stranger_runs_nowhere(browser: Browser, bakery: Path) -> None:
    with running(bakery) as (address, _):
        context = browser.new_context()
        context.set_default_timeout(MILLISECONDS)
        page = context.new_page()
        opened: list[str] = []

        def note(dialog: Dialog) -> None:
            opened.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", note)
        for path in ("search?q=evil", f"cached?url={SITE}/evil.html", "search?q=<script>alert(3)</script>"):
            page.goto(f"{address.geturl()}{path}")
        assert opened == []
        context.close()
