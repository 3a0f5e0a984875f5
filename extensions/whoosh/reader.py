"""How does Whoosh read one generation of our index? As a single segment with the readable pages, by their numbers.

Whoosh's document numbers are ours without the gaps: a page that is deleted or expired has none. So Whoosh's statistics
are those of a fresh index of the remaining pages, and no query has to skip any.

Whoosh's own loops read each term in turn; here the postings of a whole field are unpacked as arrays, in one pass.
"""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc"

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from heapq import merge, nlargest
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from whoosh.columns import ColumnReader
from whoosh.reading import IndexReader, TermInfo, TermNotFound
from whoosh.util.numeric import _length_byte_cache, length_to_byte

from extensions.whoosh.matcher import DocPostings, PostingsMatcher
from extensions.whoosh.schema import ALIASES, DATED, segment_field, stored_values
from indexer.ranking.matching import has_ended
from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD
from indexer.segments.schema import EXACT_FIELDS, FIELD_KEYS, LANGUAGE, SITE, URL, IndexField
from indexer.segments.segment import READ_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray
    from whoosh.fields import Schema
    from whoosh.matching.mcore import Matcher
    from whoosh.scoring import BaseScorer

    from indexer.retrieval.corpus import Corpus
    from indexer.segments.postings import PackedLists
    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import SegmentReader
    from indexer.segments.snapshot import Snapshot

CACHED_TERMS = 256  # whose postings a reader keeps: a query reads those of each term four times
SORTABLE = {URL, IndexField.TITLE.value, SITE, LANGUAGE, DATED}
AFTER_ALL = b"\xff"  # sorts after all of UTF-8
STORED_LENGTHS = np.array(_length_byte_cache, np.int64)  # Whoosh stores a field length in a byte: one of these 256


@dataclass(frozen=True, slots=True, eq=False)
class FieldTerms:
    """The sorted terms of a field, each with its total frequency in the readable pages of a segment.

    `lengths` has the field length of each document as Whoosh counts it: a name counts once as a whole, and once for
    each part.
    """

    terms: list[bytes]
    frequencies: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def with_prefix(self, prefix: bytes) -> slice:
        """Return the slice of the terms with a prefix."""
        start = bisect_left(self.terms, prefix)
        return slice(start, bisect_left(self.terms, prefix + AFTER_ALL, start) if prefix else len(self.terms))


def read_field_terms(file: SegmentReader, field: str, readable: NDArray[np.bool_]) -> FieldTerms:
    """Read the terms of a field in the documents that are `readable`. Raises CorruptIndex."""
    terms: list[bytes] = []
    frequencies = [np.zeros(0, np.int64)]
    lengths = np.zeros(file.count, np.int64)
    for some, lists in _lists_of(file, field):
        documents, times = file.unpacked_postings(lists)
        counted = times.astype(np.int64) * readable[documents]
        found = np.add.reduceat(counted, lists.counts.cumsum() - lists.counts)
        lengths += np.bincount(documents, counted, file.count).astype(np.int64)
        terms += [term for term, number in zip(some, found.tolist(), strict=True) if number]
        frequencies.append(found[found > 0])
    return FieldTerms(terms, np.concatenate(frequencies), lengths)


def _lists_of(file: SegmentReader, field: str) -> Iterator[tuple[list[bytes], PackedLists]]:
    """Yield the sorted terms of a field with their postings, some thousand terms at a time."""
    is_exact, key = field in EXACT_FIELDS, FIELD_KEYS[field]
    blocks = file.dictionary_blocks(key if is_exact else AFTER_EXACT)
    while some := list(islice(blocks, READ_BLOCKS)):
        keys = [each for block in some for each in block.keys]
        if is_exact:
            rows = [row for row, each in enumerate(keys) if each.startswith(key)]
        else:
            ending = BEFORE_FIELD + key
            rows = [row for row, each in enumerate(keys) if each.endswith(ending) and each >= AFTER_EXACT]
        if rows:
            terms = [keys[row][1:] if is_exact else keys[row][:-2] for row in rows]
            yield terms, file.packed_lists(some, 0).taken(rows)
        elif is_exact:
            return  # the terms of an exact field are neighbours


