"""Which postings has the index? A row for each term in a field of a page, in the order of the dictionary.

The segments of the index have their own dictionaries, each in order, so they are merged as they are read. Pages that a
search may not show are left out: `forget`, `block` and the dates in page controls hold here too.

The positions of all terms would give the text back. So a page whose owner limits copies (noarchive) or snippets
(nosnippet, max-snippet) has frequencies without positions. Readings of Japanese are left out: they are no terms of the
page.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING

from commands.frame.exits import CommandError
from indexer.segments.dictionary import BEFORE_FIELD
from indexer.segments.schema import FIELD_KEYS, INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.table_files.tables import Row
    from indexer.retrieval.searcher import Searcher
    from indexer.segments.snapshot import SegmentView

FIELDS = tuple(field for field in INDEX_FIELDS if field is not IndexField.READING)
_FIELDS = {BEFORE_FIELD + FIELD_KEYS[field]: str(field) for field in FIELDS}
_SUFFIX = len(BEFORE_FIELD) + 1  # of a key: the field behind the word
_Posting = tuple[str, int, tuple[int, ...] | None]  # URL, frequency, positions


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page whose postings may be shown, and whether their positions may be, too."""

    url: str
    positions: bool


def posting_rows(searcher: Searcher) -> Iterator[Row]:
    """Yield the postings that a search may use. The URLs of all pages are in memory.

    Raises CommandError for an index that another engine keeps, and CorruptIndex.
    """
    if searcher.elsewhere:
        raise CommandError(
            "--table postings: only postings of Breadcrumb's own index can be exported, so choose another table. "
            f"{searcher.elsewhere}"
        )
    views = searcher.snapshot.views
    merged = heapq.merge(*(_lists(view, _shown_pages(searcher, view)) for view in views), key=itemgetter(0))
    for key, rows in merged:
        word, field = key[:-_SUFFIX].decode(), _FIELDS[key[-_SUFFIX:]]
        for url, frequency, positions in rows:
            yield word, url, field, frequency, positions


def _shown_pages(searcher: Searcher, view: SegmentView) -> dict[int, ShownPage]:
    """Return the pages of a segment that may be shown, by the numbers of their documents."""
    now, found = time.time(), {}
    for document in range(view.file.count):
        if not view.live[document]:
            continue
        stored = view.file.stored(document)
        if (stored.expires and stored.expires <= now) or searcher.corpus.is_hidden(view, stored):
            continue
        found[document] = ShownPage(stored.url, bool(stored.not_fetched) or (stored.archive and stored.snippet is None))
    return found


def _lists(view: SegmentView, pages: dict[int, ShownPage]) -> Iterator[tuple[bytes, list[_Posting]]]:
    """Yield the keys of a segment, ascending, each with its postings that may be shown. Some thousands are unpacked."""
    for keys, lists in view.file.lists_of(FIELDS):
        documents, frequencies, places = (each.tolist() for each in view.file.unpacked(lists))
        ends, row = list(accumulate(frequencies, initial=0)), 0
        for key, count in zip(keys, lists.counts.tolist(), strict=True):
            rows = range(row, row + count)
            row += count
            yield (
                key,
                [
                    (
                        page.url,
                        frequencies[each],
                        tuple(places[ends[each] : ends[each + 1]]) if page.positions else None,
                    )
                    for each in rows
                    if (page := pages.get(documents[each])) is not None
                ],
            )
