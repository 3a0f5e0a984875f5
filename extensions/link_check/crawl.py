"""The crawl that checks the links of a site: `crawl links`.

Which links of a site are broken or redirected, and which pages contain them? The report of `crawl links`.

A link is broken if its URL, or the end of its redirects, has no page. That is: 404, 410, 403 and the like, a server
error, no connection, a loop, or a page with status 200 that says it is missing. A reference that is no URL, such as
`http://[a`, is broken too. What the crawl does not request is not
checked: other sites, what robots.txt disallows, nofollow. The report counts such links by reason.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from commands.crawling.report_crawl import ReportCrawl
from commands.frame.data_folder import base_folder
from crawldb.figures.totals import pages_counted
from crawldb.tables.fetches import OUR_DOING
from crawldb.tables.urls import State
from extensions.link_check.tables import linked_urls, linking_pages, links_set_aside, pages_with_no_urls
from reports.wording import counted
from urls.records import MAX_HOPS
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from extensions.link_check.tables import LinkedUrl


PAGES_SHOWN = 5  # with one link, in the text; JSON lists all
PERMANENT = frozenset({301, 308})  # RFC 9110, 15.4: links should be changed
# Failures that leave open whether there is a page: a password is needed, the robot is too fast, or we stopped.
UNDECIDED = OUR_DOING | {
    Rule.AUTH, Rule.TOO_MANY_REQUESTS, Rule.IDENTITY, Rule.ADDRESS, Rule.HOST_RESTS, Rule.MAX_REQUESTS, Rule.CODING,
    Rule.HEADER_LIMIT, Rule.DOCUMENT,
}  # fmt: skip
HEADS = {
    "broken": "Broken:",
    "moved": "Moved permanently (change these links):",
    "redirected": "Redirected temporarily:",
}
NO_URL = "it is not a valid http or https URL"
NOT_FOLLOWED = {
    Rule.OFF_SITE: "to other sites",
    Rule.NOFOLLOW: "with nofollow",
    Rule.PORT: "to a port that is not in ALLOWED_PORTS",
    Rule.LINKS_NOT_FOLLOWED: "on copies of other pages, or on pages without content",
    Rule.LINKS_CUT: "beyond the limit of links per page",
}


@dataclass(frozen=True, slots=True)
class ReportedLink:
    """A URL that is broken or redirects, and the pages that link to it."""

    url: str
    status: int | None  # of its own response; None if there was none
    reason: str
    leads_to: str  # the end of its redirects; "" if it does not redirect
    pages: tuple[tuple[str, str], ...]  # URL of the page, text of the link
    is_seed: bool


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """The result of a check. `not_checked` counts links by reason."""

    pages: int  # read pages of the site
    urls: int  # targets of their links, and seeds
    broken: tuple[ReportedLink, ...]
    moved: tuple[ReportedLink, ...]
    redirected: tuple[ReportedLink, ...]
    not_checked: dict[str, int]
    waiting: int  # URLs not requested yet

    @property
    def is_fine(self) -> bool:
        """Whether no link is broken."""
        return not self.broken

    def hindrance(self, *, answered: bool) -> str:
        """Return why the exit code does not say whether a link is broken; "" if it does."""
        if not answered:
            return "no link was checked, because no page of the site could be read"
        if self.waiting and not self.broken:
            return f"the check is not complete, {counted(self.waiting, 'URL')} left: run the same command to continue"
        return ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        fields = asdict(self)
        for name in HEADS:
            for link in fields[name]:
                link["pages"] = [{"url": page, "words": words} for page, words in link["pages"]]
        return fields

    def lines(self) -> Iterator[str]:
        """Yield it as text."""
        yield (
            f"{counted(self.pages, 'page')} with links to {counted(self.urls, 'URL')}: {len(self.broken)} broken, "
            f"{len(self.moved)} moved permanently, {len(self.redirected)} redirected temporarily."
        )
        for name, head in HEADS.items():
            links: tuple[ReportedLink, ...] = getattr(self, name)
            if links:
                yield from ("", head)
            for link in links:
                yield from _lines_of(link)
        if self.not_checked:
            yield from ("", "Not checked:")
        for reason, links_of_it in self.not_checked.items():
            yield f"  {counted(links_of_it, 'link')}: {reason}"


def _lines_of(link: ReportedLink) -> Iterator[str]:
    arrow = f" -> {link.leads_to}" if link.leads_to else ""
    yield f"  {link.status or '---'}  {link.url + arrow}"
    yield f"       {link.reason}"
    for page, words in link.pages[:PAGES_SHOWN]:
        yield f"       on {page}{f' “{words}”' if words else ''}"
    if len(link.pages) > PAGES_SHOWN:
        yield f"       and {counted(len(link.pages) - PAGES_SHOWN, 'more page')}; --json lists all"
    if link.is_seed and not link.pages:
        yield "       a seed"


def link_check(database: CrawlDatabase) -> LinkCheck:
    """Check the links of a crawl, in one state of its database."""
    with database.one_state():
        urls, pages_of, no_urls = linked_urls(database), linking_pages(database), pages_with_no_urls(database)
        aside, pages = links_set_aside(database), pages_counted(database)
    found: dict[str, list[ReportedLink]] = {name: [] for name in HEADS}
    unchecked: Counter[str] = Counter()
    checked = [url for url in urls.values() if url.id in pages_of or url.is_seed]
    waiting = 0
    for url in checked:
        end = _end_of(url, urls)
        linking = tuple(pages_of.get(url.id, ()))
        redirects = url.state == State.DONE and (end is not url or bool(url.led_to))
        name = _kind_of(url, end, redirects=redirects)
        if name:
            target = (end.led_to or (end.url if end is not url else "")) if redirects else ""
            about = end if name == "broken" else url
            reason = about.reason or Rule(about.rule or Rule.SOFT_404).meaning
            found[name].append(ReportedLink(url.url, url.status, reason, target, linking, url.is_seed))
        if name != "broken" and (reason := _reason_unchecked(end)):
            unchecked[reason] += max(len({page for page, _ in linking}), 1)
            waiting += end.state in {State.QUEUED, State.LEASED}
    for reference, pages_with_it in no_urls.items():
        found["broken"].append(ReportedLink(reference, None, NO_URL, "", tuple(pages_with_it), is_seed=False))
    for rule, count in aside.items():
        unchecked[NOT_FOLLOWED[rule]] += count
    broken, moved, redirected = (tuple(found[name]) for name in HEADS)
    return LinkCheck(pages, len(checked) + len(no_urls), broken, moved, redirected, dict(unchecked), waiting)


def _end_of(url: LinkedUrl, urls: Mapping[int, LinkedUrl]) -> LinkedUrl:
    for _ in range(MAX_HOPS + 1):
        if url.moved_to is None or url.state in {State.QUEUED, State.LEASED, State.FAILED}:
            break
        url = urls[url.moved_to]
    return url


def _kind_of(url: LinkedUrl, end: LinkedUrl, *, redirects: bool) -> str:
    """Return the heading for a URL, a key of `HEADS`; "" if it is fine or not known."""
    if end.state == State.FAILED and end.rule not in UNDECIDED:
        return "broken"
    if end.state == State.DONE and end.is_soft_404:
        return "broken"
    if redirects:
        return "moved" if url.status in PERMANENT else "redirected"
    return ""


def _reason_unchecked(end: LinkedUrl) -> str:
    """Return why it is not known whether a URL has a page; "" if it is known."""
    if end.state in {State.QUEUED, State.LEASED}:
        return "not requested yet"
    if end.led_to:
        return "redirects to other sites"
    if end.state == State.SUPPRESSED or (end.state == State.FAILED and end.rule in UNDECIDED):
        return end.reason or (Rule(end.rule).meaning if end.rule else "no rule recorded")
    return ""


NEVER = 1_000_000_000  # failures after which a URL is dropped: a link check requests broken links in each run


class LinkCheckCrawl(ReportCrawl):
    """A crawl that checks the links of a site."""

    name = "links"
    settings: ClassVar[Mapping[str, object]] = {"STALE_AFTER": NEVER}
    noun = "a link check"

    def folder(self, first_seed: str) -> Path:
        """Return the folder for the site of a seed."""
        return base_folder() / f"links-{re.sub(r'[^a-z0-9.]+', '-', urlsplit(first_seed).netloc.lower()).strip('-.')}"

    def read(self, database: CrawlDatabase) -> LinkCheck:
        """Check the links that the crawl found."""
        return link_check(database)
