"""Whom do many robots.txt files name, favour and shut out, which delays do they set, and how do they change?

The newest version of each origin counts as its file; all others count only as its history. The fetched and the imported
file of one origin are two files. Unless stated otherwise, a number counts files, so a long file weighs no more than a
short one.

A robot has a kind if the purpose of robots with that name is commonly known. The study guesses nothing about others, or
about robots with several purposes, such as ccbot. The book's first kinds are in docs/book.md: for stocks, statistics,
search, prices and links. Robots that serve language models came twenty years later. They gather text for a model, or
fetch a page for one of its users. Robots that draw graphs of stocks request a few servers that know them, and no file
is known to name one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from zstandard import ZstdError

from crawldb.tables.robots_files import body_of, responses_by_status, stored_versions
from extensions.robots_files.study.history import History, HistoryNumbers
from extensions.robots_files.study.one_file import UNIVERSAL, host_of_file, read_one
from robots import parse
from robots.group import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.robots_files import RobotsVersion
    from extensions.robots_files.study.one_file import OneFile, RobotInFile

SIZES: Final = {  # bytes, and less than so many
    "empty": 1, "under 100 bytes": 100, "100 bytes to 1 kB": 1_000, "1 to 10 kB": 10_000, "10 to 100 kB": 100_000,
    "100 kB and more": float("inf"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RobotNumbers:
    """The numbers of files for one robot. `name` is a product token in lower case.

    `favoured` and `disfavoured` count files with a bias (one_file.py), `shut_out` those by which it may fetch nothing.
    Delays are in seconds, None if no file sets any.
    """

    name: str
    kind: str
    named: int
    favoured: int
    disfavoured: int
    shut_out: int
    delays: int
    median_delay: float | None
    longest_delay: float | None


@dataclass(frozen=True, slots=True)
class RobotsStudy:
    """The numbers of all files. `universal` is for a robot that no file names; `*` counts as its name."""

    files: int
    left_out: int  # versions that were not read: damaged, or too many
    cut: int  # files with more robots than the study counts or compares
    rules: int  # of all files together
    universal: RobotNumbers
    robots: tuple[RobotNumbers, ...]  # in falling order of the files that name them
    kinds: Mapping[str, int]  # files that name a robot of this kind
    median_size: float  # bytes
    largest_size: int
    sizes: Mapping[str, int]
    with_delays: int
    delays: Mapping[float, int]  # files with this delay for any robot, the shortest first
    with_sitemaps: int
    sitemaps: int  # of all files together
    sitemaps_elsewhere: int  # of them, on another host than that of the file
    with_sitemaps_elsewhere: int
    with_sitemaps_unplaced: int  # files whose host is unknown
    findings: Mapping[str, int]  # files by the rules of the lint
    answers: Mapping[str, int]  # origins by the status of the last response, also those without a file
    history: HistoryNumbers
    faults: Mapping[str, str] = field(default_factory=dict)  # unreadable parts of a divided crawl, and why


def study_of(versions: Iterable[tuple[RobotsVersion, bytes | None]], answers: Mapping[str, int]) -> RobotsStudy:
    """Count the contents of all files. The versions of an origin follow each other, the oldest first.

    Each comes with its octets, None if unreadable. `answers` has the requested origins by the status of the last
    response, with a file or without one.
    """
    counting = _Counting()
    history = History()
    for version, body in versions:
        if body is None:
            counting.left_out += 1
        elif version.newest:
            one = read_one(host_of_file(version.origin, version.name), body)
            counting.add(one)
            history.add(version, one.file)
        else:
            history.add(version, parse(body))
    return counting.told(answers, history.numbers())


class _RobotCounts:
    """The counts of one robot so far."""

    def __init__(self) -> None:
        self.named = self.favoured = self.disfavoured = self.shut_out = 0
        self.delays: Counter[float] = Counter()

    def add(self, robot: RobotInFile) -> None:
        self.favoured += robot.bias > 0
        self.disfavoured += robot.bias < 0
        self.shut_out += robot.is_shut_out
        if robot.delay is not None:
            self.delays[robot.delay] += 1

    def told(self, name: str) -> RobotNumbers:
        return RobotNumbers(
            name=name,
            kind=kind_of(name),
            named=self.named,
            favoured=self.favoured,
            disfavoured=self.disfavoured,
            shut_out=self.shut_out,
            delays=self.delays.total(),
            median_delay=median(self.delays.elements()) if self.delays else None,
            longest_delay=max(self.delays, default=None),
        )


class _Counting:
    """The counts of all files so far."""

    def __init__(self) -> None:
        self.files = self.left_out = self.cut = self.rules = self.with_delays = 0
        self.robots: dict[str, _RobotCounts] = {UNIVERSAL: _RobotCounts()}
        self.kinds: Counter[RobotKind] = Counter()
        self.sizes: list[int] = []
        self.delays: Counter[float] = Counter()
        self.sitemaps: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()

    def add(self, one: OneFile) -> None:
        """Count one more file."""
        self.files += 1
        self.cut += one.is_cut
        self.rules += one.rules
        self._add_robots(one)
        self.sizes.append(one.size)
        self.with_delays += bool(one.delays)
        self.delays.update(one.delays)
        elsewhere = one.sitemaps_elsewhere
        self.sitemaps.update({"files": bool(one.sitemaps), "all": one.sitemaps})
        self.sitemaps["files unplaced"] += bool(one.sitemaps) and not one.placed
        self.sitemaps.update({"files elsewhere": bool(elsewhere), "elsewhere": elsewhere})
        self.findings.update(one.findings.keys())

    def _add_robots(self, one: OneFile) -> None:
        universal, *named = one.robots
        self.robots[UNIVERSAL].add(universal)
        names = (names for group in one.file.groups for block in group.blocks for names in block.names)
        self.robots[UNIVERSAL].named += EVERYBODY in names
        for robot in named:
            counts = self.robots.setdefault(robot.name, _RobotCounts())
            counts.named += 1
            counts.add(robot)
        self.kinds.update({kind_of(robot.name) for robot in named})

    def told(self, answers: Mapping[str, int], history: HistoryNumbers) -> RobotsStudy:
        """Return the numbers."""
        universal = self.robots.pop(UNIVERSAL).told(UNIVERSAL)
        robots = [counts.told(name) for name, counts in self.robots.items()]
        return RobotsStudy(
            files=self.files,
            left_out=self.left_out,
            cut=self.cut,
            rules=self.rules,
            universal=universal,
            robots=tuple(sorted(robots, key=lambda robot: (-robot.named, robot.name))),
            kinds={kind: self.kinds[kind] for kind in RobotKind},
            median_size=median(self.sizes) if self.sizes else 0,
            largest_size=max(self.sizes, default=0),
            sizes=_sorted_in(self.sizes),
            with_delays=self.with_delays,
            delays=dict(sorted(self.delays.items())),
            with_sitemaps=self.sitemaps["files"],
            sitemaps=self.sitemaps["all"],
            sitemaps_elsewhere=self.sitemaps["elsewhere"],
            with_sitemaps_elsewhere=self.sitemaps["files elsewhere"],
            with_sitemaps_unplaced=self.sitemaps["files unplaced"],
            findings=dict(self.findings.most_common()),
            answers=answers,
            history=history,
        )


def _sorted_in(sizes: Iterable[int]) -> dict[str, int]:
    found = Counter(next(name for name, less in SIZES.items() if size < less) for size in sizes)
    return {name: found[name] for name in SIZES}


class RobotKind(StrEnum):
    """The purpose of a robot."""

    SEARCH = "search engines"
    LINKS = "checkers of links"
    PRICE = "price comparison"
    STOCK = "graphs of stocks"
    STATISTICS = "statistics of the web"
    MODELS = "language models"
    UNKNOWN = "name does not tell"


_TOKENS: Final = MappingProxyType(
    {
        RobotKind.SEARCH: "googlebot googlebot-image googlebot-mobile googlebot-news googlebot-video bingbot msnbot "
        "msnbot-media slurp yandex yandexbot yandeximages baiduspider baiduspider-image baiduspider-news "
        "baiduspider-video applebot duckduckbot seznambot sogou sosospider 360spider haosouspider yisouspider "
        "petalbot yeti naverbot exabot gigabot teoma qwantbot mojeekbot coccocbot coccocbot-web daum daumoa "
        "webcrawler scooter lycos_spider zyborg oai-searchbot claude-searchbot perplexitybot",
        RobotKind.LINKS: "linkchecker linkscan linkwalker w3c-checklink checkbot momspider xenu",
        RobotKind.PRICE: "becomebot shopwiki storebot-google idealobot twengabot",
        RobotKind.STOCK: "",
        RobotKind.STATISTICS: "netcraftsurveyagent censysinspect internetmeasurement",
        RobotKind.MODELS: "gptbot chatgpt-user anthropic-ai claudebot claude-web claude-user google-extended "
        "applebot-extended bytespider perplexity-user cohere-ai cohere-training-data-crawler meta-externalagent "
        "meta-externalfetcher ai2bot mistralai-user",
    }
)
_KINDS: Final[Mapping[str, RobotKind]] = MappingProxyType(
    {token: kind for kind, tokens in _TOKENS.items() for token in tokens.split()}
)


def kind_of(token: str) -> RobotKind:
    """Return the kind of a robot, by its product token in lower case."""
    return _KINDS.get(token, RobotKind.UNKNOWN)


def stored_study(parts: Parts, most: int | None = None) -> RobotsStudy:
    """Study the files of all parts of a crawl; `most` limits the number of versions.

    An unreadable part is listed in `faults`. Raises DatabaseError if no part is readable.
    """
    answers, faults = parts.ask(responses_by_status)
    databases = [parts.of(part) for part in parts.parts if str(part) in answers]
    together: Counter[str] = Counter()
    for each in answers.values():
        together.update(each)
    study = study_of(_versions(databases, most), dict(together.most_common()))
    return replace(study, faults=faults)


def _versions(databases: Iterable[CrawlDatabase], most: int | None) -> Iterator[tuple[RobotsVersion, bytes | None]]:
    pairs = ((database, version) for database in databases for version in stored_versions(database))
    for database, version in islice(pairs, most):
        yield version, _body(database, version)
    for _, version in pairs:
        yield version, None


def _body(database: CrawlDatabase, version: RobotsVersion) -> bytes | None:
    try:
        return body_of(database, version)
    except ZstdError:
        return None  # one damaged file does not end the study; it counts in `left_out`
