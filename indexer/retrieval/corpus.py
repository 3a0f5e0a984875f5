"""Which pages does a search cover? Those of one index, or of all parts of a divided crawl together.

The ranking sums over segments: pages, pages with a term, lengths. So the segments of all parts are put together, and
each score, with its explanation, equals that of one index of all pages. So scores of different collections are never
compared or merged.

A search leaves out a part that it can't read, and says so; its pages do not count in statistics either. A whole crawl
is a corpus of one part. Only this file of the indexer knows that a crawl may have parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.faults import UPDATE, CorruptIndex, IndexFault, NoIndex
from indexer.retrieval.collector import sitelinks
from indexer.retrieval.results import PartState
from indexer.segments.generation import CURRENT_FILE, index_folder
from indexer.segments.snapshot import IndexReader, Snapshot, languages_of, side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from indexer.retrieval.collector import Sitelink
    from indexer.retrieval.results import Results
    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import SegmentReader
    from indexer.segments.snapshot import SegmentView


@dataclass(frozen=True, slots=True)
class Visibility:
    """Which pages the crawl databases hide; None: no database is read.

    `blocked` returns whether a page may not be shown, and `copies` the pages of other parts with the same content.
    `withdrawn` is the same as `blocked`, for pages known only from links. Without `link_only` the corpus has none of
    these.
    """

    blocked: Callable[[str], bool] | None = None
    copies: Callable[[str], tuple[str, ...]] | None = None
    withdrawn: Callable[[str], bool] | None = None
    link_only: bool = True

    def hides(self, stored: StoredFields) -> bool:
        """Return whether a page may not be shown. Raises what a crawl database raises."""
        if stored.not_fetched and not self.link_only:
            return True
        hidden = self.withdrawn if stored.not_fetched else self.blocked
        return hidden is not None and hidden(stored.url)


class UnreadablePart(Exception):
    """A search found that a part is unreadable."""

    def __init__(self, part: str, reason: Exception) -> None:
        super().__init__(str(reason))
        self.part = part
        self.reason = reason


class LimitedReader:
    """Reads an index without some of its segments, as if these pages had never been indexed. Threads may share it."""

    def __init__(self, reader: IndexReader | LimitedReader, is_shown: Callable[[SegmentReader], bool]) -> None:
        self._reader, self._is_shown = reader, is_shown
        self.folder: Path = reader.folder
        self._known: tuple[Snapshot, Snapshot] | None = None  # the whole one, and what is shown of it

    def current(self) -> Snapshot:
        """Return what is shown of the current generation. Raises NoIndex, CorruptIndex."""
        whole, known = self._reader.current(), self._known
        if known is None or known[0] is not whole:
            views = tuple(view for view in whole.views if self._is_shown(view.file))
            state = whole.generation, whole.position, whole.committed_at
            languages = languages_of([view.file for view in views])
            known = whole, Snapshot(*state, views, languages, linking_sites=whole.linking_sites)
            self._known = known
        return known[1]


class Corpus:
    """The index of a data folder, or those of a divided crawl's parts by their names ("2/3"); threads may share it."""

    def __init__(self, readers: Mapping[str, IndexReader | LimitedReader], visibility: Visibility) -> None:
        self._readers = readers
        self._visibility = visibility
        self.shows_all = visibility == Visibility()  # no result needs a look into a database
        self._joined: tuple[Sequence[Snapshot], Snapshot] | None = None

    def limited_to(self, is_shown: Callable[[SegmentReader], bool]) -> Corpus:
        """Return the pages of the segments that are shown, in the same open files."""
        return Corpus({part: LimitedReader(each, is_shown) for part, each in self._readers.items()}, self._visibility)

    def answer(self, ask: Callable[[Snapshot], Results]) -> Results:
        """Search the pages of all readable parts, and name the others. Raises the fault of a part if none is."""
        unreadable: dict[str, Exception] = {}
        while True:
            found, faults = self._read(unreadable)
            try:
                return replace(ask(self._together(found)), parts=self._states(found, faults))
            except UnreadablePart as fault:
                unreadable[fault.part] = fault.reason  # search the others
            except CorruptIndex as damage:
                unreadable[self._part_in(damage.folder)] = damage

    def current(self) -> Snapshot:
        """Return the snapshot that a search sees now. Raises NoIndex, CorruptIndex if no part is readable."""
        return self._together(self._read({})[0])

    @property
    def parts(self) -> tuple[PartState, ...]:
        """The parts, each with the state of its index; empty for an undivided crawl."""
        return self._states(*self._read({}))

    def is_hidden(self, view: SegmentView, stored: StoredFields) -> bool:
        """Return whether a page of a segment may not be shown. Raises UnreadablePart if its database is unreadable."""
        try:
            return self._visibility.hides(stored)
        except _database_faults() as error:
            raise UnreadablePart(self._part_in(view.file.index_folder), error) from error

    def is_withheld(self, view: SegmentView, stored: StoredFields) -> bool:
        """Return whether a page may not be shown, or whether that is unknown since its database is unreadable."""
        try:
            return self.is_hidden(view, stored)
        except UnreadablePart:
            return True

    def sitelinks(self, snapshot: Snapshot, first: int) -> tuple[Sitelink, ...]:
        """Return the main pages of the site whose home page is the page `first`; for other pages none."""
        return sitelinks(snapshot, first, self.is_hidden)

    def copies(self, url: str) -> tuple[str, ...]:
        """Return the pages of other parts with the same content."""
        return self._visibility.copies(url) if self._visibility.copies and self.is_divided else ()

    @property
    def is_divided(self) -> bool:
        """Whether there are several parts."""
        return len(self._readers) > 1

    def _part_in(self, folder: object) -> str:
        return next(part for part, reader in self._readers.items() if reader.folder == folder)

    def _read(self, unreadable: Mapping[str, Exception]) -> tuple[dict[str, Snapshot], dict[str, Exception]]:
        """Return the snapshot of each readable part, and the fault of each other one."""
        found: dict[str, Snapshot] = {}
        faults = dict(unreadable)
        for part, reader in self._readers.items():
            if part in faults:
                continue
            try:
                found[part] = reader.current()
            except (IndexFault, OSError) as fault:
                faults[part] = fault
        if not found:  # a damaged part is a better reason than an empty one
            raise min((faults[part] for part in self._readers), key=lambda fault: isinstance(fault, NoIndex))
        return found, faults

    def _together(self, found: Mapping[str, Snapshot]) -> Snapshot:
        several = list(found.values())
        known = self._joined
        if known is None or known[0] != several:  # summing the lengths of all pages takes too long for each search
            known = self._joined = (several, side_by_side(several))
        return known[1]

    def _states(self, found: Mapping[str, Snapshot], faults: Mapping[str, Exception]) -> tuple[PartState, ...]:
        if not self.is_divided:
            return ()
        return tuple(
            PartState(part, one.generation, one.committed_at, one.pages)
            if (one := found.get(part))
            else PartState(part, fault=_why(faults[part]))
            for part in self._readers
        )


def _database_faults() -> tuple[type[Exception], ...]:
    """Return the exceptions of a crawl database that can't be read."""
    import sqlite3  # noqa: PLC0415 - an index alone is searched without a database

    from crawldb.database import DatabaseError  # noqa: PLC0415 - the same

    return DatabaseError, sqlite3.Error


def _why(fault: Exception) -> str:
    """Return why a part is not searched; for one without an index, the command that makes it."""
    if isinstance(fault, NoIndex):
        return f"{fault.folder}: there is no index here yet; ./breadcrumb farm or {UPDATE} makes it"
    return str(fault)


def corpus_in(data_dir: Path, visibility: Visibility) -> Corpus:
    """Return the pages that a search in a data folder covers."""
    folders = {"": data_dir}
    if not (index_folder(data_dir) / CURRENT_FILE).exists():
        from crawldb.databases import Parts  # noqa: PLC0415 - it needs SQLite, an index does not

        parts = Parts.in_folder(data_dir)
        if parts.divided:
            folders = {str(part): parts.folder(part) for part in parts.parts}
    return Corpus({part: IndexReader(folder) for part, folder in folders.items()}, visibility)
