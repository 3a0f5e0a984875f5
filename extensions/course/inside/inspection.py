"""Shows the content of an index: the postings of a term, the dictionary around it, field lengths, segments, and sizes.

**Postings.** The lists of all segments follow one another, in the order of the page numbers. Only shown postings are
read, so a term on every page costs no more than another. Pages that may not be shown are counted only.

**Dictionary.** It is sorted, so bisection finds a term, and terms with one prefix are neighbours. Each segment has its
own; their neighbours are merged here. Counts include deleted pages until their segment is merged.

**Field lengths.** They are shown by powers of two, since they spread over five orders of magnitude. A term counts less
in a field that is longer than the mean over the pages that have the field.

**Segments.** A segment is written once. Deleted pages stay in its file until a merge: eight segments of one tier become
one of the next (`builder.py`). Sizes are by part of the file. Postings and positions are counted term by term, the
packed dictionary by the share of each field in it unpacked. Reading a dictionary takes a second for a million terms, so
each segment is counted once, and some may be "not counted yet".
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from indexer.analysis.tokenizer import cached_terms, raw_tokens
from indexer.query.terms import Variants
from indexer.segments.dictionary import AFTER_EXACT
from indexer.segments.postings import row_of
from indexer.segments.schema import COLUMNS, FIELD_KEYS, INDEX_FIELDS, IndexField, unpack_checkpoints
from indexer.snippets.highlighter import Highlighter
from indexer.writing.builder import MERGE_FACTOR, SMALLEST, Weight, choose_merge
from indexer.writing.segment_writer import PARTS
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.query.deadline import Deadline
    from indexer.segments.postings import Postings
    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import SegmentReader
    from indexer.segments.snapshot import SegmentView, Snapshot

NEIGHBOURS = 10  # shown on each side
ROWS = 20  # pages that are shown at a time
MAX_POSITIONS = 12  # shown of a term in one field of one page
CONTEXT_CHARS = 40  # shown before and after the term
MAX_SEARCHED_CHARS = 8_192  # of a text that are searched for the term, from a checkpoint on
MAX_FORMS = 20  # other terms that share a form with the term
MAX_TYPED_TERMS = 8
_FIELD_NAMES = {key[0]: name for name, key in FIELD_KEYS.items()}
_ROW_BYTES = 20  # of the columns of a row of the dictionary
_FIELDS = len(FIELD_KEYS)


@dataclass(frozen=True, slots=True)
class DictionaryRow:
    """A term with the number of pages that have it, by field; `is_asked` marks the term of the request."""

    word: str
    pages: Mapping[IndexField, int]
    is_asked: bool = False


def dictionary_around(snapshot: Snapshot, word: str, most: int = NEIGHBOURS) -> list[DictionaryRow]:
    """Return the terms around a word in dictionary order, and the word itself if it is in the dictionary.

    Raises CorruptIndex.
    """
    before: set[str] = set()
    after: set[str] = set()
    for view in snapshot.views:
        near = view.file.words_near(word, most)
        before.update(near[0])
        after.update(near[1])
    shown = [*sorted(before, key=_in_bytes)[-most:], word, *sorted(after, key=_in_bytes)[:most]]
    rows = [DictionaryRow(each, _pages_by_field(snapshot, each), each == word) for each in shown]
    return [row for row in rows if row.pages]


def _in_bytes(word: str) -> bytes:
    return word.encode("utf-8", "backslashreplace")


def _pages_by_field(snapshot: Snapshot, word: str) -> dict[IndexField, int]:
    counts = {field: sum(view.file.count_of(field, word) for view in snapshot.views) for field in INDEX_FIELDS}
    return {field: count for field, count in counts.items() if count}


@dataclass(frozen=True, slots=True)
class FieldPosting:
    """One posting: the frequency and positions of a term in a field of a page, and the length of that field."""

    field: IndexField
    frequency: int
    length: int  # positions
    positions: tuple[int, ...]  # the first MAX_POSITIONS


@dataclass(frozen=True, slots=True)
class PagePostings:
    """The postings of a term on one page; `around` is the text before the term, the term, and the text after it."""

    url: str
    title: str
    segment: str
    document: int  # its number in the segment
    postings: tuple[FieldPosting, ...]
    around: tuple[str, str, str] | None


@dataclass(frozen=True, slots=True)
class TermPostings:
    """One page of the list of postings of a term, which is on `pages` pages, without pages that may not be shown."""

    word: str
    pages: int
    in_fields: tuple[tuple[IndexField, int, int], ...]  # pages that have it there, and its total frequency
    rows: tuple[PagePostings, ...]
    hidden: int  # rows that may not be shown
    page: int
    last: int  # the last page of the list
    forms: tuple[tuple[str, int], ...]  # other terms that match it, and the number of pages with each in their text


def typed_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a typed text: `os`, `path` and `os.path` of os.path."""
    words = (word for raw in raw_tokens(text) for word, _ in cached_terms(raw)[0])
    return tuple(dict.fromkeys(words))[:MAX_TYPED_TERMS]