def as_whoosh_stores_them(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return field lengths as Whoosh reads them back: rounded up to one of 256 values, since each takes a byte."""
    bytes_of = np.searchsorted(STORED_LENGTHS, lengths)
    return STORED_LENGTHS[np.minimum(bytes_of, length_to_byte(int(STORED_LENGTHS[-1])))]


TermsCache = dict[tuple[str, str], tuple[bytes, FieldTerms]]  # by segment and field: readable pages, and terms


class PagesReader(IndexReader):
    """Whoosh's reader of the pages of a snapshot of `corpus`. Readers of one index share `cache`."""

    def __init__(self, snapshot: Snapshot, schema: Schema, cache: TermsCache, corpus: Corpus) -> None:
        self.schema, self.snapshot = schema, snapshot
        self._cache, self._corpus = cache, corpus
        self._readable = readable = snapshot.live & ~has_ended(snapshot, time.time())
        self.rows = np.flatnonzero(readable)  # our number by Whoosh's
        self._ends = snapshot.column("expires")[self.rows]
        self.may_hide = not corpus.shows_all or bool(self._ends.any())  # some of its pages may be hidden
        self._numbers = np.cumsum(readable) - 1  # Whoosh's number by ours
        self._postings = lru_cache(CACHED_TERMS)(self._read_postings)
        self._lengths: dict[str, tuple[int, NDArray[np.int64]]] = {}

    def generation(self) -> int:
        """Return the number of the generation."""
        return self.snapshot.generation

    def doc_count_all(self) -> int:
        """Return the number of pages, without deleted ones."""
        return len(self.rows)

    def doc_count(self) -> int:
        """Return the number of pages."""
        return len(self.rows)

    def has_deletions(self) -> bool:
        """Return False: the reader has no deleted pages."""
        return False

    def is_deleted(self, docnum: int) -> bool:  # noqa: ARG002 - the same
        """Return False, as above."""
        return False

    def indexed_field_names(self) -> Iterable[str]:
        """Return the fields with terms, each by one name."""
        return [name for name, field in self.schema.items() if field.indexed and name not in ALIASES]

    def is_hidden(self, docnum: int) -> bool:
        """Return whether a page must not be shown any more (blocked, gone or expired).

        Raises CorruptIndex, and UnreadablePart if the crawl database cannot be read.
        """
        if 0 < self._ends[docnum] <= time.time():
            return True
        if self._corpus.shows_all:
            return False
        view, document = self.snapshot.place_of(int(self.rows[docnum]))
        return self._corpus.is_hidden(view, view.file.stored(document))

    def all_doc_ids(self) -> Iterator[int]:
        """Return the pages that may be shown."""
        return (page for page in range(self.doc_count()) if not (self.may_hide and self.is_hidden(page)))

    def all_stored_fields(self) -> Iterator[dict[str, Any]]:
        """Yield the stored fields of the pages that may be shown."""
        return (stored for _, stored in self.iter_docs())

    def stored(self, docnum: int) -> StoredFields:
        """Return the record of a page. Raises CorruptIndex."""
        view, document = self.snapshot.place_of(int(self.rows[docnum]))
        return view.file.stored(document)

    def stored_fields(self, docnum: int) -> dict[str, Any]:
        """Return the stored fields of a page, under all their names."""
        return stored_values(self.stored(docnum))

    def _terms(self, fieldname: str) -> list[FieldTerms]:
        """Return the terms of a field by segment. Raises TermNotFound for a field without terms."""
        self._check_searchable(fieldname)
        found, field = [], segment_field(fieldname)
        for start, view in zip(self.snapshot.starts, self.snapshot.views, strict=True):
            readable = self._readable[start : start + view.file.count]
            pages = np.packbits(readable).tobytes()
            known = self._cache.get((view.file.name, field))
            if known is None or known[0] != pages:
                known = self._cache[view.file.name, field] = pages, read_field_terms(view.file, field, readable)
            found.append(known[1])
        return found

    def _check_searchable(self, fieldname: str) -> None:
        if fieldname not in self.schema or not self.schema[fieldname].indexed:
            fields = [name for name, field in self.schema.items() if field.indexed]
            raise TermNotFound(f"{fieldname}: this field cannot be searched; these can: {', '.join(fields)}")

    def __contains__(self, term: tuple[str, str | bytes]) -> bool:
        """Return whether a page has the term."""
        name, text = term
        return name in self.schema and len(self._postings(name, self._text_to_bytes(name, text)).pages) > 0

    def all_terms(self) -> Iterator[tuple[str, bytes]]:
        """Yield each field with each of its terms."""
        for name in sorted(self.indexed_field_names()):
            yield from self.terms_from(name, b"")

    def terms_from(self, fieldname: str, prefix: str | bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the field with each of its terms from `prefix` on, sorted."""
        start = self._text_to_bytes(fieldname, prefix)
        lists = [one.terms[bisect_left(one.terms, start) :] for one in self._terms(fieldname)]
        return ((fieldname, term) for term, _ in groupby(merge(*lists)))

    def expand_prefix(self, fieldname: str, prefix: str | bytes) -> list[bytes]:
        """Return the terms of a field with a prefix, sorted."""
        start = self._text_to_bytes(fieldname, prefix)
        found: set[bytes] = set()
        for one in self._terms(fieldname):
            found.update(one.terms[one.with_prefix(start)])
        return sorted(found)

    def terms_within(self, fieldname: str, text: str, maxdist: int, prefix: int = 0) -> Iterator[str]:
        """Yield the terms within an edit distance of `maxdist` that share the first `prefix` characters."""
        rest = text[prefix:]
        for term in self.expand_prefix(fieldname, text[:prefix]):
            word = term.decode()
            if abs(len(word) - len(text)) <= maxdist and (
                Levenshtein.distance(word[prefix:], rest, score_cutoff=maxdist) <= maxdist
            ):
                yield word

    def most_frequent_terms(
        self, fieldname: str, number: int = 5, prefix: str | bytes = ""
    ) -> list[tuple[float, bytes]]:
        """Return the most frequent terms of a field, each with its frequency."""
        counts = self._frequencies(fieldname, self._text_to_bytes(fieldname, prefix))
        return [(float(count), term) for count, term in nlargest(number, ((n, term) for term, n in counts.items()))]

    def _frequencies(self, fieldname: str, prefix: bytes) -> Mapping[bytes, int]:
        counts: Counter[bytes] = Counter()
        for one in self._terms(fieldname):
            rows = one.with_prefix(prefix)
            counts.update(dict(zip(one.terms[rows], one.frequencies[rows].tolist(), strict=True)))
        return counts

    def _read_postings(self, fieldname: str, term: bytes) -> DocPostings:
        field, word = segment_field(fieldname), term.decode("utf-8", "surrogateescape")
        found, pages, frequencies = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for start, view in zip(self.snapshot.starts, self.snapshot.views, strict=True):
            if (one := view.file.postings(field, word)) is None:
                continue
            numbers = one.documents.astype(np.int64) + start
            rows = np.flatnonzero(self._readable[numbers])
            found.append((one, rows))
            pages.append(self._numbers[numbers[rows]])
            frequencies.append(one.frequencies[rows].astype(np.int64))

        def positions() -> NDArray[Any]:
            return np.concatenate([np.zeros(0, np.uint32), *(one.positions_of(rows) for one, rows in found)])

        return DocPostings(np.concatenate(pages), np.concatenate(frequencies), positions)

    def _known_postings(self, fieldname: str, text: str | bytes) -> DocPostings:
        self._check_searchable(fieldname)
        return self._postings(fieldname, self._text_to_bytes(fieldname, text))

    def doc_frequency(self, fieldname: str, text: str | bytes) -> int:
        """Return the number of pages with a term."""
        return len(self._known_postings(fieldname, text).pages)

    def frequency(self, fieldname: str, text: str | bytes) -> int:
        """Return the total frequency of a term."""
        return int(self._known_postings(fieldname, text).frequencies.sum())

    def term_info(self, fieldname: str, text: str | bytes) -> TermInfo:
        """Return the statistics of a term. Raises TermNotFound."""
        found = self._known_postings(fieldname, text)
        if not len(found.pages):
            raise TermNotFound(f"{fieldname}:{text!r}")
        lengths = self._doc_lengths(fieldname)[1][found.pages] if self.schema[fieldname].scorable else np.zeros(1, int)
        return TermInfo(
            float(found.frequencies.sum()),
            len(found.pages),
            int(lengths.min()),
            int(lengths.max()),
            float(found.frequencies.max()),
            int(found.pages[0]),
            int(found.pages[-1]),
        )

    def postings(self, fieldname: str, text: str | bytes, scorer: BaseScorer | None = None, **_: Any) -> Matcher:
        """Return a matcher for the postings of a term. Raises TermNotFound."""
        found = self._known_postings(fieldname, text)
        if not len(found.pages):
            raise TermNotFound(f"{fieldname}:{text!r}")
        term = fieldname, self._text_to_bytes(fieldname, text)
        format_ = self.schema[fieldname].format
        return PostingsMatcher(term, found, format_, scorer, lambda: self._doc_lengths(fieldname)[1][found.pages])

    def _doc_lengths(self, fieldname: str) -> tuple[int, NDArray[np.int64]]:
        """Return the total length of a field, and its length in each page as Whoosh stores it."""
        field = segment_field(fieldname)
        if field in EXACT_FIELDS:
            return 0, np.zeros(len(self.rows), np.int64)
        if field not in self._lengths:
            lengths = np.concatenate([np.zeros(0, np.int64), *(one.lengths for one in self._terms(fieldname))])
            lengths = lengths[self.rows]
            self._lengths[field] = int(lengths.sum()), as_whoosh_stores_them(lengths)
        return self._lengths[field]

    def field_length(self, fieldname: str) -> int:
        """Return the total length of a field in all pages."""
        return self._doc_lengths(fieldname)[0]

    def min_field_length(self, fieldname: str) -> int:
        """Return the least length of a field in a page."""
        return int(self._doc_lengths(fieldname)[1].min(initial=0))

    def max_field_length(self, fieldname: str) -> int:
        """Return the greatest length of a field in a page."""
        return int(self._doc_lengths(fieldname)[1].max(initial=0))

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        """Return the length of a field in a page as Whoosh stores it; `default` if it is 0."""
        return int(self._doc_lengths(fieldname)[1][docnum]) or default

    def has_vector(self, docnum: int, fieldname: str) -> bool:  # noqa: ARG002 - no page has any
        """Return False: Whoosh then reads the stored text."""
        return False

    def vector(self, docnum: int, fieldname: str, format_: Any = None) -> Matcher:  # noqa: ARG002 - as above
        """Raise KeyError: no page has any."""
        raise KeyError(f"{fieldname}: this index has no term vectors; its stored text can be analyzed instead")

    def has_column(self, fieldname: str) -> bool:
        """Return whether pages can be sorted and grouped by a field."""
        return segment_field(fieldname) in SORTABLE

    def column_reader(
        self,
        fieldname: str,
        column: Any = None,  # noqa: ARG002 - there is one form of each
        reverse: bool = False,  # noqa: ARG002 - Whoosh reverses these itself
        translate: bool = True,
    ) -> ColumnReader:
        """Return the values of a field by page."""
        return _Column(self, segment_field(fieldname), is_text=translate or fieldname == DATED)


class _Column(ColumnReader):
    """The values of a stored field, each read from the record of its page."""

    def __init__(self, reader: PagesReader, field: str, *, is_text: bool) -> None:
        self._reader, self._field, self._is_text = reader, field, is_text

    def __len__(self) -> int:
        return self._reader.doc_count()

    def __getitem__(self, docnum: int) -> Any:
        found = stored_values(self._reader.stored(docnum))[self._field]
        return found if self._is_text else found.encode("utf-8", "backslashreplace")

    def __iter__(self) -> Iterator[Any]:
        return (self[docnum] for docnum in range(len(self)))
