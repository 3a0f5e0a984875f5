"""How is our index a `whoosh.index.Index`? Each searcher sees one generation, and a writer adds pages by their URL.

    with indexer.open_whoosh(data_dir).writer() as writer:
        writer.add_document(url="https://example.org/", title="Example", content="This domain is for examples.")

The writer is our own: exclusive and durable. A document is a page, and a page has one URL: adding it again replaces it.
Uncommitted changes are lost. The index of a crawl can be rebuilt from its crawl database; pages that were written here
exist in the index alone.
"""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc,override"

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from whoosh.index import Index, LockError
from whoosh.writing import IndexingError, IndexWriter

from crawldb.database import FILE_NAME
from crawldb.databases import Parts
from extensions.whoosh.reader import PagesReader
from extensions.whoosh.schema import ALIASES, DATED, page_schema, segment_field
from extensions.whoosh.searcher import PageSearcher
from indexer.faults import IndexFault, IndexLocked
from indexer.remote import configured_index
from indexer.retrieval.corpus import Visibility, corpus_in
from indexer.segments.generation import CURRENT_FILE, index_folder
from indexer.segments.schema import FILE_TYPE, LANGUAGE, SITE, URL, IndexField
from indexer.writing import writer as own_writer
from urls.canonical import UnusableUrl, canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from whoosh.reading import IndexReader

    from extensions.whoosh.reader import TermsCache


WRITABLE = (
    URL,
    IndexField.TITLE.value,
    IndexField.BODY.value,
    IndexField.DESCRIPTION.value,
    IndexField.HEADINGS.value,
    LANGUAGE,
)
DERIVED = {SITE, FILE_TYPE, DATED, IndexField.URL.value, IndexField.ANCHORS.value, IndexField.TEMPLATE.value}


class WriterBusy(IndexLocked, LockError):
    """Another writer has the index: our error, and the one for which Whoosh's `AsyncWriter` waits."""


class PageWriter(IndexWriter):
    """Whoosh's writer over ours. Raises WriterBusy if another has the index for more than `timeout` seconds."""

    def __init__(self, index: PageIndex, data_dir: Path, timeout: float = 0.0, delay: float = 0.1) -> None:
        is_new = not (index_folder(data_dir) / CURRENT_FILE).exists()
        self._writer = _opened(data_dir, time.monotonic() + timeout, delay)
        self._is_open = True
        self.index, self.schema = index, index.schema
        if is_new:
            self._writer.commit()  # an empty index: a reader needs one
        self._reader = index.reader()  # nobody else can commit, so its page numbers stay right

    def reader(self, **_: Any) -> PagesReader:
        """Return a reader of the generation that was current when this writer opened."""
        return self._reader

    def add_document(self, **fields: Any) -> None:
        """Add a page, or replace the one with its URL. Raises IndexFault for invalid fields."""
        self._check_open()
        self._writer.put(page_of(fields))

    def update_document(self, **fields: Any) -> None:
        """Add a page, as `add_document` does."""
        self.add_document(**fields)

    def delete_document(self, docnum: int, delete: bool = True) -> None:
        """Remove a page by its number in `reader()`, and a page with its URL that waits for a commit."""
        self._check_open()
        if not delete:
            raise IndexFault(f"document {docnum}: a deleted page cannot be restored; add it again")
        self._writer.remove(self._reader.stored(docnum).url)

    def is_deleted(self, docnum: int) -> bool:
        """Return False, as `reader` does: deleted pages have no number."""
        return self._reader.is_deleted(docnum)

    def add_reader(self, reader: IndexReader) -> None:
        """Add the stored documents of another Whoosh index, such as the buffer of a `BufferedWriter`."""
        for _, stored in reader.iter_docs():
            self.add_document(**{name: value for name, value in stored.items() if name not in DERIVED})

    def commit(self, *, optimize: bool = False, **_: Any) -> None:
        """Make all changes durable and visible, and release the index; with `optimize` small segments are merged."""
        self._check_open()
        try:
            self._writer.commit(ending=optimize)
        finally:
            self._close()

    def cancel(self, **_: Any) -> None:
        """Discard all changes, and release the index."""
        self._check_open()
        self._close()

    def add_field(self, fieldname: str, fieldtype: Any, **_: Any) -> None:
        """Raise IndexFault: the fields are fixed."""
        self.index.add_field(fieldname, fieldtype)

    def remove_field(self, fieldname: str, **_: Any) -> None:
        """Raise IndexFault, as `add_field`."""
        self.index.remove_field(fieldname)

    def _check_open(self) -> None:
        if not self._is_open:
            raise IndexingError("This writer has ended with commit() or cancel(). Open another: index.writer()")

    def _close(self) -> None:
        self._is_open = False
        self._writer.close()


def _opened(data_dir: Path, until: float, delay: float) -> Any:
    while True:
        try:
            return own_writer.IndexWriter(data_dir)
        except IndexLocked as fault:
            if time.monotonic() >= until:
                raise WriterBusy(index_folder(data_dir), fault.pid) from None
            time.sleep(delay)


