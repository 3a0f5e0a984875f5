"""The crawl that counts the servers, formats, languages and robots.txt files of a list of sites: `crawl census`.

It requests a sample of each site, breadth first. It keeps only figures: no text, title, link text or body of a page
reaches the disk. The next run continues with the next URLs of each site; if none is left, it starts again.

Which servers, status codes, formats, sizes, languages and robots.txt files do the sites of a list have?

A statistical robot must not count a copy twice. So three groups are counted apart and appear in no other figure: exact
copies, pages that name another canonical URL, and missing pages with status 200. Near copies are counted as pages,
because each has a text of its own; the report says how many there are.

The figures describe a sample: the URLs nearest to the seeds, up to a limit per site. Pages with few links to them are
less likely to be in it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

from commands.crawling.report_crawl import ReportCrawl
from commands.frame.data_folder import base_folder
from crawldb.database import FILE_NAME, NoCrawlError
from crawldb.databases import open_up_to_date
from crawldb.pages.bodies import WITHHELD
from crawldb.tables.robots_files import read_robots
from extension_points import call_extensions
from extensions.census.tables import counted_responses, keeps_pages, sites_of_census, uncounted_urls
from reports.numbers import most_first
from reports.wording import counted, plain, size
from robots import lint, origin_of, parse
from robots.group import EVERYBODY
from spiders.crawl_settings import PROJECT
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scrapy.settings import Settings

    from crawldb.database import CrawlDatabase
    from extensions.census.tables import CountedResponse
    from robots import RobotsFile


NOT_NAMED = "not named"  # a server, a type or a language
COPIES = frozenset({Rule.DUPLICATE, Rule.CANONICAL})  # of a page that is counted already
MISSING = frozenset({Rule.SOFT_404})
TAIL = 0.95
SHOWN = 12  # values of one figure, in the table; JSON has all
LABEL = 14  # columns
MAX_ROBOTS = 1_000  # of a robots.txt whose Crawl-delays are read: twice as many as any of 1,278 real files names
MAX_STEPS = 1_000_000  # robots times groups, for one file: a hostile one may have 15,000 of each


@dataclass(frozen=True, slots=True)
class Format:
    """The pages of one media type: how many, and their sizes in bytes."""

    pages: int
    bytes: int
    median: float
    p95: int


@dataclass(frozen=True, slots=True)
class RobotsFigures:
    """The robots.txt of one origin. `findings` counts what a lint finds; `delays` are Crawl-delays in seconds."""

    origin: str
    status: int | None  # None: no answer came
    access: str  # what holds for a robot: parsed, open or closed
    bytes: int
    groups: int
    rules: int
    delays: tuple[float, ...]
    sitemaps: int
    findings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one site, or of all."""

    pages: int  # that are counted: copies and missing ones are not among them
    copies: int
    near_copies: int  # of the counted pages, those that say nearly what another one says
    missing: int  # pages under status 200 that say they are missing
    noindex: int  # of the counted pages
    statuses: Mapping[str, int]  # the answers of all URLs
    servers: Mapping[str, int]  # products; in one site answers, in all sites
    protocols: Mapping[str, int]  # answers
    formats: Mapping[str, Format]
    languages: Mapping[str, int]
    encodings: Mapping[str, int]
    not_counted: Mapping[str, int]  # URLs without an answer, by the reason


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """One site."""

    site: str
    figures: Figures
    robots: tuple[RobotsFigures, ...]

    def lines(self) -> Iterator[str]:
        """Yield it for a person."""
        found = self.figures
        counts = [counted(found.pages, "page")]
        counts += [counted(found.copies, "copy", "copies")] * bool(found.copies)
        counts += islice(found.servers, 1)
        yield f"  {self.site}: {', '.join(counts)}"
        yield from (f"    {_robots_line(file)}" for file in self.robots)
        for reason, number in found.not_counted.items():
            yield f"    {counted(number, 'URL')} not counted: {reason}"


