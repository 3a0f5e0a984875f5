"""What does one robots.txt say, in numbers? Its robots, its size, its sitemaps, and what a lint finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.robots_study.bias import MAX_ROBOTS, robots_in
from robots import lint, origin_of, parse
from urls.site import host_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reports.robots_study.bias import RobotInFile
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
    findings: Mapping[str, int]  # of a lint, by its rules

    @property
    def delays(self) -> frozenset[float]:
        """The Crawl-delays that it asks of robots, in seconds, each once."""
        return frozenset(robot.delay for robot in self.robots if robot.delay is not None)

    @property
    def is_cut(self) -> bool:
        """Whether it has more robots than are counted or compared."""
        return len(self.robots) > MAX_ROBOTS or not all(robot.compared for robot in self.robots)


def read_one(origin: str, body: bytes) -> OneFile:
    """Count what the file of an origin says; `body` is UTF-8."""
    file = parse(body)
    return OneFile(
        file=file,
        size=len(body),
        robots=tuple(robots_in(file)),
        rules=sum(len(group.rules) for group in file.groups),
        sitemaps=len(file.sitemaps),
        sitemaps_elsewhere=sum(not _is_on_host_of(origin, sitemap) for sitemap in file.sitemaps),
        findings=Counter(finding.rule for finding in lint(body)),
    )


def _is_on_host_of(origin: str, sitemap: str) -> bool:
    """Say whether a sitemap is where its file is; what has no host that can be read is nowhere else."""
    try:
        return host_of(origin_of(sitemap)) == host_of(origin_of(origin))
    except ValueError:
        return True
