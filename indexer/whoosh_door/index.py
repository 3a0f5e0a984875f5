"""How is our index a `whoosh.index.Index`? A searcher of it sees one generation; the next searcher sees the latest."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whoosh.index import Index

from indexer.address import chosen_address
from indexer.faults import IndexFault
from indexer.retrieval.corpus import corpus_in, visibility_by_crawl
from indexer.whoosh_door.fields import page_schema
from indexer.whoosh_door.reader import PagesReader
from indexer.whoosh_door.searching import PageSearcher
from indexer.whoosh_door.writer import PageWriter

if TYPE_CHECKING:
    from pathlib import Path

    from whoosh.reading import IndexReader

    from indexer.retrieval.corpus import Visibility
    from indexer.whoosh_door.reader import Kept


class PageIndex(Index):
    """The index of a data folder for programs that are written for Whoosh. Raises NoIndex, CorruptIndex, IndexFault."""

    def __init__(self, data_dir: Path, visibility: Visibility | None = None) -> None:
        if address := chosen_address():
            raise IndexFault(
                f"INDEX={address}: Whoosh's classes read the segments of a data folder alone. "
                "Search a cluster with indexer.open_index, or leave INDEX out"
            )
        self._data_dir = data_dir
        self._corpus = corpus_in(data_dir, visibility or visibility_by_crawl(data_dir))
        self._kept: Kept = {}
        self.schema = page_schema()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._data_dir)!r})"

    def reader(self, reuse: IndexReader | None = None) -> PagesReader:
        """Return a reader of the latest generation; `reuse` is given back if it is of that."""
        snapshot = self._corpus.current()
        if isinstance(reuse, PagesReader) and reuse.snapshot is snapshot:
            return reuse
        names = {view.file.name for view in snapshot.views}
        for gone in [key for key in list(self._kept) if key[0] not in names]:  # other threads may add to it
            self._kept.pop(gone, None)
        return PagesReader(snapshot, self.schema, self._kept, self._corpus)

    def searcher(self, **options: Any) -> PageSearcher:
        """Return a searcher of the latest generation, by Whoosh's BM25F unless a `weighting` is given."""
        return PageSearcher(self.reader(), fromindex=self, **options)

    def writer(self, timeout: float = 0.0, delay: float = 0.1, **_: Any) -> PageWriter:
        """Return the one writer of the index, which waits up to `timeout` seconds for another to end.

        Raises WriterBusy. Whoosh's options for speed (procs, limitmb) have no meaning here.
        """
        if self._corpus.is_divided:
            raise IndexFault(
                f"{self._data_dir}: this crawl is divided, and each part has an index of its own. "
                "Write into another data folder"
            )
        return PageWriter(self, self._data_dir, timeout, delay)

    def latest_generation(self) -> int:
        """Return the number of the latest generation."""
        return self._corpus.current().generation

    def last_modified(self) -> float:  # type: ignore[override]  # Whoosh types it as an int
        """Return when the latest generation was committed, in seconds since the epoch."""
        return self._corpus.current().committed_at

    def is_empty(self) -> bool:
        """Return whether there is no page."""
        return self.doc_count() == 0

    def add_field(self, fieldname: str, fieldspec: Any) -> None:  # noqa: ARG002 - there is one schema
        """Raise IndexFault: a page has the fields that it has."""
        raise IndexFault(f"{fieldname}: this index has fixed fields, and no other can be added: {self._fields()}")

    def remove_field(self, fieldname: str) -> None:
        """Raise IndexFault, as `add_field`."""
        raise IndexFault(f"{fieldname}: this index has fixed fields, and none can be removed: {self._fields()}")

    def _fields(self) -> str:
        return ", ".join(self.schema.names())
