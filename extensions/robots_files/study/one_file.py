"""What does one robots.txt say, in numbers? Its robots, its size, its sitemaps, and what a lint finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.robots_versions import site_of_version
from extensions.robots_files.study.bias import MAX_ROBOTS, robots_in
from robots import lint, origin_of, parse
from urls.site import host_of, host_of_site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extensions.robots_files.study.bias import RobotInFile
    from robots import RobotsFile


@dataclass(frozen=True, slots=True)
class OneFile:
    """The numbers of one file. `file` is what the parser made of it."""

    file: RobotsFile
    size: int  # bytes
    robots: tuple[RobotInFile, ...]  # the first is the universal one
    rules: int
    sitemaps: int
    sitemaps_elsewhere: int  # on another host than that of the file
    placed: bool  # the host of the file is known, so that sitemaps can be elsewhere
    findings: Mapping[str, int]  # of a lint, by its rules

    @property
    def delays(self) -> frozenset[float]:
        """The Crawl-delays that it asks of robots, in seconds, each once."""
        return frozenset(robot.delay for robot in self.robots if robot.delay is not None)

    @property
    def is_cut(self) -> bool:
        """Whether it has more robots than are counted or compared."""
        return len(self.robots) > MAX_ROBOTS or not all(robot.compared for robot in self.robots)


def read_one(host: str, body: bytes) -> OneFile:
    """Count what the file of a host says; `body` is UTF-8, and `host` empty where it is not known."""
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
    """Return the host of a sitemap; empty where it has none that can be read."""
    try:
        return host_of(origin_of(sitemap))
    except ValueError:
        return ""


def host_of_file(origin: str, name: str) -> str:
    """Return the host that a file is from; of an imported one its name may be that. Empty where it is not known."""
    host = host_of_site(site_of_version(origin, name))
    return host if origin or "." in host else ""  # a name of one word is mostly the number of a collection
