"""How is a segment written? In parts, one after the other, which are packed into one file at the end.

    record                          what a result is shown from, packed, and where the record of each document ends
    terms, postings, positions      the dictionary, and the lists that it leads to
    forms                           which words share a stem
    section_places                  of each section of each document: the positions of its heading, and after it
    columns                         a number for each document

A page of a million words does not fit into memory at once, so it is inverted in slices (`SlicedTexts`). When the words
of a page fill a segment (`Vocabulary.is_full`), those so far are inverted and kept as UTF-8 and arrays. The next slice
begins with an empty vocabulary. At the end, the writer reads all slices in parallel, some thousand words at a time, and
joins the lists of each word (Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, 4.3,
single-pass in-memory indexing). The result equals that of the whole page inverted at once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Self

import numpy as np

from indexer.analysis.tokenizer import raw_tokens, token_slices
from indexer.analysis.words import form_keys, stem
from indexer.segments.dictionary import ROWS, DictionaryWriter, rows_of_forms, term_key, write_forms
from indexer.segments.postings import PackedLists, pack_lists
from indexer.segments.schema import COLUMNS, FILE_TYPE, LANGUAGE, SITE, URL
from indexer.segments.segment import RECORD_END, SECTION_PLACE, Segment
from indexer.writing.inversion import FIELDS, KEPT_TERMS, TokenTexts, columns_of, invert, inverted_from, section_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from indexer.segments.directory import Directory
    from indexer.segments.schema import StoredFields
    from indexer.writing.documents import Document
    from indexer.writing.inversion import InvertedPages, Vocabulary

    Numbers = NDArray[np.uint32]


PARTS = ("record", "terms", "postings", "positions", "forms", "section_places")


class SegmentWriter:
    """Writes one segment. Use it in a `with` block, which closes its files after an error."""

    def __init__(self, storage: Directory) -> None:
        self._storage = storage
        self._name = token_hex(8)
        self._open = ExitStack()
        self._parts = {part: self._open.enter_context(storage.create_part(f"{self._name}.{part}")) for part in PARTS}
        self._record_sizes: list[int] = []
        self._dictionary = DictionaryWriter(*(self._parts[part] for part in ("terms", "postings", "positions")))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add_record(self, record: bytes) -> None:
        """Add the next document."""
        self._parts["record"].write(record)
        self._record_sizes.append(len(record))

    def add_sections(self, places: NDArray[np.uint32]) -> None:
        """Add the sections of the next documents: the positions at which each begins, and at which its heading ends."""
        self._parts["section_places"].write(np.ascontiguousarray(places, SECTION_PLACE).tobytes())

    def write_columns(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Write all columns, each with one number for each document."""
        for name, kind in COLUMNS.items():
            self._storage.write(f"{self._name}.{name}", np.ascontiguousarray(columns[name], kind).tobytes())

    def add_terms(self, keys: Sequence[bytes], lists: PackedLists) -> None:
        """Add terms with their lists; the terms ascend."""
        self._dictionary.add(keys, lists)

    def write_forms(self, rows: Iterable[bytes]) -> None:
        """Write the forms of the words."""
        write_forms(self._parts["forms"], rows)

    def finish(self) -> Segment:
        """Pack the parts into one file."""
        self._parts["record"].write(np.cumsum(self._record_sizes, dtype=RECORD_END).tobytes())
        self._dictionary.close()
        self._open.close()
        self._storage.pack(self._name, (*PARTS, *COLUMNS))
        return Segment(self._name, len(self._record_sizes))


Counted = dict[str, int]


def write_segments(storage: Directory, documents: Iterator[Document], vocabulary: Vocabulary) -> Iterator[Segment]:
    """Write documents into new segments: one, or more where they have very many different words."""
    stored: list[StoredFields] = []
    texts = SlicedTexts(vocabulary)
    for document in documents:
        texts.add(document)
        stored.append(document.stored)
        if texts.is_full:
            yield _write(storage, stored, texts)
            stored, texts = [], SlicedTexts(vocabulary)
    if stored:
        yield _write(storage, stored, texts)


