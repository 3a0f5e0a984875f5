"""A small crawl, really stored and really indexed, and a gateway over it."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import pytest
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from frontier.job import CrawlJob
from frontier.session import Session
from gateway import GatewaySettings, create_app
from indexer import open_writer
from robots import PageControls
from tests.child import PATIENCE
from tests.forks import fork
from tests.gateway.compiled_templates import compile_once
from tests.indexer.library import marked_folder
from textbook.index import FOLDER
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Link, Outcome, Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient
    from playwright.sync_api import Browser, ViewportSize
    from playwright.sync_api import Page as BrowserPage

    from tests.forks import Fork, ForkServer

compile_once()
FETCHED_AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC).timestamp()
SITE = "http://bakery.localhost:8400"
EVIL = "</title><script>alert(1)</script><img src=x onerror=alert(2)>"


def a_page(path: str, title: str, text: str, **fields: object) -> Page:
    """A page of the bakery, as the spider would hand it over."""
    url = canonicalize(f"{SITE}{path}")
    made: dict[str, object] = {"language": "en", "fetched_at": FETCHED_AT, "body": text.encode()}
    made |= {"fingerprint": hashlib.sha256(text.encode()).digest()}
    return Page(url, title, text, **(made | fields))  # type: ignore[arg-type]  # a dict of several types


PAGES = (
    a_page(
        "/",
        "The bakery by the river",
        "Welcome\nWe bake rye bread and wheat bread every morning.\nOur sourdough starter is forty years old.",
        headings=("Welcome",),
        description="A bakery that tells how it bakes.",
    ),
    a_page("/rye.html", "Rye bread", "Rye bread keeps for a week.\nRye needs a sourdough, and patience."),
    a_page(
        "/br%C3%B6tchen/mohn.html", "Brötchen mit Mohn", "Ein Brötchen mit Mohn, frisch aus dem Ofen.", language="de"
    ),
    a_page("/ko.html", "호밀빵 굽는 법", "호밀빵은 사워도우로 굽습니다. 반죽은 하룻밤 쉬어야 합니다.", language="ko"),
    a_page("/evil.html", f"Evil{EVIL}", f"An evil page writes {EVIL} between its words & more.\n'quoted\" text"),
    a_page(
        "/secret-recipe.html",
        "The recipe that may not be copied",
        "A recipe for marzipan, for your eyes only.",
        controls=PageControls(archive=False),
    ),
    a_page(
        "/hush.html",
        "Nothing to quote",
        "Hushed words about pretzels, which may not be quoted.",
        controls=PageControls(snippet=0),
    ),
    a_page(
        "/copy-of-rye.html",
        "Rye bread, again",
        "Rye bread keeps for a week.\nRye needs a sourdough, and patience. ",
        refusals=(Refusal(Rule.DUPLICATE, f"the same text as {SITE}/rye.html"),),
        duplicate_of=canonicalize(f"{SITE}/rye.html"),
    ),
    a_page(
        "/noindex.html", "Hidden", "This is not to be found.", refusals=(Refusal(Rule.NOINDEX, "a meta says noindex"),)
    ),
    *(
        a_page(f"/cakes/{number}.html", f"Cake number {number}", f"Cake {number} of many: sugar, butter, flour.")
        for number in range(1, 31)
    ),
)
REFUSED = Outcome(
    canonicalize(f"{SITE}/private/"), LeaseEnd.REFUSED, Rule.ROBOTS, "robots.txt, line 2: Disallow: /private/"
)


def crawl(data_dir: Path, pages: tuple[Page, ...] = PAGES, outcomes: tuple[Outcome, ...] = (REFUSED,)) -> None:
    """Store pages as a crawl does: the first of each site is a seed, and the very first links to all others."""
    seeds = {urlsplit(page.url).netloc: page.url for page in reversed(pages)}
    session = Session(data_dir, CrawlJob(tuple(seeds.values())))
    others = [page.url for page in pages[1:]] + [outcome.url for outcome in outcomes]
    home = replace(pages[0], links=tuple(Link(url, "a link") for url in others))
    for page in (home, *pages[1:]):
        session.frontier.lease(1000, lambda _: 1000)
        session.store.page(page)
    for outcome in outcomes:
        session.store.outcome(outcome)
    session.close("finished")


def index(data_dir: Path) -> None:
    """Bring the index up to date."""
    with CrawlDatabase(data_dir) as database, open_writer(data_dir) as writer:
        for change in Feed(database).after(writer.position, 10_000):
            if change.page is None:
                writer.remove(change.url)
            else:
                writer.put(change.page)
        writer.commit(Feed(database).last())


def whoosh_folder(data_dir: Path) -> None:
    """Make a folder with an index that Whoosh wrote, as `crawl textbook` does."""
    folder = data_dir / FOLDER
    marked_folder(folder)
    writer = create_in(str(folder), Schema(url=ID(stored=True), title=TEXT(stored=True), text=TEXT)).writer()
    writer.add_document(url=f"{SITE}/rye.html", title="Rye", text="Rye bread")
    writer.commit()


def gateway(data_dir: Path, **told: object) -> FlaskClient:
    """A client of a gateway over a data folder."""
    return create_app(data_dir, GatewaySettings(**told)).test_client()  # type: ignore[arg-type]  # a dict of several types


@pytest.fixture(scope="session")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bakery crawled and indexed; not to be written to."""
    data_dir = tmp_path_factory.mktemp("bakery")
    crawl(data_dir)
    index(data_dir)
    return data_dir


