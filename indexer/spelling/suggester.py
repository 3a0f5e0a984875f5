"""How can a query be completed? By the words that follow its own in the index, and by whole titles and headings.

The last word is a prefix. Its completions are ranked by how often they follow the words before it, in titles, headings
and texts: "merge conf" becomes "merge conflict", although "configuration" is on more pages. If none follows, those on
most pages come. An option is completed only behind its command, by the options on the pages that the command names.
A title or heading that begins with what was typed is a completion too. Everything is spelt as on a page, and only pages
whose text may be shown count (usage.py).

A sorted table has the pairs of successive words in names, each with its frequency. The pairs of one word are neighbours
in it, and among them those whose second word has one prefix.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.segments.postings import PackedLists
from indexer.segments.schema import IndexField
from indexer.spelling.spellchecker import as_typed, normal
from indexer.spelling.term_list import TermList
from indexer.spelling.usage import Following

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.segments.segment import SegmentReader
    from indexer.spelling.usage import WordUsage

NAME_FIELDS = (IndexField.TITLE, IndexField.HEADINGS, IndexField.ANCHORS)  # the names of a page and of its parts
MAX_SUGGESTIONS = 8
MAX_PAIRED = 50_000  # words of a segment that have pairs: those on most pages
MAX_PAIRED_BYTES = 4_000_000  # of their positions in one field; each takes one at least
MAX_CANDIDATES = 12  # words with the prefix that are looked up, by each way to find them
MAX_OPTIONS = 48
MAX_NAMED = 3  # likely words whose titles and headings are read
MAX_READ = 8  # titles and headings that are read
MAX_WHOLE = 3  # whole titles and headings among the completions
MAX_NAME_CHARS = 80  # of one
MAX_FOUND = 20  # completions that are made, until enough of them differ and begin with what was typed
MAX_CHARS = 200  # of an unfinished query
_AROUND = re.compile(r"^\s*\d+(?:\.\d+)*\.?\s+|\s*:\s*$")  # a number before a heading, a colon behind it
_PREFIX = re.compile(r"""[^\s"()]*\Z""")


class NameTerms:
    """The words of the names in a segment, and the pairs of successive ones."""

    def __init__(self, words: Iterable[tuple[str, int]], file: SegmentReader) -> None:
        self.words = TermList(words)
        self._pairs, self._times = _pairs_in(self.words, file)

    def following(self, word: str, prefix: str, most: int) -> list[tuple[str, int]]:
        """Return the words with a prefix that follow a word, each with its frequency, the most frequent first."""
        here, places = self.words.place_of(word), self.words.with_prefix(prefix)
        if here is None or not places:
            return []
        keys = _pair_keys(here, np.array([places.start, places.stop - 1], np.uint64))
        first, last = np.searchsorted(self._pairs, keys[:1]), np.searchsorted(self._pairs, keys[1:], side="right")
        times = self._times[int(first[0]) : int(last[0])]
        best = np.argsort(-times, kind="stable")[:most]
        seconds = (self._pairs[int(first[0]) + best] & np.uint64(0xFFFFFFFF)).tolist()
        return [(self.words[second], count) for second, count in zip(seconds, times[best].tolist(), strict=True)]


class _Typed(NamedTuple):
    """The beginning of a query: the terms of the words before the last, and the last as a prefix, from `start` on."""

    text: str
    start: int
    context: tuple[str, ...]
    prefix: str

    @classmethod
    def of(cls, query: str) -> _Typed:
        """Take apart what was typed."""
        start = _PREFIX.search(query).start()  # type: ignore[union-attr]  # it finds "" at least
        if not query.startswith("-", start):
            start = max(start, query.rfind("-", start) + 1)  # the parts of a hyphenated word stand one after the other
        tokens = (analyze_token(raw) for raw in raw_tokens(query[:start]))
        context = tuple(part.text for token in tokens for part in token.sequence)
        return cls(query, start, context, normal(query[start:]))

    def with_word(self, word: str, spelling: str) -> str:
        """Return the query with a word instead of the prefix."""
        return self.text[: self.start] + as_typed(word, spelling)


