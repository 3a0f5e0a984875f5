"""What does the owner of a site see of each robot? `/inside/owner` reads an access log and compares it with the crawl.

The log is `requests.log` in the data folder. The practice web writes it; for a real site the operator puts a copy or a
link there. No visitor can name a file. The page shows what robots requested: no IP address, no query, and no line of a
person.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from flask import Blueprint, current_app, render_template, request

import extensions.audit.log_reader
from extensions.audit.log_audit import NO_HOST, StoredFiles
from extensions.audit.log_reader import NoLogError, read_agents, token_pattern
from extensions.audit.owner_side import matching, visitors
from extensions.audit.owner_side.matching import MAX_PAIRS, Matching, pair_lines
from extensions.audit.owner_side.visitors import Visitors
from extensions.audit.tables import sent_requests
from gateway.search_request import number_parameter, read_site, read_text
from gateway.served_crawl import kept_in_app, served_crawl
from gateway.source_files import source_files_of
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawldb.databases import Parts
    from extensions.audit.log_audit import RobotsInForce
    from extensions.audit.log_reader import LoggedRequest
    from extensions.audit.owner_side.matching import MatchedLine
    from extensions.audit.owner_side.visitors import Robot

LOG_NAME = "requests.log"
CACHE_SECONDS = 30.0  # between two readings of the log
MAX_LINES = 50_000  # read: some four seconds
LINES_SHOWN = 50  # on a page
ROBOTS_SHOWN = 50
FORBIDDEN_SHOWN = 10  # of each robot
owner_view = Blueprint("inside_owner", __name__, template_folder="../templates")


@dataclass(frozen=True, slots=True)
class OwnersLog:
    """An access log: who is in it, and which lines the crawl has written. `fault` says why it can't be read."""

    visitors: Visitors
    matching: Matching
    cut: bool = False
    fault: str = ""


class StoredRules:
    """The robots.txt files that a crawl has stored, in whichever of its parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._files: dict[Path, StoredFiles] = {}

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the file in force for a request, or why there is none."""
        if not visit.origins:
            return NO_HOST
        database = self._parts.home(f"{visit.origin}/")
        return self._files.setdefault(database.path, StoredFiles(database)).of(visit)


@owner_view.get("/inside/owner")
def owner() -> str:
    """Show the robots of the log, and the lines of our own next to the requests of the crawl."""
    site = read_site(read_text(request.args, "site"))
    page = int(number_parameter(request.args, "page", 1, 1, MAX_LINES))
    path = owners_log_path()
    shown: dict[str, object] = {"log_name": LOG_NAME}
    if path is not None:
        log = _remembered(path)
        lines = [each for each in log.matching.lines if not site or site_of_line(each) == site]
        begin = (page - 1) * LINES_SHOWN
        shown |= {"log": log, "lines": lines[begin : begin + LINES_SHOWN], "begin": begin, "found": len(lines)}
        shown |= {"robots": worst_first(log.visitors.robots)[:ROBOTS_SHOWN], "most": MAX_LINES, "step": LINES_SHOWN}
        shown |= {"sites": sorted(map(site_without_scheme, log.matching.by_site)), "few": FORBIDDEN_SHOWN, "page": page}
    sources = source_files_of(visitors, matching, extensions.audit.log_reader)
    return render_template("inside/owner.html", sources=sources, site=site, ending=ending, **shown)


def owners_log_path() -> Path | None:
    """Return the log in the data folder; None where there is none, or where it is the gateway's own."""
    crawl = served_crawl()
    path = crawl.data_dir / LOG_NAME
    own = current_app.config.get("REQUEST_LOG", "")  # where another extension writes it
    if own and (crawl.data_dir / own).resolve() == path.resolve():
        return None
    return path if path.is_file() else None


def _remembered(path: Path) -> OwnersLog:
    crawl = served_crawl()
    product = crawl.manners().product
    return kept_in_app("owners_log", CACHE_SECONDS, lambda: read_owners_log(path, crawl.parts(), product))


def read_owners_log(path: Path, parts: Parts, product: str) -> OwnersLog:
    """Read a log, and compare the lines of the robot `product` with the requests of the crawl."""
    ours, token = list[tuple[str, "LoggedRequest"]](), token_pattern(product)

    def noted() -> Iterator[tuple[str, LoggedRequest]]:
        for agent, line in islice(read_agents(file, LOG_NAME), MAX_LINES):
            if token.search(agent):
                ours.append((agent, line))
            yield agent, line

    try:
        with path.open("rb") as file:
            found = visitors.visitors(noted(), StoredRules(parts))
    except (OSError, NoLogError) as error:
        return OwnersLog(Visitors(), Matching(), fault=getattr(error, "strerror", None) or str(error))
    sent = chain.from_iterable(sent_requests(database, MAX_PAIRS) for database in parts.readable())
    return OwnersLog(found, pair_lines((line for _, line in ours), sent), cut=found.lines >= MAX_LINES)


def worst_first(robots: list[Robot]) -> list[Robot]:
    """Return the robots that most disregard robots.txt first, then those with most requests."""
    return sorted(robots, key=lambda robot: (-robot.guided, -robot.after_reading, -robot.requests))


def site_without_scheme(origin: str) -> str:
    """Return an origin without its scheme, and without the port of http."""
    return origin.partition("://")[2].removesuffix(":80")


def site_of_line(each: MatchedLine) -> str:
    """Return the site of a line."""
    return site_without_scheme(each.line.origin)


def ending(rule: str) -> str:
    """Return how a request ended, in words."""
    return Rule(rule).meaning if rule in set(Rule) else rule
