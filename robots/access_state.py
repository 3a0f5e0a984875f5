"""Decides what holds for an origin, from all responses to its robots.txt so far: a state machine, without a clock.

    state = AccessState()                       # before the first request
    state = state.after(read_answer(…), now)    # one transition per response
    state.access, state.reason                  # what holds until state.ask_again_at

A response about the file replaces the state. A failure (5xx, 429, no response, half a file) does not: RFC 9309
(2.3.1.4) closes the site. After "a reasonably long period of time", a robot may use its copy or act as if there were no
file. We choose as Google does: nothing is allowed for twelve hours, then the last good copy decides. Half a day gives a
person time to repair a failure, and a site with known rules is not lost for a month. After thirty days the copy still
decides; where there never was one, everything is allowed.

`Unreachable.GOOGLE` is Google's document of 2019: closed for thirty days, and only then the copy. While the file is
unreachable, a copy with a max-age over a day decides for that time, a week at most. Google may extend the lifetime by
max-age, and RFC 9309 (2.4) permits an older copy only while the file is unreachable. By RFC 9309 the site is closed at
once anyway (2.3.1.4), so there max-age only shortens.

`notice` returns at most one notice about a response, with a rule and a sentence. It reports every failure, because
pages wait for it. It reports other changes only once: there is no file, the file is no text or too long, a copy
decides, or the site is open again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from robots.availability import Access, Availability
from robots.file import NO_RULE_UNDERSTOOD, READ_AS_MEANT, parse, parse_meant
from robots.freshness import MAX_LIFETIME, MIN_LIFETIME, MIN_RETRY, backed_off
from robots.origin import preferred_host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robots.file import RobotsFile


MISSPELT: Final = "robots.misspelt"  # the notice that no rule of the owner is understood
CLOSED_FOR: Final = 12 * 3600.0  # seconds of failure before the last good copy decides; Google, 2026: 12 hours
GIVE_UP_AFTER: Final = 30 * 24 * 3600.0  # seconds of failure after which we stop waiting; RFC 9309, 2.3.1.4: 30 days


class Unreachable(Enum):
    """The text whose rule applies to an unreachable file; the value is that of the setting ROBOTS_UNREACHABLE."""

    RFC9309 = "rfc9309"
    GOOGLE = "google"

    @property
    def closed_for(self) -> float:
        """Seconds of failure before the last good copy decides."""
        return CLOSED_FOR if self is Unreachable.RFC9309 else GIVE_UP_AFTER


@dataclass(frozen=True, slots=True)
class Copy:
    """The latest robots.txt that came whole. Only the latest is kept: its owner has taken back the older ones."""

    body: bytes  # as UTF-8
    file: RobotsFile
    at: float  # when it was last known to be the file, in seconds since the epoch
    address: str = ""  # the URL that gave it; etag and last_modified are sent to no other
    etag: str = ""
    last_modified: str = ""
    kept: float = 0.0  # seconds from `at` on for which the server lets it be used
    meant: bool = False  # misspelt lines are read as they are meant


@dataclass(frozen=True, slots=True)
class AccessState:
    """The state of an origin's robots.txt. Times are in seconds since the epoch, by the caller's clock."""

    access: Access = Access.CLOSED  # what holds: OPEN, PARSED (by the rules of `copy`), DENIED or CLOSED
    reason: str = "robots.txt was never requested"
    status: int | None = None  # of the last response; None: none came
    asked_at: float = 0.0
    ask_again_at: float = 0.0
    copy: Copy | None = None
    failing_since: float | None = None  # the first of the failures in a row; None: the last request did not fail
    failures: int = 0  # in a row

    @property
    def failing_for(self) -> float:
        """The seconds from the first of the failures in a row to the last request."""
        return 0.0 if self.failing_since is None else max(0.0, self.asked_at - self.failing_since)

    @property
    def given_up(self) -> bool:
        """Whether it has failed for so long that the site is not held back any more."""
        return self.failing_for >= GIVE_UP_AFTER

    def due(self, now: float) -> bool:
        """Say whether to request it now. No state holds for over a day: a later time means a clock set back."""
        return not now < self.ask_again_at <= now + MAX_LIFETIME

    def availability(self, now: float) -> Availability:
        """Return what holds, with the seconds for which it still holds."""
        lifetime = min(max(0.0, self.ask_again_at - now), MAX_LIFETIME)
        copy = self.copy if self.access is Access.PARSED else None
        failing = self.failing_since is not None
        if copy is None:
            return Availability(self.access, self.reason, lifetime, status=self.status, failing=failing)
        return Availability(
            self.access, self.reason, lifetime, copy.file, copy.body, status=self.status, failing=failing
        )

    def after(self, answer: Availability, now: float, reading: Unreachable = Unreachable.RFC9309) -> AccessState:
        """Return the state after one more response.

        Raises ValueError for a redirect, which decides nothing yet, and for "unchanged" without a copy.
        """
        if answer.access is Access.MOVED or (answer.access is Access.UNCHANGED and self.copy is None):
            raise ValueError(
                f"AccessState.after({answer.reason!r}): follow redirects, and ask with conditions for a copy"
            )
        if answer.ours:  # the site has not failed, so no clock runs; without a request nothing opens
            again = now + answer.lifetime
            closed = replace(self, access=Access.CLOSED, reason=answer.reason, status=None)
            return replace(closed, asked_at=now, ask_again_at=again)
        if answer.access is Access.UNCHANGED and self.copy is not None:
            etag, last_modified = answer.etag or self.copy.etag, answer.last_modified or self.copy.last_modified
            kept = answer.kept or self.copy.kept
            copy: Copy | None = replace(self.copy, at=now, etag=etag, last_modified=last_modified, kept=kept)
            return _answered(replace(answer, access=Access.PARSED), copy, now)
        if answer.access is Access.CLOSED:
            return self._failed(answer, now, reading)
        copy = None  # where there is no file, its owner has taken the old one away
        if answer.file is not None:
            copy = Copy(answer.body, answer.file, now, answer.address, answer.etag, answer.last_modified)
            copy = replace(copy, kept=answer.kept, meant=answer.meant)
        return _answered(answer, copy, now)

    def _failed(self, answer: Availability, now: float, reading: Unreachable) -> AccessState:
        # If the clock was set back, the first failure lies in the future: then now counts as the first.
        since = now if self.failing_since is None else min(self.failing_since, now)
        failures = self.failures + 1
        access, reason = _while_failing(answer, self.copy, now - since, reading)
        copy_until = 0.0
        if (
            reading is Unreachable.GOOGLE
            and self.copy is not None
            and self.copy.at <= now < self.copy.at + self.copy.kept
        ):
            copy_until = self.copy.at + self.copy.kept
            access, reason = Access.PARSED, f"{_trouble(answer)}: the copy decides, until {_date(copy_until)}"
        wait = backed_off(answer.lifetime, failures, asked=answer.asked)
        if not answer.asked:  # request it again at the latest when the length of the failure changes what holds
            changes = (
                [since + GIVE_UP_AFTER] if self.copy is None else [since + reading.closed_for, since + GIVE_UP_AFTER]
            )
            wait = min([wait, *(max(change - now, MIN_RETRY) for change in changes if change > now)])
        if copy_until:
            wait = min(wait, max(copy_until - now, MIN_RETRY))
        return AccessState(access, reason, answer.status, now, now + wait, self.copy, since, failures)


def _answered(answer: Availability, copy: Copy | None, now: float) -> AccessState:
    lifetime = min(max(answer.lifetime, MIN_LIFETIME), MAX_LIFETIME)
    return AccessState(answer.access, answer.reason, answer.status, now, now + lifetime, copy)


def _trouble(answer: Availability) -> str:
    return answer.reason.partition(": the site is closed")[0]


def _while_failing(answer: Availability, copy: Copy | None, seconds: float, reading: Unreachable) -> tuple[Access, str]:
    """Return what holds after so many seconds of failure, and why."""
    trouble = _trouble(answer)
    if copy is not None and seconds >= reading.closed_for:
        since = "30 days" if seconds >= GIVE_UP_AFTER else "12 hours"
        return Access.PARSED, f"{trouble}, as for over {since}: the copy of {_date(copy.at)} decides"
    if seconds >= GIVE_UP_AFTER:
        return Access.OPEN, f"{trouble}, as for over 30 days, and there is no copy: as if there were no file"
    return Access.CLOSED, answer.reason


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


@dataclass(frozen=True, slots=True)
class Notice:
    """A row for the journal: `rule` is a short fixed word that begins with "robots.", `reason` a sentence."""

    rule: str
    reason: str


def notice(
    before: AccessState | None, answer: Availability, after: AccessState, urls_asked: Sequence[str] = ()
) -> Notice | None:
    """Return the notice about `answer`, if any; `urls_asked` are the first URL and the targets of its redirects."""
    if answer.ours:
        return Notice("robots.refused", after.reason)
    if after.failing_since is not None:
        return Notice(_failure(before, after), after.reason)
    if after.access is Access.PARSED:
        return _about_file(before, after)
    if before is not None and (before.access, before.status) == (after.access, after.status):
        return None
    looped = len(set(urls_asked)) < len(urls_asked)
    return Notice("robots.redirect_loop" if looped else f"robots.{after.status}", after.reason)


def _failure(before: AccessState | None, after: AccessState) -> str:
    if after.given_up and not (before is not None and before.given_up):
        return "robots.given_up"
    copied = before is not None and before.failing_since is not None and before.access is Access.PARSED
    if after.access is Access.PARSED and not copied:
        return "robots.last_copy"
    return "robots.unreachable" if after.status is None else f"robots.{after.status}"


def _about_file(before: AccessState | None, after: AccessState) -> Notice | None:
    copy = after.copy
    if copy is None or (before is not None and before.copy is not None and before.copy.body == copy.body):
        return None
    says_nothing = any(note.startswith("no directive") for note in copy.file.notes)
    misspelt = any(note.endswith((NO_RULE_UNDERSTOOD, READ_AS_MEANT)) for note in copy.file.notes)
    if not says_nothing and not copy.file.truncated and not misspelt:
        return None
    rule = MISSPELT if misspelt else "robots.not_text" if says_nothing else "robots.truncated"
    return Notice(rule, f"{after.reason}: {'; '.join(copy.file.notes)}")


@dataclass(frozen=True, slots=True)
class RobotsRecord:
    """The row of an origin: `state` is a name of `robots.Access`, times are seconds since the epoch."""

    origin: str
    state: str
    reason: str
    fetched_at: float
    expires_at: float
    status: int | None = None
    body: bytes = b""  # the latest file that came whole, UTF-8
    address: str = ""
    etag: str = ""
    last_modified: str = ""
    good_at: float | None = None  # None: no file is kept
    failing_since: float | None = None
    failures: int = 0
    kept: float = 0.0  # seconds for which the server lets the file be used
    meant: int = 0  # 1: misspelt lines are read as they are meant
    host: str = ""  # what its Host line names: of its mirrors, the original

    @classmethod
    def of(cls, origin: str, state: AccessState) -> RobotsRecord:
        """Return the row in which a state is kept."""
        row = cls(origin, state.access.name, state.reason, state.asked_at, state.ask_again_at, state.status)
        row = replace(row, failing_since=state.failing_since, failures=state.failures)
        if (copy := state.copy) is None:
            return row
        row = replace(row, body=copy.body, address=copy.address, good_at=copy.at)
        return replace(
            row,
            etag=copy.etag,
            last_modified=copy.last_modified,
            kept=copy.kept,
            meant=int(copy.meant),
            host=preferred_host(copy.body),
        )

    @property
    def access_state(self) -> AccessState:
        """The state that the row keeps."""
        good_at = self.fetched_at if self.good_at is None and self.state == Access.PARSED.name else self.good_at
        copy = None
        if good_at is not None:
            file = parse_meant(self.body) if self.meant else parse(self.body)
            copy = Copy(self.body, file, good_at, self.address, self.etag, self.last_modified)
            copy = replace(copy, kept=self.kept, meant=bool(self.meant))
        return AccessState(
            Access[self.state],
            self.reason,
            self.status,
            self.fetched_at,
            self.expires_at,
            copy,
            self.failing_since,
            self.failures,
        )
