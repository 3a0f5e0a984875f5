"""How do pages become postings? Inverted in a single array: from (page: its words) to (word: its pages).

The analysis cuts each distinct raw token once and gives it a number. A page of a thousand words has perhaps fifty new
ones. Arrays hold what is known of a token by its number: its words, their positions in it, and its width.

All tokens of a segment are in one array, text after text. A key of 64 bits holds word, field and place in that array
for each. Sorting the keys sorts the words, and the pages and positions of each word. No step handles a single posting.
A page with very many words is inverted in slices (`slices.py`).

A checkpoint is a character of a text and the position of the word after it (`segments/schema.py`). Positions are known
when all tokens of a slice are cut. Until then a checkpoint has the number of its token.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.analysis.tokenizer import MAX_INDEXED_CHARS, positioned_terms, raw_tokens
from indexer.segments.dictionary import ROWS, term_key
from indexer.segments.postings import pack_lists
from indexer.segments.schema import (
    INDEX_FIELDS,
    MAX_STORED_CHARS,
    NOT_FETCHED,
    IndexField,
    pack_checkpoints,
    pack_signals,
    text_blocks,
    unpack_checkpoints,
    url_key,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.segments.postings import PackedLists
    from indexer.segments.schema import StoredFields
    from indexer.writing.documents import Document

    Numbers = NDArray[np.uint32]

KEPT_TERMS = 30  # the most frequent words of the body, for the Why? page
FIELDS = len(INDEX_FIELDS)
LONG_TEXT = 16_384  # characters: a longer text is cut into tokens in slices
TERMS_AT_ONCE = 256 * ROWS  # lists that are packed together: whole blocks of the dictionary
_BODY = INDEX_FIELDS.index(IndexField.BODY)
_LARGEST = np.uint64(0xFFFFFF)  # of a number in 24 bits: of a word, or a frequency
_HALF = np.uint64(32)


class TokenTexts:
    """The texts of some pages as numbers of raw tokens, one text after the other."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.pages = 0
        self.owner = 0  # of the text that is being taken
        self.tokens = array("I")
        self.ends = array("Q")  # of each text, in `tokens`
        self.owners = array("I")  # of each text: its page x FIELDS + its field
        self.checkpoints = TextCheckpoints()
        self.sections = TextCheckpoints()  # where the text begins, and then the heading and the rest of each section

    def add(self, document: Document) -> None:
        """Add the texts of one more page."""
        self.checkpoints.begin_page()
        self.sections.begin_page()
        cuts = [place for start, end, *_ in document.stored.sections for place in (start, end)]
        marked = {0, *cuts} if cuts else set[int]()
        for place, field in enumerate(INDEX_FIELDS):
            self.owner = self.pages * FIELDS + place
            for number, text in enumerate(document.texts.get(field, ())):
                is_quoted = document.is_quotable and field is IndexField.BODY and not number
                for start, stretch in text_blocks(text[:MAX_INDEXED_CHARS], cuts) if is_quoted else ((0, text),):
                    if is_quoted and start < MAX_STORED_CHARS:
                        self.checkpoints.add(start, len(self.tokens))
                    if is_quoted and start in marked:
                        self.sections.add(start, len(self.tokens))
                    if field is IndexField.READING:
                        self._take(stretch.split(" "))
                    else:
                        self._take_text(stretch, of_long=len(text) > LONG_TEXT)
                if is_quoted and len(text) in marked:  # its last line is a heading
                    self.sections.add(len(text), len(self.tokens))
                self._end_text()
        self.pages += 1

    def _take_text(self, stretch: str, *, of_long: bool) -> None:  # noqa: ARG002 - slices.py has a use for it
        self._take(raw_tokens(stretch))

    def _take(self, tokens: list[str]) -> None:
        self.tokens.extend(map(self.vocabulary.__getitem__, tokens))

    def _end_text(self) -> None:
        self.ends.append(len(self.tokens))
        self.owners.append(self.owner)

    def settle(self) -> None:
        """End a slice: the positions of the checkpoints and sections are known now."""
        widths = self.vocabulary.cuts().widths[np.frombuffer(self.tokens, np.uint32)]
        self.checkpoints.settle(widths)
        self.sections.settle(widths)


