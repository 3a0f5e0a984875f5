"""What do robots.txt and sitemaps say about a URL? The verdict, the lines around it, and what was last read.

The robots parser finds the deciding line (robots/verdict.py). The excerpt shows it with its neighbours, and marks the
User-agent lines of the group: those that name us, or * if none does (RFC 9309, 2.2.1).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.figures.one_url import is_sitemap, sitemap_as_read
from crawldb.tables.robots_files import RobotsChange, changes_of, read_robots
from crawldb.tables.sitemaps import Sitemaps
from reports.wording import counted, moment
from robots import Access, origin_of, parse, robots_url
from robots.group import EVERYBODY, agent_matcher, name_in_file
from robots.lines import Field, meant_lines, read_lines, whole_lines, without_byte_order_mark
from robots.verdict import blocks_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from robots import RobotsFile

CHANGES_SHOWN = 5  # of what held for an origin, the newest
_WORDS = {
    Access.OPEN.name: "open",
    Access.PARSED.name: "a file decides",
    Access.DENIED.name: "denied",
    Access.CLOSED.name: "closed",
}


@dataclass(frozen=True, slots=True)
class RobotsStatus:
    """The verdict of the stored robots.txt. `allowed` is None if the file was never requested.

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

    @property
    def is_silent(self) -> bool:
        """Whether there was no answer, and no copy decides: the next run requests it at once (frontier/rounds.py)."""
        return self.allowed is False and self.status is None


