"""The search box on a page of another origin: by keyboard, in dark mode, without script, under that page's policy."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.forks import fork
from tests.gateway.conftest import PHONE, SITE, browser, crawl, index, opened
from tests.gateway.in_a_browser.test_every_view_in_a_browser import BY_SIGHT, findings, page, widest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Route
    from playwright.sync_api import Page as BrowserPage

    from tests.forks import ForkServer

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Docs</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {gateway}; connect-src {gateway}">
<meta name="color-scheme" content="light dark">
<main><h1>Docs</h1><h2>Search</h2>
<breadcrumb-search results="2"><form action="{gateway}/search"><input type="search" name="q" aria-label="Search">
<button>Search</button></form></breadcrumb-search></main>
<script src="{gateway}/embed.js"></script>"""
__all__ = ["browser", "page"]  # fixtures
pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints no log."""

    log_message = staticmethod(lambda *_: None)  # type: ignore[assignment]  # a method of any arguments


@contextmanager
def other_site(folder: Path) -> Iterator[str]:
    """Another origin on loopback, which serves the files of a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def embedded(forks: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page of another origin with the search box."""
    folder, data_dir = tmp_path_factory.mktemp("other"), tmp_path_factory.mktemp("embedded")
    crawl(data_dir)
    index(data_dir)
    with other_site(folder) as origin:
        words = ("serve", "--port", "0", "--data", str(data_dir), "-s", f"EMBED_ORIGINS={origin}")
        with fork(forks, *words) as gateway:
            address = gateway.first_line().split()[2].rstrip("/")
            (folder / "index.html").write_text(PAGE.format(gateway=address))
            yield f"{origin}/index.html"


@contextmanager
def shown(page: BrowserPage, address: str) -> Iterator[list[str]]:
    """Open an address anew; what the console says until the block ends."""
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        said.append(message.text)

    page.on("console", note)
    page.goto(address)
    try:
        yield said
    finally:
        page.remove_listener("console", note)
        page.unroute_all(behavior="ignoreErrors")


def assert_nobody_is_kept_out(page: BrowserPage) -> None:
    """See that axe finds nothing on a phone, in light and in dark, and that nothing is wider than it."""
    page.get_by_role("combobox").fill("rye sourdough")
    page.keyboard.press("Enter")
    page.locator("breadcrumb-search h3").first.wait_for()
    assert findings(page) == []
    assert widest(page) <= PHONE["width"]
    page.emulate_media(color_scheme="dark")
    assert findings(page, *BY_SIGHT) == []


def test_it_searches_by_keyboard_alone(page: BrowserPage, embedded: str) -> None:
    with shown(page, embedded) as said:
        page.keyboard.press("Tab")
        page.keyboard.type("cake")
        page.keyboard.press("Enter")
        page.get_by_text("30 results.").wait_for()
        assert page.locator("breadcrumb-search h3 a").count() == 2
        page.keyboard.press("ArrowDown")
        first = page.evaluate("document.querySelector('breadcrumb-search').shadowRoot.activeElement.href")
        assert first.startswith(f"{SITE}/cakes/")
        page.locator("breadcrumb-search").get_by_role("button", name="More results").click()
        page.locator("breadcrumb-search h3").nth(3).wait_for()
        page.keyboard.press("Escape")
        assert page.locator("breadcrumb-search h3 a").count() == 0
        assert said == []


def test_suggestions_that_come_after_the_results_do_not_hold_the_arrow_keys(page: BrowserPage, embedded: str) -> None:
    with shown(page, embedded) as said:
        held: list[Route] = []
        page.route("**/api/suggest*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks a function
        with page.expect_request("**/api/suggest*"):
            page.get_by_role("combobox").type("cake")
        page.keyboard.press("Enter")
        page.get_by_text("30 results.").wait_for()
        with page.expect_response("**/api/suggest*"):
            allowed = {"Access-Control-Allow-Origin": embedded.rpartition("/")[0]}
            for each in held:
                each.fulfill(json=["cake", ["cake number"]], headers=allowed)
        page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.querySelector('breadcrumb-search').shadowRoot.activeElement.href")
        assert said == []


def test_suggestions_and_spelling_are_those_of_the_gateway(page: BrowserPage, embedded: str) -> None:
    with shown(page, embedded) as said:
        page.get_by_role("combobox").type("sour")
        page.locator("breadcrumb-search option").first.wait_for(state="attached")
        page.get_by_role("combobox").fill("sourdogh")
        page.keyboard.press("Enter")
        page.get_by_text("Results for “sourdough”.").wait_for()
        assert said == []


def test_markup_of_a_page_stays_text(page: BrowserPage, embedded: str) -> None:
    with shown(page, embedded) as said:
        page.get_by_role("combobox").fill("evil")
        page.keyboard.press("Enter")
        page.locator("breadcrumb-search h3").first.wait_for()
        assert "<script>alert(1)</script>" in page.locator("breadcrumb-search h3").first.inner_text()
        assert page.locator("breadcrumb-search ol script, breadcrumb-search ol img").count() == 0
        assert said == []


def test_nobody_is_kept_out_and_nothing_is_wider_than_a_phone(browser: Browser, embedded: str) -> None:
    with opened(browser, viewport=PHONE, bypass_csp=True) as phone, shown(phone, embedded):
        phone.add_style_tag(content=":root { background: Canvas }")  # axe takes a page without one for white
        assert_nobody_is_kept_out(phone)


def test_without_script_it_is_a_plain_form(browser: Browser, embedded: str) -> None:
    with opened(browser, java_script_enabled=False) as page, shown(page, embedded):
        page.get_by_role("searchbox").fill("rye")
        page.get_by_role("button", name="Search").click()
        page.wait_for_url("**/search?q=rye*")
        assert "Rye bread" in page.content()


def test_where_the_gateway_is_gone_it_says_so_and_links_to_the_search_page(page: BrowserPage, embedded: str) -> None:
    with shown(page, embedded):
        page.route("**/api/search*", lambda route: route.abort())
        page.get_by_role("combobox").fill("rye")
        page.keyboard.press("Enter")
        page.get_by_text("The search failed").wait_for()
        assert "/search?q=rye" in (page.get_by_role("link", name="Open the search page").get_attribute("href") or "")
