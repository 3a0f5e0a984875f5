"""What does an audit find? One finding a claim, with its samples: proved, violated, or not provable.

A claim is not provable where the log can't show it: what a log leaves out is no proof of good manners.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from reports.wording import counted

if TYPE_CHECKING:
    from reports.audit.logged_requests import LoggedRequest

SAMPLES = 10  # violations that a finding shows; it counts all


class Proof(Enum):
    """How a claim ends."""

    PROVED = "proved"
    VIOLATED = "violated"
    NOT_PROVABLE = "not provable"
    NOT_ASKED = "not asked"  # no limit was given to hold the log against; only what was seen is told


@dataclass(frozen=True, slots=True)
class ViolationSample:
    """One violation: where it stands, when it began, what was asked for, and what is wrong with it."""

    place: int
    at: float
    url: str
    wrong: str


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """How one claim ends: `name` is a fixed word, `claim` a sentence, `reason` what it rests on."""

    name: str
    claim: str
    proof: Proof
    reason: str
    violations: int = 0
    samples: tuple[ViolationSample, ...] = ()


class Claim(Protocol):
    """What a polite robot is held to: it sees each request once, in the order of their starts."""

    def see(self, visit: LoggedRequest) -> None:
        """Take the next request."""

    def finding(self) -> AuditFinding:
        """Return how the claim ends."""


@dataclass(slots=True)
class Tally:
    """Counts what speaks against a claim: violations, of which it keeps a few, and doubts by their reason."""

    violations: int = 0
    samples: list[ViolationSample] = field(default_factory=list)
    doubts: Counter[str] = field(default_factory=Counter)

    def violation(self, visit: LoggedRequest, wrong: str) -> None:
        """Count a visit that breaks the claim."""
        self.violations += 1
        if len(self.samples) < SAMPLES:
            self.samples.append(ViolationSample(visit.place, visit.start, visit.url, wrong))

    def doubt(self, reason: str) -> None:
        """Count a visit of which the log does not show whether it keeps the claim; `reason` is a fixed sentence."""
        self.doubts[reason] += 1

    def finding(self, name: str, claim: str, seen: str) -> AuditFinding:
        """Return how the claim ends; `seen` is told where nothing speaks against it."""
        doubts = "; ".join(f"{counted(count, 'request')}: {reason}" for reason, count in self.doubts.items())
        if self.violations:
            count = f"{counted(self.violations, 'request')} against it"
            return AuditFinding(name, claim, Proof.VIOLATED, count, self.violations, tuple(self.samples))
        if doubts:
            return AuditFinding(name, claim, Proof.NOT_PROVABLE, doubts)
        return AuditFinding(name, claim, Proof.PROVED, seen)
