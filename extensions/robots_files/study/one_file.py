"""Which numbers describe one robots.txt? Its robots and their bias, its size, its sitemaps, its lint findings.

A file favours a robot that may fetch more of its named places than an unnamed robot may. The measure is that of Sun,
Zhuang, Councill and Giles, "Determining Bias to Search Engines from Robots.txt" (2007), by the makers of BotSeer. The
places that a file names represent the site, since no others are known. A robot's bias is the number of them that it may
fetch, less the number for the universal robot. That robot follows the group for `*`, or without one may fetch
everything. Above 0 a robot is favoured, below 0 disfavoured.

They count directories. Here a place is a path: `/`, and for each rule the shortest path that it matches. That gives the
same result for `/a/`, and also covers `/*.pdf$`. The crawl's own parser decides about each fetch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from crawldb.tables.robots_files import site_of_version
from robots import lint, origin_of, parse
from robots.group import EVERYBODY
from robots.normal_form import escaped
from urls.canonical import host_of, host_of_site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from robots import RobotsFile

UNIVERSAL: Final = ""  # a robot that no file can name
MAX_ROBOTS: Final = 1_000  # of a file that are counted: twice the most in any of 1,278 real files
MAX_PATHS: Final = 1_000  # of a file that are compared
# Steps for one file, about a second: a hostile one may name 15,000 robots in as many groups. The largest of the real
# files needs 560,000.
MAX_STEPS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class OneFile:
    """The numbers of one file. `file` is the parsed file."""

    file: RobotsFile
    size: int  # bytes
    robots: tuple[RobotInFile, ...]  # the first is the universal one
    rules: int
    sitemaps: int
    sitemaps_elsewhere: int  # on another host than that of the file
    placed: bool  # the host of the file is known, so sitemaps can be elsewhere
    findings: Mapping[str, int]  # of a lint, by its rules

    @property
    def delays(self) -> frozenset[float]:
        """Its Crawl-delays, in seconds, each once."""
        return frozenset(robot.delay for robot in self.robots if robot.delay is not None)

    @property
    def is_cut(self) -> bool:
        """Whether it has more robots than the study counts or compares."""
        return len(self.robots) > MAX_ROBOTS or not all(robot.compared for robot in self.robots)


def read_one(host: str, body: bytes) -> OneFile:
    """Count the contents of a host's file; `body` is UTF-8, and `host` is empty if unknown."""
    file = parse(body)
    return OneFile(
        file=file,
        size=len(body),
        robots=tuple(robots_in(file)),
        rules=sum(len(group.rules) for group in file.groups),
        sitemaps=len(file.sitemaps),
        sitemaps_elsewhere=sum(_host(sitemap) not in {host, ""} for sitemap in file.sitemaps) if host else 0,
        placed=bool(host),
        findings=Counter(finding.rule for finding in lint(body)),
    )


def _host(sitemap: str) -> str:
    """Return the host of a sitemap; empty if it has no valid one."""
    try:
        return host_of(origin_of(sitemap))
    except ValueError:
        return ""


def host_of_file(origin: str, name: str) -> str:
    """Return the host of a file; for an imported one its name may be the host. Empty if unknown."""
    host = host_of_site(site_of_version(origin, name))
    return host if origin or "." in host else ""  # a name of one word is mostly the number of a collection


@dataclass(frozen=True, slots=True)
class RobotInFile:
    """One robot in a file: it may fetch `places` of the paths that the file names, and any other robot `universal`.

    `compared` is false if the file was too large to compare all of its robots; then both are 0.
    """

    name: str  # product token in lower case; "": the universal robot
    places: int
    universal: int
    delay: float | None  # seconds; None: the file has none for it
    compared: bool = True

    @property
    def bias(self) -> int:
        """The number of places that the robot may fetch, less the number for any other robot."""
        return self.places - self.universal

    @property
    def is_shut_out(self) -> bool:
        """Whether the robot may fetch no place that the file names, not even the home page."""
        return self.compared and not self.places


def robots_in(file: RobotsFile) -> list[RobotInFile]:
    """Return each robot in a file: the universal one first, then the named ones, in the order of the file."""
    paths = named_paths(file)
    steps_each = len(paths) + sum(1 + len(group.rules) for group in file.groups)
    universal = _allowed(file, UNIVERSAL, paths)
    found = [RobotInFile(UNIVERSAL, universal, universal, file.delay(UNIVERSAL))]
    places: dict[tuple[int, ...], int] = {}  # by groups: robots with the same groups may fetch the same
    for name, groups in named_robots(file).items():
        if groups not in places and len(places) * steps_each < MAX_STEPS:
            places[groups] = _allowed(file, name, paths)
        if groups in places:
            found.append(RobotInFile(name, places[groups], universal, file.delay(name)))
        else:
            found.append(RobotInFile(name, 0, 0, None, compared=False))
    return found


def named_robots(file: RobotsFile) -> dict[str, tuple[int, ...]]:
    """Return the product tokens that a file names, at most MAX_ROBOTS, each with the places of its groups."""
    groups: dict[bytes, dict[int, None]] = {}
    for place, group in enumerate(file.groups):
        for name in (name for block in group.blocks for name in block.names):
            groups.setdefault(name, {})[place] = None
    tokens = (name for name in groups if name not in {b"", EVERYBODY})
    return {token.decode("ascii"): tuple(groups[token]) for token in islice(tokens, MAX_ROBOTS)}


def named_paths(file: RobotsFile) -> list[str]:
    """Return `/` and the shortest path of each rule, in the order of the file, each once and at most MAX_PATHS."""
    shortest = (shortest_path(value) for group in file.groups for _, _, value in group.rules)
    return list(islice(dict.fromkeys(["/", *(path for path in shortest if path)]), MAX_PATHS))


def shortest_path(value: bytes) -> str:
    """Return the shortest path that a rule with this value matches, escaped; empty if it matches none."""
    if not value.startswith((b"/", b"*")):
        return ""  # no path begins otherwise
    path = value.removesuffix(b"$").replace(b"*", b"")
    return escaped(path if path.startswith(b"/") else b"/" + path).decode("ascii")


def _allowed(file: RobotsFile, agent: str, paths: list[str]) -> int:
    return sum(file.decide(agent, path).allowed for path in paths)
