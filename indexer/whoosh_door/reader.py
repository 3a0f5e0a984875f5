"""How does Whoosh read one generation of our index? As one segment of its own that has the readable pages, in order.

Whoosh's numbers of documents are ours without the gaps: a page that is deleted, or whose time is over, has none. So
Whoosh's statistics are those of an index made anew of the pages that are left, and no query has to skip any.
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

from indexer.ranking.matching import has_ended
from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD
from indexer.segments.schema import EXACT_FIELDS, FIELD_KEYS, LANGUAGE, SITE, URL, IndexField
from indexer.segments.segment import READ_BLOCKS
from indexer.whoosh_door.matcher import DocPostings, PostingsMatcher
from indexer.whoosh_door.schema import DATED, OTHER_NAMES, segment_field, stored_values

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

AFTER_ALL = b"\xff"  # no term of UTF-8 begins so
KEPT_LENGTHS = np.array(_length_byte_cache, np.int64)  # Whoosh keeps a field length in a byte: one of these 256


@dataclass(frozen=True, slots=True, eq=False)
class FieldTerms:
    """The terms of a field in order; `frequencies` has how often each stands in the segment's readable pages.

    `lengths` has the words of each document, in Whoosh's count: a name that is indexed whole and in parts counts for
    each of them.
    """

    terms: list[bytes]
    frequencies: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def beginning_with(self, prefix: bytes) -> slice:
        """Return where the terms stand that begin so."""
        start = bisect_left(self.terms, prefix)
        return slice(start, bisect_left(self.terms, prefix + AFTER_ALL, start) if prefix else len(self.terms))


def read_field_terms(file: SegmentReader, field: str, readable: NDArray[np.bool_]) -> FieldTerms:
    """Read the terms of a field; `readable` says of each document whether it counts. Raises CorruptIndex."""
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
    """Yield the terms of a field in order with their lists, some thousand terms at a time."""
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
            return  # its terms stand together


def as_whoosh_keeps_them(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return field lengths as Whoosh gives them back: each is kept in a byte, and the next larger of 256 is read."""
    bytes_of = np.searchsorted(KEPT_LENGTHS, lengths)
    return KEPT_LENGTHS[np.minimum(bytes_of, length_to_byte(int(KEPT_LENGTHS[-1])))]


KEPT_POSTINGS = 256  # terms whose postings a reader keeps: a query reads those of each term four times
SORTED_BY = {URL, IndexField.TITLE.value, SITE, LANGUAGE, DATED}
Kept = dict[tuple[str, str], tuple[bytes, FieldTerms]]  # segment and field: which pages counted, and the terms


