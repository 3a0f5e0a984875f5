"""How is our index a `whoosh.index.Index`? A searcher of it sees one generation; the next searcher sees the latest."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc,override"

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from whoosh.index import Index, LockError
from whoosh.writing import IndexingError, IndexWriter

from indexer.faults import IndexFault, IndexLocked
from indexer.remote import configured_index
from indexer.retrieval.corpus import corpus_in, visibility_by_crawl
from indexer.segments.generation import CURRENT_FILE, index_folder
from indexer.segments.schema import FILE_TYPE, LANGUAGE, SITE, URL, IndexField
from indexer.whoosh_door.reader import PagesReader
from indexer.whoosh_door.schema import DATED, OTHER_NAMES, page_schema, segment_field
from indexer.whoosh_door.searcher import PageSearcher
from indexer.writing import writer as own_writer
from urls.canonical import UnusableUrl, canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from whoosh.reading import IndexReader

    from indexer.retrieval.corpus import Visibility
    from indexer.whoosh_door.reader import Kept


WRITTEN = (
    URL,
    IndexField.TITLE.value,
    IndexField.BODY.value,
    IndexField.DESCRIPTION.value,
    IndexField.HEADINGS.value,
    LANGUAGE,
)
MADE_BY_US = {SITE, FILE_TYPE, DATED, IndexField.URL.value, IndexField.ANCHORS.value, IndexField.TEMPLATE.value}


class WriterBusy(IndexLocked, LockError):
    """Another writer has the index: our fault, and the one that Whoosh's `AsyncWriter` waits for."""


class PageWriter(IndexWriter):
    """Whoosh's writer over ours. Raises WriterBusy where another has the index for longer than `timeout` seconds."""

    def __init__(self, index: PageIndex, data_dir: Path, timeout: float = 0.0, delay: float = 0.1) -> None:
        is_new = not (index_folder(data_dir) / CURRENT_FILE).exists()
        self._writer = _opened(data_dir, time.monotonic() + timeout, delay)
        self._is_open = True
        self.index, self.schema = index, index.schema
        if is_new:
            self._writer.commit()  # an index without pages: a reader needs one
        self._reader = index.reader()  # nobody else can commit: its numbers stay right until this writer ends

    def reader(self, **_: Any) -> PagesReader:
        """Return a reader of what was committed when this writer was opened."""
        return self._reader

    def add_document(self, **fields: Any) -> None:
        """Put a page in, or in the place of the one with its URL. Raises IndexFault for what can be no page."""
        self._check_open()
        self._writer.put(page_of(fields))

    def update_document(self, **fields: Any) -> None:
        """Put a page in, as `add_document` does."""
        self.add_document(**fields)

    def delete_document(self, docnum: int, delete: bool = True) -> None:
        """Take a page out by its number in `reader()`; one with its URL that waits for a commit goes with it."""
        self._check_open()
        if not delete:
            raise IndexFault(f"document {docnum}: what was deleted can't be brought back; add it again")
        self._writer.remove(self._reader.stored(docnum).url)

    def is_deleted(self, docnum: int) -> bool:
        """Return False, as `reader` does: deleted pages have no number."""
        return self._reader.is_deleted(docnum)

    def add_reader(self, reader: IndexReader) -> None:
        """Put in what is stored in another index of Whoosh, such as the buffer of a `BufferedWriter`."""
        for _, stored in reader.iter_docs():
            self.add_document(**{name: value for name, value in stored.items() if name not in MADE_BY_US})

    def commit(self, *, optimize: bool = False, **_: Any) -> None:
        """Make everything so far durable and visible, and let the index go; with `optimize` small segments merge."""
        self._check_open()
        try:
            self._writer.commit(ending=optimize)
        finally:
            self._close()

    def cancel(self, **_: Any) -> None:
        """Forget everything since the index was opened, and let it go."""
        self._check_open()
        self._close()

    def add_field(self, fieldname: str, fieldtype: Any, **_: Any) -> None:
        """Raise IndexFault: a page has the fields that it has."""
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
    """Return the page that a document of Whoosh stands for. Raises IndexFault for what can be no page."""
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
            _text(IndexField.HEADINGS, one) for one in ([headings] if isinstance(headings, str) else headings)
        ),
        description=_text(IndexField.DESCRIPTION, values.get(IndexField.DESCRIPTION.value, "")),
        language=_text(LANGUAGE, values.get(LANGUAGE, "")),
        fetched_at=time.time(),
    )


def _by_our_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in fields.items():
        ours = segment_field(name)
        if ours not in WRITTEN:
            raise IndexFault(f"{name}={value!r}: {_why_not(name)}. It takes {', '.join((*WRITTEN, *OTHER_NAMES))}")
        if value is None:
            continue
        if values.setdefault(ours, value) != value:
            raise IndexFault(f"{name}={value!r}: {ours} has another value already. Give one of both")
    return values


def _why_not(name: str) -> str:
    if name in MADE_BY_US:
        return "the index makes this field itself, from the URL and the pages that link to it"
    if name.startswith("_"):
        return "this index keeps no boost and no other stored value; weight a field when you search"
    return "this index has no such field"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise IndexFault(f"{name}={value!r}: this is {type(value).__name__}, and the field takes text (str)")
    return value


class PageIndex(Index):
    """The index of a data folder for programs that are written for Whoosh. Raises NoIndex, CorruptIndex, IndexFault."""

    def __init__(self, data_dir: Path, visibility: Visibility | None = None) -> None:
        if address := configured_index():
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

    def last_modified(self) -> float:  # Whoosh types it as an int
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
