"""What does a robots.txt decide for URLs, by each of four dialects, and how long should a robot wait?

The verdicts of all dialects are shown side by side, with the choice on which they differ. Crawl-delay is explained as
three engines read it, because no standard defines it. Request-rate comes from a proposal of 1996; few robots obey it.

A long file is shown only around its marked lines: a file may have forty thousand.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from crawldb.tables.robots_files import read_robots, version_numbered
from reports.wording import calendar_day, counted, plain
from robots import (
    DENIALS,
    Access,
    Availability,
    Dialect,
    Disagreement,
    Verdict,
    disagreement_on_denial,
    disagreement_on_url,
    lint,
    origin_of,
    parse,
    robots_url,
    to_utf8,
)
from robots.dialect import CHOICES
from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.robots_files import RobotsVersion
    from robots import Finding, RobotsFile
    from robots.dialect import Choices

OURS = Dialect.RFC9309  # the reading by which a crawl decides
A_DAY = 24 * 3600.0  # seconds
EVERYBODY = ""  # a robot without a name is told what everybody is told


@dataclass(frozen=True, slots=True)
class RobotsSource:
    """A robots.txt and where it came from. `origin` is empty, `status` 0 where it was not asked from a server."""

    name: str
    availability: Availability
    raw: bytes  # the file as it came, in whatever alphabet; of an answer without a file, what came instead
    origin: str = ""
    status: int = 0

    @property
    def body(self) -> bytes:
        """The file; empty where the server had none."""
        return self.availability.body

    @classmethod
    def of_text(cls, name: str, raw: bytes, reason: str) -> RobotsSource:
        """Return a file that no server was asked for; `reason` says where it is from."""
        text = to_utf8(raw)
        return cls(name, Availability(Access.PARSED, reason, file=parse(text), body=text), raw)


@dataclass(frozen=True, slots=True)
class UrlVerdicts:
    """One URL and its verdict in each dialect."""

    url: str
    verdicts: Mapping[Dialect, Verdict]
    partings: Sequence[Disagreement]

    def as_dict(self) -> dict[str, object]:
        """Give the verdict by the first reading, and all of them where there are several."""
        first, *others = self.verdicts
        compared: dict[str, object] = {"url": self.url} | asdict(self.verdicts[first])
        if others:
            compared["readings"] = {dialect.value: asdict(verdict) for dialect, verdict in self.verdicts.items()}
            compared["partings"] = [
                {
                    "dialect": found.theirs.value,
                    "together": found.together,
                    "differences": [asdict(difference) for difference in found.differences],
                }
                for found in self.partings
            ]
        return compared

    @property
    def agree(self) -> bool:
        """Whether all readings come to the same, by whatever line."""
        return len({verdict.allowed for verdict in self.verdicts.values()}) == 1

    def parting_sentences(self) -> Iterator[str]:
        """Say on which rules readings part from ours; those that do so for one reason together."""
        reasons: dict[str, list[str]] = {}
        for found in self.partings:
            reasons.setdefault(str(found), []).append(found.theirs.value)
        for reason, names in reasons.items():
            verb = "part" if len(names) > 1 else "parts"
            yield f"{enumerated(names)} {verb} from {OURS.value} on {reason}."


def check_urls(
    source: RobotsSource, agent: str, urls: Sequence[str], dialects: Sequence[Dialect], *, compared: bool = True
) -> list[UrlVerdicts]:
    """Check `urls` in each of `dialects`; the others are compared with the first one.

    The reason for a difference takes about forty parses of the file. It is only computed if `compared`.
    """
    parsed: dict[Choices, RobotsFile] = {}
    if source.availability.file is not None:
        parsed = {CHOICES[dialect]: parse(source.body, dialect) for dialect in dialects if dialect is not OURS}
        parsed[source.availability.file.choices] = source.availability.file
    verdicts = {dialect: _verdicts(source, agent, urls, dialect, parsed) for dialect in dialects}
    return [
        UrlVerdicts(
            url,
            {dialect: verdicts[dialect][at] for dialect in dialects},
            [
                found
                for dialect in dialects[1:]
                if compared and (found := _parting(source, agent, url, dialect, parsed))
            ],
        )
        for at, url in enumerate(urls)
    ]


def notes_on(source: RobotsSource, urls: Sequence[str]) -> list[str]:
    """Return what a person should know about the verdicts on `urls`."""
    notes = list(source.availability.file.notes) if source.availability.file else []
    for url in urls:
        if url.startswith("/"):
            continue
        try:
            origin = origin_of(url)
        except ValueError:
            notes.append(f"{url} is neither an http(s) URL nor a path that starts with /")
            continue
        if source.origin and origin != source.origin:
            notes.append(f"{url} is not on {source.origin}, so this file does not apply to it")
    return notes


def _verdicts(
    source: RobotsSource, agent: str, urls: Sequence[str], dialect: Dialect, parsed: Mapping[Choices, RobotsFile]
) -> list[Verdict]:
    availability = source.availability
    if availability.file is not None:
        file = availability.file if dialect is OURS else parsed[CHOICES[dialect]]
        return [file.decide(agent, url) for url in urls]
    if source.status in DENIALS and CHOICES[dialect].denial_closes:
        reason = f"robots.txt answered {source.status}: in this reading that closes the whole site"
        return [Verdict(allowed=False, line=0, rule="", reason=reason) for _ in urls]
    return [availability.decide(agent, url) for url in urls]


def _parting(
    source: RobotsSource, agent: str, url: str, dialect: Dialect, parsed: dict[Choices, RobotsFile]
) -> Disagreement | None:
    if source.availability.file is not None:
        return disagreement_on_url(source.body, agent, url, theirs=dialect, parsed=parsed)
    return disagreement_on_denial(theirs=dialect) if source.status in DENIALS else None


def delay_meanings(delay: float) -> Mapping[str, str]:
    """Say what each engine makes of a Crawl-delay of so many seconds, which is no less than 0."""
    visits = f"at most {A_DAY / delay:,.0f} visits a day" if delay else "no limit"
    apart = f"{plain(delay)} s"
    return {
        "Yandex": f"at least {apart} between two requests: {visits} (ignored since 2018)",
        "Bing": f"time is cut into windows of {apart} with one visit in each: {visits}, and the last of one window "
        "may be close to the first of the next",
        "Google": "the line is ignored: its robots choose their own rate",
    }


@dataclass(frozen=True, slots=True)
class RequestedPace:
    """The meaning of a Crawl-delay or Request-rate for one robot, and the readings of engines if they differ."""

    sentence: str
    meanings: Mapping[str, str]


def requested_paces(file: RobotsFile, agent: str) -> Iterator[RequestedPace]:
    """Yield what is to be known about the Crawl-delay and Request-rate for `agent`; nothing where there are none."""
    nothing = "a robot with its own group inherits nothing from *."
    if (delay := file.delay(agent)) is not None:
        yield RequestedPace(
            f"Crawl-delay: {plain(delay)} for {agent}, as three engines read it:", delay_meanings(delay)
        )
    elif (others := file.delay(EVERYBODY)) is not None:
        yield RequestedPace(f"Crawl-delay: {plain(others)} is not for {agent}: {nothing}", {})
    if (rate := file.request_rate(agent)) is not None:
        pages = f"{counted(rate.requests, 'page')} in {plain(rate.seconds)} s"
        evenly = f"evenly spaced, {plain(rate.seconds_per_request)} s between two requests."
        yield RequestedPace(f"Request-rate for {agent}: at most {pages}, at any hour; {evenly}", {})
    elif file.request_rate(EVERYBODY) is not None:
        yield RequestedPace(f"Request-rate is not for {agent}: {nothing}", {})


WHOLE_LINES = 60  # a file of no more lines is shown whole
AROUND = 3  # lines shown before and after a marked one of a longer file
LONGEST = 200  # characters of a line
OF_ONE_RULE = 10  # findings of a kind that are told
NOT_UNDERSTOOD = frozenset({"misspelt", "no-colon", "not-understood"})  # rules of the lint
_LINE_ENDS = (b"\r\n", b"\r")


def lines_of(body: bytes) -> list[str]:
    """Return the lines of a robots.txt as RFC 9309 counts them: ended by CR, LF or both, and by nothing else."""
    for end in _LINE_ENDS:
        body = body.replace(end, b"\n")
    return [line.decode("utf-8", "backslashreplace") for line in body.removesuffix(b"\n").split(b"\n")]


def lines_around(marked: Collection[int], lines: int) -> Iterator[int]:
    """Yield the numbers of the shown lines, from 1, and 0 for each gap."""
    before = 0
    for number in range(1, lines + 1):
        if lines > WHOLE_LINES and not any(near in marked for near in range(number - AROUND, number + AROUND + 1)):
            continue
        if number != before + 1:
            yield 0
        before = number
        yield number
    if before != lines:
        yield 0


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of the file; `number` 0: here lines are left out. `decides` names the readings that stopped at it."""

    number: int
    text: str = ""
    decides: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def lines_with_marks(body: bytes, deciding: Iterable[tuple[int, str]], findings: Sequence[Finding]) -> list[MarkedLine]:
    """Return the lines that are shown of a file.

    `deciding` has the numbers of lines that decided, each with the name of a reading; 0 is no line.
    """
    readings: dict[int, dict[str, None]] = {}
    for number, name in deciding:
        readings.setdefault(number, {})[name] = None
    by_line: dict[int, list[Finding]] = {}
    for finding in findings:
        by_line.setdefault(finding.line, []).append(finding)
    lines = lines_of(body)
    return [
        MarkedLine(number, _cut(lines[number - 1]), tuple(readings.get(number, ())), tuple(by_line.get(number, ())))
        if number
        else MarkedLine(0)
        for number in lines_around(readings.keys() | by_line.keys(), len(lines))
    ]


