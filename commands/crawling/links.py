"""`crawl links`: which links of a site are broken or redirected, and which pages have them?

The engine crawls the site into a folder of its own, without an index. Then the report is read from the crawl database.
A link is broken where its URL, or the end of its redirects, brings no page: 404, 410, 403 and the like, a server error,
no connection, a loop, or a page that says with status 200 that it is missing. What the crawl does not request it did
not check: other sites, what robots.txt disallows, nofollow. The report counts these, each with its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from commands.crawling.report_crawl import ReportCrawl
from commands.frame.data_folder import base_folder
from commands.frame.terminal import printable
from crawldb.figures.totals import pages_counted
from crawldb.tables.fetches import OUR_DOING
from crawldb.tables.links import linked_urls, linking_pages, links_set_aside
from crawldb.tables.urls import State
from reports.wording import counted
from urls.records import MAX_HOPS
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.links import LinkedUrl

NEVER = 1_000_000_000  # misses after which a URL is not requested again: a broken link is checked each time
PAGES_SHOWN = 5  # pages that have one link, in the table; JSON has all
PERMANENT = frozenset({301, 308})  # RFC 9110, 15.4: links should be changed
# Failures that say nothing about the page: it wants a password, a slower robot, or we gave it up ourselves.
UNDECIDED = OUR_DOING | {
    Rule.AUTH, Rule.TOO_MANY_REQUESTS, Rule.IDENTITY, Rule.ADDRESS, Rule.HOST_RESTS, Rule.MAX_REQUESTS, Rule.CODING,
    Rule.HEADER_LIMIT, Rule.DOCUMENT,
}  # fmt: skip
HEADS = {
    "broken": "Broken:",
    "moved": "Moved permanently (change these links):",
    "redirected": "Redirected temporarily:",
}
SET_ASIDE = {
    Rule.OFF_SITE: "to other sites",
    Rule.NOFOLLOW: "with nofollow",
    Rule.LINKS_NOT_FOLLOWED: "on copies of other pages, or on pages without content",
    Rule.LINKS_CUT: "beyond the number that is read of a page",
}


@dataclass(frozen=True, slots=True)
class ReportedLink:
    """A URL that is broken or redirects, and the pages with a link to it."""

    url: str
    status: int | None  # of its own response; None: there was none
    reason: str
    leads_to: str  # the end of its redirects; "": it does not redirect
    pages: tuple[tuple[str, str], ...]  # the page, and the words of the link
    is_seed: bool


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """What a check found. `not_checked` counts links by the reason."""

    pages: int  # of the site that were read
    urls: int  # that these link to, or that are seeds
    broken: tuple[ReportedLink, ...]
    moved: tuple[ReportedLink, ...]
    redirected: tuple[ReportedLink, ...]
    not_checked: dict[str, int]
    waiting: int  # URLs that are still to be requested

    @property
    def is_fine(self) -> bool:
        """Whether no link is broken."""
        return not self.broken

    def hindrance(self, *, answered: bool) -> str:
        """Return why the exit code can't tell whether a link is broken; "": it can."""
        if not answered:
            return "no page of the site could be read, so no link was checked"
        if self.waiting and not self.broken:
            return f"the check is not complete: {counted(self.waiting, 'URL')} wait; the same command goes on"
        return ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        told = asdict(self)
        for name in HEADS:
            for link in told[name]:
                link["pages"] = [{"url": page, "words": words} for page, words in link["pages"]]
        return told

    def lines(self) -> Iterator[str]:
        """Yield it for a person."""
        yield (
            f"{counted(self.pages, 'page')} with links to {counted(self.urls, 'URL')}: {len(self.broken)} broken, "
            f"{len(self.moved)} moved permanently, {len(self.redirected)} redirected temporarily."
        )
        for name, head in HEADS.items():
            links: tuple[ReportedLink, ...] = getattr(self, name)
            if links:
                yield f"\n{head}"
            for link in links:
                yield from _lines_of(link)
        if self.not_checked:
            yield "\nNot checked:"
        for reason, links_of_it in self.not_checked.items():
            yield f"  {counted(links_of_it, 'link')}: {printable(reason)}"


