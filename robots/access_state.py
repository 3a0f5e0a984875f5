"""What holds for an origin after all that its robots.txt has answered so far? A state machine, without a clock.

    state = AccessState()                       # never asked
    state = state.after(read_answer(…), now)    # one transition an answer
    state.access, state.reason                  # what holds until state.ask_again_at

An answer that tells something takes the place of whatever was known. A failure (5xx, 429, silence, half a file) does
not: RFC 9309 (2.3.1.4) closes the site, and after "a reasonably long period of time" lets a robot choose between the
copy that it has and no file at all. Where the choice is ours, Google's order is followed: nothing is allowed for twelve
hours, then the last good copy decides; after thirty days the copy still decides, and where there never was a copy there
are no limits. Google asks whether "the site otherwise works" before it takes a 5xx for a missing file. That is not
looked at here: a 5xx counts as such a server's 404 after the thirty days, not sooner.

`notice` says what of it the operator is told: one notice an answer at most, with a rule and a sentence. Every failure
is told, since pages wait for it. Anything else is told only when it is new: that there is no file, that the file is no
text or too long, that a copy decides, or that nobody waits any longer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from robots.availability import Access, Availability
from robots.freshness import MAX_LIFETIME, MIN_LIFETIME, MIN_RETRY, backed_off

if TYPE_CHECKING:
    from collections.abc import Sequence

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
class AccessState:
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

    def after(self, answer: Availability, now: float) -> AccessState:
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

    def _failed(self, answer: Availability, now: float) -> AccessState:
        # A first failure that lies in the future was noted by a clock that was set back since: it is now.
        since = now if self.failing_since is None else min(self.failing_since, now)
        failures = self.failures + 1
        access, reason = _while_failing(answer, self.copy, now - since)
        wait = backed_off(answer.lifetime, failures, asked=answer.asked)
        if not answer.asked:  # it is asked again when time itself would change what holds
            changes = [since + GIVE_UP_AFTER] if self.copy is None else [since + CLOSED_FOR, since + GIVE_UP_AFTER]
            wait = min([wait, *(max(change - now, MIN_RETRY) for change in changes if change > now)])
        return AccessState(access, reason, answer.status, now, now + wait, self.copy, since, failures)


def _answered(answer: Availability, copy: Copy | None, now: float) -> AccessState:
    lifetime = min(max(answer.lifetime, MIN_LIFETIME), MAX_LIFETIME)
    return AccessState(answer.access, answer.reason, answer.status, now, now + lifetime, copy)


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


@dataclass(frozen=True, slots=True)
class Notice:
    """A row for the journal: `rule` is a short fixed word that begins with "robots.", `reason` a sentence."""

    rule: str
    reason: str


def notice(
    before: AccessState | None, answer: Availability, after: AccessState, way: Sequence[str] = ()
) -> Notice | None:
    """Say what is worth telling of `answer`; `way` are the URLs that were asked, one a redirect."""
    if answer.ours:
        return Notice("robots.refused", after.reason)
    if after.failing_since is not None:
        return Notice(_failure(before, after), after.reason)
    if after.access is Access.PARSED:
        return _about_file(before, after)
    if before is not None and (before.access, before.status) == (after.access, after.status):
        return None
    return Notice("robots.redirect_loop" if len(set(way)) < len(way) else f"robots.{after.status}", after.reason)


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
    if not says_nothing and not copy.file.truncated:
        return None
    rule = "robots.not_text" if says_nothing else "robots.truncated"
    return Notice(rule, f"{after.reason}: {'; '.join(copy.file.notes)}")
