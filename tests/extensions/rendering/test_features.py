"""The browser of a crawl starts nothing that Playwright keeps from starting, though it gives a list of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extensions.rendering.browser import WITHOUT
from tests.gateway.conftest import at_work, browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]  # a fixture
SWITCH = "--disable-features="


@pytest.mark.browser
@pytest.mark.slow
def test_it_leaves_out_what_playwright_leaves_out(browser: Browser) -> None:
    with at_work(browser):
        lines = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    [own] = [each["id"] for each in lines if each["type"] == "browser"]
    words = Path(f"/proc/{own}/cmdline")
    if not words.exists():
        pytest.skip("the words of a process are not in /proc here")
    given = [word.removeprefix(SWITCH) for word in words.read_text().split("\0") if word.startswith(SWITCH)]
    playwrights = given[-2]  # the last is that of the tests
    assert set(playwrights.split(",")) - set(WITHOUT.split(",")) == set()
