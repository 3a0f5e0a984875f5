"""What do the files of its site say about a URL? Its robots.txt decides whether it is fetched; a sitemap may list it.

Of the stored robots.txt it is told what it says, since when, and what it said before. Of a sitemap it is told who names
it, what was last read in it, and what came of that.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.figures.one_url import is_sitemap, sitemap_as_read
from crawldb.tables.robots_files import RobotsChange, changes_of, read_robots
from crawldb.tables.sitemaps import Sitemaps
from reports.wording import counted, moment
from robots import Access, origin_of, robots_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase

CHANGES_SHOWN = 5  # of what held for an origin, the newest
_WORDS = {
    Access.OPEN.name: "open",
    Access.PARSED.name: "a file decides",
    Access.DENIED.name: "denied",
    Access.CLOSED.name: "closed",
}


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What the stored robots.txt says about the URL. `allowed` is None where that file was never asked for.

    Times are in seconds since the epoch. `state` is a name of `robots.Access`; `changes` begin with the newest.
    """

    agent: str
    origin: str
    address: str  # of the robots.txt
    allowed: bool | None
    reason: str
    line: int = 0  # from 1; 0: no line decided
    rule: str = ""
    fetched_at: float | None = None  # when it was last asked for
    expires_at: float | None = None  # when it is asked for again
    state: str = ""
    status: int | None = None  # None: no answer came
    copy_at: float | None = None  # when the file that is kept was last known to be current
    failing_since: float | None = None
    failures: int = 0  # in a row
    changes: tuple[RobotsChange, ...] = ()


def robots_answer(database: CrawlDatabase, url: str, product: str) -> RobotsAnswer:
    """Return what is known about `url`; `product` is the token that a robots.txt calls us by."""
    origin = origin_of(url)
    address = robots_url(origin)
    record = read_robots(database, origin)
    if record is None:
        return RobotsAnswer(product, origin, address, None, "its robots.txt was never asked for")
    state = record.access_state
    verdict = state.availability(time.time()).decide(product, url)
    return RobotsAnswer(
        product,
        origin,
        address,
        allowed=verdict.allowed,
        reason=verdict.reason,
        line=verdict.line,
        rule=verdict.rule,
        fetched_at=record.fetched_at,
        expires_at=record.expires_at,
        state=record.state,
        status=record.status,
        copy_at=None if state.copy is None else state.copy.at,
        failing_since=record.failing_since,
        failures=record.failures,
        changes=changes_of(database, origin, CHANGES_SHOWN),
    )


def robots_sentences(answer: RobotsAnswer) -> Iterator[str]:
    """Yield the account for a person: the verdict, the failures where there are any, and what held before."""
    if answer.allowed is None:
        yield "Its robots.txt was never asked for; that is the first thing a crawl would do."
        return
    word = "Allowed" if answer.allowed else "Disallowed"
    by = f" by line {answer.line}, {answer.rule!r}" if answer.line else ""
    yield f"{word} for {answer.agent}{by} ({answer.reason}); {answer.address}, {moment(answer.fetched_at)}."
    if answer.failing_since is not None:
        times = "once" if answer.failures == 1 else f"{answer.failures} times in a row"
        copy = "there is no copy" if answer.copy_at is None else f"the last good copy is of {moment(answer.copy_at)}"
        again = f"it is asked again {moment(answer.expires_at)}" if answer.expires_at else "it is asked by the next run"
        yield f"It has failed since {moment(answer.failing_since)}, {times}; {copy}; {again}."
    if len(answer.changes) > 1:
        for change in answer.changes:
            yield f"From {moment(change.at)}: {_WORDS.get(change.state, change.state)} ({change.reason})."


FORMS = {
    "urlset": "a list of pages", "index": "an index of sitemaps", "text": "an address a line", "rss": "an RSS feed",
    "atom": "an Atom feed", "": "no sitemap at all",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SitemapAnswer:
    """A sitemap as it was last read; `read_at` is None where it never was. Times are seconds since the epoch."""

    named_by: tuple[str, ...]  # origins whose robots.txt names it, itself or by way of an index
    read_at: float | None = None
    form: str = ""
    entries: int = 0
    accepted: int = 0  # of its entries, those in scope
    new: int = 0  # of those, the ones that nothing had led to before


def sitemap_answer(database: CrawlDatabase, url: int) -> SitemapAnswer | None:
    """Return what is known of a URL as a sitemap, None where it is a page."""
    if not is_sitemap(database, url):
        return None
    return SitemapAnswer(tuple(sorted(Sitemaps(database).speakers(url))), *(sitemap_as_read(database, url) or ()))


def sitemap_sentences(sitemap: SitemapAnswer) -> Iterator[str]:
    """Tell it for a person."""
    if sitemap.named_by:
        yield f"The robots.txt of {', '.join(sitemap.named_by[:3])} names it as a sitemap: it is no page."
    else:
        yield "It was named as a sitemap once, and no robots.txt does so any longer."
    if sitemap.read_at is not None:
        entries = counted(sitemap.entries, "entry", "entries")
        yield (
            f"Read {moment(sitemap.read_at)}: {FORMS.get(sitemap.form, sitemap.form)}, {entries}, "
            f"{counted(sitemap.accepted, 'page')} of them in scope, {sitemap.new:,} that nothing had led to before."
        )