@dataclass(frozen=True, slots=True)
class Census:
    """The figures of all sites, and of each."""

    sites: tuple[SiteFigures, ...]
    total: Figures

    @property
    def answered(self) -> int:
        """How many sites gave a page."""
        return sum(bool(site.figures.pages) for site in self.sites)

    @property
    def is_fine(self) -> bool:
        """Whether each site gave a page."""
        return self.answered == len(self.sites)

    def hindrance(self, *, answered: bool) -> str:
        """Return why nothing was counted; "": something was."""
        return "" if answered or self.answered else "nothing was counted, because no page of any site could be read"

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        sites = [
            {"site": site.site} | asdict(site.figures) | {"robots": [asdict(file) for file in site.robots]}
            for site in self.sites
        ]
        return {"sites": sites, "total": {"sites": len(sites), "sites_with_pages": self.answered} | asdict(self.total)}

    def lines(self) -> Iterator[str]:
        """Yield it for a person."""
        total = self.total
        apart = (
            f"{counted(total.copies, 'copy', 'copies')} and {counted(total.missing, 'missing page')} with status 200"
        )
        yield f"{counted(len(self.sites), 'site')}, {self.answered} with pages. Counted {counted(total.pages, 'page')}."
        yield f"Counted apart: {apart}. Near copies among the pages: {total.near_copies}; noindex: {total.noindex}."
        yield ""
        yield from _row("Servers", total.servers, "site")
        yield from _row("Status codes", total.statuses)
        yield from _row("HTTP", total.protocols)
        yield from _row("Languages", total.languages)
        yield from _row("Encodings", total.encodings)
        if total.formats:
            yield from ("", f"{'Format':<36}{'pages':>7}{'total':>12}{'median':>12}{'95 % under':>12}")
        for name, each in islice(total.formats.items(), SHOWN):
            sizes = (size(each.bytes), size(round(each.median)), size(each.p95))
            yield f"  {name[:33]:<34}{each.pages:>7}" + "".join(f"{value:>12}" for value in sizes)
        if len(total.formats) > SHOWN:
            yield f"  and {len(total.formats) - SHOWN} more; --json has all"
        yield from ("", "Sites:")
        for site in self.sites:
            yield from site.lines()


def _row(label: str, counts: Mapping[str, int], noun: str = "") -> Iterator[str]:
    if not counts:
        return
    values = [f"{name} {counted(number, noun) if noun else number}" for name, number in islice(counts.items(), SHOWN)]
    if len(counts) > SHOWN:
        values.append(f"and {len(counts) - SHOWN} more")
    yield f"{label:<{LABEL}}{', '.join(values)}"


def _robots_line(file: RobotsFigures) -> str:
    clauses = [f"{file.status}" if file.status else "no answer"]
    if file.access != "parsed":
        clauses.append(f"so the site is {file.access}")
    else:
        clauses += [size(file.bytes), counted(file.groups, "group"), counted(file.rules, "rule")]
        clauses += [counted(file.sitemaps, "sitemap")] * bool(file.sitemaps)
        clauses += [f"Crawl-delay {' and '.join(f'{plain(delay)} s' for delay in file.delays)}"] * bool(file.delays)
    if file.findings:
        clauses.append(f"lint: {', '.join(f'{name} {number}' for name, number in file.findings.items())}")
    return f"robots.txt of {file.origin}: {', '.join(clauses)}"


def census(database: CrawlDatabase) -> Census:
    """Read the figures of the latest round, in one state."""
    with database.one_state():
        answers: dict[str, list[CountedResponse]] = {}
        for answer in counted_responses(database):
            answers.setdefault(answer.site, []).append(answer)
        waiting: dict[str, Counter[str]] = {}
        for site, rule, number in uncounted_urls(database):
            waiting.setdefault(site, Counter())[_reason(rule)] += number
        sites = tuple(
            SiteFigures(
                site, _figures(answers.get(site, ()), waiting.get(site, Counter())), tuple(_robots_of(database, site))
            )
            for site in sites_of_census(database)
        )
    every = [answer for found in answers.values() for answer in found]
    together: Counter[str] = Counter()
    for reasons in waiting.values():
        together.update(reasons)
    of_sites = Counter(name for site in sites for name in islice(site.figures.servers, 1))
    return Census(sites, _figures(every, together, servers=of_sites))


def _figures(
    answers: Sequence[CountedResponse], waiting: Counter[str], *, servers: Counter[str] | None = None
) -> Figures:
    pages = [answer for answer in answers if answer.rules is not None and not answer.rules & (COPIES | MISSING)]
    clusters = Counter(answer.cluster for answer in pages if answer.cluster is not None)
    sizes: dict[str, list[int]] = {}
    for answer in pages:
        sizes.setdefault(answer.head.media_type or NOT_NAMED, []).append(answer.head.size)
    return Figures(
        pages=len(pages),
        copies=_refused(answers, COPIES),
        near_copies=sum(number - 1 for number in clusters.values()),
        missing=_refused(answers, MISSING),
        noindex=_refused(pages, WITHHELD),
        statuses=_by_number(str(answer.head.status) for answer in answers),
        servers=most_first(servers)
        if servers is not None
        else _by_number(_product(each.head.server) for each in answers),
        protocols=_by_number(answer.head.protocol or NOT_NAMED for answer in answers),
        formats=dict(sorted(((name, _format(each)) for name, each in sizes.items()), key=lambda each: -each[1].pages)),
        languages=_by_number(answer.language or NOT_NAMED for answer in pages if answer.encoding),
        encodings=_by_number(answer.encoding for answer in pages if answer.encoding),
        not_counted=most_first(waiting),
    )


