"""The page of a crawl that runs: it updates itself, pauses on demand, and ends with the crawl."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from werkzeug.serving import make_server

from extensions import progress
from frontier.job import CrawlJob
from frontier.session import Session
from gateway import create_app
from tests.gateway.conftest import PAGES, gateway, opened
from tests.gateway.in_a_browser.test_every_view_in_a_browser import VIEWS, classes_without_a_row, look_at, page
from tests.serving import serving
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

__all__ = ["page"]  # a fixture
pytestmark = pytest.mark.browser
SECONDS = 0.1  # between two readings, where a test waits for them


@pytest.fixture
def running(tmp_path: Path) -> Session:
    """A crawl of this process that has fetched its seed, and goes on when the test does."""
    session = Session(tmp_path, CrawlJob((PAGES[0].url,)))
    session.frontier.lease(1, lambda _: 1)
    session.store.page(replace(PAGES[0], links=tuple(Link(page.url, "a link") for page in PAGES[1:4])))
    session.frontier.lease(3, lambda _: 3)
    return session


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for place in ("gateway.served_crawl", "extensions.progress.page"):
        monkeypatch.setattr(f"{place}.REPORT_CACHE_SECONDS", SECONDS)
    with serving(make_server("127.0.0.1", 0, create_app(tmp_path), threaded=True)) as address:  # type: ignore[arg-type]  # a server all the same
        yield f"{address}/inside/crawl"


def shows(page: Page, done: int) -> None:
    page.wait_for_function(
        "done => [...document.querySelectorAll('.facts div')].some("
        "each => each.innerText.replace(/\\s+/g, ' ') === `done ${done}`)",
        arg=done,
    )


@pytest.mark.slow
def test_the_numbers_follow_the_crawl_stand_still_when_paused_and_end_with_it(
    browser: Browser, running: Session, address: str
) -> None:
    with opened(browser) as page:
        page.goto(address)
        shows(page, 1)
        page.locator("summary").first.click()
        page.evaluate("document.activeElement.blur()")
        running.store.page(PAGES[1])
        shows(page, 2)
        assert page.locator("details").first.get_attribute("open") is not None, "what was unfolded stays so"

        page.get_by_role("button", name="Pause").click()
        running.store.page(PAGES[2])
        page.wait_for_timeout(5000 * SECONDS)
        shows(page, 2)
        page.get_by_role("button", name="Continue").click()
        shows(page, 3)

        page.locator("summary").first.focus()
        running.store.page(PAGES[3])
        page.wait_for_timeout(5000 * SECONDS)
        shows(page, 3)
        page.evaluate("document.activeElement.blur()")
        shows(page, 4)

        running.close("finished")
        page.get_by_text("The crawl has ended.").wait_for()
        page.get_by_text("No crawl is running.").wait_for()
        assert page.get_by_role("button", name="Pause").count() == 0


@pytest.mark.slow
def test_without_a_script_nothing_moves_until_a_person_asks_for_it(
    browser: Browser, running: Session, address: str
) -> None:
    with opened(browser, java_script_enabled=False) as page:
        assert page.goto(address).headers.get("refresh") is None  # type: ignore[union-attr]  # there is an answer
        page.get_by_role("link", name="every 10 seconds").click()
        page.get_by_text("This page reloads every 10 seconds.").wait_for()
        page.get_by_role("link", name="Stop reloading").click()
        page.get_by_role("link", name="Reload", exact=True).wait_for()
    running.close("finished")


@pytest.mark.slow
def test_the_view_fits_every_screen_and_keeps_nobody_out(page: Page, served: str) -> None:
    look_at(page, f"{served}/inside/crawl", "No crawl is running")


def test_every_class_of_the_template_is_in_a_row(bakery: Path) -> None:
    assert classes_without_a_row(progress.__file__, gateway(bakery), [("/inside/crawl", ""), *VIEWS]) == set()
