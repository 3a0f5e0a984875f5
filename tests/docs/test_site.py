"""Is the site of the docs whole? Every link leads somewhere, and its own search finds every page by its title."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.extensions.embed.test_embed_in_a_browser import other_site, shown
from tests.gateway.conftest import browser, opened  # noqa: F401 - a fixture is found by its name

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BUILD = Path(__file__).parents[2] / "docs_site" / "build.py"
ORIGIN = "http://site/"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all tests."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run([sys.executable, str(BUILD), str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def pages_of(site: Path) -> dict[str, LexborHTMLParser]:
    """The pages by their places in the site, without that of the search."""
    paths = (path for path in site.rglob("*.html") if "search" not in path.relative_to(site).parts)
    return {str(path.relative_to(site)): LexborHTMLParser(path.read_bytes()) for path in paths}


def test_every_link_and_picture_leads_to_a_file_and_a_place_in_it(site: Path) -> None:
    pages = pages_of(site)

    @cache
    def ids(name: str) -> set[str]:
        return {node.attributes["id"] or "" for node in pages[name].css("[id]")}

    wrong, followed = [], 0
    for name, page in pages.items():
        for node in page.css("a[href], img[src], link[href], script[src]"):
            address = node.attributes.get("href") or node.attributes.get("src") or ""
            url, fragment = urldefrag(urljoin(ORIGIN + name, address))
            if not url.startswith(ORIGIN):
                continue
            followed += 1
            target = unquote(urlsplit(url).path).lstrip("/")
            if not (site / target).is_file() or (fragment and unquote(fragment) not in ids(target)):
                wrong.append(f"{name}: {address}")
    assert wrong == []
    assert followed > 500


@pytest.mark.browser
def test_every_page_is_found_first_by_its_own_title(browser: Browser, site: Path) -> None:  # noqa: F811
    titles = {name: page.css_first("title").text() for name, page in pages_of(site).items()}  # type: ignore[union-attr]
    assert len(set(titles.values())) == len(titles) > 80
    with other_site(site) as origin, opened(browser) as page, shown(page, f"{origin}/index.html") as said:
        found = page.evaluate(
            """async (titles) => {
              const search = await (await import("/search/search.js")).open(new URL("/search/", location.href));
              return Promise.all(titles.map(async (title) => (await search.search(title, { n: 1 })).hits[0]?.url));
            }""",
            list(titles.values()),
        )
        assert said == []
    first = {
        name: (url or "").removeprefix(f"{origin}/") or "index.html" for name, url in zip(titles, found, strict=True)
    }
    assert first == {name: name for name in titles}


@pytest.mark.browser
def test_its_box_searches_from_a_page_further_down(browser: Browser, site: Path) -> None:  # noqa: F811
    address = "tasks/watch-a-crawl.html"
    with other_site(site) as origin, opened(browser) as page, shown(page, f"{origin}/{address}") as said:
        page.get_by_role("combobox").fill("how traps are found")
        page.keyboard.press("Enter")
        first = page.locator("breadcrumb-search h3 a").first
        first.wait_for()
        first.click()
        page.wait_for_url(f"{origin}/traps.html*")
        assert said == []


def test_a_folder_that_exists_stays(site: Path) -> None:
    done = subprocess.run([sys.executable, str(BUILD), str(site)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Give one FOLDER, which is not there yet." in done.stderr
