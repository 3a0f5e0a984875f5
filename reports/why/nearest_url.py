"""Which address was meant, where the one that was asked for is not known? A known one that is spelt nearly so.

What goes wrong: a letter, the port, the scheme, `www.`, and the shell, which ends an address without quotes at the
first `&`. Only URLs that the crawl knows are proposed, and only where a rule finds one: no answer is better than a
wrong one.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from crawldb.visited import find_row
from urls.canonical import UnusableUrl, canonicalize
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl

MAX_PAGES = 20_000  # stored pages that are looked through for those of the site
MAX_COMPARED = 2_000  # of them, that are compared letter by letter: a tenth of a second
LIKENESS = 0.8  # of two paths or sites, by difflib's ratio: one letter in five may be wrong
MAX_SITES = 10_000


def nearest_known_url(database: CrawlDatabase, text: str) -> str:
    """Return a URL that the crawl knows and that may be meant by `text`, which it does not know; "" for none."""
    for url in _spellings(text):
        for near in (url, *_on_other_sites(database, url)):
            if find_row(database.connection, "1", near):
                return near
        pages = _pages_of(database, site_of(url))
        cut_off = next((page for page in pages if page.startswith(f"{url}&")), "")
        if cut_off:
            return cut_off
        paths = {_path(page): page for page in pages[:MAX_COMPARED]}
        for close in get_close_matches(_path(url), paths, 1, LIKENESS):
            return paths[close]
    return ""


def _spellings(text: str) -> Iterator[CanonicalUrl]:
    """Yield the text as an address; where it has no scheme, with each."""
    schemes = ("",) if "://" in text or "@" in text else ("http://", "https://")
    for scheme in schemes:
        try:
            yield canonicalize(scheme + text)
        except UnusableUrl:
            continue


def _on_other_sites(database: CrawlDatabase, url: CanonicalUrl) -> Iterator[CanonicalUrl]:
    """Yield the address with another scheme, on another port of its host, and on a host that is spelt nearly so."""
    scheme, _, rest = url.partition("://")
    site, _, path = rest.partition("/")
    names = [name for (name,) in database.connection.execute("SELECT name FROM site LIMIT ?", (MAX_SITES,))]
    host = site.partition(":")[0]
    near = [name for name in names if name.partition(":")[0] == host] + get_close_matches(site, names, 3, LIKENESS)
    for name in dict.fromkeys((site, *near)):
        for other in dict.fromkeys((scheme, "http", "https")):
            try:
                yield canonicalize(f"{other}://{name}/{path}")
            except UnusableUrl:
                continue


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2]


def _pages_of(database: CrawlDatabase, site: str) -> list[str]:
    rows = database.connection.execute(
        "SELECT url.url FROM (SELECT url FROM page LIMIT ?) AS stored JOIN url ON url.id = stored.url "
        "JOIN site ON site.id = url.site WHERE site.name = ?",
        (MAX_PAGES, site),
    )
    return [url for (url,) in rows]
