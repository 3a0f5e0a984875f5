"""Was that right? Judged by what the server saw, and for what had to wait by the crawl's queue."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.situations.situation import Check, Did, Grade, SeenRequest, Situation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from tests.situations.situation import ExpectedVisit, PlayedSite

ROBOTS = "/robots.txt"
ENOUGH = 0.5  # of a pause: a busy machine sends one request late, and the next one not; a rude robot leaves none
PRODUCTS = ("breadcrumb/", "scrapy/")  # with which the header of each of the two robots has to begin


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, or only missing where no standard demands it; without a `site` it is about the whole situation."""

    what: str
    site: str | None = None  # its label
    visit: int = 1
    instead: str = ""  # of what would have been right
    wrong: bool = True

    def __str__(self) -> str:
        where = "" if self.site is None else f"site {self.site!r}, visit {self.visit}: "
        return f"{where}it {self.what}" + (f", where right is that it {self.instead}" if self.instead else "")


@dataclass(frozen=True, slots=True)
class Assessment:
    """How a robot did in one situation with so many sites, and where it did otherwise than is right."""

    grade: Grade
    sites: int
    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        where: dict[str, dict[str, None]] = {}
        for fault in self.faults:
            where.setdefault(fault.what, {}).update({} if fault.site is None else {fault.site: None})
        told = (
            f"{what} ({', '.join(sites)})" if 0 < len(sites) < self.sites else what for what, sites in where.items()
        )
        return f"{self.grade.value}: {'; '.join(told)}" if where else self.grade.value


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known of one robot in one situation: its requests, and by site and visit the paths that then waited.

    `told` has the rules of its journal by site. The last two are None for a robot that keeps no queue and no journal.
    """

    asked: Sequence[SeenRequest]
    waiting: Mapping[tuple[str, int], Collection[str]] | None = None
    told: Mapping[str, Collection[str]] | None = None

    def paths(self, label: str, visit: int) -> list[str]:
        """Return what was asked of a site at one visit."""
        return [asked.path for asked in self.asked if (asked.site, asked.visit) == (label, visit)]


def assess(situation: Situation, seen: Observation) -> Assessment:
    """Hold what a robot did against what it should have done."""
    faults = [
        fault
        for label, site in situation.sites.items()
        for number, visit in enumerate(site.visits, 1)
        for fault in _faults_of(visit, doing(site, seen.paths(label, number)), seen, label, number)
    ]
    for checks, demanded in ((situation.demanded, True), (situation.advised, False)):
        faults += (Fault(what, wrong=demanded) for check in checks if (what := check(tuple(seen.asked))))
    if seen.told is not None:
        faults += (
            Fault(f"says nothing of {rule} in its journal", label)
            for label, rule in situation.told.items()
            if rule not in seen.told[label]
        )
    wrong = tuple(fault for fault in faults if fault.wrong)
    grade = Grade.WRONG if wrong else situation.otherwise if faults else Grade.RIGHT
    return Assessment(grade, len(situation.sites), wrong or tuple(faults))


def _faults_of(visit: ExpectedVisit, did: Did, seen: Observation, label: str, number: int) -> Iterator[Fault]:
    if did is not visit.right:
        yield Fault(did.value, label, number, visit.right.value, wrong=did not in visit.permitted)
    waits = visit.right is Did.WAITED and visit.waits
    if waits and seen.waiting is not None and "/" not in seen.waiting[label, number]:
        yield Fault("has lost the pages that should wait", label, number)
    asked = ROBOTS in seen.paths(label, number)
    if visit.asks is True and not asked:
        yield Fault("does not ask for robots.txt again", label, number, wrong=visit.must_ask)
    elif visit.asks is False and asked:
        yield Fault("asks again for a robots.txt that it may keep", label, number, wrong=False)


def doing(site: PlayedSite, paths: Sequence[str]) -> Did:
    """Tell what was done with a site, by what was asked of it."""
    asked = set(paths)
    allowed, forbidden = {"/", *site.allowed}, set(site.forbidden)
    if not asked & (allowed - {ROBOTS} | forbidden):
        return Did.WAITED
    if asked & forbidden:
        return Did.OPENED if allowed | forbidden <= asked else Did.MORE
    return Did.OBEYED if allowed <= asked else Did.LESS


# -- checks of one situation ---------------------------------------------------------------------------------------


def never_asks(*paths: str) -> Check:
    """Check that none of these paths was asked for."""

    def check(asked: Iterable[SeenRequest]) -> str:
        found = sorted({one.path for one in asked} & set(paths))
        return f"asks for {', '.join(found)}" if found else ""

    return check


def asks(path: str) -> Check:
    """Check that a path was asked for."""

    def check(asked: Iterable[SeenRequest]) -> str:
        return "" if path in {one.path for one in asked} else f"does not ask for {path}"

    return check


def asks_for_robots(label: str, *, times: int) -> Check:
    """Check how often robots.txt was asked for at the first visit of a site."""

    def check(asked: Iterable[SeenRequest]) -> str:
        count = sum(one.path == ROBOTS and (one.site, one.visit) == (label, 1) for one in asked)
        return "" if count == times else f"asks {count} times for robots.txt, and not {times}"

    return check


def asks_conditionally() -> Check:
    """Check that the second question for robots.txt names the copy that is known."""

    def check(asked: Iterable[SeenRequest]) -> str:
        again = [one for one in asked if one.path == ROBOTS and one.visit > 1]
        return "" if again and all("if-none-match" in one.headers for one in again) else "asks without a condition"

    return check


def no_credentials() -> Check:
    """Check that user and password of a link are not sent."""

    def check(asked: Iterable[SeenRequest]) -> str:
        sent = sorted({one.path for one in asked if "authorization" in one.headers})
        return f"sends user and password with {', '.join(sent)}" if sent else ""

    return check


def identifies_itself() -> Check:
    """Check that each request begins its User-Agent with the token by which robots.txt calls the robot."""

    def check(asked: Iterable[SeenRequest]) -> str:
        names = {one.headers.get("user-agent", "") for one in asked}
        return "" if all(name.lower().startswith(PRODUCTS) for name in names) else f"is called {sorted(names)}"

    return check


def tells_its_owner() -> Check:
    """Check that each request has an address to write to."""

    def check(asked: Iterable[SeenRequest]) -> str:
        return "" if all("@" in one.headers.get("from", "") for one in asked) else "sends no From"

    return check


def keeps_pauses(label: str, seconds: float) -> Check:
    """Check that between two requests to a site so many seconds pass."""

    def check(asked: Iterable[SeenRequest]) -> str:
        starts = sorted(one.at for one in asked if one.site == label)
        least = min((after - before for before, after in pairwise(starts)), default=seconds)
        return "" if least >= seconds * ENOUGH else f"leaves less than {seconds:g} s between two requests"

    return check
