"""Which pages does a search go through? Those of one index, or of the indexes of a divided crawl's parts as if of one.

A segment is part of an index already, and the ranking sums over segments: pages, pages with a term, lengths. So the
segments of all parts are laid side by side, and each score, with its explanation, is what one index of all pages
would give. Nothing is merged afterwards, and nobody has to compare scores that come from different collections.

A part that can't be read is left out of a search, which says so: its pages count in no statistics either. A whole crawl
is a corpus of one part, of which nothing is told. Only this file of the indexer knows that a crawl may have parts.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.faults import CorruptIndex, IndexFault, NoIndex
from indexer.retrieval.collector import sitelinks
from indexer.retrieval.results import PartState
from indexer.segments.generation import CURRENT_FILE, index_folder
from indexer.segments.snapshot import IndexReader, Snapshot, side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from indexer.retrieval.collector import Sitelink
    from indexer.retrieval.results import Results
    from indexer.segments.schema import StoredFields
    from indexer.segments.snapshot import SegmentView


@dataclass(frozen=True, slots=True)
class Visibility:
    """What the crawl databases say of a page; None: nobody is asked.

    `blocked` tells whether it may not be shown, `copies` which pages of other parts say the same, and `withdrawn` of
    one that is known from links alone whether it may not be shown as such; without `link_only` none of these may.
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
    """A part turned out to be unreadable while it was searched."""

    def __init__(self, part: str, reason: Exception) -> None:
        super().__init__(str(reason))
        self.part = part
        self.reason = reason


class Corpus:
    """The index of a data folder, or those of a divided crawl's parts by their names ("2/3"); threads may share it."""

    def __init__(self, readers: Mapping[str, IndexReader], visibility: Visibility) -> None:
        self._readers = readers
        self._visibility = visibility
        self.shows_all = visibility == Visibility()  # no result needs to be asked about
        self._joined: tuple[Sequence[Snapshot], Snapshot] | None = None

    def answer(self, ask: Callable[[Snapshot], Results]) -> Results:
        """Ask the pages of all parts that can be read, and name the others. Raises a part's fault where none can."""
        unreadable: dict[str, Exception] = {}
        while True:
            found, faults = self._read(unreadable)
            try:
                return replace(ask(self._together(found)), parts=self._states(found, faults))
            except UnreadablePart as fault:
                unreadable[fault.part] = fault.reason  # the others answer
            except CorruptIndex as damage:
                unreadable[self._part_in(damage.folder)] = damage

    def current(self) -> Snapshot:
        """Return what a search looks at now. Raises NoIndex, CorruptIndex where no part can be read."""
        return self._together(self._read({})[0])

    @property
    def parts(self) -> tuple[PartState, ...]:
        """The parts, each with how far its index is; empty where nothing is divided."""
        return self._states(*self._read({}))

    def is_hidden(self, view: SegmentView, stored: StoredFields) -> bool:
        """Return whether a page of a segment may not be shown. Raises UnreadablePart where that can't be told."""
        try:
            return self._visibility.hides(stored)
        except _database_faults() as error:
            raise UnreadablePart(self._part_in(view.file.index_folder), error) from error

    def sitelinks(self, snapshot: Snapshot, first: int) -> tuple[Sitelink, ...]:
        """Return the main pages of the site whose first page is the page `first`; of any other none."""
        return sitelinks(snapshot, first, self.is_hidden)

    def copies(self, url: str) -> tuple[str, ...]:
        """Return the pages of other parts that say the same as this one."""
        return self._visibility.copies(url) if self._visibility.copies and self.is_divided else ()

    @property
    def is_divided(self) -> bool:
        """Whether these are the indexes of several parts."""
        return len(self._readers) > 1

    def _part_in(self, folder: object) -> str:
        return next(part for part, reader in self._readers.items() if reader.folder == folder)

    def _read(self, unreadable: Mapping[str, Exception]) -> tuple[dict[str, Snapshot], dict[str, Exception]]:
        """Return the snapshot of each part that can be read, and the fault of each other one."""
        found: dict[str, Snapshot] = {}
        faults = dict(unreadable)
        for part, reader in self._readers.items():
            if part in faults:
                continue
            try:
                found[part] = reader.current()
            except (IndexFault, OSError) as fault:
                faults[part] = fault
        if not found:  # a part that is damaged says more than one that is empty yet
            raise min((faults[part] for part in self._readers), key=lambda fault: isinstance(fault, NoIndex))
        return found, faults

    def _together(self, found: Mapping[str, Snapshot]) -> Snapshot:
        several = list(found.values())
        known = self._joined
        if known is None or known[0] != several:  # adding up the lengths of all pages is not for each search
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
    """Return what a crawl database raises that can't be asked."""
    import sqlite3  # noqa: PLC0415 - an index alone is searched without a database

    from crawldb.database import DatabaseError  # noqa: PLC0415 - the same

    return DatabaseError, sqlite3.Error


def _why(fault: Exception) -> str:
    """Return why a part is not searched; of one without an index, what makes one in the folder of all parts."""
    if isinstance(fault, NoIndex):
        return f"{fault.folder}: there is no index here yet; ./breadcrumb farm or ./breadcrumb index makes it"
    return str(fault)


def visibility_by_crawl(data_dir: Path) -> Visibility:
    """Return what the crawl databases of a data folder say, for any thread; where there are none, all is shown."""
    from crawldb.database import FILE_NAME  # noqa: PLC0415 - an index alone is searched without a database
    from crawldb.databases import Parts  # noqa: PLC0415 - the same

    of_thread = threading.local()

    def parts() -> Parts:
        if not hasattr(of_thread, "parts"):
            of_thread.parts = Parts.in_folder(data_dir)
        found: Parts = of_thread.parts
        return found

    if not any((parts().folder(part) / FILE_NAME).exists() for part in parts().parts):
        return Visibility()
    return Visibility(lambda url: parts().is_hidden(url), withdrawn=lambda url: parts().is_withdrawn(url))


def corpus_in(data_dir: Path, visibility: Visibility) -> Corpus:
    """Return what a search in a data folder goes through."""
    folders = {"": data_dir}
    if not (index_folder(data_dir) / CURRENT_FILE).exists():
        from crawldb.databases import Parts  # noqa: PLC0415 - it needs SQLite, an index does not

        parts = Parts.in_folder(data_dir)
        if parts.divided:
            folders = {str(part): parts.folder(part) for part in parts.parts}
    return Corpus({part: IndexReader(folder) for part, folder in folders.items()}, visibility)
