"""What stands in the postings of a word? The pages that have it, how often in which field, and at which positions.

The lists of all segments are put end to end, as a search sees them: page after page in the order of their numbers.
Only the postings that are shown are looked into, so that a word which is on every page costs no more than another one.
What may not be shown as a result is not shown here either; it is counted.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.landmarks import landmarks_in
from indexer.analysis.tokens import raw_tokens, terms_of
from indexer.query.variants import Variants
from indexer.segments.postings import row_of
from indexer.segments.schema import INDEX_FIELDS, IndexField
from indexer.snippets.found_words import WordMarker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.segments.postings import Postings
    from indexer.segments.schema import StoredFields
    from indexer.snapshot.snapshot import SegmentView, Snapshot

ROWS = 20  # pages that are shown at a time
MAX_POSITIONS = 12  # of a word in one field of one page that are shown
AROUND = 40  # characters shown before and after the word
LOOKED_THROUGH = 8_192  # characters of a text in which the word is looked for, from a landmark on
MAX_FORMS = 20  # other words that share a form with the word
MAX_WORDS = 8  # of what was typed that are offered


@dataclass(frozen=True, slots=True)
class FieldPosting:
    """One posting: how often the word stands in a field of a page, and where; `length` is that of the field."""

    field: IndexField
    frequency: int
    length: int  # positions
    positions: tuple[int, ...]  # the first MAX_POSITIONS


@dataclass(frozen=True, slots=True)
class PagePostings:
    """The postings of a word on one page; `around` is what stands before the word in the text, the word, and after."""

    url: str
    title: str
    segment: str
    document: int  # its number in the segment
    postings: tuple[FieldPosting, ...]
    around: tuple[str, str, str] | None


@dataclass(frozen=True, slots=True)
class TermPostings:
    """The postings of a word: of `pages` pages those on one page of the list; what may not be shown is left out."""

    word: str
    pages: int
    in_fields: tuple[tuple[IndexField, int, int], ...]  # pages that have it there, and how often they do
    rows: tuple[PagePostings, ...]
    hidden: int  # of the rows, those that may not be shown
    page: int
    last: int  # page of the list
    forms: tuple[tuple[str, int], ...]  # other words that are found with it, and in how many pages' texts they stand


def words_typed(text: str) -> tuple[str, ...]:
    """Return the words of the index that a text becomes: `os`, `path` and `os.path` of os.path."""
    words = (word for raw in raw_tokens(text) for word, _ in terms_of(raw)[0])
    return tuple(dict.fromkeys(words))[:MAX_WORDS]


def term_postings(
    snapshot: Snapshot,
    word: str,
    fields: Sequence[IndexField] = INDEX_FIELDS,
    page: int = 1,
    *,
    is_hidden: Callable[[SegmentView, StoredFields], bool] = lambda _view, _stored: False,
) -> TermPostings:
    """Return the postings of a word as it stands in the dictionary. Raises CorruptIndex.

    `page` counts from 1; one that is beyond the end shows the last.
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
    in_fields = tuple(told for field in fields if (told := _in_field(field, snapshot, lists))[1])
    return TermPostings(word, pages, in_fields, tuple(rows), hidden, page, last, _forms(snapshot, word))


def _lists(view: SegmentView, word: str, fields: Iterable[IndexField]) -> dict[IndexField, Postings]:
    return {field: found for field in fields if (found := view.file.postings(field, word)) is not None}


def _documents(view: SegmentView, lists: dict[IndexField, Postings]) -> NDArray[np.uint32]:
    if not lists:
        return np.empty(0, np.uint32)
    found: NDArray[np.uint32] = np.unique(np.concatenate([each.documents for each in lists.values()]))
    return found[view.live[found]]


def _window(documents: Sequence[NDArray[np.uint32]], start: int) -> Iterator[tuple[int, int]]:
    """Yield segment and document of the rows from `start` on."""
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
    told = []
    for field, found in lists.items():
        row = row_of(found.documents, document)
        if row is not None:
            positions = tuple(found.positions_in(document)[:MAX_POSITIONS].tolist())
            told.append(FieldPosting(field, int(found.frequencies[row]), int(view.lengths(field)[document]), positions))
    first = next((each.positions[0] for each in told if each.field is IndexField.BODY and each.positions), None)
    around = None if first is None else text_around(stored, word, first)
    return PagePostings(stored.url, stored.title, view.file.name, document, tuple(told), around)


def text_around(stored: StoredFields, word: str, position: int) -> tuple[str, str, str] | None:
    """Return what stands before a word at a position of the main text, the word, and what stands after it.

    None where its text may not be shown, or not so far.
    """
    if not stored.landmarks or stored.snippet is not None:
        return None
    characters, positions = landmarks_in(stored.landmarks)
    before = bisect_right(positions, position) - 1
    if before < 0:
        return None
    text, begin = stored.text, characters[before]
    marker = WordMarker(lambda piece: word if piece == word else None)
    for found in marker.find(text, begin, begin + LOOKED_THROUGH):
        if position < positions[before] + found.position + max(found.width, 1):  # the first that does not end before
            start, stop = found.span
            return (
                _cut_before(text[max(0, start - AROUND - 1) : start]),
                text[start:stop],
                _cut_after(text[stop : stop + AROUND + 1]),
            )
    return None


def _cut_before(text: str) -> str:
    return text if len(text) <= AROUND else f"…{text[-AROUND:]}"


def _cut_after(text: str) -> str:
    return text if len(text) <= AROUND else f"{text[:AROUND]}…"


def _forms(snapshot: Snapshot, word: str) -> tuple[tuple[str, int], ...]:
    """Return the words that a question with this one finds as well, the most frequent in texts first."""
    words, pages = Variants.of(word, snapshot.languages).words_in(snapshot), dict[str, int]()
    for view in snapshot.views:
        for other, is_exact in words:
            found = view.file.postings(IndexField.BODY, other)
            if found is not None and not is_exact:
                pages[other] = pages.get(other, 0) + int(view.live[found.documents].sum())
    known = sorted(((-count, other) for other, count in pages.items() if count))
    return tuple((other, -count) for count, other in known[:MAX_FORMS])