def term_postings(
    snapshot: Snapshot,
    word: str,
    fields: Sequence[IndexField] = INDEX_FIELDS,
    page: int = 1,
    *,
    is_hidden: Callable[[SegmentView, StoredFields], bool] = lambda _view, _stored: False,
) -> TermPostings:
    """Return the postings of a term. Raises CorruptIndex.

    `page` counts from 1; a page beyond the end shows the last.
    """
    lists = [_lists(view, word, fields) for view in snapshot.views]
    documents = [_documents(view, found) for view, found in zip(snapshot.views, lists, strict=True)]
    pages = sum(map(len, documents))
    last = max(1, -(-pages // ROWS))
    page = min(max(page, 1), last)
    rows: list[PagePostings] = []
    hidden = 0
    for segment, document in _window(documents, (page - 1) * ROWS):
        view = snapshot.views[segment]
        stored = view.file.stored(document)
        if is_hidden(view, stored):
            hidden += 1
        else:
            rows.append(_row(view, document, stored, word, lists[segment]))
    in_fields = tuple(row for field in fields if (row := _in_field(field, snapshot, lists))[1])
    return TermPostings(word, pages, in_fields, tuple(rows), hidden, page, last, _forms(snapshot, word))


def _lists(view: SegmentView, word: str, fields: Iterable[IndexField]) -> dict[IndexField, Postings]:
    return {field: found for field in fields if (found := view.file.postings(field, word)) is not None}


def _documents(view: SegmentView, lists: dict[IndexField, Postings]) -> NDArray[np.uint32]:
    if not lists:
        return np.empty(0, np.uint32)
    found: NDArray[np.uint32] = np.unique(np.concatenate([each.documents for each in lists.values()]))
    return found[view.live[found]]


def _window(documents: Sequence[NDArray[np.uint32]], start: int) -> Iterator[tuple[int, int]]:
    """Yield the segment and the document of each row from `start` on."""
    room = ROWS
    for segment, found in enumerate(documents):
        some = found[start : start + room]
        yield from ((segment, int(document)) for document in some)
        room -= len(some)
        start = max(0, start - len(found))


def _in_field(
    field: IndexField, snapshot: Snapshot, lists: Sequence[dict[IndexField, Postings]]
) -> tuple[IndexField, int, int]:
    pages = times = 0
    for view, found in zip(snapshot.views, lists, strict=True):
        if field in found:
            live = view.live[found[field].documents]
            pages += int(live.sum())
            times += int(found[field].frequencies[live].sum(dtype=np.int64))
    return field, pages, times


def _row(
    view: SegmentView, document: int, stored: StoredFields, word: str, lists: dict[IndexField, Postings]
) -> PagePostings:
    postings = []
    for field, found in lists.items():
        row = row_of(found.documents, document)
        if row is not None:
            positions = tuple(found.positions_in(document)[:MAX_POSITIONS].tolist())
            length = int(view.lengths(field)[document])
            postings.append(FieldPosting(field, int(found.frequencies[row]), length, positions))
    first = next((each.positions[0] for each in postings if each.field is IndexField.BODY and each.positions), None)
    around = None if first is None else term_context(stored, word, first)
    return PagePostings(stored.url, stored.title, view.file.name, document, tuple(postings), around)


def term_context(stored: StoredFields, word: str, position: int) -> tuple[str, str, str] | None:
    """Return the text before the term at a position of the main text, the term, and the text after it.

    None if the text may not be shown, or not so far.
    """
    if not stored.checkpoints or stored.snippet is not None:
        return None
    characters, positions = unpack_checkpoints(stored.checkpoints)
    before = bisect_right(positions, position) - 1
    if before < 0:
        return None
    text, begin = stored.text, characters[before]
    highlighter = Highlighter(lambda piece: word if piece == word else None)
    for found in highlighter.find(text, begin, begin + MAX_SEARCHED_CHARS):
        end = positions[before] + found.position + max(found.width, 1)
        if position < end:  # the first match that does not end before the position
            start, stop = found.span
            return (
                _cut_before(text[max(0, start - CONTEXT_CHARS - 1) : start]),
                text[start:stop],
                _cut_after(text[stop : stop + CONTEXT_CHARS + 1]),
            )
    return None


def _cut_before(text: str) -> str:
    return text if len(text) <= CONTEXT_CHARS else f"…{text[-CONTEXT_CHARS:]}"


def _cut_after(text: str) -> str:
    return text if len(text) <= CONTEXT_CHARS else f"{text[:CONTEXT_CHARS]}…"


def _forms(snapshot: Snapshot, word: str) -> tuple[tuple[str, int], ...]:
    """Return the other terms that a query for this one matches, the most frequent in texts first."""
    words, pages = Variants.of(word, snapshot.languages).words_in(snapshot), dict[str, int]()
    for view in snapshot.views:
        for other, is_exact in words:
            found = view.file.postings(IndexField.BODY, other)
            if found is not None and not is_exact:
                pages[other] = pages.get(other, 0) + int(view.live[found.documents].sum())
    known = sorted(((-count, other) for other, count in pages.items() if count))
    return tuple((other, -count) for count, other in known[:MAX_FORMS])


@dataclass(frozen=True, slots=True)
class FieldLengths:
    """The lengths of one field, in positions. Each of `bins` has its shortest length, its longest, and its pages."""

    field: IndexField
    pages: int  # that have the field
    mean: float
    longest: int
    bins: tuple[tuple[int, int, int], ...]


def field_lengths(snapshot: Snapshot) -> list[FieldLengths]:
    """Return the lengths of each field that a page has. Raises CorruptIndex."""
    return [lengths for field in INDEX_FIELDS if (lengths := _lengths_of(snapshot, field)).pages]


def _lengths_of(snapshot: Snapshot, field: IndexField) -> FieldLengths:
    found = [view.lengths(field)[view.live] for view in snapshot.views]
    lengths = np.concatenate([np.empty(0, np.uint32), *found])
    lengths = lengths[lengths > 0]
    longest = int(lengths.max(initial=0))
    counts = np.bincount(np.frexp(lengths.astype(np.float64))[1] - 1, minlength=1) if len(lengths) else np.zeros(0, int)
    bins = tuple((1 << power, (2 << power) - 1, int(count)) for power, count in enumerate(counts.tolist()))
    return FieldLengths(field, len(lengths), snapshot.mean_lengths[field], longest, bins)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment. `born` is its first generation (0: unknown); `merged_from` are the segments it was merged from."""

    name: str
    pages: int
    deleted: int
    size: int  # bytes
    born: int
    merged_from: tuple[tuple[str, int], ...]  # names, each with its number of pages
    tier: int  # the size class
    is_next: bool  # the next commit merges it


@dataclass(frozen=True, slots=True)
class FieldSize:
    """The size of a field in all segments that were counted."""

    field: str
    terms: int  # rows of dictionaries
    dictionary: int  # bytes, estimated by its share
    postings: int  # bytes
    positions: int  # bytes


@dataclass(frozen=True, slots=True)
class IndexSizes:
    """The sizes of the parts of an index; `others` are parts of files that belong to no field."""

    fields: tuple[FieldSize, ...]
    others: tuple[tuple[str, int], ...]
    segments: int
    counted: int  # segments whose dictionary was read


def segment_rows(snapshot: Snapshot) -> list[SegmentRow]:
    """Return the segments of a generation, in the order of their page numbers."""
    weights = [Weight(view.file.count, len(view.deleted), view.file.size) for view in snapshot.views]
    chosen = choose_merge(weights)
    return [
        SegmentRow(
            view.file.name,
            weight.pages,
            weight.deleted,
            weight.size,
            view.file.born,
            view.file.merged_from,
            weight.tier,
            place in chosen,
        )
        for place, (view, weight) in enumerate(zip(snapshot.views, weights, strict=True))
    ]


def tier_in_words(tier: int) -> str:
    """Return the number of pages of a segment in a tier, in words."""
    most = SMALLEST * MERGE_FACTOR**tier
    return f"up to {counted(most, 'page')}" if not tier else f"{most // MERGE_FACTOR + 1:,} to {counted(most, 'page')}"


def index_sizes(snapshot: Snapshot, deadline: Deadline) -> IndexSizes:
    """Return the sizes of an index, of the segments that there is time for. Raises CorruptIndex."""
    files = [view.file for view in snapshot.views]
    counted: list[SegmentReader] = []
    fresh = 0  # at least one, so that the next call has more
    for file in files:
        if file not in _COUNTED:
            if fresh and deadline.passed("sizes of some segments"):
                continue
            fresh += 1
        _by_field(file)
        counted.append(file)
    return IndexSizes(_fields(counted), _others(files), len(files), len(counted))


_COUNTED: WeakKeyDictionary[SegmentReader, np.ndarray[tuple[int, int], np.dtype[np.int64]]] = WeakKeyDictionary()


def _by_field(file: SegmentReader) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return for each field: rows of the dictionary, their bytes unpacked, bytes of postings, bytes of positions."""
    known = _COUNTED.get(file)
    if known is not None:
        return known
    found = np.zeros((_FIELDS, 4), np.int64)
    for block in file.dictionary_blocks():
        fields = np.frombuffer(bytes(_field_of(block.keys)), np.uint8)
        lengths = np.fromiter(map(len, block.keys), np.int64, len(block.keys)) + _ROW_BYTES
        for place, numbers in enumerate((np.ones_like(lengths), lengths, block.columns[3], block.columns[4])):
            found[:, place] += np.bincount(fields, numbers, _FIELDS).astype(np.int64)[:_FIELDS]
    _COUNTED[file] = found
    return found


def _field_of(keys: Iterable[bytes]) -> Iterable[int]:
    return (key[-1] if key >= AFTER_EXACT else key[0] for key in keys)


def _fields(files: Sequence[SegmentReader]) -> tuple[FieldSize, ...]:
    sums, dictionary = np.zeros((_FIELDS, 4), np.int64), np.zeros(_FIELDS)
    for file in files:
        numbers = _by_field(file)
        sums += numbers
        dictionary += file.bytes_of("terms") * numbers[:, 1] / (int(numbers[:, 1].sum()) or 1)
    sizes = (
        FieldSize(_FIELD_NAMES[place], rows, round(float(dictionary[place])), postings, positions)
        for place, (rows, _, postings, positions) in enumerate(sums.tolist())
    )
    return tuple(sorted((each for each in sizes if each.terms), key=lambda each: -(each.postings + each.positions)))


def _others(files: Sequence[SegmentReader]) -> tuple[tuple[str, int], ...]:
    """Return the sizes of the parts without field: records, forms, and the columns together."""
    sizes: Counter[str] = Counter()
    for file in files:
        for part in (*PARTS, *COLUMNS):
            if part not in {"terms", "postings", "positions"}:
                sizes[part if part in {"record", "forms"} else "columns"] += file.bytes_of(part)
    return tuple(sizes.most_common())
