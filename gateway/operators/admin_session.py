"""Who may use /admin? A person with ADMIN_TOKEN, for the time of a session, and not more often than a person would.

Failed logins are counted by IP address and by the beginning of the token. Each further one of a kind waits longer. So
the guesses of others do not lock the operator out, even behind a proxy where all have one IP address: they begin with
other characters. A guesser who changes the beginning each time is not slowed down, and need not be: a thousand guesses
a second never find sixteen random characters.

After the login, a cookie with a random number stands for the token. It exists only in this process. So nobody can act
without the token, and a new token ends all sessions with the restart that it needs. A page elsewhere can't act through
a logged-in browser: the cookie is not sent along (SameSite=Strict), and each form has the token of its session.
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
    from collections.abc import Callable, Iterable

MIN_TOKEN = 16  # characters: 96 bits if they are random letters and digits
SESSION_SECONDS = 8 * 3600.0  # a working day
SESSIONS = 16  # at a time; a new one replaces the oldest
PREFIX = 4  # characters of a token by which failed logins are counted, with the IP address
ATTEMPTS = 5  # wrong tokens of a kind without a wait: typing errors
MAX_WAIT = 60.0  # seconds; the first wait is one second, each further one twice as long
FORGET_SECONDS = 600.0  # after the last wrong token of a kind, they are forgotten
KINDS = 1_000  # of wrong tokens that are remembered, the latest ones
ACTIONS, ACTION_SECONDS = 30, 60.0  # of one session


class WrongToken(Exception):
    """The token is wrong."""


class TooManyAttempts(Exception):
    """More logins or actions than a person would make; `seconds` is the time to wait."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(slots=True)
class FailedLogins:
    """The failed logins of a kind: their number, until when the next one waits, and until when they count."""

    count: int = 0
    until: float = 0.0
    forget_at: float = 0.0

    def note(self, now: float) -> None:
        """Count one more."""
        self.count = self.count + 1 if now < self.forget_at else 1
        self.forget_at = now + FORGET_SECONDS
        if self.count >= ATTEMPTS:
            self.until = now + min(MAX_WAIT, 2.0 ** (self.count - ATTEMPTS))


class RateLimit:
    """At most `most` events in `seconds`."""

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
    """A login: the random number in the cookie, that in each form, and when both expire."""

    key: str
    form_token: str
    until: float
    actions: RateLimit = field(default_factory=lambda: RateLimit(ACTIONS, ACTION_SECONDS))


def is_same_token(given: str, known: str) -> bool:
    """Return whether two tokens are equal, in a time that does not tell how much of them is."""
    return secrets.compare_digest(given.encode(), known.encode())


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
        """Whether there is a token of sufficient length."""
        return len(self._token) >= MIN_TOKEN

    def is_admin_token(self, token: str) -> bool:
        """Return whether it is the operator's token."""
        return self.is_on and is_same_token(token, self._token)

    def check(self, token: str, address: str, others: Iterable[str] = ()) -> None:
        """Raise WrongToken if it is neither the token nor one of `others`, or TooManyAttempts.

        That is after too many wrong ones with the same beginning.
        """
        with self._lock:
            now = self._clock()
            kind = address, token[:PREFIX]
            wrong = self._wrong.pop(kind, None) or FailedLogins()
            if now < wrong.until:
                self._wrong[kind] = wrong
                left = wrong.until - now
                raise TooManyAttempts(f"too many wrong tokens: try again in {math.ceil(left)} s", left)
            if not self.is_admin_token(token) and not any(is_same_token(token, other) for other in others):
                wrong.note(now)
                self._wrong[kind] = wrong
                if len(self._wrong) > KINDS:
                    del self._wrong[next(iter(self._wrong))]
                raise WrongToken("wrong token: enter the ADMIN_TOKEN of the settings")

    def log_in(self, token: str, address: str) -> AdminSession:
        """Open a session. Raises as `check` does."""
        self.check(token, address)
        with self._lock:
            if len(self._open) >= SESSIONS:
                self._open.pop(next(iter(self._open)))
            until = self._clock() + SESSION_SECONDS
            made = AdminSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32), until)
            self._open[made.key] = made
            return made

    def find(self, key: str) -> AdminSession | None:
        """Return the session of a cookie, or None where there is none, or it has expired."""
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
                limit = f"at most {ACTIONS} actions in {ACTION_SECONDS:.0f} s are possible: wait a little"
                raise TooManyAttempts(limit, ACTION_SECONDS)
            session.actions.note(now)

    def log_out(self, session: AdminSession) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(session.key, None)
