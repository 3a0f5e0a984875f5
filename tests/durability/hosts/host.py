"""Which hosts does a soak have? Eight kinds, by turns, and some dead ones: each with its requests to a robot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

RETRY_AFTER = 1  # seconds that a busy host asks for
BUSY_EVERY = 25  # pages of a busy host of which one answers 429 at first
SLOW_SECONDS = 0.25  # that a slow host takes for a page
PRIVATE_EVERY = 10  # pages of which one links to what is disallowed
BRANCHES = 3  # links to pages further on


class HostKind(Enum):
    """What is special about a host."""

    PLAIN = "a Disallow"
    DELAY = "a Crawl-delay for everybody"
    LISTED = "a sitemap, and half of the pages only there"
    MOVED = "its robots.txt is elsewhere"
    BUSY = "some pages answer 429 and ask for a pause"
    SLOW = "it takes its time"
    FREE = "no robots.txt"
    OWN = "a group for us alone, with a Crawl-delay"
    FAILING = "its robots.txt answers 503"
    SILENT = "it takes connections and says nothing"

    @property
    def dead(self) -> bool:
        """Whether nothing can be had from it."""
        return self in {HostKind.FAILING, HostKind.SILENT}


LIVE = tuple(kind for kind in HostKind if not kind.dead)
DEAD = tuple(kind for kind in HostKind if kind.dead)


@dataclass(frozen=True, slots=True)
class PlayedHost:
    """A host with `pages` pages, and `delay` seconds that it wants between two requests; 0: it names none.

    With a `neighbour`, only its first page leads to that host's last one, so that whoever has this host must tell
    whoever has the other.
    """

    name: str
    kind: HostKind
    pages: int
    delay: float = 0.0
    neighbour: str = ""

    def robots(self, port: int) -> str:
        """Return its robots.txt; "" where it has none."""
        disallow = "Disallow: /private/\n"
        if self.kind is HostKind.FREE:
            return ""
        if self.kind is HostKind.OWN:
            return f"User-agent: *\nDisallow: /\n\nUser-agent: breadcrumb\nCrawl-delay: {self.delay:g}\n{disallow}"
        lines = f"User-agent: *\nCrawl-delay: {self.delay:g}\n" if self.delay else "User-agent: *\n"
        listed = f"Sitemap: http://{self.name}:{port}/sitemap.xml\n" if self.kind is HostKind.LISTED else ""
        return lines + disallow + listed

    @property
    def linked(self) -> int:
        """How many of its pages are reached by links; the others are in its sitemap only."""
        return self.pages // 2 if self.kind is HostKind.LISTED else self.pages - bool(self.neighbour)

    def page(self, number: int, port: int = 0) -> str:
        """Return a page: words of its own, links onwards, and now and then one to where nobody may go."""
        further = range(number * BRANCHES + 1, min((number + 1) * BRANCHES + 1, self.linked))
        links = [path_of_page(other) for other in further if number < self.linked]
        if number % PRIVATE_EVERY == 0 and self.kind is not HostKind.FREE:
            links.append(f"/private/{number}.html")
        if self.neighbour and number == 0:
            links.append(f"http://{self.neighbour}:{port}{path_of_page(self.pages - 1)}")
        anchors = " ".join(f'<a href="{link}">on to {link}</a>' for link in links)
        words = " ".join(f"{self.name.partition('.')[0]}x{number}x{part}" for part in range(20))
        return f"<title>Page {number} of {self.name}</title><p>{words}</p>{anchors}"

    def sitemap(self, port: int) -> str:
        """Return its sitemap: the pages that no link leads to."""
        urls = "".join(
            f"<url><loc>http://{self.name}:{port}{path_of_page(number)}</loc></url>"
            for number in range(self.linked, self.pages)
        )
        head = '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        return f"{head}{urls}</urlset>"


def path_of_page(number: int) -> str:
    """Return the path of a page."""
    return f"/p{number}.html" if number else "/"


def hosts_of(count: int, pages: int, delay: float) -> Iterator[PlayedHost]:
    """Yield `count` hosts that live, with `pages` pages together, and after them the dead ones.

    `delay` is the robot's own, in seconds; what hosts ask for is more.
    """
    each, more = divmod(pages, count)
    for number in range(count):
        kind = LIVE[number % len(LIVE)]
        wanted = {HostKind.DELAY: 1.5 * delay, HostKind.OWN: 2 * delay}.get(kind, 0.0)
        yield PlayedHost(f"s{number}.localhost", kind, each + (number < more), wanted)
    for number, kind in enumerate(DEAD):
        yield PlayedHost(f"dead{number}.localhost", kind, 1)