@pytest.fixture
def client(bakery: Path) -> FlaskClient:
    return gateway(bakery)


@contextmanager
def running(forks: ForkServer, data_dir: Path, host: str = "127.0.0.1") -> Iterator[tuple[SplitResult, Fork]]:
    """A gateway as a process of its own, on a free port, and its address."""
    with fork(forks, str(data_dir), host, entry="tests.gateway.started:over_folder") as process:
        yield urlsplit(process.first_line()), process


@pytest.fixture(scope="session")
def served(forks: ForkServer, bakery: Path) -> Iterator[str]:
    """The address of a gateway over the bakery; not to be written to."""
    with running(forks, bakery) as (address, _):
        yield address.geturl().rstrip("/")


MILLISECONDS = PATIENCE * 1000  # as a browser counts
PHONE: ViewportSize = {"width": 320, "height": 640}
# Of several such lists Chromium reads the last, which takes the place of Playwright's: what nothing here depends on but
# two pages of the address bar, which nobody sees and for which each new page would need a second of CPU.
WITHOUT = "HttpsUpgrades,MediaRouter,OptimizationHints,PaintHolding,WebUIOmniboxPopup,WebUIOmniboxAimPopup"
ARGUMENTS = [  # in a container there is neither a sandbox nor much of that memory
    "--no-sandbox",
    "--disable-dev-shm-usage",
    f"--disable-features={WITHOUT}",
]


@pytest.fixture(scope="session")  # to start it takes as long as three views
def browser() -> Iterator[Browser]:
    """An installed Chromium, or a skipped test that says what is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on the PATH: install the package chromium to run this test")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=ARGUMENTS, timeout=MILLISECONDS)
        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(browser._loop)  # for the end of both
        browser.close()


@contextmanager
def at_work(browser: Browser) -> Iterator[None]:
    """Mark Playwright's loop as running in this thread, as its calls expect; outside, tests run other loops."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(browser._loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(before)


@contextmanager
def opened(browser: Browser, **context: object) -> Iterator[BrowserPage]:
    """An empty page of a browser, and what is open in it until the block ends."""
    with at_work(browser):
        made = browser.new_context(**context)  # type: ignore[arg-type]  # a dict of several types
        made.set_default_timeout(MILLISECONDS)
        try:
            yield made.new_page()
        finally:
            made.close()
