"""Where is what is known of each robots.txt kept? In memory, or in one file that outlives the run."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from robots import AccessState, RobotsCache, RobotsRecord

if TYPE_CHECKING:
    from os import PathLike

_COLUMNS = [field.name for field in fields(RobotsRecord)]
_CREATE = f"CREATE TABLE IF NOT EXISTS robots ({', '.join(_COLUMNS)}, PRIMARY KEY (origin))"
_READ = f"SELECT {', '.join(_COLUMNS)} FROM robots WHERE origin = ?"
_WRITE = f"INSERT OR REPLACE INTO robots VALUES ({', '.join('?' * len(_COLUMNS))})"
_BUSY_SECONDS = 30.0  # for another crawl that writes into the same file


class States:
    """The states of origins, for one run."""

    def __init__(self) -> None:
        self._cache = RobotsCache()

    def get(self, origin: str) -> AccessState | None:
        """Return the state of an origin, or None."""
        return self._cache.get(origin)

    def put(self, origin: str, state: AccessState) -> None:
        """Keep the state of an origin."""
        self._cache.put(origin, state)

    def close(self) -> None:
        """End the run."""


class StatesInFile(States):
    """The same, with one row per origin in an SQLite file that several crawls may share.

    Raises ValueError where the file can't be used.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__()
        try:
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            self._connection.execute(_CREATE)
        except sqlite3.Error as error:
            raise ValueError(f"ROBOTS_STATE={str(path)!r} can't be used ({error}): name another file") from error

    def get(self, origin: str) -> AccessState | None:
        """Return the state of an origin; a row that can't be read counts as none, and `put` replaces it."""
        state = super().get(origin)
        if state is None:
            with suppress(sqlite3.Error, KeyError, TypeError, ValueError):
                row = self._connection.execute(_READ, (origin,)).fetchone()
                if row is not None:
                    state = RobotsRecord(*row).access_state
                    super().put(origin, state)
        return state

    def put(self, origin: str, state: AccessState) -> None:
        """Keep the state of an origin, in the file too."""
        super().put(origin, state)
        self._connection.execute(_WRITE, astuple(RobotsRecord.of(origin, state)))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def states_in(path: str | PathLike[str] | None) -> States:
    """Return the states in the file at `path`, or new ones in memory if `path` is empty."""
    return StatesInFile(path) if path else States()
