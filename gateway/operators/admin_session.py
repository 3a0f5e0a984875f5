"""Who may act? Whoever knows ADMIN_TOKEN, for as long as a session lasts, and not more often than a person would.

Wrong tokens are counted by where they come from and by how they begin: the more there are, the longer the next one of
that kind waits. Nobody is shut out by the guesses of others, not even where a proxy gives everybody one address: they
don't begin as the token does. Who guesses with another beginning each time is not slowed down, and needs not be: of
sixteen random characters a thousand guesses a second find none.

The token is asked for once; then a cookie with a number that nobody can guess stands for it, kept in this process
alone. So nobody can act without the token, a token that has changed ends all sessions with the restart that it needs,
and a page elsewhere can do nothing through a browser that is logged in: the cookie is not sent along (SameSite=Strict),
and each form has a token of its session besides.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_TOKEN = 16  # characters: 96 bits where they are random letters and digits
SESSION_SECONDS = 8 * 3600.0  # a working day
SESSIONS = 16  # at a time; a newer one takes the place of the oldest
BEGINNING = 4  # characters of a token by which attempts are counted, with the address that they come from
ATTEMPTS = 5  # wrong tokens of a kind that cost nothing: errors in typing
LONGEST_WAIT = 60.0  # seconds; the first wait is one, each later one twice as long
FORGIVEN_SECONDS = 600.0  # after the last wrong token of a kind they are forgotten
KINDS = 1_000  # of wrong tokens that are remembered, the latest ones
ACTIONS, ACTION_SECONDS = 30, 60.0  # of one session


class WrongToken(Exception):
    """What was given is not the token."""


class TooManyAttempts(Exception):
    """Somebody tries, or acts, more often than a person would; the message says when to go on, in `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(slots=True)
class FailedLogins:
    """How many of a kind there were, until when the next one waits, and until when they are remembered."""

    count: int = 0
    until: float = 0.0
    forgiven: float = 0.0

    def note(self, now: float) -> None:
        """Count one more."""
        self.count = self.count + 1 if now < self.forgiven else 1
        self.forgiven = now + FORGIVEN_SECONDS
        if self.count >= ATTEMPTS:
            self.until = now + min(LONGEST_WAIT, 2.0 ** (self.count - ATTEMPTS))


class RateLimit:
    """At most `most` events within `seconds`."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._times: deque[float] = deque()

    def is_full(self, now: float) -> bool:
        """Return whether one more would be too many."""
        while self._times and now - self._times[0] >= self._seconds:
            self._times.popleft()
        return len(self._times) >= self._most

    def note(self, now: float) -> None:
        """Count one."""
        self._times.append(now)


@dataclass(slots=True)
class AdminSession:
    """Somebody who has given the token: the number in the cookie, that in each form, and until when both hold."""

    key: str
    form_token: str
    until: float
    actions: RateLimit = field(default_factory=lambda: RateLimit(ACTIONS, ACTION_SECONDS))


class AdminSessions:
    """The sessions of one gateway. Times are of `clock`, in seconds."""

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._token = token
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, AdminSession] = {}  # by key, oldest first
        self._wrong: dict[tuple[str, str], FailedLogins] = {}  # by address and beginning, the latest last

    @property
    def is_on(self) -> bool:
        """Whether there is a token that is long enough."""
        return len(self._token) >= LEAST_TOKEN

    def log_in(self, given: str, address: str) -> AdminSession:
        """Open a session. Raises WrongToken, or TooManyAttempts after too many wrong tokens with the same beginning."""
        with self._lock:
            now = self._clock()
            kind = address, given[:BEGINNING]
            wrong = self._wrong.pop(kind, None) or FailedLogins()
            if now < wrong.until:
                self._wrong[kind] = wrong
                left = wrong.until - now
                raise TooManyAttempts(f"too many wrong tokens: wait {math.ceil(left)} s, then try again", left)
            if not self.is_on or not secrets.compare_digest(given.encode(), self._token.encode()):
                wrong.note(now)
                self._wrong[kind] = wrong
                if len(self._wrong) > KINDS:
                    del self._wrong[next(iter(self._wrong))]
                raise WrongToken("this is not the token of the settings")
            if len(self._open) >= SESSIONS:
                self._open.pop(next(iter(self._open)))
            made = AdminSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32), now + SESSION_SECONDS)
            self._open[made.key] = made
            return made

    def find(self, key: str) -> AdminSession | None:
        """Return the session that a cookie stands for, or None: there is none, or it is over."""
        with self._lock:
            found = self._open.get(key)
            if found is not None and found.until <= self._clock():
                del self._open[key]
                return None
            return found

    def act(self, session: AdminSession) -> None:
        """Count an action. Raises TooManyAttempts."""
        with self._lock:
            now = self._clock()
            if session.actions.is_full(now):
                told = f"{ACTIONS} actions within {ACTION_SECONDS:.0f} s are all that is taken: wait a little"
                raise TooManyAttempts(told, ACTION_SECONDS)
            session.actions.note(now)

    def log_out(self, session: AdminSession) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(session.key, None)
