"""What should a robot know of the practice web? The robots.txt of each site, and the page that a URL means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from demo import load
from demo.virtual_hosts import VirtualHosts
from extensions.audit.log_audit import RobotsInForce
from robots import Access, HttpResponse, read_answer, robots_url
from urls.canonical import canonical_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extensions.audit.log_reader import LoggedRequest
    from robots import Availability

ENDING = ".localhost"
DIRECTORY = "127.0.0.1"
ELSEWHERE = "no site of the practice web"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a robot: `url` as it asked, and `page`, the one spelling by which the truth has it.

    `host` has its port.
    """

    request: LoggedRequest
    url: str
    page: str
    host: str


class Practice:
    """The practice web on one port. It is also the `Rules` of an audit: `of` returns the robots.txt in force."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.truth = load(port)
        self._hosts = VirtualHosts(port)
        self._page_of = {alias: url for url, aliases in self.truth.aliases.items() for alias in aliases}
        self._origins = {f"http://{self.host_of(name)}" for name in self._hosts.sites} | {f"http://{DIRECTORY}:{port}"}
        self._rules: dict[str, RobotsInForce] = {}

    def host_of(self, name: str) -> str:
        """Return host and port of a site."""
        return f"{name}{ENDING}:{self.port}"

    def visit(self, request: LoggedRequest) -> Visit:
        """Return a request with its page."""
        url = request.origin + request.path
        return Visit(request, url, self.page(url), request.origin.partition("://")[2])

    def page(self, url: str) -> str:
        """Return the spelling of a URL that the truth has, or the canonical one."""
        page = canonical_or_none(url) or url
        return self._page_of.get(url, self._page_of.get(page, page))

    def has(self, request: LoggedRequest) -> bool:
        """Return whether a request is for a site of the practice web."""
        return request.origin in self._origins

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the robots.txt of the site, or why there is none."""
        return self._rules_of(visit.origin) if self.has(visit) else ELSEWHERE

    def allows(self, agent: str, url: str) -> bool:
        """Return whether the robots.txt of a site allows a full URL to the robot with this product token."""
        parts = urlsplit(url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return self._rules_of(f"{parts.scheme}://{parts.netloc}").availability.decide(agent, path).allowed

    def _rules_of(self, origin: str) -> RobotsInForce:
        if origin not in self._rules:
            self._rules[origin] = RobotsInForce(self._availability(origin))
        return self._rules[origin]

    def _availability(self, origin: str) -> Availability:
        url, hops = robots_url(origin), 0
        while True:
            parts = urlsplit(url)
            response = self._hosts.respond(parts.netloc, parts.path, lambda _: 1)
            answer = HttpResponse(url, response.status, response.headers, response.body, datetime.now(UTC), hops=hops)
            found = read_answer(answer)
            if found.access is not Access.MOVED:
                return found
            url, hops = found.location, hops + 1


def port_of(requests: Iterable[LoggedRequest]) -> int | None:
    """Return the port of the practice web in a log: that of the first request for one of its names."""
    for request in requests:
        name, _, port = request.origin.partition("://")[2].rpartition(":")
        if name.endswith(ENDING) and port.isdecimal():
            return int(port)
    return None