def complete(query: str, names: Sequence[NameTerms], terms: Sequence[TermList], usage: WordUsage) -> tuple[str, ...]:
    """Return whole queries that continue this one, the likeliest first. Each begins with it, but for capitals."""
    if len(query) > MAX_CHARS:
        return ()
    typed = _Typed.of(query)
    if typed.prefix.startswith("-"):
        found = _with_options(typed, terms, usage)
    elif typed.context:
        found = _with_followers(typed, names, terms, usage)
    else:
        found = _with_words(typed, names, terms, usage)
    begun = _folded(typed.text)
    different = {begun: ""}
    for each in islice(found, MAX_FOUND):
        if each.casefold().startswith(typed.text.casefold()):
            different.setdefault(_folded(each), each)
        if len(different) > MAX_SUGGESTIONS:
            break
    return tuple(different.values())[1:]


def _with_options(typed: _Typed, terms: Sequence[TermList], usage: WordUsage) -> Iterator[str]:
    """Yield the query with options of its command: those of the pages that it names, and those that follow it."""
    options = _most_frequent(terms, typed.prefix, MAX_OPTIONS)
    words = usage.options_of(typed.context, options) if typed.context else {}
    for option, found in usage.following(typed.context, options).items() if typed.context else ():
        words.setdefault(option, Following()).add(found)
    yield from _spelt(typed, words, usage)


def _with_followers(
    typed: _Typed, names: Sequence[NameTerms], terms: Sequence[TermList], usage: WordUsage
) -> Iterator[str]:
    """Yield the query with words that follow its own, with titles and headings, else with frequent words."""
    candidates = _most_followed(typed, names)
    if typed.prefix:
        candidates += [*_frequent_names(typed, names), *_most_frequent(terms, typed.prefix, MAX_CANDIDATES)]
    words = usage.following(typed.context, list(dict.fromkeys(candidates)))
    if words:
        each = _spelt(typed, words, usage)
        yield from islice(each, 1)
        yield from _whole_names(typed, words, usage)
        yield from each
    elif typed.prefix:
        yield from _with_words(typed, names, terms, usage)


def _with_words(
    typed: _Typed, names: Sequence[NameTerms], terms: Sequence[TermList], usage: WordUsage
) -> Iterator[str]:
    """Yield the query with the words on most pages, and titles and headings that begin with one of them."""
    if not typed.prefix:
        return
    frequent = _frequent_names(typed, names) or _most_frequent(terms, typed.prefix, MAX_CANDIDATES)
    whole = _whole_names(typed, usage.following((), frequent[:MAX_NAMED]), usage) if not typed.context else ()
    spelt = (typed.with_word(word, spelling) for word in frequent if (spelling := usage.spelling(word)))
    yield from islice(spelt, 1)
    yield from whole
    yield from spelt


def _spelt(typed: _Typed, words: Mapping[str, Following], usage: WordUsage) -> Iterator[str]:
    """Yield the query with each of some words, the likeliest first, as a page spells it that has it there."""
    for word in _best(words):
        if spelling := usage.spelling_behind(word, words[word]):
            yield typed.with_word(word, spelling)


def _whole_names(typed: _Typed, words: Mapping[str, Following], usage: WordUsage) -> list[str]:
    """Return a few different titles and headings that begin with what was typed."""
    names = chain.from_iterable(usage.names(words[word]) for word in _best(words)[:MAX_NAMED])
    whole = map(as_offered, islice(names, MAX_READ))
    different = {name.casefold(): name for name in whole if len(name) <= MAX_NAME_CHARS}
    begun = _folded(typed.text)
    return [name for folded, name in different.items() if folded.startswith(begun)][:MAX_WHOLE]


def as_offered(name: str) -> str:
    """Return a title or heading as it completes a query: without its number, and without a colon at its end."""
    return " ".join(_AROUND.sub("", name).split())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _best(words: Mapping[str, Following]) -> list[str]:
    return sorted(words, key=lambda word: (-words[word].score, word))