def _write(storage: Directory, stored: list[StoredFields], texts: SlicedTexts) -> Segment:
    languages = [one.languages for one in stored]
    frequent: list[Counted] = [{}] * len(stored)
    forms = defaultdict[str, list[str]](list)
    was_full = texts.is_full
    with SegmentWriter(storage) as writer:
        writer.add_terms(*_exact_terms(stored))
        blocks = _WholeBlocks(writer)
        for inverted in texts.inverted():
            for page, some in enumerate(inverted.most_frequent()):
                frequent[page] = _most_frequent(frequent[page], some)
            for keys, lists in inverted.packed():
                blocks.add(keys, lists)
            word_languages = inverted.languages(languages)
            for word, form in zip(inverted.words, map(form_keys, inverted.words, word_languages), strict=True):
                for key in form:
                    forms[key].append(word)
        blocks.finish()
        pages = zip(stored, frequent, texts.checkpoints.of_pages(), texts.sections.of_pages(), strict=True)
        for one, terms, marks, cuts in pages:
            writer.add_record(replace(one, terms=terms, checkpoints=marks).pack())
            writer.add_sections(section_places(one, cuts))
        writer.write_columns(columns_of(stored, texts.lengths))
        writer.write_forms(rows_of_forms(forms))
        texts.finish()
        if was_full:
            stem.cache_clear()  # hundreds of thousands of words, which few other pages have
        return writer.finish()


def _most_frequent(known: Counted, more: Counted) -> Counted:
    """Return the most frequent of both; of equally frequent words the last in alphabetical order comes first."""
    if not known:
        return more
    return dict(sorted((known | more).items(), key=lambda pair: (pair[1], pair[0]), reverse=True)[:KEPT_TERMS])


class _WholeBlocks:
    """Writes terms in blocks of ROWS, however many come at a time, so the dictionary is the same."""

    def __init__(self, writer: SegmentWriter) -> None:
        self._writer = writer
        self._keys: list[bytes] = []
        self._lists = PackedLists.joined([])

    def add(self, keys: list[bytes], lists: PackedLists) -> None:
        """Add terms with their lists; the terms ascend."""
        if self._keys:
            keys, lists = self._keys + keys, PackedLists.joined([self._lists, lists])
        whole = len(keys) - len(keys) % ROWS
        self._writer.add_terms(keys[:whole], lists.cut(0, whole))
        self._keys, self._lists = keys[whole:], lists.cut(whole, len(keys))

    def finish(self) -> None:
        """Write what is left."""
        self._writer.add_terms(self._keys, self._lists)


def _exact_terms(stored: list[StoredFields]) -> tuple[list[bytes], PackedLists]:
    found: dict[bytes, list[int]] = {}
    for number, one in enumerate(stored):
        exact = [(LANGUAGE, language) for language in one.languages] + [(FILE_TYPE, kind) for kind in one.file_types]
        for field, value in (*exact, (SITE, one.site), (URL, one.url)):
            found.setdefault(term_key(field, value), []).append(number)
    keys = sorted(found)
    documents = np.array([number for key in keys for number in found[key]], np.uint32)
    counts = np.array([len(found[key]) for key in keys], np.int64)
    return keys, pack_lists(np.cumsum(counts) - counts, documents, np.ones(len(documents), np.uint32), None)


SLICE_CHARS = 4_096  # of a text that are cut between two checks whether a slice is full
WORDS_AT_ONCE = 4_096  # of each slice in memory during a merge
_BETWEEN = "\0"  # separates words: no word has it


