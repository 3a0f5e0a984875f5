"""Who may act? Whoever knows ADMIN_TOKEN, for as long as a session lasts, and not more often than a person would.

The token is asked for once; then a cookie with a number that nobody can guess stands for it, kept in this process
alone. So nobody can act without the token, a token that has changed ends all sessions with the restart that it needs,
and a page elsewhere can do nothing through a browser that is logged in: the cookie is not sent along (SameSite=Strict),
and each form has a token of its session besides.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_TOKEN = 16  # characters: at five attempts a minute no machine comes near to guessing so many
SESSION_SECONDS = 8 * 3600.0  # a working day
SESSIONS = 16  # at a time; a newer one takes the place of the oldest
ATTEMPTS, ATTEMPT_SECONDS = 5, 60.0  # wrong tokens of one address, and of all together twenty times as many
ATTEMPTS_OF_ALL = 20 * ATTEMPTS
ADDRESSES = 1_000  # of which wrong tokens are remembered
ACTIONS, ACTION_SECONDS = 30, 60.0  # of one session


class WrongToken(Exception):
    """What was given is not the token."""


class TooOften(Exception):
    """Somebody tries, or acts, more often than a person would; the message says when to go on."""


class EventLimit:
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
    actions: EventLimit = field(default_factory=lambda: EventLimit(ACTIONS, ACTION_SECONDS))


class AdminSessions:
    """The sessions of one gateway. Times are of `clock`, in seconds."""

    def __init__(self, token: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._token = token
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, AdminSession] = {}  # by key, oldest first
        self._wrong: dict[str, EventLimit] = {}  # by address
        self._wrong_of_all = EventLimit(ATTEMPTS_OF_ALL, ATTEMPT_SECONDS)

    @property
    def is_on(self) -> bool:
        """Whether there is a token that is long enough."""
        return len(self._token) >= LEAST_TOKEN

    def log_in(self, given: str, address: str) -> AdminSession:
        """Open a session. Raises WrongToken, and TooOften where an address has been wrong too often, even if right."""
        with self._lock:
            now = self._clock()
            wrong = self._wrong.setdefault(address, EventLimit(ATTEMPTS, ATTEMPT_SECONDS))
            if wrong.is_full(now) or self._wrong_of_all.is_full(now):
                raise TooOften(f"too many wrong tokens: wait {ATTEMPT_SECONDS:.0f} s, then try again")
            if not self.is_on or not secrets.compare_digest(given.encode(), self._token.encode()):
                wrong.note(now)
                self._wrong_of_all.note(now)
                if len(self._wrong) > ADDRESSES:
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
        """Count an action. Raises TooOften."""
        with self._lock:
            now = self._clock()
            if session.actions.is_full(now):
                raise TooOften(f"{ACTIONS} actions within {ACTION_SECONDS:.0f} s are all that is taken: wait a little")
            session.actions.note(now)

    def log_out(self, session: AdminSession) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(session.key, None)
