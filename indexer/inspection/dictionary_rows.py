"""Which words stand beside a word in the dictionary? Its neighbours in order, and in how many pages each stands.

A dictionary is sorted, so that a word is found by bisection, and all words with one beginning stand together. Each
segment has one of its own; the neighbours of all are put in one order here. Pages that are deleted are counted until
their segment is merged: nobody goes through all lists for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.segments.schema import INDEX_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.segments.schema import IndexField
    from indexer.snapshot.snapshot import Snapshot

NEIGHBOURS = 10  # shown on each side


@dataclass(frozen=True, slots=True)
class DictionaryRow:
    """A word with the number of pages that have it, by field; `is_asked` marks the one that was asked for."""

    word: str
    pages: Mapping[IndexField, int]
    is_asked: bool = False


def dictionary_around(snapshot: Snapshot, word: str, most: int = NEIGHBOURS) -> list[DictionaryRow]:
    """Return the words around one, in the order of the dictionary, and the word itself if it is there.

    Raises CorruptIndex.
    """
    before: set[str] = set()
    after: set[str] = set()
    for view in snapshot.views:
        near = view.file.words_beside(word, most)
        before.update(near[0])
        after.update(near[1])
    shown = [*sorted(before, key=_in_bytes)[-most:], word, *sorted(after, key=_in_bytes)[:most]]
    rows = [DictionaryRow(each, _pages(snapshot, each), each == word) for each in shown]
    return [row for row in rows if row.pages]


def _in_bytes(word: str) -> bytes:
    return word.encode("utf-8", "backslashreplace")


def _pages(snapshot: Snapshot, word: str) -> dict[IndexField, int]:
    counts = {field: sum(view.file.count_of(field, word) for view in snapshot.views) for field in INDEX_FIELDS}
    return {field: count for field, count in counts.items() if count}