def few_of_each(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """Return at most OF_ONE_RULE findings of a kind, in their order, and how many more there are of which kind."""
    counts: Counter[str] = Counter()
    kept: list[Finding] = []
    for finding in findings:
        counts[finding.rule] += 1
        if counts[finding.rule] <= OF_ONE_RULE:
            kept.append(finding)
    return kept, {rule: count - OF_ONE_RULE for rule, count in counts.items() if count > OF_ONE_RULE}


def not_understood(source: RobotsSource) -> int:
    """Count the lines that no rule comes of by RFC 9309, though somebody may have meant one."""
    if source.availability.file is None:
        return 0
    return sum(finding.rule in NOT_UNDERSTOOD for finding in lint(source.raw))


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def stored_robots(parts: Parts, site: str) -> RobotsSource | None:
    """Return what was last learnt of the robots.txt of a site, by either protocol; None where none was asked for."""
    found = [
        record
        for scheme in ("http", "https")
        if (record := read_robots(parts.home(f"{scheme}://{site}/"), origin_of(f"{scheme}://{site}/")))
    ]
    if not found:
        return None
    record = max(found, key=lambda each: each.fetched_at)
    availability = record.access_state.availability(time.time())
    return RobotsSource(robots_url(record.origin), availability, record.body, record.origin, record.status or 0)


def stored_version(parts: Parts, part: str, number: int) -> RobotsSource | None:
    """Return a version of a robots.txt, by the folder of its part ("" of a whole crawl) and its number there.

    None where it is gone.
    """

    def kept_in(database: CrawlDatabase) -> tuple[RobotsVersion, bytes] | None:
        own = database.path.parent.name if parts.divided else ""
        return version_numbered(database, number) if own == part else None

    answers, _ = parts.ask(kept_in)
    kept = next(filter(None, answers.values()), None)
    return _version_source(*kept) if kept else None


def _version_source(version: RobotsVersion, body: bytes) -> RobotsSource:
    """Return a version as a file to judge by; its reason says where it is from, and when it was there."""
    days = dict.fromkeys(map(calendar_day, (version.first_seen, version.last_seen)))
    seen = f"seen {'from' if len(days) > 1 else 'on'} {' to '.join(days)}"
    whence = f"imported from {version.collection}" if version.imported else "fetched by this crawl"
    age = "the newest version" if version.newest else "an older version"
    source = RobotsSource.of_text(version.address, body, f"{age}, {whence}, {seen}")
    return replace(source, origin=version.origin)