def page_of(fields: Mapping[str, Any]) -> Page:
    """Return the page that these fields of a Whoosh document describe. Raises IndexFault if they are invalid."""
    values = _by_our_names(fields)
    url = values.get(URL)
    if not url:
        raise IndexFault(f"A document without a URL: give add_document url=…, an http or https URL; it has {[*fields]}")
    try:
        canonical = canonicalize(_text(URL, url))
    except UnusableUrl as error:
        raise IndexFault(f"url={url!r}: {error}. This index keeps pages under http or https URLs") from None
    headings = values.get(IndexField.HEADINGS.value, ())
    if isinstance(headings, str):
        headings = (headings,)
    return Page(
        canonical,
        _text(IndexField.TITLE, values.get(IndexField.TITLE.value, "")),
        _text(IndexField.BODY, values.get(IndexField.BODY.value, "")),
        headings=tuple(
            _text(IndexField.HEADINGS, one) for one in ((headings,) if isinstance(headings, str) else headings)
        ),
        description=_text(IndexField.DESCRIPTION, values.get(IndexField.DESCRIPTION.value, "")),
        language=_text(LANGUAGE, values.get(LANGUAGE, "")),
        fetched_at=time.time(),
    )


def _by_our_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in fields.items():
        ours = segment_field(name)
        if ours not in WRITABLE:
            raise IndexFault(f"{name}={value!r}: {_why_not(name)}. It takes {', '.join((*WRITABLE, *ALIASES))}")
        if value is None:
            continue
        if values.setdefault(ours, value) != value:
            raise IndexFault(f"{name}={value!r}: {ours} has another value already. Give one of them")
    return values


def _why_not(name: str) -> str:
    if name in DERIVED:
        return "the index derives this field from the URL and the pages that link to it"
    if name.startswith("_"):
        return "this index stores no boost and no other value; weight a field when you search"
    return "this index has no such field"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise IndexFault(f"{name}={value!r}: this is {type(value).__name__}, and the field takes text (str)")
    return value


def visibility_by_crawl(data_dir: Path) -> Visibility:
    """Return what the crawl databases of a data folder hide, for any thread; without databases, nothing."""
    of_thread = threading.local()

    def parts() -> Parts:
        if not hasattr(of_thread, "parts"):
            of_thread.parts = Parts.in_folder(data_dir)
        found: Parts = of_thread.parts
        return found

    if not any((parts().folder(part) / FILE_NAME).exists() for part in parts().parts):
        return Visibility()
    return Visibility(lambda url: parts().is_hidden(url), withdrawn=lambda url: parts().is_withdrawn(url))


class PageIndex(Index):
    """The index of a data folder for programs that are written for Whoosh. Raises NoIndex, CorruptIndex, IndexFault."""

    def __init__(self, data_dir: Path, visibility: Visibility | None = None) -> None:
        if address := configured_index():
            raise IndexFault(
                f"INDEX={address}: Whoosh's classes read only the segments of a data folder. "
                "Search a cluster with indexer.open_index, or leave INDEX out"
            )
        self._data_dir = data_dir
        self._corpus = corpus_in(data_dir, visibility or visibility_by_crawl(data_dir))
        self._cache: TermsCache = {}
        self.schema = page_schema()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._data_dir)!r})"

    def reader(self, reuse: IndexReader | None = None) -> PagesReader:
        """Return a reader of the latest generation: `reuse` if it is one."""
        snapshot = self._corpus.current()
        if isinstance(reuse, PagesReader) and reuse.snapshot is snapshot:
            return reuse
        names = {view.file.name for view in snapshot.views}
        for gone in [key for key in list(self._cache) if key[0] not in names]:  # other threads may add entries
            self._cache.pop(gone, None)
        return PagesReader(snapshot, self.schema, self._cache, self._corpus)

    def searcher(self, **options: Any) -> PageSearcher:
        """Return a searcher of the latest generation, by Whoosh's BM25F unless a `weighting` is given."""
        return PageSearcher(self.reader(), fromindex=self, **options)

    def writer(self, timeout: float = 0.0, delay: float = 0.1, **_: Any) -> PageWriter:
        """Return the only writer of the index; it waits up to `timeout` seconds for another to end.

        Raises WriterBusy. Whoosh's options for speed (procs, limitmb) have no meaning here.
        """
        if self._corpus.is_divided:
            raise IndexFault(
                f"{self._data_dir}: this crawl is divided, and each part has its own index. "
                "Write into another data folder"
            )
        return PageWriter(self, self._data_dir, timeout, delay)

    def latest_generation(self) -> int:
        """Return the number of the latest generation."""
        return self._corpus.current().generation

    def last_modified(self) -> float:  # Whoosh types it as an int
        """Return the time of the latest commit, in seconds since the epoch."""
        return self._corpus.current().committed_at

    def is_empty(self) -> bool:
        """Return whether the index has no page."""
        return self.doc_count() == 0

    def add_field(self, fieldname: str, fieldspec: Any) -> None:  # noqa: ARG002 - the fields are fixed
        """Raise IndexFault: the fields are fixed."""
        raise IndexFault(f"{fieldname}: this index has fixed fields, and no other can be added: {self._fields()}")

    def remove_field(self, fieldname: str) -> None:
        """Raise IndexFault, as `add_field`."""
        raise IndexFault(f"{fieldname}: this index has fixed fields, and none can be removed: {self._fields()}")

    def _fields(self) -> str:
        return ", ".join(self.schema.names())
