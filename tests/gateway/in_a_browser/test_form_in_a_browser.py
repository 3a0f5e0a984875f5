"""A person at a browser, with and without JavaScript, types words, sees results and opens Why?."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pages import FetchedBody, parse_page
from pages.content.similarity import ORDERS
from tests.gateway.conftest import FETCHED_AT, PHONE, SITE, a_page, crawl, index, opened, running
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Dialog

    from tests.forks import ForkServer

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_person_searches_and_asks_why_without_javascript_on_a_phone(
    browser: Browser, served: str, colours: str
) -> None:
    with opened(browser, java_script_enabled=False, viewport=PHONE, color_scheme=colours) as page:
        page.goto(served)
        page.get_by_label("Words to search for").fill("rye bread")
        page.get_by_role("button", name="Search").click()
        # wait_for waits until it is visible, however long the next page takes
        page.get_by_role("link", name="Rye bread", exact=True).wait_for()
        page.locator("mark").first.wait_for()
        page.get_by_role("link", name="Why is “Rye bread” here?").click()
        page.get_by_role("heading", name="All decisions").wait_for()
        page.get_by_role("heading", name="Score for “rye bread”").wait_for()
        page.get_by_role("link", name="Cached").click()
        page.get_by_text("This is a copy").wait_for()


@pytest.mark.slow
def test_a_person_finds_by_keyboard_alone(browser: Browser, served: str) -> None:
    with opened(browser) as page:
        page.goto(f"{served}/search")
        box = page.get_by_role("combobox", name="Words to search for")
        focused = page.locator(":focus")
        assert box.get_attribute("aria-expanded") == "false"
        page.keyboard.insert_text("rye br")  # the focus is in the box; typed slowly, one list would follow another
        proposed = page.get_by_role("option", name="rye bread", exact=True)
        proposed.wait_for()
        assert box.get_attribute("aria-expanded") == "true"
        page.keyboard.press("ArrowDown")
        assert proposed.get_attribute("aria-selected") == "true"
        assert box.get_attribute("aria-activedescendant") == proposed.get_attribute("id")
        page.keyboard.press("Escape")
        assert page.get_by_role("listbox").count() == 0
        assert box.input_value() == "rye br"
        page.keyboard.type("e")
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("ArrowUp")  # the last one, from behind
        page.keyboard.press("ArrowDown")  # the box again
        assert box.get_attribute("aria-activedescendant") is None
        page.keyboard.press("ArrowDown")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url == f"{served}/search?q=rye+bread"
        page.keyboard.press("/")
        assert focused.get_attribute("id") == "q"
        page.keyboard.press("ArrowDown")
        assert focused.get_attribute("href") == f"{SITE}/rye.html"
        page.keyboard.press("ArrowDown")
        assert focused.get_attribute("href") == f"{SITE}/"
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        assert focused.get_attribute("id") == "q"
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Escape")
        assert focused.get_attribute("id") == "q"


@pytest.mark.slow
def test_the_key_that_is_a_character_can_be_switched_off(browser: Browser, served: str) -> None:
    with opened(browser) as page:
        page.goto(f"{served}/search?q=rye")
        page.get_by_text("Search operators").click()
        page.get_by_label("Use /").uncheck()
        page.goto(f"{served}/search?q=bread")
        page.keyboard.press("/")
        assert page.locator("#q:focus").count() == 0


def test_markup_of_a_stranger_runs_nowhere(browser: Browser, served: str) -> None:
    with opened(browser) as page:
        said: list[str] = []

        def note(dialog: Dialog) -> None:
            said.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", note)
        for path in ("search?q=evil", f"cached?url={SITE}/evil.html", "search?q=<script>alert(3)</script>"):
            page.goto(f"{served}/{path}")
        assert said == []


HOSTILE = f"""<title>A nice page</title><script>document.title = "owned"; alert(1)</script><h1 id=top>A nice page</h1>
<p onclick=alert(2) onmouseover=alert(3)>Words <img src="{SITE}/x.png" onerror=alert(4)>
<a href=javascript:alert(5)>js</a>
<form action="{SITE}/steal"><input name=q autofocus onfocus=alert(6)><button>Send</button></form>
<meta http-equiv=refresh content="0; url={SITE}/elsewhere"><iframe srcdoc="<script>alert(7)</script>"></iframe>
<style>body {{ display: none }} * {{ background: url({SITE}/spy) }}</style>
<svg onload=alert(8)><script>alert(9)</script></svg>
<base href="{SITE}/based/" target=_top><a href="#top">to the top</a><object data="{SITE}/o"></object>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(10)&gt;">"""


def test_the_copy_of_a_hostile_page_shows_its_words_and_does_nothing(
    forks: ForkServer, browser: Browser, tmp_path: Path
) -> None:
    url = canonicalize(f"{SITE}/")
    fetched = FetchedBody(HOSTILE.encode(), url, (("content-type", "text/html"),), fetched_at=FETCHED_AT)
    crawl(tmp_path, (replace(parse_page(fetched), fingerprint=b"x", refresh=None),), ())
    index(tmp_path)
    with running(forks, tmp_path) as (address, _), opened(browser) as page:
        said: list[str] = []

        def note(dialog: Dialog) -> None:
            said.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", note)
        page.on("request", lambda request: said.append(request.url) if not request.is_navigation_request() else None)
        page.goto(f"{address.geturl()}cached?url={SITE}/&q=words")
        page.get_by_text("This is a copy").wait_for()
        page.get_by_role("heading", name="A nice page").wait_for()
        page.locator("mark", has_text="Words").hover()
        page.locator("mark", has_text="Words").click()
        assert said == [], "nothing ran, and nothing was loaded"
        assert page.title() == "Copy of A nice page · Breadcrumb"
        assert page.evaluate("window.origin") == "null", "the document has an origin of its own"
        assert page.evaluate("getComputedStyle(document.querySelector('.banner')).borderRadius"), "our style is allowed"
        assert page.locator("form, input, button, script, iframe, img, object").count() == 0


@pytest.mark.slow
def test_the_links_of_a_copy_can_be_followed(browser: Browser, served: str) -> None:
    with opened(browser, viewport=PHONE) as page:
        page.goto(f"{served}/cached?url={SITE}/rye.html&q=rye")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.get_by_role("link", name="Why is this page here?").click()
        page.get_by_role("heading", name="Score for “rye”").wait_for()


@pytest.mark.slow
def test_similar_pages_are_one_click_away_and_so_is_the_way_back(
    forks: ForkServer, browser: Browser, tmp_path: Path
) -> None:
    signature = b"s" * ORDERS
    numbers = range(1, 13)
    notes = (a_page(f"/notes/{n}.html", f"Release {n}", f"Notes on release {n}", signature=signature) for n in numbers)
    crawl(tmp_path, (a_page("/", "Home", "Notes on all releases"), *notes), ())
    index(tmp_path)
    with running(forks, tmp_path) as (address, _), opened(browser, java_script_enabled=False, viewport=PHONE) as page:
        page.goto(f"{address.geturl()}search?q=notes")
        assert page.locator("article").count() == 2
        page.get_by_role("link", name="11 similar pages").click()
        page.get_by_text("Pages similar to").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert page.locator("article").count() == 10
        page.get_by_role("link", name="Next", exact=True).click()
        page.get_by_text("page 2").first.wait_for()
        assert page.locator("article").count() == 2
        page.get_by_role("link", name="Back to all results").click()
        page.get_by_role("link", name="11 similar pages").wait_for()