class SlicedTexts(TokenTexts):
    """The texts of some pages; earlier slices of them may be inverted already."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.lengths = np.zeros((0, FIELDS), np.uint32)  # of all slices so far: positions in each field of each page
        self._slices: list[_Slice] = []
        self._begun = 0  # the position of the field at which the text goes on whose beginning is in the last slice
        self._keeps = False  # whether the next segment takes over the vocabulary

    @property
    def is_full(self) -> bool:
        """Whether a segment may have no more words than these."""
        return bool(self._slices) or self.vocabulary.is_full

    def _take_text(self, stretch: str, *, of_long: bool) -> None:
        if not of_long:
            super()._take_text(stretch, of_long=of_long)
            return
        is_long = len(stretch) > SLICE_CHARS  # most of a long text comes in short stretches, which are cut at once
        for tokens in token_slices(stretch, SLICE_CHARS) if is_long else (raw_tokens(stretch),):
            self._take(tokens)
            if self.vocabulary.is_full:
                self._cut_slice()

    def _cut_slice(self) -> None:
        """Invert the texts so far; the current text continues in the next slice."""
        owner = self.owner
        self._end_text()
        begun, texts = self._begun, self.owners.count(owner)
        goes_on = self.owners[0] == owner
        self.vocabulary.let_go()
        inverted = self._invert()
        reached = int(inverted.lengths.flat[owner]) + texts - 1  # one position is free after each text that has ended
        self._slices.append(_Slice.of(inverted))
        del inverted
        self._begun = reached + (begun if goes_on else 0)
        self.vocabulary.forget()
        self.tokens, self.ends, self.owners = array("I"), array("Q"), array("I")

    def _invert(self) -> InvertedPages:
        self.settle()
        inverted = invert(self, self._begun)
        lengths = inverted.lengths.copy()
        lengths[: len(self.lengths)] += self.lengths
        self.lengths = lengths
        return inverted

    def inverted(self) -> Iterator[InvertedPages]:
        """Yield the postings of all words, ascending; from slices some thousand words at a time."""
        self._keeps = self.vocabulary.is_worth_keeping and not self._slices
        if not self._keeps:
            self.vocabulary.let_go()
        if not self._slices:
            yield self._invert()
            return
        self._slices.append(_Slice.of(self._invert()))
        self.finish()
        yield from _merged(self._slices, self.lengths)

    def finish(self) -> None:
        """Drop the words that the next segment does not use."""
        if not self._keeps:
            self.vocabulary.forget()


@dataclass(frozen=True, slots=True)
class _Slice:
    """Postings as in InvertedPages, but with words in blocks of UTF-8, and `starts` and `terms` in 32 bits."""

    blocks: list[bytes]
    terms: Numbers
    starts: Numbers  # with the end of the last list
    documents: Numbers
    frequencies: Numbers
    positions: Numbers

    @classmethod
    def of(cls, inverted: InvertedPages) -> _Slice:
        words = inverted.words
        return cls(
            [
                _BETWEEN.join(words[start : start + WORDS_AT_ONCE]).encode("utf-8", "surrogatepass")
                for start in range(0, len(words), WORDS_AT_ONCE)
            ],
            inverted.terms.astype(np.uint32),
            np.append(inverted.starts, len(inverted.documents)).astype(np.uint32),
            inverted.documents,
            inverted.frequencies,
            inverted.positions,
        )


@dataclass(frozen=True, slots=True)
class _Taken:
    """Some words of a slice. For each token: `terms` has its word (an index in `words`) x FIELDS + field."""

    words: list[str]
    terms: Numbers
    pages: Numbers
    places: Numbers


class _SliceReader:
    """Reads the words of a slice, ascending, a block at a time."""

    def __init__(self, source: _Slice) -> None:
        self._source = source
        self._blocks = iter(source.blocks)
        self._known = 0  # words that were read
        self._row = self._place = 0  # the list and the position that come next
        self.words: list[str] = []

    def fill(self) -> bool:
        """Read the next block if none is left, and return whether there are words."""
        if not self.words and (block := next(self._blocks, None)) is not None:
            self.words = block.decode("utf-8", "surrogatepass").split(_BETWEEN)
            self._known += len(self.words)
        return bool(self.words)

    def take(self, last: str) -> _Taken:
        """Return the words in memory up to `last`, and drop them."""
        source, cut = self._source, bisect_right(self.words, last)
        first = self._known - len(self.words)
        stop = int(np.searchsorted(source.terms, (first + cut) * FIELDS))
        rows, ends = slice(self._row, stop), source.starts[self._row : stop + 1]
        postings = slice(int(ends[0]), int(ends[-1]))
        frequencies = source.frequencies[postings]
        tokens = int(frequencies.sum(dtype=np.int64))
        terms = np.repeat(source.terms[rows] - np.uint32(first * FIELDS), np.diff(ends))
        taken = _Taken(
            self.words[:cut],
            np.repeat(terms, frequencies),
            np.repeat(source.documents[postings], frequencies),
            source.positions[self._place : self._place + tokens],
        )
        self.words = self.words[cut:]
        self._row, self._place = stop, self._place + tokens
        return taken


def _merged(slices: list[_Slice], lengths: Numbers) -> Iterator[InvertedPages]:
    """Yield the words of all slices, ascending, with their postings; a later slice has later pages and positions."""
    readers = [_SliceReader(one) for one in slices]
    while filled := [reader for reader in readers if reader.fill()]:
        last = min(reader.words[-1] for reader in filled)
        taken = [some for reader in filled if (some := reader.take(last)).words]
        words = sorted(set().union(*(some.words for some in taken)))
        ranks = {word: rank for rank, word in enumerate(words)}
        terms = np.concatenate([_ranked(some, ranks) for some in taken])
        order = np.argsort(terms, kind="stable")  # by word and field, and within them by slice
        pages = np.concatenate([some.pages for some in taken])[order]
        places = np.concatenate([some.places for some in taken])[order]
        yield inverted_from(words, terms[order], pages, places, lengths)


def _ranked(taken: _Taken, ranks: dict[str, int]) -> NDArray[np.int64]:
    own = np.fromiter(map(ranks.__getitem__, taken.words), np.int64, len(taken.words))
    return own[taken.terms // FIELDS] * FIELDS + taken.terms % FIELDS