def robots_status(database: CrawlDatabase, url: str, product: str) -> RobotsStatus:
    """Return what is known about `url`; `product` is the token that a robots.txt calls us by."""
    origin = origin_of(url)
    address = robots_url(origin)
    record = read_robots(database, origin)
    if record is None:
        return RobotsStatus(product, origin, address, None, "its robots.txt was never requested")
    state = record.access_state
    verdict = state.availability(time.time()).decide(product, url)
    return RobotsStatus(
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


def robots_sentences(answer: RobotsStatus) -> Iterator[str]:
    """Yield the account for a person: the verdict, the failures where there are any, and what held before."""
    if answer.allowed is None:
        yield "Its robots.txt was never requested. A crawl requests it first."
        return
    word = "Allowed" if answer.allowed else "Disallowed"
    by = f" by line {answer.line}, {answer.rule!r}" if answer.line else ""
    yield f"{word} for {answer.agent}{by} ({answer.reason}); {answer.address}, {moment(answer.fetched_at)}."
    if answer.failing_since is not None:
        times = "once" if answer.failures == 1 else f"{answer.failures} times in a row"
        copy = "no copy" if answer.copy_at is None else f"last good copy of {moment(answer.copy_at)}"
        in_time = answer.expires_at and not answer.is_silent
        again = f"next request {moment(answer.expires_at)}" if in_time else "the next run requests it"
        yield f"robots.txt has failed since {moment(answer.failing_since)}, {times}; {copy}; {again}."
    if len(answer.changes) > 1:
        for change in answer.changes:
            yield f"From {moment(change.at)}: {_WORDS.get(change.state, change.state)} ({change.reason})."


FORMS = {
    "urlset": "a list of pages", "index": "an index of sitemaps", "text": "one URL per line", "rss": "an RSS feed",
    "atom": "an Atom feed", "": "not a sitemap",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SitemapStatus:
    """A sitemap as it was last read; `read_at` is None where it never was. Times are seconds since the epoch."""

    named_by: tuple[str, ...]  # origins whose robots.txt names it, itself or by way of an index
    read_at: float | None = None
    form: str = ""
    entries: int = 0
    accepted: int = 0  # of its entries, those in scope
    new: int = 0  # of those, the ones that nothing had led to before


def sitemap_status(database: CrawlDatabase, url: int) -> SitemapStatus | None:
    """Return what is known of a URL as a sitemap, None where it is a page."""
    if not is_sitemap(database, url):
        return None
    return SitemapStatus(tuple(sorted(Sitemaps(database).speakers(url))), *(sitemap_as_read(database, url) or ()))


def sitemap_sentences(sitemap: SitemapStatus) -> Iterator[str]:
    """Tell it for a person."""
    if sitemap.named_by:
        yield f"The robots.txt of {', '.join(sitemap.named_by[:3])} names it as a sitemap, so it is not a page."
    else:
        yield "It was a sitemap once, but no robots.txt names it now."
    if sitemap.read_at is not None:
        entries = counted(sitemap.entries, "entry", "entries")
        yield (
            f"Read {moment(sitemap.read_at)}: {FORMS.get(sitemap.form, sitemap.form)}, {entries}, "
            f"{counted(sitemap.accepted, 'page')} of them in scope, {sitemap.new:,} of them new."
        )


AROUND = 3  # lines before and after the deciding one
SHOWN = 160  # characters of a line
FIRST = 8  # lines of a file of which none decided
NAMES_SHOWN = 3  # User-agent lines of the group that applies


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line of a file by its number from 1; `role` is "decides", "group" for a User-agent line of ours, or ""."""

    number: int
    text: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class RobotsExcerpt:
    """A few `lines` of a file of `total`; `group` says for whom the group is that applies, as a clause."""

    lines: tuple[ExcerptLine, ...]
    total: int
    group: str


def robots_excerpt(database: CrawlDatabase, answer: RobotsStatus | None) -> RobotsExcerpt | None:
    """Return the lines that matter for an answer; None where no file decides."""
    if answer is None or answer.allowed is None or not (answer.line or answer.state == Access.PARSED.name):
        return None
    record = read_robots(database, answer.origin)
    copy = None if record is None else record.access_state.copy
    if copy is None:
        return None
    understood = any(group.rules for group in parse(copy.body).groups)  # as parse_meant (robots/availability.py) asks
    text = whole_lines(copy.body)
    said = meant_lines(text) if copy.meant and not understood else read_lines(text, forgiving=False)
    names = [(line.number, line.value) for line in said if line.field is Field.USER_AGENT]
    return excerpt_of(copy.body, copy.file, names, answer.agent, answer.line)


def excerpt_of(
    text: bytes, file: RobotsFile, named: Sequence[tuple[int, bytes]], agent: str, line: int
) -> RobotsExcerpt:
    """Return what of a file is shown where `line` decides for `agent`; 0: none does. `named`: its User-agent lines."""
    lines = without_byte_order_mark(text).splitlines()
    names = tuple(_names_for(file, named, agent, line))
    begin = names[0][0] - 1 if names else 1  # where no line decides: the group that applies, or the file's beginning
    near = range(line - AROUND, line + AROUND + 1) if line else range(begin, begin + FIRST)
    chosen = [number for number in sorted({*near, *(number for number, _ in names)}) if 1 <= number <= len(lines)]
    shown = tuple(
        ExcerptLine(
            number,
            lines[number - 1].decode("utf-8", "backslashreplace")[:SHOWN],
            "decides" if number == line else "group" if number in dict(names) else "",
        )
        for number in chosen
    )
    return RobotsExcerpt(shown, len(lines), _group(agent, [value for _, value in names]))


def _group(agent: str, names: list[str]) -> str:
    if not names:
        return f"it has no group for {agent} or for *"
    if "*" in names:
        return f"it has no group for {agent}, so the group for * applies"
    return f"its group for {', '.join(names)} applies; the group for * does not"


def _names_for(
    file: RobotsFile, named: Sequence[tuple[int, bytes]], agent: str, line: int
) -> Iterator[tuple[int, str]]:
    """Yield the User-agent lines that begin the group of `line`; where no line decides, the first group of ours."""
    naming = file.choices.naming
    places = sorted({number for number, _ in blocks_for(agent, file.groups, file.choices)})
    if not places:
        return
    deciding = (place for place in places if any(number == line for number, *_ in file.groups[place].rules))
    place = next(deciding, places[0])
    before = [number for group in file.groups[:place] for number, *_ in group.rules]
    begin = max(before, default=0)
    end = min((number for number, *_ in file.groups[place].rules), default=max(number for number, _ in named) + 1)
    own = [(number, value) for number, value in named if begin < number < end]
    is_meant = agent_matcher(agent, naming)
    by_name = [(number, value) for number, value in own if is_meant([name_in_file(value, naming)])]
    everybody = [(number, value) for number, value in own if name_in_file(value, naming) == EVERYBODY]
    for number, value in (by_name or everybody)[:NAMES_SHOWN]:
        yield number, value.decode("utf-8", "backslashreplace")[:SHOWN] if by_name else "*"
