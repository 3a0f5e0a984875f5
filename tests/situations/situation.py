"""What is a situation? Some sites with awkward answers to GET /robots.txt, and what a robot must then have done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.situations.scripted_reply import ScriptedReply

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0  # seconds


class Did(Enum):
    """What a robot did with a site, seen by the pages that it asked for."""

    OBEYED = "keeps to the rules in it"
    OPENED = "fetches everything"
    WAITED = "fetches nothing"
    LESS = "keeps out of more than the rules say"
    MORE = "fetches some of what is disallowed"


class Grade(Enum):
    """How well it did."""

    RIGHT = "right"
    PERMITTED = "permitted"  # it does otherwise, and no standard forbids that
    NOT_OFFERED = "not offered"  # it lacks something that no standard demands
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class ExpectedVisit:
    """What must be seen of a site when a robot comes: its doing, and whether it asks for robots.txt.

    `later` is for how many seconds what it knows of the site has lain there since the visit before.
    """

    right: Did
    permitted: frozenset[Did] = frozenset()  # by the standard, beside what is right
    later: float = 0.0
    asks: bool | None = None  # for robots.txt; None: either will do
    must_ask: bool = False  # a standard wants it to ask
    waits: bool = True  # where nothing is fetched: the pages stay in the queue; False: they are disallowed


@dataclass(frozen=True, slots=True)
class PlayedSite:
    """One origin: its robots.txt, pages that `/` links to, and the visits it gets.

    What stands for several visits is a tuple with one of them for each, the last for all that come later.
    """

    robots: ScriptedReply | tuple[ScriptedReply, ...]
    visits: tuple[ExpectedVisit, ...]
    allowed: tuple[str, ...] = ("/open",)
    forbidden: tuple[str, ...] = ("/private",)
    links: tuple[str, ...] = ()  # on `/`; empty: to all that is allowed and forbidden
    pages: Mapping[str, ScriptedReply] = field(default_factory=dict)  # that are not just a page
    host: str = ""  # where it has not the situation's own name
    scheme: str = "http"
    door: int = 0  # which of the server's ports
    settings: Mapping[str, str] = field(default_factory=dict)  # of Breadcrumb, where the default is not meant


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request, as the server saw it. `visit` counts from 1."""

    at: float
    visit: int
    site: str  # the label of the site within its situation
    path: str
    headers: Mapping[str, str]  # names in lower case


Check = Callable[["tuple[SeenRequest, ...]"], str]  # returns what is wrong, or ""


@dataclass(frozen=True, slots=True)
class Situation:
    """A row of the catalogue as something that can be played. The labels of its sites are parts of their names."""

    id: str
    sites: Mapping[str, PlayedSite]
    demanded: tuple[Check, ...] = ()  # by a standard
    advised: tuple[Check, ...] = ()  # by the catalogue alone
    otherwise: Grade = Grade.PERMITTED  # where all is done that is demanded, and not all that is advised
    told: Mapping[str, str] = field(default_factory=dict)  # what a journal has about a site, by its label
    words: str = ""  # of its own, where no row of the catalogue has them

    def host(self, label: str) -> str:
        """Return the host name of a site."""
        own = f"{self.id.lower()}.localhost"
        return self.sites[label].host or (f"{label}.{own}" if label else own)


def visited_once(
    robots: ScriptedReply | tuple[ScriptedReply, ...], right: Did, *permitted: Did, **more: object
) -> PlayedSite:
    """Return a site that is visited once."""
    return PlayedSite(robots, (ExpectedVisit(right, frozenset(permitted)),), **more)  # type: ignore[arg-type]  # its fields
