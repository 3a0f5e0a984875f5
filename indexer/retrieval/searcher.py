"""Which pages answer? A searcher keeps one generation open, and takes the next as soon as a commit has named it."""

from __future__ import annotations

import threading
import time
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from indexer.faults import CorruptIndex, NoIndex
from indexer.retrieval.candidates import Ranking, rank
from indexer.retrieval.query import Query, parse_query
from indexer.retrieval.ranking import Formula
from indexer.retrieval.results import Hit, Results
from indexer.retrieval.snapshot import Snapshot, View, languages_of, weighted_lengths
from indexer.retrieval.snippet import Snippet, make_snippet
from indexer.segments.generation import CURRENT, Generation, check_files, index_folder, read_generation
from indexer.segments.schema import URL
from indexer.segments.segment import SegmentFile, read_contents
from indexer.segments.storage import DurableStorage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.segments.document import Stored

MAX_LIMIT = 100  # results on one page
MAX_PAGE = 1_000
OPEN_TRIES = 5  # a commit may delete files between the reading of their names and their opening

_Stamp = tuple[int, int]  # of current.json: every commit renames a new file into its place


class Searcher:
    """Searches the index of a data folder. Any number of threads may share one. Raises NoIndex, CorruptIndex."""

    def __init__(
        self, data_dir: Path, *, blocked: Callable[[str], bool] | None = None, formula: Formula | None = None
    ) -> None:
        self._folder = index_folder(data_dir)
        self._blocked = blocked or _nothing
        self._formula = formula or Formula()
        self._opening = threading.Lock()
        self._opened: dict[str, tuple[SegmentFile, list[float]]] = {}  # segments never change: they are opened once
        self._state = self._open()

    def search(self, query: str, limit: int = 10, page: int = 1, *, site: str = "", language: str = "") -> Results:
        """Answer a query, whatever its text. `limit` is at most MAX_LIMIT, pages count from 1."""
        limit, page = min(max(limit, 1), MAX_LIMIT), min(max(page, 1), MAX_PAGE)
        snapshot = self._current()
        asked = parse_query(query, snapshot.languages, site=site, language=language)
        ranking = rank(asked, snapshot, self._formula, time.time())
        hits, hidden = self._hits(asked, ranking, first=(page - 1) * limit, last=page * limit)
        return Results(
            query=query,
            total=ranking.total - hidden,
            hits=tuple(hits),
            page=page,
            limit=limit,
            generation=snapshot.generation.number,
            as_of=snapshot.generation.committed_at,
        )

    def _hits(self, asked: Query, ranking: Ranking, *, first: int, last: int) -> tuple[list[Hit], int]:
        """Return one page of results, and how many blocked pages stood before its end."""
        wanted = {stem: term.word for term in asked.telling for stem in term.stems}
        hits: list[Hit] = []
        shown = hidden = 0
        for segment, document in ranking.best():
            if shown >= last:
                break
            if shown < first and self._blocked is _nothing:
                shown += 1
                continue
            stored = ranking.snapshot.views[segment].file.stored(document)
            if self._blocked(stored.url):
                hidden += 1
                continue
            shown += 1
            if shown > first:
                hits.append(_hit(stored, ranking, (segment, document), wanted, shown))
        return hits, hidden

    def terms(self, url: str) -> tuple[tuple[str, int], ...] | None:
        """Return the most frequent terms of a page's text with their counts, or None where it is not in the index."""
        stored = self.stored(url)
        return stored.terms if stored else None

    def stored(self, url: str) -> Stored | None:
        """Return what the index keeps of a page, or None where it does not have it."""
        for view in self._current().views:
            for document in view.file.documents(URL, url):
                if document not in view.deleted:
                    return view.file.stored(document)
        return None

    @property
    def generation(self) -> int:
        """The number of the generation that the next search sees."""
        return self._current().generation.number

    @property
    def documents(self) -> int:
        """Pages in the index."""
        return self._current().pages

    @property
    def position(self) -> int:
        """The last row of the change feed that is in the index."""
        return self._current().generation.position

    @property
    def as_of(self) -> float:
        """When the index was last committed to, in seconds since the epoch."""
        return self._current().generation.committed_at

    def _current(self) -> Snapshot:
        stamp, snapshot = self._state
        if stamp == self._stamp():
            return snapshot
        with self._opening:
            if self._state[0] != self._stamp():
                self._state = self._open()
            return self._state[1]

    def _stamp(self) -> _Stamp:
        try:
            found = (self._folder / CURRENT).stat()
        except FileNotFoundError:
            raise NoIndex(self._folder) from None
        return found.st_ino, found.st_mtime_ns

    def _open(self) -> tuple[_Stamp, Snapshot]:
        for _ in range(OPEN_TRIES):
            stamp, generation = self._stamp(), read_generation(self._folder)
            try:
                return stamp, self._snapshot(generation)
            except FileNotFoundError as error:
                missing = error  # replaced by a commit in this moment, unless it stays so
            except CorruptIndex:
                raise
            except Exception as error:  # whatever unreadable bytes make of Whoosh's readers
                raise CorruptIndex(self._folder, f"{type(error).__name__}: {error}") from error
        raise CorruptIndex(self._folder, f"{missing.filename} is missing")

    def _snapshot(self, generation: Generation) -> Snapshot:
        check_files(self._folder, generation)
        folder = self._folder / generation.build
        segments = read_contents(DurableStorage(folder), generation.number)
        opened = {segment.segment_id(): self._segment(folder, segment) for segment in segments}
        views = [View(*opened[segment.segment_id()], deleted=frozenset(segment.deleted_docs())) for segment in segments]
        self._opened = opened
        return Snapshot(generation, tuple(views), languages_of([view.file for view in views]))

    def _segment(self, folder: Path, segment: Any) -> tuple[SegmentFile, list[float]]:
        known = self._opened.get(segment.segment_id())
        if known:
            return known
        file = SegmentFile(folder, segment)
        return file, weighted_lengths(file, self._formula.weights)


def _nothing(_url: str) -> bool:
    return False


def _hit(stored: Stored, ranking: Ranking, place: tuple[int, int], wanted: dict[str, str], rank: int) -> Hit:
    return Hit(
        url=stored.url,
        title=stored.title,
        site=stored.site,
        language=stored.language,
        fetched_at=stored.fetched_at,
        archive=stored.archive,
        rank=rank,
        _score=ranking.explain(*place),
        _snippet=cache(partial(snippet_of, stored, wanted)),
    )


def snippet_of(stored: Stored, wanted: dict[str, str]) -> Snippet:
    """Return the best lines of a page: of its text, else of its own description."""
    snippet = make_snippet(stored.text, wanted, stored.language, stored.snippet)
    if snippet.spans or not stored.description:
        return snippet
    return make_snippet(stored.description, wanted, stored.language, stored.snippet)
