"""What holds for an origin after all that its robots.txt has answered so far? A state machine, without a clock.

    standing = Standing()                             # never asked
    standing = standing.after(read_answer(…), now)    # one transition an answer
    standing.access, standing.reason                  # what holds until standing.ask_again_at

An answer that tells something takes the place of whatever was known. A failure (5xx, 429, silence, half a file) does
not: RFC 9309 (2.3.1.4) closes the site, and after "a reasonably long period of time" lets a robot choose between the
copy that it has and no file at all. Google's order is followed where the choice is ours: nothing for twelve hours,
then the last good copy; after thirty days the copy still, and where there never was one, no limits. Whether "the site
otherwise works", as Google asks before it takes a 5xx for a missing file, is not looked at: a 5xx counts as such a
server's 404 after the thirty days, not sooner.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from robots.availability import Access, Availability
from robots.freshness import MAX_LIFETIME, MIN_LIFETIME, MIN_RETRY, backed_off

if TYPE_CHECKING:
    from robots.file import RobotsFile

CLOSED_FOR: Final = 12 * 3600.0  # seconds of failure before the last good copy decides; Google, 2026: 12 hours
GIVE_UP_AFTER: Final = 30 * 24 * 3600.0  # seconds of failure after which nobody waits; RFC 9309, 2.3.1.4: 30 days


@dataclass(frozen=True, slots=True)
class Copy:
    """The latest robots.txt that came whole. Only the latest is kept: an older one is what its owner took back."""

    body: bytes  # as UTF-8
    file: RobotsFile
    at: float  # when it was last known to be the file, in seconds since the epoch
    address: str = ""  # the URL that gave it; the two after it are sent to no other
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of an origin. Times are in seconds since the epoch, by the clock of whoever asked."""

    access: Access = Access.CLOSED  # what holds: OPEN, PARSED (by the rules of `copy`), DENIED or CLOSED
    reason: str = "robots.txt was never asked for"
    status: int | None = None  # of the last answer; None: none came
    asked_at: float = 0.0
    ask_again_at: float = 0.0
    copy: Copy | None = None
    failing_since: float | None = None  # the first of the failures in a row; None: the last answer was none
    failures: int = 0  # in a row

    @property
    def failing_for(self) -> float:
        """For how many seconds the file had not been had when it was last asked for."""
        return 0.0 if self.failing_since is None else max(0.0, self.asked_at - self.failing_since)

    @property
    def given_up(self) -> bool:
        """Whether it has failed for so long that the site is not held back any more."""
        return self.failing_for >= GIVE_UP_AFTER

    def due(self, now: float) -> bool:
        """Say whether to ask. Nothing holds for over a day, so a time further off is that of a clock set back."""
        return not now < self.ask_again_at <= now + MAX_LIFETIME

    def availability(self, now: float) -> Availability:
        """Give what holds, with the seconds for which it still does."""
        lifetime = min(max(0.0, self.ask_again_at - now), MAX_LIFETIME)
        copy = self.copy if self.access is Access.PARSED else None
        if copy is None:
            return Availability(self.access, self.reason, lifetime, status=self.status)
        return Availability(self.access, self.reason, lifetime, copy.file, copy.body, status=self.status)

    def after(self, answer: Availability, now: float) -> Standing:
        """Give the standing after one more answer.

        Raises ValueError for a redirect, which is no answer yet, and for "unchanged" where there is no copy.
        """
        if answer.access is Access.MOVED or (answer.access is Access.UNCHANGED and self.copy is None):
            raise ValueError(f"Standing.after({answer.reason!r}): follow redirects, and ask with conditions for a copy")
        if answer.ours:  # nobody failed, so no clock runs; and what was not asked for opens nothing
            return replace(
                self, access=Access.CLOSED, reason=answer.reason, status=None, asked_at=now,
                ask_again_at=now + answer.lifetime,
            )  # fmt: skip
        if answer.access is Access.UNCHANGED and self.copy is not None:
            copy: Copy | None = replace(
                self.copy, at=now,
                etag=answer.etag or self.copy.etag, last_modified=answer.last_modified or self.copy.last_modified,
            )  # fmt: skip
            return _answered(replace(answer, access=Access.PARSED), copy, now)
        if answer.access is Access.CLOSED:
            return self._failed(answer, now)
        copy = None  # where there is no file, the copy is what its owner took away
        if answer.file is not None:
            copy = Copy(answer.body, answer.file, now, answer.address, answer.etag, answer.last_modified)
        return _answered(answer, copy, now)

    def _failed(self, answer: Availability, now: float) -> Standing:
        # A first failure that lies in the future was noted by a clock that was set back since: it is now.
        since = now if self.failing_since is None else min(self.failing_since, now)
        failures = self.failures + 1
        access, reason = _while_failing(answer, self.copy, now - since)
        wait = backed_off(answer.lifetime, failures, asked=answer.asked)
        if not answer.asked:  # it is asked again when time itself would change what holds
            changes = [since + GIVE_UP_AFTER] if self.copy is None else [since + CLOSED_FOR, since + GIVE_UP_AFTER]
            wait = min([wait, *(max(change - now, MIN_RETRY) for change in changes if change > now)])
        return Standing(access, reason, answer.status, now, now + wait, self.copy, since, failures)


def _answered(answer: Availability, copy: Copy | None, now: float) -> Standing:
    lifetime = min(max(answer.lifetime, MIN_LIFETIME), MAX_LIFETIME)
    return Standing(answer.access, answer.reason, answer.status, now, now + lifetime, copy)


def _while_failing(answer: Availability, copy: Copy | None, seconds: float) -> tuple[Access, str]:
    """Say what holds after so many seconds of failure."""
    trouble = answer.reason.partition(": the site is closed")[0]
    if copy is not None and seconds >= CLOSED_FOR:
        since = "30 days" if seconds >= GIVE_UP_AFTER else "12 hours"
        return Access.PARSED, f"{trouble}, as for over {since}: the copy of {_date(copy.at)} decides"
    if seconds >= GIVE_UP_AFTER:
        return Access.OPEN, f"{trouble}, as for over 30 days, and there is no copy: as if there were no file"
    return Access.CLOSED, answer.reason


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
