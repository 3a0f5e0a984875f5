"""What if the blacklist is a file that people edit? It is read at the start, and again whenever it has changed.

A line is a URL, a site or a pattern with `*`, as `block` takes them; a reason may follow after a blank and a `#`, and
a line that begins with `#` is a comment. What is new in the file is blocked at once, what has left it is released.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.tables import blocks
from crawldb.tables.journal import Journal
from frontier.takedown import put_on_blacklist, release_from_blacklist
from urls.blacklist import MAX_BYTES, read_blacklist
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from crawldb.database import CrawlDatabase

LOOK_SECONDS = 1.0  # the file is looked at this often at most: its time is asked for at every store otherwise


class BlacklistFileError(ValueError):
    """The file that BLACKLIST_FILE names can't be read at the start: nobody should crawl without it."""


class BlacklistFile:
    """The file of one crawl. `path` None: there is none, and what one had blocked before is released."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.is_named = path is not None
        self._seen: object = None
        self._looked_at = -LOOK_SECONDS
        self.left_out: tuple[str, ...] = ()  # sentences: the lines that could not be used when it was last read

    def begin(self, database: CrawlDatabase) -> None:
        """Take the file over, in the caller's transaction; raise `BlacklistFileError` where it can't be read."""
        try:
            self._seen = self._stamp()
            text = self._text()
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise BlacklistFileError(
                f"BLACKLIST_FILE={self._path} can't be read: {error}; name a file of lines, or leave it empty"
            ) from error
        self._take_over(database, Journal(database), text)

    def has_changed(self) -> bool:
        """Return whether the file is another than when it was last read; looks at most once in `LOOK_SECONDS`."""
        now = time.monotonic()
        if self._path is None or now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        try:
            return self._stamp() != self._seen
        except OSError:
            return self._seen is not None

    def follow(self, database: CrawlDatabase, journal: Journal) -> None:
        """Take a changed file over, in the caller's transaction; where it can't be read, what it said before holds."""
        try:
            self._seen = self._stamp()
            text = self._text()
        except (OSError, UnicodeDecodeError, ValueError) as error:
            self._seen = None
            self.left_out = (f"{self._path} can't be read any longer, so what it said holds on: {error}",)
            journal.write(None, Rule.BLACKLIST_FILE, self.left_out[0])
            return
        self._take_over(database, journal, text)

    def forget(self) -> None:
        """Look at the file anew: what it said last came to nothing with its transaction."""
        self._seen, self._looked_at = object(), -LOOK_SECONDS

    def _stamp(self) -> object:
        if self._path is None:
            return None
        status = self._path.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _text(self) -> str:
        if self._path is None:
            return ""
        with self._path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES} bytes")
        return data.decode("utf-8-sig")

    def _take_over(self, database: CrawlDatabase, journal: Journal, text: str) -> None:
        reading = read_blacklist(text)
        self.left_out = tuple(f"{self._path}, {mistake}" for mistake in reading.mistakes)
        for mistake in self.left_out:
            journal.write(None, Rule.BLACKLIST_FILE, mistake)
        before = blocks.entries(database)
        for target, reason in reading.entries.items():
            known = before.get(target)
            if known is None or (known[1] == blocks.FILE and known[0] != reason):
                put_on_blacklist(database, target, reason, blocks.FILE)
        for target, (_, origin) in before.items():
            if origin == blocks.FILE and target not in reading.entries:
                release_from_blacklist(database, target)
