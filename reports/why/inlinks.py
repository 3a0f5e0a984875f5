"""Who links to a page, and how much does each link count? The reasons of the graph of links, link by link.

The weights are those of PageRank (indexer/links.py); for the search a text counts once, however many pages
have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.links import Inlink, inlinks_to, linkers, names_of, nofollow_pages
from crawldb.visited import find
from indexer.links import NEAR_COPY, OWN_SITE, TEMPLATE, is_template
from pages.content.site_template import LINE_SHARE
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase

SHOWN = 20  # links of a page that are told, those that count most


@dataclass(frozen=True, slots=True)
class WeighedLink:
    """A link with its weight (1: it counts whole) and the reasons, as clauses."""

    url: str
    to: str  # under which name the page is linked: its own URL, or one that leads to it
    words: tuple[str, ...]
    weight: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inlinks:
    """The pages that link to one, `shown` of `pages`; `nofollow` has some that link and vouch for nothing."""

    pages: int = 0
    shown: tuple[WeighedLink, ...] = ()
    nofollow: tuple[str, ...] = ()


def inlinks_of_page(database: CrawlDatabase, url: str, home: Callable[[str], CrawlDatabase] | None = None) -> Inlinks:
    """Return the links to a canonical URL, those that count most first; `home` as of `inlinks_to`."""
    target = find(database.connection, url)
    if target is None:
        return Inlinks(nofollow=nofollow_pages(database, url))
    names = names_of(database, target)
    links = sorted(
        (weighed(link) for link in inlinks_to(database, names, LINE_SHARE, home)), key=lambda link: -link.weight
    )
    return Inlinks(linkers(database, names), tuple(links[:SHOWN]), nofollow_pages(database, url))


def weighed(link: Inlink) -> WeighedLink:
    """Return what a link counts, and why."""
    applied = [
        (OWN_SITE, link.own_site, "it is within one site"),
        (NEAR_COPY, link.near_copy, "both pages say nearly the same"),
        (
            TEMPLATE,
            is_template(link.times, link.linking),
            f"{counted(link.times, 'page')} of {link.site} have it, as a menu does",
        ),
    ]
    weight, reasons = 1.0, []
    for factor, applies, reason in applied:
        if applies:
            weight *= factor
            reasons.append(f"x {factor:g}, as {reason}")
    return WeighedLink(link.url, link.to, link.words, round(weight, 6), tuple(reasons))
