"""Which address was meant, where the one that was asked for is not known? Known ones that are spelt nearly so.

What goes wrong: a letter, the port, the scheme, `www.`, a slash at the end, upper case, the shell, which ends an
address without quotes at the first `&`; and people remember a part of a path. Only URLs that the crawl
knows are proposed, and only where a rule finds one: no answer is better than a wrong one. The rules are asked in this
order, and each one only where those before it found nothing, so that the first proposal is the likeliest.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache, partial
from typing import TYPE_CHECKING

from crawldb.figures.one_url import first_sites, pages_of_site, urls_with_part
from crawldb.visited import find
from urls.canonical import UnusableUrl, canonicalize
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl

    PagesOf = Callable[[CrawlDatabase, str], list[str]]  # the stored pages of a site

MAX_PAGES = 20_000  # stored pages that are looked through for those of the site
MAX_COMPARED = 2_000  # of them, that are compared letter by letter: a tenth of a second
LIKENESS = 0.8  # of two paths or sites, by difflib's ratio: one letter in five may be wrong
MAX_SITES = 10_000
MAX_LOOKED_THROUGH = 200_000  # URLs among which a part of a path is looked for: a tenth of a second
MIN_PART = 3  # letters of a path: fewer stand in nearly every address
MAX_TEXT = 2_000  # characters that are looked at
CANDIDATES = 5  # that are proposed


def nearest_known_urls(databases: Iterable[CrawlDatabase], text: str, most: int = CANDIDATES) -> tuple[str, ...]:
    """Return URLs that the crawl knows and that may be meant by `text`, which it does not know; the likeliest first.

    `databases` are those of all parts of a crawl: which part has a URL hangs on its spelling.
    """
    asked, text = tuple(databases), text.strip()[:MAX_TEXT]
    pages_of = cache(_pages_of)  # two rules and both schemes ask for the same ones
    for rule in (_other_spellings, partial(_cut_off, pages_of), partial(_nearly_so, pages_of), _part_of_path):
        found = [url for database in asked for url in rule(database, text)]
        if found:
            return tuple(dict.fromkeys(found))[:most]
    return ()


def _other_spellings(database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield the same page at another scheme, port or host, in lower case, with or without a slash at its end."""
    for url in _spellings(text):
        for near in (url, *_on_other_sites(database, url)):
            for same in dict.fromkeys((near, *_slips_of_path(near))):
                if find(database.connection, same) is not None:
                    yield same


def _cut_off(pages_of: PagesOf, database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield what a shell left of an address."""
    for url in _spellings(text):
        yield from (page for page in pages_of(database, site_of(url)) if page.startswith(f"{url}&"))


def _nearly_so(pages_of: PagesOf, database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield pages of the site whose path is spelt nearly so."""
    for url in _spellings(text):
        paths = {_path(page).lower(): page for page in pages_of(database, site_of(url))[:MAX_COMPARED]}
        yield from (paths[close] for close in get_close_matches(_path(url).lower(), paths, CANDIDATES, LIKENESS))


def _part_of_path(database: CrawlDatabase, text: str) -> Iterator[str]:
    """Yield addresses in which the text stands, in whatever case: pages first, and the shortest of them."""
    if len(text) < MIN_PART or "://" in text or any(map(str.isspace, text)):
        return
    yield from urls_with_part(database, text, MAX_LOOKED_THROUGH, CANDIDATES)


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
    names = first_sites(database, MAX_SITES)
    host = site.partition(":")[0]
    bare = host.removeprefix("www.")
    near = [name for name in names if name.partition(":")[0].removeprefix("www.") == bare]
    near += get_close_matches(site, names, 3, LIKENESS)
    for name in dict.fromkeys((site, *near)):
        for other in dict.fromkeys((scheme, "http", "https")):
            try:
                yield canonicalize(f"{other}://{name}/{path}")
            except UnusableUrl:
                continue


def _slips_of_path(url: CanonicalUrl) -> Iterator[CanonicalUrl]:
    """Yield the address with a slash more or less at its end, and in lower case."""
    other_end = url.removesuffix("/") if url.endswith("/") else f"{url}/"
    for near in (other_end, url.lower(), other_end.lower()):
        try:
            yield canonicalize(near)
        except UnusableUrl:
            continue


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2]


def _pages_of(database: CrawlDatabase, site: str) -> list[str]:
    return pages_of_site(database, site, MAX_PAGES)
