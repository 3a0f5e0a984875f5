"""Which robots.txt files match a query? Fetched and imported ones, and their history.

    with RobotsCollection.open(data_dir, databases) as collection:
        collection.search("agent:Googlebot disallow:/").hits

Opening the collection updates the index first, so a result is never older than the query. A crawl database has a mark
that changes with its versions. If the mark is new, one transaction adds missing versions, drops those that are gone,
and updates the dates of the others. So the next query no longer finds forgotten files, and a crawl may write meanwhile.

If the index can't be written (a full disk, another user's folder), an index in memory gives the same results.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA
from zstandard import ZstdError

from crawldb.tables.robots_files import body_of, history_mark, site_of_version, stored_versions
from extensions.robots_files.index.conditions import deciding, leaves, versions_with
from extensions.robots_files.index.query import read_robots_question
from extensions.robots_files.index.results import (
    ConditionCount,
    DecidingLine,
    NearNames,
    RobotsHit,
    RobotsResults,
    RobotsScorePart,
    robots_score,
)
from extensions.robots_files.index.tables import (
    FILE_NAME,
    VersionRow,
    count_versions,
    count_versions_with,
    drop_files_without_version,
    drop_versions,
    erase_what_is_gone,
    file_with,
    has_field,
    known_versions,
    lines_by_file,
    lines_of_files,
    mean_lines,
    one_state,
    one_write,
    open_index_file,
    put_dates,
    put_file,
    put_mark,
    put_version,
    robots_by_files,
    seen_mark,
    selected_versions,
)
from indexer.faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path
    from typing import Self

    from crawldb.database import CrawlDatabase
    from crawldb.tables.robots_files import RobotsVersion
    from extensions.robots_files.index.conditions import Asked, Deciding, LineCondition
    from extensions.robots_files.index.query import RobotsQuery

MAX_LINES = 12  # of a file that a result shows
MAX_LINE = 300  # characters of a line
MAX_NEAR = 5  # names
LEAST_CONTAINED = 4  # characters that two names must share for one to be near the other
SLIPS = 2  # characters by which a near name differs


class RobotsCollection:
    """The robots.txt files of a data folder, for one thread. Close it, or use it in a `with`."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._index, self._folder = connection, folder

    @classmethod
    def open(cls, folder: Path, databases: Sequence[CrawlDatabase]) -> Self:
        """Open the collection of a data folder; `databases` are those of the crawl's parts, which the caller closes."""
        return cls(index_in_step(folder, databases), folder)

    def search(self, text: str, *, page: int = 1, limit: int = 10, all_versions: bool = False) -> RobotsResults:
        """Search for a query: any text is one. It matches each file's newest version, or any version if it has a date.

        Raises IndexFault if the index is damaged.
        """
        began = time.monotonic()
        try:
            query = read_robots_question(text, self.has_field)
            found = self._page(query, page, limit, history=query.history or all_versions)
        except sqlite3.DatabaseError as error:
            path = self._folder / FILE_NAME
            raise IndexFault(f"{path} is damaged ({error}): delete it, and the next search makes it again") from error
        return replace(found, seconds=time.monotonic() - began)

    def _page(self, query: RobotsQuery, page: int, limit: int, *, history: bool) -> RobotsResults:
        with one_state(self._index):
            searched = count_versions(self._index, history=history)
            found = self._found(query.asked, history=history) if query.asked else []
            hits = self._hits(query, found, searched, (page - 1) * limit, limit, history=history)
            asked = () if found else tuple(dict.fromkeys(leaf for one in query.asked for leaf in leaves(one)))
            alone = tuple(ConditionCount(str(leaf), self._files(leaf, history=history)) for leaf in asked)
            near = tuple(each for leaf in asked if (each := self._near(leaf, history=history)) is not None)
        return RobotsResults(
            query=query.text,
            total=len(found),
            hits=hits,
            page=page,
            limit=limit,
            searched=searched,
            history=history,
            understood=query.understood,
            unread=query.unread,
            alone=alone,
            near=near,
        )

    def has_field(self, name: str) -> bool:
        """Return whether a file has a line with this field, known to robots or not."""
        return has_field(self._index, name)

    def __len__(self) -> int:
        """Return the number of versions."""
        return count_versions(self._index)

    def _found(self, asked: Sequence[Asked], *, history: bool) -> list[VersionRow]:
        return selected_versions(self._index, versions_with(asked), history=history)

    def _hits(
        self, query: RobotsQuery, found: Sequence[VersionRow], searched: int, begin: int, limit: int, *, history: bool
    ) -> tuple[RobotsHit, ...]:
        """Return a page of the found versions, by score, then by when they were last seen."""
        conditions = tuple(dict.fromkeys(deciding(query.asked)))
        parts = self._scores(conditions, found, searched, history=history)
        scores = {file: robots_score(each) for file, each in parts.items()}
        order = sorted(found, key=lambda row: (-scores.get(row.file, 0), -row.version.last_seen, row.version.address))
        shown = order[begin : begin + limit]
        lines = self._lines({row.file for row in shown}, conditions)
        return tuple(
            _hit(rank, row, parts.get(row.file, ()), lines[row.file]) for rank, row in enumerate(shown, start=begin + 1)
        )

    def _scores(
        self, conditions: Sequence[Deciding], found: Sequence[VersionRow], searched: int, *, history: bool
    ) -> dict[int, tuple[RobotsScorePart, ...]]:
        """Return the parts of the score of each file."""
        mean = mean_lines(self._index) or 1.0
        lengths = {row.file: row.length for row in found}
        scores: dict[int, tuple[RobotsScorePart, ...]] = {}
        for each in conditions if found else ():
            lines = each.lines("file, count(DISTINCT number)")
            files = self._files(each.condition, history=history)
            for file, count in lines_by_file(self._index, lines).items():
                if file in lengths:
                    part = RobotsScorePart(each.condition.typed, count, lengths[file], mean, files, searched)
                    scores[file] = (*scores.get(file, ()), part)
        return scores

    def _files(self, leaf: LineCondition, *, history: bool) -> int:
        """Return the number of versions with a line that fulfils the condition."""
        return count_versions_with(self._index, leaf.select("file"), history=history)

    def _lines(self, files: Collection[int], conditions: Sequence[Deciding]) -> dict[int, list[DecidingLine]]:
        """Return the deciding lines of some files, each once, in the order of the file."""
        found: dict[int, dict[int, tuple[str, list[str]]]] = {file: {} for file in files}
        for each in conditions:
            lines = each.lines(f"file, number, substr(text, 1, {MAX_LINE})")
            for file, number, text in lines_of_files(self._index, lines, files):
                found[file].setdefault(number, (text, []))[1].append(each.condition.typed)
        return {
            file: [DecidingLine(number, text, tuple(typed)) for number, (text, typed) in sorted(lines.items())]
            for file, lines in found.items()
        }

    def _near(self, leaf: LineCondition, *, history: bool) -> NearNames | None:
        """Return the known robots with a name near an unknown one; None if a file names it, or if it is no robot."""
        asked = leaf.agent.rstrip("*")
        if not asked or self._files(leaf, history=history):
            return None
        robots = robots_by_files(self._index, history=history)
        near = [(each.name, each.files) for each in robots if _is_near(asked, each.name)]
        return NearNames(asked, tuple(near[:MAX_NEAR]))

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _hit(rank: int, row: VersionRow, parts: tuple[RobotsScorePart, ...], lines: Sequence[DecidingLine]) -> RobotsHit:
    shown, more = tuple(lines[:MAX_LINES]), max(0, len(lines) - MAX_LINES)
    score = robots_score(parts)
    return RobotsHit(rank, row.part, row.version, row.site, row.size, row.length, score, parts, shown, more)