def _most_followed(typed: _Typed, names: Sequence[NameTerms]) -> list[str]:
    """Return the words with a prefix that most often follow the last word of the context in names."""
    counted: Counter[str] = Counter()
    for each in names:
        counted.update(dict(each.following(typed.context[-1], typed.prefix, MAX_CANDIDATES)))
    return [word for word, _ in counted.most_common(MAX_CANDIDATES)]


def _frequent_names(typed: _Typed, names: Sequence[NameTerms]) -> list[str]:
    """Return the words with the prefix that are in the names of most pages."""
    return _most_frequent([each.words for each in names], typed.prefix, MAX_CANDIDATES)


def _most_frequent(lists: Sequence[TermList], prefix: str, most: int) -> list[str]:
    """Return the words with a prefix on most pages."""
    counted: Counter[str] = Counter()
    for each in lists:
        counted.update(dict(each.top_terms(each.with_prefix(prefix), most)))
    return [word for word, _ in counted.most_common(most)]


def _pairs_in(known: TermList, file: SegmentReader) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the pairs of successive words in the names of a segment as sorted keys, and their frequencies."""
    ranks = np.full(len(known), MAX_PAIRED, np.int64)
    frequent = known.most_frequent(MAX_PAIRED)
    ranks[frequent] = np.arange(len(frequent))
    found: dict[bytes, list[tuple[list[int], PackedLists]]] = defaultdict(list)
    place, last = -1, b""
    for keys, lists in file.lists_of(NAME_FIELDS):
        rows: dict[bytes, dict[int, int]] = defaultdict(dict)  # by field: the place of each word, and its row
        for row, key in enumerate(keys):
            if key[:-2] != last:
                place, last = place + 1, key[:-2]  # the words have the order of `known`
            if place < len(ranks) and ranks[place] < MAX_PAIRED:
                rows[key[-1:]][place] = row
        for field, some in rows.items():
            found[field].append((list(some), lists.taken(list(some.values()))))
    pairs = [_pairs_of(file, ranks, several) for several in found.values()]
    keys_of_pairs, times = np.unique(np.concatenate([np.zeros(0, np.uint64), *pairs]), return_counts=True)
    return keys_of_pairs, times


def _pairs_of(
    file: SegmentReader, ranks: NDArray[np.int64], several: Sequence[tuple[list[int], PackedLists]]
) -> NDArray[np.uint64]:
    """Return the pairs of successive words in one field, from the postings of its words."""
    places = np.concatenate([np.array(numbers, np.uint64) for numbers, _ in several])
    lists = PackedLists.joined([each for _, each in several])
    order = np.argsort(ranks[places], kind="stable")
    kept = np.sort(order[np.cumsum(lists.position_sizes[order]) <= MAX_PAIRED_BYTES])
    if len(kept) < len(lists):
        places, lists = places[kept], lists.taken(kept.tolist())
    if not len(lists):
        return np.zeros(0, np.uint64)
    documents, frequencies, positions = file.unpacked(lists)
    owners = np.repeat(np.repeat(places, lists.counts), frequencies)
    numbers = np.repeat(documents.astype(np.uint64), frequencies) << np.uint64(32) | positions.astype(np.uint64)
    return _neighbours(numbers, owners)


def _neighbours(numbers: NDArray[np.uint64], owners: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the pairs of words at successive positions; a whole name has the position of its first part."""
    order = np.argsort(numbers, kind="stable")
    numbers, owners = numbers[order], owners[order]
    ends = np.searchsorted(numbers, numbers + np.uint64(1), side="left")
    lasts = np.searchsorted(numbers, numbers + np.uint64(1), side="right")
    found = [
        _pair_keys(owners[kept], owners[ends[kept] + step])
        for step in range(int((lasts - ends).max(initial=0)))
        if len(kept := np.flatnonzero(lasts - ends > step))
    ]
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def _pair_keys(first: NDArray[np.uint64] | int, second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.asarray(first, np.uint64) << np.uint64(32) | second