@dataclass(frozen=True, slots=True)
class InvertedPages:
    """The postings of the words of a segment, in the order of the dictionary.

    `terms` has for each list the number of its word in `words`, times FIELDS, plus its field. `lengths` has a row for
    each page: the positions in each field.
    """

    words: list[str]
    terms: NDArray[np.int64]
    starts: NDArray[np.int64]  # of each list, in the postings
    documents: Numbers
    frequencies: Numbers
    positions: Numbers
    lengths: Numbers

    def packed(self) -> Iterator[tuple[list[bytes], PackedLists]]:
        """Yield keys and lists for the dictionary, some at a time: all keys together would take too much memory."""
        reached = np.append(0, np.cumsum(self.frequencies, dtype=np.int64))  # positions before each posting
        for first in range(0, len(self.terms), TERMS_AT_ONCE):
            terms, starts = (each[first : first + TERMS_AT_ONCE] for each in (self.terms, self.starts))
            following = self.starts[first + TERMS_AT_ONCE :]
            stop = following[0] if len(following) else len(self.documents)
            rows = slice(starts[0], stop)
            keys = [term_key(INDEX_FIELDS[term % FIELDS], self.words[term // FIELDS]) for term in terms.tolist()]
            positions = self.positions[reached[starts[0]] : reached[stop]]
            yield keys, pack_lists(starts - starts[0], self.documents[rows], self.frequencies[rows], positions)

    def languages(self, pages: Sequence[Collection[str]]) -> list[frozenset[str]]:
        """Return for each word the languages of the pages that have it; `pages` has the languages of each page.

        A word is stemmed in these alone: a single page in another language adds no forms to all words of the segment.
        """
        words = np.repeat(self.terms // FIELDS, np.diff(self.starts, append=len(self.documents)))
        known = sorted({language for spoken in pages for language in spoken})
        having = np.zeros((len(known), len(self.words)), bool)
        for row, language in zip(having, known, strict=True):
            speaks = np.array([language in spoken for spoken in pages])
            row[words[speaks[self.documents]]] = True
        of_words = list(map(bytes, np.ascontiguousarray(having.T)))
        sets = {some: frozenset(compress(known, some)) for some in set(of_words)}
        return [sets[some] for some in of_words]

    def most_frequent(self) -> list[dict[str, int]]:
        """Return the most frequent words of each body with counts; of equal ones the last in alphabetical order."""
        counts = np.diff(self.starts, append=len(self.documents))
        terms = np.repeat(self.terms, counts)
        body = terms % FIELDS == _BODY
        pages, frequencies, words = self.documents[body], self.frequencies[body], terms[body] // FIELDS
        rows = (pages.astype(np.uint64) << np.uint64(48)) | (words.astype(np.uint64) ^ _LARGEST)
        rows |= (np.minimum(frequencies, _LARGEST).astype(np.uint64) ^ _LARGEST) << np.uint64(24)
        rows.sort()
        ends = np.searchsorted(rows, np.arange(1, len(self.lengths) + 1, dtype=np.uint64) << np.uint64(48))
        found = []
        for start, end in zip((0, *ends.tolist()), ends.tolist(), strict=False):
            some = rows[start : min(end, start + KEPT_TERMS)]
            counts = ((some >> np.uint64(24)) & _LARGEST ^ _LARGEST).tolist()
            numbers = (some & _LARGEST ^ _LARGEST).tolist()
            found.append({self.words[word]: count for word, count in zip(numbers, counts, strict=True)})
        return found


def invert(texts: TokenTexts, begun: int = 0) -> InvertedPages:
    """Invert the texts of pages. It releases each array as early as possible, since together they need most memory.

    The first text begins at position `begun` of its field: there the slice before it ended.
    """
    words, owners, places, lengths = _positioned_terms(texts, begun)
    known, numbers = _sorted_keys(texts.vocabulary.words, words, owners)
    del words
    order = numbers.astype(np.uint32)  # the lower half
    numbers >>= _HALF
    terms = numbers.view(np.int64)
    owners //= np.uint32(FIELDS)
    pages, places = owners[order], places[order]
    del numbers, owners, order
    return inverted_from(known, terms, pages, places, lengths)


def inverted_from(
    words: list[str], terms: NDArray[np.int64], pages: Numbers, places: Numbers, lengths: Numbers
) -> InvertedPages:
    """Return postings from sorted tokens: the term of each (as in InvertedPages), its page and its position."""
    first = np.ones(len(terms), bool)  # of a posting
    first[1:] = (terms[1:] != terms[:-1]) | (pages[1:] != pages[:-1])
    postings = np.flatnonzero(first)
    frequencies = np.diff(postings, append=len(terms)).astype(np.uint32)
    terms = terms[postings]
    starts = np.flatnonzero(np.diff(terms, prepend=-1))
    return InvertedPages(words, terms[starts], starts, pages[postings], frequencies, places, lengths)


def _positioned_terms(texts: TokenTexts, begun: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return number, page and field, and position of each word of the texts; and all field lengths.

    To save memory, it releases the arrays that it computes these from before it sorts the words.
    """
    cuts = texts.vocabulary.cuts()
    tokens = np.frombuffer(texts.tokens, np.uint32)
    ends = np.frombuffer(texts.ends, np.int64)
    owners = np.frombuffer(texts.owners, np.uint32)
    sizes = np.diff(ends, prepend=0)
    pages = max(texts.pages, int(owners[-1]) // FIELDS + 1 if len(owners) else 0)  # of the last one a slice is taken
    places, lengths = _places(cuts.widths[tokens], ends, owners, pages, begun)
    owner_of = np.repeat(owners, sizes)
    counts = cuts.counts[tokens]
    if (counts != 1).any():  # a token of several words stands for each of them
        token = np.repeat(np.arange(len(tokens), dtype=np.uint32), counts)
        cut = np.repeat(cuts.starts[tokens] + counts - np.cumsum(counts, dtype=np.uint32), counts)  # modulo 2**32, too
        cut += np.arange(len(cut), dtype=np.uint32)
        places, owner_of = places[token], owner_of[token]
        del token
    else:
        cut = cuts.starts[tokens]
    places += cuts.offsets[cut]
    return cuts.words[cut], owner_of, places, lengths


def _places(
    widths: Numbers, ends: NDArray[np.int64], owners: Numbers, pages: int, begun: int
) -> tuple[Numbers, Numbers]:
    """Return the position of each token in its field, and the length of each field of each page.

    One position stays free between two texts of a field, so no phrase can match across two texts.
    """
    reached = np.zeros(len(widths) + 1, np.int64)
    np.cumsum(widths, out=reached[1:])
    starts = np.append(0, ends[:-1])
    text_widths = reached[ends] - reached[starts]
    before = np.cumsum(text_widths + 1) - (text_widths + 1)  # of all texts, each with the free position after it
    first = np.flatnonzero(np.diff(owners.astype(np.int64), prepend=-1))  # the first text of each field of a page
    of_field = np.repeat(before[first], np.diff(first, append=len(owners)))
    shift = before - of_field - reached[starts]
    shift[owners == owners[:1]] += begun
    lengths = np.bincount(owners, text_widths, pages * FIELDS).astype(np.uint32).reshape(pages, FIELDS)
    places = np.repeat(shift.astype(np.uint32), ends - starts)  # modulo 2**32, as the sum is, which is less than that
    places += reached[:-1].astype(np.uint32)
    return places, lengths


def _sorted_keys(known: Sequence[str], words: Numbers, owners: Numbers) -> tuple[list[str], NDArray[np.uint64]]:
    """Return the words in the texts, ascending, and the sorted keys of all tokens."""
    met = np.flatnonzero(np.bincount(words, minlength=1)).tolist()
    met.sort(key=known.__getitem__)  # by code points, as UTF-8 has them
    ranks = np.zeros(len(known), np.uint32)
    ranks[met] = np.arange(len(met), dtype=np.uint32)
    in_order = [known[number] for number in met]
    del met
    numbers = ranks[words].astype(np.uint64)
    numbers *= np.uint64(FIELDS)
    numbers += owners % np.uint32(FIELDS)
    numbers <<= _HALF
    numbers |= np.arange(len(words), dtype=np.uint32)
    numbers.sort()
    return in_order, numbers


def columns_of(stored: Sequence[StoredFields], lengths: Numbers) -> dict[str, NDArray[Any]]:
    """Return the columns of pages (`schema.COLUMNS`); `lengths` is as in `InvertedPages`."""
    columns: dict[str, NDArray[Any]] = {
        "expires": np.array([one.expires for one in stored], np.float64),
        "dated": np.array([one.dated for one in stored], np.float64),
        "signals": np.array([_marks(one) for one in stored], np.uint64),
        "cluster": np.array([one.cluster for one in stored], np.int64),
        "url_key": np.array([url_key(one.url) for one in stored], np.uint64),
        "sections": np.array([len(one.sections) for one in stored], np.uint32),
    }
    return columns | {f"{field}_length": lengths[:, place] for place, field in enumerate(INDEX_FIELDS)}


def section_places(stored: StoredFields, cuts: tuple[int, ...]) -> Numbers:
    """Return the positions of the sections of a page, as in `SegmentReader.section_places`.

    `cuts` are the packed checkpoints at the ends of their headings, and where they begin.
    """
    at = dict(zip(*unpack_checkpoints(cuts), strict=True))
    return np.array([(at[start], at[end]) for start, end, *_ in stored.sections], np.uint32).reshape(-1, 2)


def _marks(stored: StoredFields) -> int:
    """Return the value of a page in the column of signals."""
    return pack_signals(stored.signals) | (NOT_FETCHED if stored.not_fetched else 0)


MAX_KEPT = 1 << 16  # raw tokens kept from one segment to the next: some 15 MB; twice as many save no time
# Raw tokens and words, each counted once: of a segment. Pages of which each word is new make segments of fewer pages.
MAX_STRINGS = 1 << 19
# Words into which the tokens of a segment are cut. A token of Chinese or Japanese is a whole run, and cut into many
# words: a few long pages at once would take far more memory than as many in English.
MAX_CUT_WORDS = 1 << 20


@dataclass(frozen=True, slots=True)
class Cuts:
    """The words of raw tokens: token n has the width `widths[n]` and the words `words[start : start + count]`.

    `offsets` has the position of each of these words within its token.
    """

    widths: Numbers
    starts: Numbers
    counts: Numbers
    words: Numbers
    offsets: Numbers


class Vocabulary(dict[str, int]):
    """The numbers of raw tokens; a missing token is cut and gets the next number.

    `share` is its part of the bounds on a segment, where several processes index at once.
    """

    share = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.forget()

    def forget(self) -> None:
        """Empty it."""
        self.clear()
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._widths, self._starts, self._counts = array("I"), array("I"), array("I")
        self._words, self._offsets = array("I"), array("I")

    def let_go(self) -> None:
        """Keep the cuts of all tokens, and release what only further tokens need: a third of the memory."""
        self.clear()
        self._numbers = {}

    def __missing__(self, raw: str) -> int:
        words, width = positioned_terms(raw)
        start = len(self._words)
        self._widths.append(width)
        self._starts.append(start)
        for word, offset in words:
            number = self._numbers.setdefault(word, len(self.words))
            if number == len(self.words):
                self.words.append(word)
            self._words.append(number)
            self._offsets.append(offset)
        self._counts.append(len(self._words) - start)
        number = self[raw] = len(self)
        return number

    @property
    def is_full(self) -> bool:
        """Whether a segment may have no more raw tokens or words."""
        strings = len(self) + len(self.words)
        return strings >= self.share * MAX_STRINGS or len(self._words) >= self.share * MAX_CUT_WORDS

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the next segment continues with this vocabulary."""
        return len(self) <= MAX_KEPT and not self.is_full

    def cuts(self) -> Cuts:
        """Return the cuts of all tokens so far, as views. Add no token while they are in use."""
        columns = (self._widths, self._starts, self._counts, self._words, self._offsets)
        return Cuts(*(np.frombuffer(column, np.uint32) for column in columns))


class TextCheckpoints:
    """The checkpoints of some pages, in the order of the pages."""

    def __init__(self) -> None:
        self._characters = array("I")
        self._tokens = array("Q")
        self._counts = array("I")  # of each page
        self._positions = array("Q")  # of those that are settled
        self._reached = 0  # the position after the tokens that are settled

    def begin_page(self) -> None:
        """Begin the next page."""
        self._counts.append(0)

    def add(self, character: int, token: int) -> None:
        """Add a checkpoint of the page: a character of its text, and the number of the token after it in its slice."""
        self._characters.append(character)
        self._tokens.append(token)
        self._counts[-1] += 1

    def settle(self, widths: NDArray[np.uint32]) -> None:
        """End a slice; `widths` has how many positions each of its tokens takes."""
        reached = np.full(len(widths) + 1, self._reached, np.int64)
        reached[1:] += np.cumsum(widths, dtype=np.int64)
        self._positions.extend(reached[np.frombuffer(self._tokens, np.uint64).astype(np.int64)].tolist())
        self._tokens, self._reached = array("Q"), int(reached[-1])

    def of_pages(self) -> Iterator[tuple[int, ...]]:
        """Yield the checkpoints of each page, packed, when all slices have ended."""
        positions, start = self._positions, 0
        for count in self._counts:
            rows = slice(start, start + count)
            first = positions[start] if count else 0  # a text begins with one, at position 0
            yield pack_checkpoints(
                (character, position - first)
                for character, position in zip(self._characters[rows], positions[rows], strict=True)
            )
            start += count