def _reason(rule: Rule | None) -> str:
    """Return why URLs were not counted; the clause behind the semicolon speaks of one URL."""
    return rule.meaning.partition(";")[0] if rule else "not requested yet"


def _refused(answers: Iterable[CountedResponse], rules: frozenset[Rule]) -> int:
    return sum(bool(answer.rules & rules) for answer in answers if answer.rules)


def _product(server: str) -> str:
    """Return the first product of a Server line, without its version (RFC 9110, 10.2.4)."""
    first = server.split("/", 1)[0].split("(", 1)[0].strip()
    return first or NOT_NAMED


def _format(sizes: list[int]) -> Format:
    ordered = sorted(sizes)
    return Format(len(ordered), sum(ordered), median(ordered), ordered[math.ceil(TAIL * len(ordered)) - 1])


def _by_number(values: Iterable[str]) -> dict[str, int]:
    return most_first(Counter(values))


def _robots_of(database: CrawlDatabase, site: str) -> Iterator[RobotsFigures]:
    for scheme in ("http", "https"):
        record = read_robots(database, origin_of(f"{scheme}://{site}/"))
        if record is None:
            continue
        file = parse(record.body)
        yield RobotsFigures(
            origin=record.origin,
            status=record.status,
            access=record.state.lower(),
            bytes=len(record.body),
            groups=len(file.groups),
            rules=sum(len(group.rules) for group in file.groups),
            delays=_delays(file),
            sitemaps=len(file.sitemaps),
            findings=dict(sorted(Counter(finding.rule for finding in lint(record.body)).items())),
        )


def _delays(file: RobotsFile) -> tuple[float, ...]:
    """Return the Crawl-delays that a file asks of the robots that it names, and of all others, in seconds."""
    named = dict.fromkeys(name for group in file.groups for block in group.blocks for name in block.names)
    names = (name.decode("ascii") for name in named if name not in {b"", EVERYBODY})
    robots = islice(names, min(MAX_ROBOTS, MAX_STEPS // (1 + len(file.groups))))
    return tuple(sorted({delay for robot in ("", *robots) if (delay := file.delay(robot)) is not None}))


SAMPLE = 50  # requests to each site in one run of a census, unless -a each gives another number


class CensusCrawl(ReportCrawl):
    """A crawl that counts pages and stores none."""

    name = "census"
    settings: ClassVar[Mapping[str, object]] = {
        "ITEM_PIPELINES": {"extensions.census.stage.CensusStage": 900},
        "PROBE_AFTER": 0,  # probes are evaluated with stored texts
        "TRAP_PATIENCE": 0,  # without earlier pages, no page can be recognised as new
    }
    noun = "a census"
    needs_seeds = False
    stores_texts = False

    def folder(self, first_seed: str) -> Path:  # noqa: ARG002 - a census has many sites
        """Return the folder of the census."""
        return base_folder() / "census"

    def read(self, database: CrawlDatabase) -> Census:
        """Read the figures."""
        return census(database)

    def set_up(self, settings: Settings, arguments: dict[str, str]) -> None:
        """Limit the sample, and request the headers of every kind of file."""
        super().set_up(settings, arguments)
        arguments.setdefault("each", str(SAMPLE))
        if (settings.getpriority("LOOKED_AT_ENDINGS") or 0) <= PROJECT:
            settings.set("LOOKED_AT_ENDINGS", settings.getlist("SKIPPED_ENDINGS"), priority="cmdline")

    def mistake(self, settings: Settings, data_dir: Path) -> str:
        """Return which option would store pages, or that the folder already stores some; "" if neither."""
        if settings.getdict("FEEDS"):
            return "-o writes pages, but a census stores none: leave it out; --json prints the figures"
        for recorder in call_extensions("crawl_recorders", settings=settings):
            if (settings.getpriority(recorder.setting) or 0) > PROJECT:
                return f"{recorder.setting}=yes writes pages, but a census stores none: leave it out"
        if _stores_pages(data_dir):
            return f"{data_dir} stores pages of a crawl: name another folder with --data"
        return ""


def _stores_pages(data_dir: Path) -> bool:
    if not (data_dir / FILE_NAME).exists():
        return False
    try:
        with open_up_to_date(data_dir) as database:
            return keeps_pages(database)
    except NoCrawlError:  # killed before it had tables
        return False