class PagesReader(IndexReader):
    """Whoosh's reader of the pages of a snapshot, which is of `corpus`.

    `kept` is what earlier readers read of the same segments.
    """

    def __init__(self, snapshot: Snapshot, schema: Schema, kept: Kept, corpus: Corpus) -> None:
        self.schema, self.snapshot = schema, snapshot
        self._kept, self._corpus = kept, corpus
        self._readable = readable = snapshot.live & ~has_ended(snapshot, time.time())
        self.rows = np.flatnonzero(readable)  # Whoosh's numbers to ours
        self._ends = snapshot.column("expires")[self.rows]
        self.may_hide = not corpus.shows_all or bool(self._ends.any())  # a page may be hidden that it has
        self._numbers = np.cumsum(readable) - 1  # and back
        self._postings = lru_cache(KEPT_POSTINGS)(self._read_postings)
        self._lengths: dict[str, tuple[int, NDArray[np.int64]]] = {}

    # what there is ---------------------------------------------------------------------------------------------------

    def generation(self) -> int:
        """Return the number of the generation."""
        return self.snapshot.generation

    def doc_count_all(self) -> int:
        """Return the number of pages: deleted ones have no number."""
        return len(self.rows)

    def doc_count(self) -> int:
        """Return the number of pages."""
        return len(self.rows)

    def has_deletions(self) -> bool:
        """Return False: deleted pages are not there at all."""
        return False

    def is_deleted(self, docnum: int) -> bool:  # noqa: ARG002 - the same
        """Return False, as above."""
        return False

    def indexed_field_names(self) -> Iterable[str]:
        """Return the fields that have terms, each under one name."""
        return [name for name, field in self.schema.items() if field.indexed and name not in OTHER_NAMES]

    def is_hidden(self, docnum: int) -> bool:
        """Return whether a page may not be shown since the index was written: it is blocked or gone, or has ended.

        Raises CorruptIndex, and UnreadablePart where the crawl database can't be asked.
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
        """Yield what is stored of the pages that may be shown."""
        return (stored for _, stored in self.iter_docs())

    def stored(self, docnum: int) -> StoredFields:
        """Return the record of a page. Raises CorruptIndex."""
        view, document = self.snapshot.place_of(int(self.rows[docnum]))
        return view.file.stored(document)

    def stored_fields(self, docnum: int) -> dict[str, Any]:
        """Return what is stored of a page, under all names of each field."""
        return stored_values(self.stored(docnum))

    # terms -----------------------------------------------------------------------------------------------------------

    def _terms(self, fieldname: str) -> list[FieldTerms]:
        """Return the terms of a field, segment by segment. Raises TermNotFound for a field that has none."""
        self._check_searchable(fieldname)
        found, field = [], segment_field(fieldname)
        for start, view in zip(self.snapshot.starts, self.snapshot.views, strict=True):
            readable = self._readable[start : start + view.file.count]
            counted = np.packbits(readable).tobytes()
            known = self._kept.get((view.file.name, field))
            if known is None or known[0] != counted:
                known = self._kept[view.file.name, field] = counted, read_field_terms(view.file, field, readable)
            found.append(known[1])
        return found

    def _check_searchable(self, fieldname: str) -> None:
        if fieldname not in self.schema or not self.schema[fieldname].indexed:
            fields = [name for name, field in self.schema.items() if field.indexed]
            raise TermNotFound(f"{fieldname}: no field of this name can be searched; these can: {', '.join(fields)}")

    def __contains__(self, term: tuple[str, str | bytes]) -> bool:
        """Return whether any page has a term."""
        name, text = term
        return name in self.schema and len(self._postings(name, self._text_to_bytes(name, text)).pages) > 0

    def all_terms(self) -> Iterator[tuple[str, bytes]]:
        """Yield each field with each of its terms."""
        for name in sorted(self.indexed_field_names()):
            yield from self.terms_from(name, b"")

    def terms_from(self, fieldname: str, prefix: str | bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the field with each of its terms from `prefix` on, in order."""
        start = self._text_to_bytes(fieldname, prefix)
        lists = [one.terms[bisect_left(one.terms, start) :] for one in self._terms(fieldname)]
        return ((fieldname, term) for term, _ in groupby(merge(*lists)))

    def expand_prefix(self, fieldname: str, prefix: str | bytes) -> list[bytes]:
        """Return the terms of a field that begin so, in order."""
        start = self._text_to_bytes(fieldname, prefix)
        found: set[bytes] = set()
        for one in self._terms(fieldname):
            found.update(one.terms[one.beginning_with(start)])
        return sorted(found)

    def terms_within(self, fieldname: str, text: str, maxdist: int, prefix: int = 0) -> Iterator[str]:
        """Yield the terms that are at most `maxdist` letters away; the first `prefix` letters are the same."""
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
        """Return the terms of a field that stand most often, each with how often."""
        counts = self._frequencies(fieldname, self._text_to_bytes(fieldname, prefix))
        return [(float(count), term) for count, term in nlargest(number, ((n, term) for term, n in counts.items()))]

    def _frequencies(self, fieldname: str, prefix: bytes) -> Mapping[bytes, int]:
        counts: Counter[bytes] = Counter()
        for one in self._terms(fieldname):
            rows = one.beginning_with(prefix)
            counts.update(dict(zip(one.terms[rows], one.frequencies[rows].tolist(), strict=True)))
        return counts

    # one term --------------------------------------------------------------------------------------------------------

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
        """Return how many pages have a term."""
        return len(self._known_postings(fieldname, text).pages)

    def frequency(self, fieldname: str, text: str | bytes) -> int:
        """Return how often a term stands in all pages."""
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

    # lengths ---------------------------------------------------------------------------------------------------------

    def _doc_lengths(self, fieldname: str) -> tuple[int, NDArray[np.int64]]:
        """Return the words of a field in all pages, and those of each page as Whoosh keeps them."""
        field = segment_field(fieldname)
        if field in EXACT_FIELDS:
            return 0, np.zeros(len(self.rows), np.int64)
        if field not in self._lengths:
            lengths = np.concatenate([np.zeros(0, np.int64), *(one.lengths for one in self._terms(fieldname))])
            lengths = lengths[self.rows]
            self._lengths[field] = int(lengths.sum()), as_whoosh_keeps_them(lengths)
        return self._lengths[field]

    def field_length(self, fieldname: str) -> int:
        """Return the words of a field in all pages."""
        return self._doc_lengths(fieldname)[0]

    def min_field_length(self, fieldname: str) -> int:
        """Return the fewest words of a field in any page."""
        return int(self._doc_lengths(fieldname)[1].min(initial=0))

    def max_field_length(self, fieldname: str) -> int:
        """Return the most words of a field in any page."""
        return int(self._doc_lengths(fieldname)[1].max(initial=0))

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        """Return the words of a field in a page, as Whoosh keeps them; `default` where it has none."""
        return int(self._doc_lengths(fieldname)[1][docnum]) or default

    # what ours has in another form ------------------------------------------------------------------------------------

    def has_vector(self, docnum: int, fieldname: str) -> bool:  # noqa: ARG002 - no page has any
        """Return False: Whoosh then reads the stored text."""
        return False

    def vector(self, docnum: int, fieldname: str, format_: Any = None) -> Matcher:  # noqa: ARG002 - as above
        """Raise KeyError: no page has any."""
        raise KeyError(f"{fieldname}: this index has no term vectors; its stored text can be analyzed instead")

    def has_column(self, fieldname: str) -> bool:
        """Return whether pages can be sorted and grouped by a field."""
        return segment_field(fieldname) in SORTED_BY

    def column_reader(
        self,
        fieldname: str,
        column: Any = None,  # noqa: ARG002 - there is one form of each
        reverse: bool = False,  # noqa: ARG002 - Whoosh reverses these itself
        translate: bool = True,
    ) -> ColumnReader:
        """Return the value of a field by page."""
        return _Column(self, segment_field(fieldname), is_text=translate or fieldname == DATED)


class _Column(ColumnReader):
    """The values of a stored field, read from the record of the page that is asked for."""

    def __init__(self, reader: PagesReader, field: str, *, is_text: bool) -> None:
        self._reader, self._field, self._is_text = reader, field, is_text

    def __len__(self) -> int:
        return self._reader.doc_count()

    def __getitem__(self, docnum: int) -> Any:
        found = stored_values(self._reader.stored(docnum))[self._field]
        return found if self._is_text else found.encode("utf-8", "backslashreplace")

    def __iter__(self) -> Iterator[Any]:
        return (self[docnum] for docnum in range(len(self)))