def _is_near(asked: str, name: str) -> bool:
    shorter = min(asked, name, key=len)
    if len(shorter) < LEAST_CONTAINED:
        return False
    return asked in name or name in asked or OSA.distance(asked, name, score_cutoff=SLIPS) <= SLIPS


def index_in_step(folder: Path, databases: Sequence[CrawlDatabase]) -> sqlite3.Connection:
    """Open the index in a data folder, and update it from the databases of the crawl's parts.

    A damaged index is rebuilt.
    """
    for again in (True, False):
        connection = None
        try:
            connection = open_index_file(folder / FILE_NAME)
            bring_into_step(connection, folder, databases)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if not again or isinstance(error, sqlite3.OperationalError):  # it can't be written, or is busy
                break
            for end in ("", "-wal", "-shm"):
                with suppress(OSError):
                    (folder / f"{FILE_NAME}{end}").unlink()
        else:
            return connection
    connection = open_index_file("")
    bring_into_step(connection, folder, databases)
    return connection


def bring_into_step(connection: sqlite3.Connection, folder: Path, databases: Iterable[CrawlDatabase]) -> None:
    """Make the index hold exactly the versions in these databases."""
    for database in databases:
        source = part_of(folder, database)
        if seen_mark(connection, source) == history_mark(database):
            continue
        with one_write(connection), database.one_state():
            _follow(connection, source, database)
            put_mark(connection, source, history_mark(database))


def part_of(folder: Path, database: CrawlDatabase) -> str:
    """Return the index's name for the database of a part; "" for a whole crawl."""
    own = database.path.parent
    return "" if own == folder else own.name


def _follow(connection: sqlite3.Connection, source: str, database: CrawlDatabase) -> None:
    stored = {_identity(each): each for each in stored_versions(database)}
    known = {_identity(each): each for each in known_versions(connection, source)}
    gone = known.keys() - stored.keys()
    drop_versions(connection, source, (number for number, *_ in gone))
    for identity, each in stored.items():
        if identity not in known:
            _put(connection, source, database, each)
        elif known[identity] != each:
            put_dates(connection, source, each)
    if gone:
        drop_files_without_version(connection)


def _identity(version: RobotsVersion) -> tuple[int, str, str, str, bytes]:
    """Return what identifies a version: a restored database may give its number to another file."""
    return version.id, version.origin, version.name, version.collection, version.digest


def _put(connection: sqlite3.Connection, source: str, database: CrawlDatabase, version: RobotsVersion) -> None:
    """Put a version, and its file if the index lacks it. A version with damaged octets is skipped."""
    file = file_with(connection, version.digest)
    if file is None:
        try:
            body = body_of(database, version)
        except ZstdError:
            body = None
        if body is None:
            return
        file = put_file(connection, version.digest, body)
    site = site_of_version(version.origin, version.name)
    put_version(connection, source, version, site, file)


def erase_taken_out(folder: Path, databases: Sequence[CrawlDatabase]) -> None:
    """Erase removed versions from the disk, too: searches no longer find them anyway."""
    if not (folder / FILE_NAME).exists():
        return
    connection = index_in_step(folder, databases)
    with suppress(sqlite3.Error):  # another process uses the index: the next writer erases them
        erase_what_is_gone(connection)
    connection.close()
