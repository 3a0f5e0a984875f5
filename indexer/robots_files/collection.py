"""Which robots.txt files answer a question? Those that were fetched and those that were imported, and their history.

    with RobotsCollection.open(data_dir, databases) as collection:
        collection.search("agent:Googlebot disallow:/").hits

Opening it brings the index into step with what is stored, so an answer is never older than the question.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidfuzz.distance import OSA

from crawldb.tables.robots_versions import RobotsVersion, body_of, stored_versions
from indexer.faults import IndexFault
from indexer.robots_files.conditions import deciding, leaves, versions_with
from indexer.robots_files.question import read_robots_question
from indexer.robots_files.ranking import RobotsScorePart, robots_score
from indexer.robots_files.results import ConditionCount, DecidingLine, NearNames, RobotsHit, RobotsResults
from indexer.robots_files.tables import AGENT, FILE_NAME
from indexer.robots_files.upkeep import index_in_step, part_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from crawldb.database import CrawlDatabase
    from indexer.robots_files.conditions import Asked, Deciding, LineCondition
    from indexer.robots_files.question import RobotsQuery

MAX_LINES = 12  # of a file that are shown with a result
MAX_LINE = 300  # characters of a line
MAX_NEAR = 5  # names
LEAST_CONTAINED = 4  # letters that two names must share for one to be near the other
SLIPS = 2  # letters by which a near name differs
_ROW = (
    "source, number, origin, name, collection, first_seen, last_seen, status, newest, digest, site, size, lines, file"
)


class _Row(NamedTuple):
    """A version that answers, as the index has it."""

    part: str
    version: RobotsVersion
    site: str
    size: int
    length: int
    file: int


class RobotsCollection:
    """The robots.txt files of a data folder, for one thread. Close it, or use it in a `with`."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, databases: Sequence[CrawlDatabase]) -> None:
        self._index, self._folder, self._databases = connection, folder, databases

    @classmethod
    def open(cls, folder: Path, databases: Sequence[CrawlDatabase]) -> Self:
        """Open the collection of a data folder; `databases` are those of the crawl's parts, which the caller closes."""
        return cls(index_in_step(folder, databases), folder, databases)

    def search(self, text: str, *, page: int = 1, limit: int = 10, all_versions: bool = False) -> RobotsResults:
        """Answer a question: any text is one. Of each file the newest version answers, unless a date is asked for.

        Raises IndexFault where the index is damaged.
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
        scope = "1" if history else "newest"
        self._index.execute("BEGIN")  # one state, whoever brings the index into step meanwhile
        try:
            searched = self._count(f"SELECT count(*) FROM version WHERE {scope}")
            found = self._found(query.asked, scope) if query.asked else []
            hits = self._hits(query, found, scope, searched, (page - 1) * limit, limit)
            asked = () if found else tuple(dict.fromkeys(leaf for one in query.asked for leaf in leaves(one)))
            alone = tuple(ConditionCount(str(leaf), self._files(leaf, scope)) for leaf in asked)
            near = tuple(each for leaf in asked if (each := self._near(leaf, scope)) is not None)
        finally:
            self._index.execute("ROLLBACK")  # nothing was written
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
        return self._index.execute("SELECT 1 FROM line WHERE field = ? LIMIT 1", (name,)).fetchone() is not None

    def __len__(self) -> int:
        """Return how many versions there are."""
        return self._count("SELECT count(*) FROM version")

    def files(self, *, all_versions: bool = False) -> Iterator[tuple[RobotsVersion, bytes]]:
        """Yield what is stored, with the octets; of each file the newest version, or all, the oldest first."""
        for database in self._databases:
            for version in stored_versions(database, all_versions=all_versions):
                if (body := body_of(database, version)) is not None:
                    yield version, body

    def history(self, origin: str, name: str = "") -> tuple[tuple[RobotsVersion, str], ...]:
        """Return the versions of an origin, or of an imported name, each with its part; the newest first."""
        rows = self._rows("WHERE origin = ? AND name = ?", (origin, name))
        return tuple((row.version, row.part) for row in sorted(rows, key=lambda row: -row.version.last_seen))

    def version(self, part: str, number: int) -> tuple[RobotsVersion, bytes] | None:
        """Return a version that a hit names, with its octets; None where it is gone."""
        row = next(iter(self._rows("WHERE source = ? AND number = ?", (part, number))), None)
        database = next((each for each in self._databases if part_of(self._folder, each) == part), None)
        body = body_of(database, row.version) if row and database else None
        return (row.version, body) if row and body is not None else None

    def _found(self, asked: Sequence[Asked], scope: str) -> list[_Row]:
        selection = versions_with(asked)
        return self._rows(f"WHERE version.id IN ({selection.sql}) AND {scope}", selection.values)

    def _hits(
        self, query: RobotsQuery, found: Sequence[_Row], scope: str, searched: int, begin: int, limit: int
    ) -> tuple[RobotsHit, ...]:
        """Return a page of what was found, in order: by score, then by when it was seen."""
        conditions = tuple(dict.fromkeys(deciding(query.asked)))
        parts = self._scores(conditions, found, scope, searched)
        scores = {file: robots_score(each) for file, each in parts.items()}
        order = sorted(found, key=lambda row: (-scores.get(row.file, 0), -row.version.last_seen, row.version.address))
        shown = order[begin : begin + limit]
        lines = self._lines({row.file for row in shown}, conditions)
        return tuple(
            _hit(rank, row, parts.get(row.file, ()), lines[row.file]) for rank, row in enumerate(shown, start=begin + 1)
        )

    def _rows(self, where: str, values: Sequence[object]) -> list[_Row]:
        rows = self._index.execute(f"SELECT {_ROW} FROM version JOIN file ON file.id = file {where}", tuple(values))
        return [_row(*row) for row in rows]

    def _scores(
        self, conditions: Sequence[Deciding], found: Sequence[_Row], scope: str, searched: int
    ) -> dict[int, tuple[RobotsScorePart, ...]]:
        """Return the parts of the score of each file."""
        mean = float(self._index.execute("SELECT avg(lines) FROM file").fetchone()[0] or 0) or 1.0
        lengths = {row.file: row.length for row in found}
        scores: dict[int, tuple[RobotsScorePart, ...]] = {}
        for each in conditions if found else ():
            lines = each.lines("file, count(DISTINCT number)")
            files = self._files(each.condition, scope)
            for file, count in self._index.execute(f"{lines.sql} GROUP BY file", lines.values):
                if file in lengths:
                    part = RobotsScorePart(each.condition.typed, count, lengths[file], mean, files, searched)
                    scores[file] = (*scores.get(file, ()), part)
        return scores

    def _files(self, leaf: LineCondition, scope: str) -> int:
        """Return how many versions have a line that is so."""
        lines = leaf.select("file")
        return self._count(f"SELECT count(*) FROM version WHERE {scope} AND file IN ({lines.sql})", *lines.values)

    def _lines(self, files: Collection[int], conditions: Sequence[Deciding]) -> dict[int, list[DecidingLine]]:
        """Return the lines of some files that decide, each once, in the order of the file."""
        found: dict[int, dict[int, tuple[str, list[str]]]] = {file: {} for file in files}
        these = f" AND file IN ({', '.join('?' * len(files))})"
        for each in conditions:
            lines = each.lines(f"file, number, substr(text, 1, {MAX_LINE})", these)
            for file, number, text in self._index.execute(lines.sql, (*lines.values, *files)):
                found[file].setdefault(number, (text, []))[1].append(each.condition.typed)
        return {
            file: [DecidingLine(number, text, tuple(typed)) for number, (text, typed) in sorted(lines.items())]
            for file, lines in found.items()
        }

    def _near(self, leaf: LineCondition, scope: str) -> NearNames | None:
        """Return which robots are known near one that nobody names; None where it is named, or is no robot."""
        asked = leaf.agent.rstrip("*")
        if not asked or self._files(leaf, scope):
            return None
        names = self._index.execute(
            f"SELECT value, count(DISTINCT file) FROM line WHERE field = '{AGENT}' AND file IN "
            f"(SELECT file FROM version WHERE {scope}) GROUP BY value ORDER BY 2 DESC, 1"
        )
        near = [(name, files) for name, files in names if _is_near(asked, name)]
        return NearNames(asked, tuple(near[:MAX_NEAR]))

    def _count(self, sql: str, *values: object) -> int:
        return int(self._index.execute(sql, values).fetchone()[0])

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _hit(rank: int, row: _Row, parts: tuple[RobotsScorePart, ...], lines: Sequence[DecidingLine]) -> RobotsHit:
    shown, more = tuple(lines[:MAX_LINES]), max(0, len(lines) - MAX_LINES)
    score = robots_score(parts)
    return RobotsHit(rank, row.part, row.version, row.site, row.size, row.length, score, parts, shown, more)


def _row(part: str, *row: Any) -> _Row:
    number, origin, name, collection, first_seen, last_seen, status, newest, digest, site, size, length, file = row
    version = RobotsVersion(number, origin, name, collection, first_seen, last_seen, status, bool(newest), digest)
    return _Row(part, version, site, size, length, file)


def _is_near(asked: str, name: str) -> bool:
    shorter = min(asked, name, key=len)
    if len(shorter) < LEAST_CONTAINED:
        return False
    return asked in name or name in asked or OSA.distance(asked, name, score_cutoff=SLIPS) <= SLIPS
