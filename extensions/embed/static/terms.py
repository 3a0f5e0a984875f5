"""Which words has the folder? Those of the index, each with its other forms and its postings, in pieces.

A piece is a line of JSON, `[[word, forms, numbers], ...]`, and behind it all numbers, packed. `forms` are other words
that share a stem, so the browser needs a stemmer only for words that no page has. For these a stem has a row as well,
which has forms and no postings. The numbers of a word, field after field:

    field, postings, then for each posting: step to its page, frequency; then the steps between the positions

Only the fields in which words may be near each other keep positions, and only of pages whose text may be shown: the
positions of all words would give the text back.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.embed.static.pieces import PieceWriter, compact
from indexer.analysis.words import forms_of, letters_of
from indexer.ranking.proximity import FIELDS as POSITIONED
from indexer.segments.dictionary import BEFORE_FIELD, NUL
from indexer.segments.postings import pack_numbers
from indexer.segments.schema import FIELD_KEYS, INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from extensions.embed.static.pages import ExportedPages
    from extensions.embed.static.pieces import StaticFolder
    from indexer.segments.snapshot import SegmentView, Snapshot

    Numbers = NDArray[np.int64]
    Lists = tuple[Numbers, Numbers, Numbers]  # pages, frequencies, and the positions of all postings

FIELDS = tuple(field for field in INDEX_FIELDS if field is not IndexField.READING)  # a reading needs its reader
PIECE_BYTES = 24_000  # before packing, about 17,000 after
COLUMNS, BYTES_OF_NUMBER = 3, 1.2  # of a row
_BY_KEY = {BEFORE_FIELD + FIELD_KEYS[field]: number for number, field in enumerate(FIELDS)}
_SUFFIX = len(BEFORE_FIELD) + 1
_NONE = np.zeros(0, np.int64)


class TermPieceWriter(PieceWriter):
    """Pieces of words."""

    def packed(self, rows: Iterable[Any]) -> bytes:
        """Return a line with the words, and their numbers."""
        several = list(rows)
        head = [(word, forms, len(numbers)) for word, forms, numbers in several]
        numbers = np.concatenate([_NONE, *(numbers for _, _, numbers in several)])
        return compact(head) + b"\n" + pack_numbers(numbers.astype(np.uint32))[0]


def write_terms(folder: StaticFolder, snapshot: Snapshot, pages: ExportedPages) -> list[str]:
    """Write all words; return the first one of each piece."""
    pieces = TermPieceWriter(folder, "terms", PIECE_BYTES)
    forms = _words_by_form(snapshot.views, _vocabulary(pages))
    of_stems: dict[str, set[str]] = defaultdict(set)
    for form, words in forms.items():
        of_stems[letters_of(form)].update(words)
    merged = heapq.merge(*(_lists(view, of_view) for view, of_view in pages.by_segment), key=itemgetter(0))
    by_word = ((key, [each for _, each in rows]) for key, rows in groupby(merged, key=itemgetter(0)))
    stems: Iterator[tuple[bytes, list[Any]]] = ((stem, []) for stem in sorted(stem.encode() for stem in of_stems))
    for key, rows in groupby(heapq.merge(by_word, stems, key=itemgetter(0)), key=itemgetter(0)):
        word, lists = key.decode(), [each for _, several in rows for each in several]
        numbers = _numbers_of(lists, pages)
        others = _other_words(word, forms, snapshot.languages) if lists else sorted(of_stems[word])
        if lists or others:
            size = len(word) + 2 * COLUMNS + sum(map(len, others)) + int(len(numbers) * BYTES_OF_NUMBER)
            pieces.add(word, (word, others, numbers), size)
    pieces.close()
    return pieces.begins


def _vocabulary(pages: ExportedPages) -> set[str]:
    """Return the words of the exported pages: the index may have others, of pages that are hidden."""
    found: set[str] = set()
    for view, renumbered in pages.by_segment:
        for keys, lists in view.file.lists_of(FIELDS):
            documents, _ = view.file.unpacked_postings(lists)
            shown = np.logical_or.reduceat(renumbered[documents] >= 0, lists.counts.cumsum() - lists.counts)
            found.update(keys[row][:-_SUFFIX].decode() for row in np.flatnonzero(shown).tolist())
    return found


def _lists(view: SegmentView, renumbered: Numbers) -> Iterator[tuple[bytes, tuple[int, Lists]]]:
    """Yield the words of a segment, ascending, each with one of its fields and its lists; `renumbered` has -1: gone."""
    for keys, lists in view.file.lists_of(FIELDS):
        documents, frequencies, positions = (each.astype(np.int64) for each in view.file.unpacked(lists))
        ends = np.append(0, frequencies.cumsum())
        row = 0
        for key, count in zip(keys, lists.counts.tolist(), strict=True):
            rows = slice(row, row + count)
            row += count
            places = positions[ends[rows.start] : ends[rows.stop]]
            numbers, times = renumbered[documents[rows]], frequencies[rows]
            if (kept := numbers >= 0).all():
                found = numbers, times, places
            elif kept.any():
                found = numbers[kept], times[kept], places[kept.repeat(times)]
            else:
                continue
            yield key[:-_SUFFIX], (_BY_KEY[key[-_SUFFIX:]], found)


def _numbers_of(lists: Iterable[tuple[int, Lists]], pages: ExportedPages) -> Numbers:
    found = [_NONE]
    for field, several in groupby(sorted(lists, key=itemgetter(0)), key=itemgetter(0)):
        each = [lists for _, lists in several]
        numbers, times, places = (np.concatenate(column) for column in zip(*each, strict=True))
        pairs = np.stack((np.diff(numbers, prepend=0), times), 1).ravel()
        found += [np.array([field, len(numbers)]), pairs]
        if FIELDS[field] in POSITIONED:
            shown = pages.with_positions[numbers]
            steps = np.diff(places, prepend=0)
            begun = times.cumsum() - times
            steps[begun] = places[begun]
            found.append(steps[shown.repeat(times)])
    return np.concatenate(found)


def _words_by_form(views: Iterable[SegmentView], known: set[str]) -> dict[str, list[str]]:
    """Return the known words of each form, without a word that is the form itself."""
    found: dict[str, set[str]] = defaultdict(set)
    for view in views:
        for row in view.file.form_rows():
            form, *words = row.decode().split(NUL.decode())
            found[form].update(word for word in words if word in known)
    for form, its in found.items():
        its.update({letters_of(form)} & known)
    return {form: sorted(its) for form, its in found.items() if its}


def _other_words(word: str, forms: dict[str, list[str]], languages: Iterable[str]) -> list[str]:
    """Return the words that match a word of the index (`Variants.words_in`)."""
    found = (other for form in forms_of(word, {*languages, ""}) for other in forms.get(form, ()))
    return [other for other in dict.fromkeys(found) if other != word]
