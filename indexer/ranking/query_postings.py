"""Where is a query term? In all its fields, forms and segments, read once for the whole query.

Ranking, phrases and snippets need the same terms. A term has some forty lists, most of them short, so a step for each
list costs more than all their postings. Therefore the lists of a term are unpacked together into one array: field by
field, and within a field segment by segment.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indexer.segments.postings import PackedPositions, unpack_lists
from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.query.terms import Variants
    from indexer.segments.dictionary import TermEntry
    from indexer.segments.postings import Numbers
    from indexer.segments.snapshot import Snapshot

    Places = NDArray[np.int64]
    Rows = NDArray[np.intp]
    Amounts = NDArray[np.float64]
    # The number of a field, a segment, a word, whether it is exact, its entry, and its list.
    _Packed = tuple[int, int, str, bool, TermEntry, bytes]

POSITION_BITS = 32  # of a place; the higher bits say in what
POSTING_BYTES = 28  # of memory: its page, its frequency, its number in `in_fields`, and where its positions end
LIST_BYTES = 500  # of memory
_FIELD_NUMBERS = {field: number for number, field in enumerate(INDEX_FIELDS)}


class PostingsList(NamedTuple):
    """The postings of one form in one field of one segment: the rows from `start` to `stop`, exclusive."""

    field: IndexField
    segment: int
    word: str
    exact: bool  # it is the word in the query
    entry: TermEntry
    start: int
    stop: int


class VariantPostings:
    """The postings of a term in all its forms: `pages` by their numbers in the snapshot, and the frequency in each.

    Each list ascends. Raises CorruptIndex, here and when positions are read.
    """

    def __init__(self, variants: Variants, snapshot: Snapshot) -> None:
        self._files = [view.file for view in snapshot.views]
        self._size = snapshot.size
        words = variants.words_in(snapshot)
        self.all_words = frozenset(word for word, _ in words)
        found: list[_Packed] = [
            (_FIELD_NUMBERS[field], segment, *words[number], entry, content)
            for segment, file in enumerate(self._files)
            for number, field, entry, content in file.word_lists(word for word, _ in words)
        ]
        found.sort(key=itemgetter(0))
        self._fields = [field for field, _, _, _, _, _ in found]
        self._segments = [segment for _, segment, _, _, _, _ in found]
        self._words = [word for _, _, word, _, _, _ in found]
        self._entries = [entry for _, _, _, _, entry, _ in found]
        self.is_exact = np.array(
            [exact for _, _, _, exact, _, _ in found], np.bool_
        )  # for each list: it is of the word in the query, not of a form
        self.counts = np.array([entry.count for entry in self._entries], np.int64)
        self._stops: Places = self.counts.cumsum()
        ends = dict(zip(self._fields, self._stops.tolist(), strict=True))
        self.fields = {  # the rows of each field that has the word
            INDEX_FIELDS[field]: slice(start, stop)
            for field, (start, stop) in zip(ends, pairwise((0, *ends.values())), strict=True)
        }
        # Whether no field of a segment has two forms of it; then the postings of a field ascend.
        self.is_one_form = len(set(zip(self._fields, self._segments, strict=True))) == len(self._fields)
        self.pages, self.frequencies = self._unpacked([content for _, _, _, _, _, content in found], snapshot.starts)

    def _unpacked(self, contents: Sequence[bytes], starts: Sequence[int]) -> tuple[Rows, Numbers]:
        if not contents:
            return np.empty(0, np.intp), np.empty(0, np.uint32)
        bases = [starts[segment] for segment in self._segments]
        firsts = np.array([entry.first + base for entry, base in zip(self._entries, bases, strict=True)])
        lasts = np.array([entry.last + base for entry, base in zip(self._entries, bases, strict=True)])
        try:
            return unpack_lists(contents, self.counts, firsts, lasts)
        except (ValueError, IndexError):
            self._raise_damage(self.lists)
            raise

    def _raise_damage(self, lists: Sequence[PostingsList]) -> None:
        """Read list by list, so the error names the damaged segment."""
        for each in lists:
            found = self._files[each.segment].postings(each.field, each.word)
            if found is not None:
                found.positions  # noqa: B018 - it raises

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def size(self) -> int:
        """Some bytes more than it takes in memory, with its positions."""
        positions = sum(entry.positions_extent[1] for entry in self._entries)
        return POSTING_BYTES * len(self.pages) + LIST_BYTES * len(self.counts) + positions

    @cached_property
    def occurrences(self) -> int:
        """How often the term is in all fields of all pages."""
        return int(self.frequencies.sum(dtype=np.int64))

    @cached_property
    def lists(self) -> tuple[PostingsList, ...]:
        """The lists, in the order of their postings."""
        starts, stops = (self._stops - self.counts).tolist(), self._stops.tolist()
        fields = map(INDEX_FIELDS.__getitem__, self._fields)
        columns = fields, self._segments, self._words, self.is_exact.tolist(), self._entries, starts, stops
        return tuple(map(PostingsList, *columns))

    @cached_property
    def in_fields(self) -> Rows:
        """For each posting the number of its field times the pages of the snapshot, plus the page."""
        return self.pages + (np.array(self._fields, np.intp) * self._size).repeat(self.counts)

    def lists_of(self, page: int) -> Iterator[tuple[PostingsList, int]]:
        """Yield the lists that have a page, each with the row of its posting."""
        for row in np.flatnonzero(self.pages == page).tolist():
            yield self.lists[int(self._stops.searchsorted(row, "right"))], row

    def on(self, pages: Rows) -> tuple[Rows, Rows]:
        """Return the rows of the postings on ascending pages, and for each the number of its page in `pages`."""
        wanted = np.zeros(self._size, np.bool_)
        wanted[pages] = True
        rows = np.flatnonzero(wanted[self.pages])
        number_of = np.empty(self._size, np.intp)  # read only for these pages
        number_of[pages] = np.arange(len(pages))
        return rows, number_of[self.pages[rows]]

    def exact_pages(self, rows: slice) -> Rows:
        """Return the pages of the postings of the word in the query, without those of its forms."""
        return self.pages[rows][self.is_exact.repeat(self.counts)[rows]]

    def by_list(self, amounts: Amounts, rows: Rows) -> Amounts:
        """Return for postings, whose rows ascend, which of the amounts, one for each list, their list has."""
        ends = rows.searchsorted(self._stops)
        ends[1:] -= ends[:-1].copy()
        return amounts.repeat(ends)

    def places(self, rows: Rows, above: Rows, moved: int = 0) -> Places:
        """Return the places of the term for the postings of these ascending rows; the places ascend, too.

        A place is a position, `moved` by some words, with the value in `above` for its row in the higher bits.
        """
        positions = self._positions.of(rows)  # first: it rejects frequencies of a damaged list
        places = ((above << POSITION_BITS) + moved).repeat(self.frequencies[rows])
        places += positions
        if not self.is_one_form:
            places.sort(kind="stable")  # the places of each list ascend, and this one merges such runs
        return places

    @cached_property
    def _positions(self) -> PackedPositions:
        """The positions of all postings, read on first use. Raises CorruptIndex."""
        by_segment: dict[int, list[int]] = {}
        for number, segment in enumerate(self._segments):
            by_segment.setdefault(segment, []).append(number)
        contents = [b""] * len(self._entries)
        for segment, numbers in by_segment.items():
            packed = self._files[segment].packed_positions([self._entries[number] for number in numbers])
            for number, content in zip(numbers, packed, strict=True):
                contents[number] = content
        try:
            return PackedPositions(b"".join(contents), self.frequencies)
        except (ValueError, IndexError):
            self._raise_damage(self.lists)
            raise


class QueryPostings:
    """The postings of the terms of one query, each read when it is first needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._known: dict[Variants, VariantPostings] = {}

    def of(self, variants: Variants) -> VariantPostings:
        """Return the postings of a term."""
        found = self._known.get(variants)
        if found is None:
            found = self.snapshot.postings.get(variants)
            if found is None:
                found = VariantPostings(variants, self.snapshot)
                self.snapshot.postings.put(variants, found)
            self._known[variants] = found
        return found
