"""How does a person take pages out of the crawl? With `forget` for now, or with `block` permanently.

`forget` and `block` remove pages from the database at once. The index follows by the change feed, and a searcher hides
blocked pages even before that.

BLACKLIST_FILE names a blacklist that people edit. It is read at the start of a run, and again whenever it has changed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.pages.copies import take_out
from crawldb.pages.covered import Which, covered
from crawldb.pages.feed import Feed
from crawldb.tables import blocks
from crawldb.tables.journal import Journal
from crawldb.tables.robots_files import take_out_versions
from crawldb.tables.runs import open_round
from crawldb.tables.urls import State, Urls
from extension_points import call_extensions
from urls.blacklist import MAX_BYTES, Target, TargetKind, read_blacklist, target_of
from urls.records import CanonicalUrl
from urls.rules import Rule
from urls.wording import shell_word

if TYPE_CHECKING:
    from pathlib import Path

    from crawldb.database import CrawlDatabase


def forget(database: CrawlDatabase, text: str) -> tuple[Target, int]:
    """Remove pages from the store and, by the feed, from the index. Return the target, and the number of pages.

    Its queued and leased URLs wait for the next round, which may fetch them again: `block` excludes them for good.
    """
    target = target_of(text)
    reason = "a person took it out with forget"
    with database.transaction():
        _put_off(database, target)
        pages = _take_out(database, target, Rule.FORGOTTEN, reason) + _forget_links(database, target, reason)
    remove_noted_copies(database)
    return target, pages


def _forget_links(database: CrawlDatabase, target: Target, reason: str) -> int:
    """Remove results by links alone, until a round requests their robots.txt again; return how many these are."""
    urls = covered(database, target, Which.RESULT_BY_LINKS)
    if urls:
        row = Journal(database).write(None, Rule.FORGOTTEN, reason, [url for _, url in urls])
        for url, _ in urls:
            Urls(database).end(url, State.DONE, Rule.FORGOTTEN, open_round(database) or 0, because=row)
        Feed(database).announce_again([url for url, _ in urls])
    return len(urls)


def put_off_by(database: CrawlDatabase, target: Target) -> int:
    """Return how many URLs `forget` would let wait for the next round."""
    return len(_in_this_round(database, target)[1])


def _in_this_round(database: CrawlDatabase, target: Target) -> tuple[int | None, list[tuple[int, str]]]:
    """Return the open round, and id and URL of the pages that it has queued or under way of a target."""
    number = open_round(database)
    if number is None:
        return None, []  # URLs queued now wait for the next round anyway
    return number, covered(database, target, Which.PAGES_IN_ROUND)


def _put_off(database: CrawlDatabase, target: Target) -> None:
    """End the queued URLs and leases of a target for this round: else the round would bring back forgotten pages."""
    number, urls = _in_this_round(database, target)
    if number is None or not urls:
        return
    reason = f"a person took it out with forget ({target}): what was queued or under way waits for the next round"
    row = Journal(database).write(None, Rule.FORGOTTEN, reason, [url for _, url in urls])
    for url, _ in urls:
        Urls(database).end(url, State.DONE, Rule.FORGOTTEN, number, because=row)


def block(database: CrawlDatabase, text: str, reason: str) -> tuple[Target, int]:
    """Put a site, URL or pattern on the blacklist, suppress its queued URLs, and take its pages out."""
    target = target_of(text)
    with database.transaction():
        pages = put_on_blacklist(database, target, reason)
    remove_noted_copies(database)
    return target, pages


def put_on_blacklist(database: CrawlDatabase, target: Target, reason: str, origin: str = blocks.PERSON) -> int:
    """Do the same as `block`, in the caller's transaction; return how many pages were taken out."""
    blocks.put(database, target, reason, origin)
    why = f"{target} is on the blacklist" + (f": {reason}" if reason else "")
    pages = _take_out(database, target, Rule.BLOCKED, why)
    urls = covered(database, target, Which.NOT_BLOCKED)
    if urls:
        row = Journal(database).write(None, Rule.BLOCKED, why, [url for _, url in urls])
        Urls(database).suppress([url for url, _ in urls], Rule.BLOCKED, row)
        Feed(database).announce_again([url for url, _ in urls])  # some may have been results by links alone
    return pages