def _lines_of(link: ReportedLink) -> Iterator[str]:
    arrow = f" -> {link.leads_to}" if link.leads_to else ""
    yield f"  {link.status or '---'}  {printable(link.url + arrow)}"
    yield f"       {printable(link.reason)}"
    for page, words in link.pages[:PAGES_SHOWN]:
        yield printable(f"       on {page}{f' “{words}”' if words else ''}")
    if len(link.pages) > PAGES_SHOWN:
        yield f"       and {len(link.pages) - PAGES_SHOWN} more; --json has all"
    if link.is_seed and not link.pages:
        yield "       given as a seed"


def folder_of_check(seed: str) -> Path:
    """Return the data folder of the check of a site, where no other is named."""
    return base_folder() / f"links-{re.sub(r'[^a-z0-9.]+', '-', urlsplit(seed).netloc.lower()).strip('-.')}"


class LinkCheckCrawl(ReportCrawl):
    """A crawl that checks the links of a site."""

    name = "links"
    takes = ("seeds", "pages", "each")
    settings: ClassVar[Mapping[str, object]] = {"STALE_AFTER": NEVER}
    noun = "a check"

    def folder(self, first_seed: str) -> Path:
        """Return the folder of the site of a seed."""
        return folder_of_check(first_seed)

    def read(self, database: CrawlDatabase) -> LinkCheck:
        """Read what the crawl says about the links."""
        return link_check(database)


def link_check(database: CrawlDatabase) -> LinkCheck:
    """Read what the crawl in a database says about the links of its pages, in one state."""
    with database.one_state():
        urls, pages_of = linked_urls(database), linking_pages(database)
        aside, pages = links_set_aside(database), pages_counted(database)
    found: dict[str, list[ReportedLink]] = {name: [] for name in HEADS}
    unchecked: Counter[str] = Counter()
    asked_about = [url for url in urls.values() if url.id in pages_of or url.is_seed]
    waiting = 0
    for url in asked_about:
        end = _end_of(url, urls)
        pages_with_it = tuple(pages_of.get(url.id, ()))
        redirects = url.state == State.DONE and (end is not url or bool(url.led_to))
        name = _kind_of(url, end, redirects=redirects)
        if name:
            target = (end.led_to or (end.url if end is not url else "")) if redirects else ""
            about = end if name == "broken" else url
            reason = about.reason or Rule(about.rule or Rule.SOFT_404).meaning
            found[name].append(ReportedLink(url.url, url.status, reason, target, pages_with_it, url.is_seed))
        if name != "broken" and (reason := _reason_unchecked(end)):
            unchecked[reason] += max(len({page for page, _ in pages_with_it}), 1)
            waiting += end.state in {State.QUEUED, State.LEASED}
    for rule, count in aside.items():
        unchecked[SET_ASIDE[rule]] += count
    broken, moved, redirected = (tuple(found[name]) for name in HEADS)
    return LinkCheck(pages, len(asked_about), broken, moved, redirected, dict(unchecked), waiting)


def _end_of(url: LinkedUrl, urls: Mapping[int, LinkedUrl]) -> LinkedUrl:
    for _ in range(MAX_HOPS + 1):
        if url.moved_to is None or url.state in {State.QUEUED, State.LEASED, State.FAILED}:
            break
        url = urls[url.moved_to]
    return url


def _kind_of(url: LinkedUrl, end: LinkedUrl, *, redirects: bool) -> str:
    """Return under which head a URL stands; "": it is fine, or nobody knows."""
    if end.state == State.FAILED and end.rule not in UNDECIDED:
        return "broken"
    if end.state == State.DONE and end.is_soft_404:
        return "broken"
    if redirects:
        return "moved" if url.status in PERMANENT else "redirected"
    return ""


def _reason_unchecked(end: LinkedUrl) -> str:
    """Return why nobody knows whether a URL brings a page; "": it is known."""
    if end.state in {State.QUEUED, State.LEASED}:
        return "not requested yet"
    if end.led_to:
        return "redirects to other sites"
    if end.state == State.SUPPRESSED or (end.state == State.FAILED and end.rule in UNDECIDED):
        return end.reason or (Rule(end.rule).meaning if end.rule else "no rule is noted")
    return ""
