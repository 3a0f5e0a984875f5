"""How do pages become postings? Inverted in memory, a segment at a time: from (page: its words) to (word: its pages).

Whoosh's own writer sorts each single posting through temporary files. A segment of ours is small enough for memory,
where the postings of a term come in the order of the pages by themselves, so that only the terms are sorted.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from array import array
from contextlib import ExitStack
from heapq import merge as merge_sorted
from itertools import groupby
from operator import itemgetter
from secrets import token_hex
from typing import TYPE_CHECKING, Self

from whoosh.filedb.filetables import OrderedHashWriter

from indexer.segments.schema import FIELD_KEYS, FILE_TYPE, INDEX_FIELDS, LANGUAGE, SITE, URL, Document, IndexField
from indexer.segments.segment import RECORD_COLUMN, Segment, SegmentFile, dump_postings, posting_rows, term_key
from indexer.segments.signal_column import packed_signals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.segments.postings import Postings
    from indexer.segments.storage import DurableStorage, PartWriter

_Posting = tuple[int, int, bytes]  # document, frequency, packed positions


class _SegmentWriter:
    """Writes one segment: documents first, then postings in the order of their keys."""

    def __init__(self, storage: DurableStorage) -> None:
        self.count = 0
        self._storage = storage
        self._name = token_hex(8)
        self._open = ExitStack()
        self._records_file = self._part("record")
        self._records = RECORD_COLUMN.writer(self._records_file)
        self._lengths = {field: array("I") for field in INDEX_FIELDS}
        self._expires = array("d")
        self._signals = array("Q")
        self._clusters = array("q")
        self._dated = array("d")

    def _part(self, name: str) -> PartWriter:
        part = self._storage.create_part(f"{self._name}.{name}")
        self._open.callback(part.file.close)
        return part

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add_document(
        self, record: bytes, lengths: Mapping[IndexField, int], expires: float, signals: int, cluster: int, dated: float
    ) -> int:
        number = self.count
        self._records.add(number, record)
        for field, column in self._lengths.items():
            column.append(lengths.get(field, 0))
        self._expires.append(expires)
        self._signals.append(signals)
        self._clusters.append(cluster)
        self._dated.append(dated)
        self.count += 1
        return number

    def add_postings(self, rows: Iterable[tuple[bytes, Iterable[_Posting]]]) -> None:
        terms = OrderedHashWriter(self._part("terms"))
        for key, postings in rows:
            terms.add(key, dump_postings(postings))
        terms.close()

    def finish(self) -> Segment:
        self._records.finish(self.count)
        self._records_file.close()
        columns = {f"{field}_length": column.tobytes() for field, column in self._lengths.items()}
        columns |= {"expires": self._expires.tobytes(), "signals": self._signals.tobytes()}
        columns["cluster"] = self._clusters.tobytes()
        columns["dated"] = self._dated.tobytes()
        for name, content in columns.items():
            self._storage.write(f"{self._name}.{name}", content)
        self._storage.pack(self._name, ("terms", "record", *columns))
        return Segment(self._name, self.count)


def write_segment(storage: DurableStorage, documents: Iterable[Document]) -> Segment:
    """Invert documents into a new segment."""
    with _SegmentWriter(storage) as writer:
        inverted: dict[str, dict[str, list[_Posting]]] = {name: {} for name in FIELD_KEYS}
        for document in documents:
            stored = document.stored
            packed = packed_signals(stored.signals)
            number = writer.add_document(
                stored.pack(), document.lengths, stored.expires, packed, stored.cluster, stored.dated
            )
            for field, postings in document.postings.items():
                terms = inverted[field]
                for term, places in postings.items():
                    posting = (number, len(places), array("I", places).tobytes())
                    if term in terms:
                        terms[term].append(posting)
                    else:
                        terms[term] = [posting]
            exact = [(LANGUAGE, language) for language in stored.languages]
            exact += [(FILE_TYPE, kind) for kind in stored.file_types]
            for name, value in (*exact, (SITE, stored.site), (URL, stored.url)):
                inverted[name].setdefault(value, []).append((number, 1, b""))
        keys = ((term_key(field, term), field, term) for field, terms in inverted.items() for term in terms)
        writer.add_postings((key, inverted[field][term]) for key, field, term in sorted(keys))
        return writer.finish()


def merge_segments(storage: DurableStorage, sources: Sequence[tuple[SegmentFile, set[int]]]) -> Segment:
    """Write one segment from several, leaving out each one's deleted documents. At least one must be left."""
    with _SegmentWriter(storage) as writer:
        numbers: list[dict[int, int]] = []
        for file, deleted in sources:
            lengths = {field: file.lengths(field) for field in INDEX_FIELDS}
            expiries, signals, clusters, dates = file.expiries(), file.signals(), file.clusters(), file.dates()
            kept = [number for number in range(file.count) if number not in deleted]
            numbers.append(
                {
                    old: writer.add_document(
                        file.record(old),
                        {field: int(found[old]) for field, found in lengths.items()},
                        float(expiries[old]),
                        int(signals[old]),
                        int(clusters[old]),
                        float(dates[old]),
                    )
                    for old in kept
                }
            )
        writer.add_postings(_merged([file for file, _ in sources], numbers))
        return writer.finish()


def _merged(files: Sequence[SegmentFile], numbers: Sequence[dict[int, int]]) -> Iterator[tuple[bytes, list[_Posting]]]:
    streams = [_entries(file, place) for place, file in enumerate(files)]
    for key, rows in groupby(merge_sorted(*streams, key=itemgetter(0, 1)), key=itemgetter(0)):
        postings = [
            (numbers[place][old], frequency, value)
            for _, place, found in rows
            for old, frequency, value in posting_rows(found)
            if old in numbers[place]
        ]
        if postings:
            yield key, postings


def _entries(file: SegmentFile, place: int) -> Iterator[tuple[bytes, int, Postings]]:
    return ((key, place, postings) for key, postings in file.items())
