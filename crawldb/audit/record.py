"""What does an audit look at, and what does it find? Visits in, one finding a claim out, each with its samples.

A claim ends in one of three ways: proved, violated, or not provable where the log can't show it. Silence of a log is
never taken for good manners.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

SAMPLES = 10  # violations that a finding shows; it counts all
ROBOTS_PATH = "/robots.txt"


class Proof(Enum):
    """How a claim ends."""

    PROVED = "proved"
    VIOLATED = "violated"
    NOT_PROVABLE = "not provable"
    NOT_ASKED = "not asked"  # no limit was given to hold the log against; only what was seen is told


@dataclass(frozen=True, slots=True)
class Form:
    """What a kind of log can show. Times are in seconds."""

    name: str
    unit: str  # what a place counts: lines or fetches
    forgiven: float  # for the way from the robot to the one that writes the log
    doubt: float  # a time between two starts is known no better than this, either way
    answers: bool  # it shows when a request was answered, not only that it was made
    rounds: bool  # it shows to which round of the crawl a request belongs


# 10 ms for the way is what a busy loopback needs; a log of another machine adds only how much its way varies.
FETCH_LOG = Form("Breadcrumb's own fetch log", "fetch", 0.01, 0.0, answers=True, rounds=True)
JSON_LOG = Form("JSON access log", "line", 0.01, 0.0, answers=True, rounds=False)
# A whole second is cut off, and it is that of the end (nginx) or of the start (Apache): answers may take a second more.
COMBINED_LOG = Form("combined log", "line", 0.0, 2.0, answers=False, rounds=False)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request. `place` is its line or fetch number, `path` what a robots.txt is compared with.

    `origins` are those that it may belong to: one, two where the log does not show http or https, none where it
    shows no host. `rules_of` is the origin whose robots.txt it asks for, "" for every other request.
    """

    place: int
    start: float  # seconds since the epoch
    end: float
    url: str  # as far as the log shows it
    path: str
    host: str  # without the port: the machine that is spared
    origins: tuple[str, ...]
    status: int | None  # None: no answer
    rules_of: str = ""
    robots: bool = False
    round: int = 0
    moved: bool = False  # it was answered with a redirect to where the robots.txt is
    again: bool = False  # what came lets the URL be asked for once more: a retry
    timed: bool = True  # False: `start` is not known, only `end`

    @property
    def origin(self) -> str:
        """The key of its origin, as exact as the log allows."""
        return self.origins[0] if self.origins else ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One violation: where it stands, when it began, what was asked for, and what is wrong with it."""

    place: int
    at: float
    url: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Finding:
    """How one claim ends: `name` is a fixed word, `claim` a sentence, `reason` what it rests on."""

    name: str
    claim: str
    proof: Proof
    reason: str
    violations: int = 0
    samples: tuple[Sample, ...] = ()


@dataclass(slots=True)
class Tally:
    """Counts what speaks against a claim: violations, of which it keeps a few, and doubts by their reason."""

    violations: int = 0
    samples: list[Sample] = field(default_factory=list)
    doubts: Counter[str] = field(default_factory=Counter)

    def violation(self, visit: Visit, wrong: str) -> None:
        """Count a visit that breaks the claim."""
        self.violations += 1
        if len(self.samples) < SAMPLES:
            self.samples.append(Sample(visit.place, visit.start, visit.url, wrong))

    def doubt(self, reason: str) -> None:
        """Count a visit of which the log does not show whether it keeps the claim; `reason` is a fixed sentence."""
        self.doubts[reason] += 1

    def finding(self, name: str, claim: str, kept: str) -> Finding:
        """Return how the claim ends; `kept` says what was seen where nothing speaks against it."""
        doubts = "; ".join(f"{requests(count)}: {reason}" for reason, count in self.doubts.items())
        if self.violations:
            count = f"{requests(self.violations)} against it"
            return Finding(name, claim, Proof.VIOLATED, count, self.violations, tuple(self.samples))
        if doubts:
            return Finding(name, claim, Proof.NOT_PROVABLE, doubts)
        return Finding(name, claim, Proof.PROVED, kept)


def requests(count: int) -> str:
    """Return a number of requests in words."""
    return f"{count:,} request" if count == 1 else f"{count:,} requests"