def unblock(database: CrawlDatabase, text: str) -> tuple[Target, int]:
    """Take a site, URL or pattern off the blacklist. Return the target, and how many URLs are queued again."""
    target = target_of(text)
    with database.transaction():
        if target not in blocks.entries(database):
            raise LookupError(_not_listed(database, target))
        return target, release_from_blacklist(database, target)


def _not_listed(database: CrawlDatabase, target: Target) -> str:
    """Return that a target is not on the blacklist, and the words that lift the folder of the same name."""
    sentence = f"{target} is not on the blacklist"
    if target.kind is TargetKind.URL and Target(TargetKind.PATTERN, f"{target.name}*") in blocks.entries(database):
        sentence += f", but all below it is: ./breadcrumb block --lift --below {shell_word(target.name)} lifts that"
    return sentence


def release_from_blacklist(database: CrawlDatabase, target: Target) -> int:
    """Queue the URLs that only a removed entry had blocked, in the caller's transaction."""
    blocks.lift(database, target)
    left = blocks.blacklist(database)
    urls = [
        identity
        for identity, url in covered(database, target, Which.BLOCKED)
        if left.refusal(CanonicalUrl(url)) is None
    ]
    Urls(database).requeue(urls)
    if urls:
        Journal(database).write(None, Rule.UNBLOCKED, f"{target} was taken off the blacklist", count=len(urls))
    return len(urls)


def remove_noted_copies(database: CrawlDatabase) -> None:
    """Remove the noted pages from the copies that extensions keep in files. Raises StorageError."""
    for copies in call_extensions("stored_copies"):
        copies.remove(database)


def known_of(database: CrawlDatabase, target: Target) -> int:
    """Return how many known URLs a target means: none may be a mistake in its spelling."""
    return len(covered(database, target, Which.ALL))


def stored_pages(database: CrawlDatabase, target: Target) -> int:
    """Return how many stored pages a target means."""
    return len(covered(database, target, Which.STORED))


def _take_out(database: CrawlDatabase, target: Target, rule: Rule, reason: str) -> int:
    take_out_versions(database, target)  # what the crawl has to obey stays in table robots
    for copies in call_extensions("stored_copies"):
        copies.note_removal(database, target)
    rows = covered(database, target, Which.STORED)
    journal = Journal(database)
    for identity, _ in rows:
        take_out(database, journal, identity)
        journal.write(identity, rule, reason)
        if rule is Rule.FORGOTTEN:
            Urls(database).correct_end(identity, Rule.FORGOTTEN)
    return len(rows)


LOOK_SECONDS = 1.0  # seconds between two checks of the file, or else every store would check its time


class BlacklistFileError(ValueError):
    """The file that BLACKLIST_FILE names can't be read at the start: a crawl without it is unsafe."""


class BlacklistFile:
    """The file of one crawl. `path` None: there is none, and the entries of an earlier one are released."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.is_named = path is not None
        self._seen: object = None
        self._looked_at = -LOOK_SECONDS
        self.left_out: tuple[str, ...] = ()  # sentences: the lines that could not be used when it was last read

    def begin(self, database: CrawlDatabase) -> None:
        """Take the file over, in the caller's transaction; raise `BlacklistFileError` where it can't be read."""
        try:
            text = self._read()
        except (OSError, ValueError) as error:
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

    def reload(self, database: CrawlDatabase, journal: Journal) -> None:
        """Read a changed file, in the caller's transaction; if it can't be read, its last entries still hold."""
        try:
            text = self._read()
        except (OSError, ValueError) as error:
            self._seen = None
            self.left_out = (f"{self._path} can't be read any longer, so its last entries still hold: {error}",)
            journal.write(None, Rule.BLACKLIST_FILE, self.left_out[0])
            return
        self._take_over(database, journal, text)

    def forget(self) -> None:
        """Let the file be read again at the next look: the transaction that took it over was rolled back."""
        self._seen, self._looked_at = object(), -LOOK_SECONDS

    def _stamp(self) -> object:
        if self._path is None:
            return None
        status = self._path.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _read(self) -> str:
        self._seen = self._stamp()
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
