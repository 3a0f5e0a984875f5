"""How is a query pronounced? Its Japanese words match by their readings, too, next to the written words.

A word with kanji is read with the words around it, as on a page. Kana alone are different. A dictionary of written
Japanese cuts とうきょうたわー at the wrong places, since that spelling is not in use. So the index is the dictionary:
of all ways to cut the kana into readings that pages have, the likeliest wins. It has the highest sum over its words of:

    ln(pages with the reading / (WORDS x pages that were read));       for a kana left over, SKIPPED x ln(1 / …).

This draws words one by one, each as often as the index has it (Jurafsky and Martin, "Speech and Language Processing",
chapter 3). Viterbi's algorithm finds the best way from left to right.

Kanji alone may be Chinese: if the index has Chinese pages, a query without kana is not read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from extensions.japanese.reader import (
    KANA,
    LANGUAGE,
    LEAST_READING,
    MAX_READING,
    ReadingFault,
    chosen_reader,
    load_reader,
    normal_reading,
)
from indexer.analysis.readings import READING_MARK
from indexer.faults import REBUILD
from indexer.query.syntax import ClauseKind
from indexer.query.terms import SourceKind, Term, TermSource, Variants
from indexer.segments.schema import IndexField
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.analysis.readings import WordReading
    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import Clause
    from indexer.segments.snapshot import Snapshot

MAX_KANA = 64  # of a run that the index cuts: each costs some look-ups in the dictionary
WORDS = 100  # assumed per page: the number of draws
SKIPPED = 0.45  # with .3 a rare word of two kana is never found, with .7 endings become words
_CHINESE = "zh"
_KANA = re.compile(rf"[{KANA}]")
_ALONE, _HIRAGANA = re.compile(rf"[{KANA}]+\Z"), re.compile("[\u3041-\u3096\u309d\u309eー]+\\Z")
_TEXTS = {ClauseKind.WORDS, ClauseKind.PHRASE}


def readings_of_query(
    clauses: Iterable[Clause], languages: frozenset[str], lexicon: Lexicon
) -> tuple[tuple[Term, ...], frozenset[str]]:
    """Return the readings of clauses without parts as terms, and the texts in hiragana that they mostly cover.

    There are none if no page is in Japanese.
    """
    if LANGUAGE not in languages:
        return (), frozenset()
    texts = [clause.text for clause in clauses if clause.kind in _TEXTS]
    may_be_chinese = _CHINESE in languages and not any(map(_KANA.search, texts))
    found: dict[str, str] = {}
    times: Counter[str] = Counter()
    heard = set()
    for text in texts:
        words = list(_words_of(text, lexicon, is_japanese=not may_be_chinese))
        for written, reading in words:
            times[reading] += 1
            found.setdefault(reading, written)
        if _HIRAGANA.match(text) and 2 * sum(len(written) for written, _ in words) >= len(text):
            heard.add(text)
    terms = (
        Term(
            marked,
            Variants((marked,)),
            float(times[reading]),
            reading_of=written,
            sources=(TermSource(SourceKind.READING, written, 1.0),) * times[reading],
        )
        for reading, written in found.items()
        for marked in (f"{READING_MARK}{reading}",)
    )
    return tuple(terms), frozenset(heard)


def _words_of(text: str, lexicon: Lexicon, *, is_japanese: bool) -> Iterator[tuple[str, str]]:
    """Yield the words of a text as they were typed, each with its reading."""
    if _ALONE.match(text):
        yield from cut_by_index(text, lexicon)
    elif is_japanese and (reader := chosen_reader()):
        yield from ((text[word.start : word.end], word.reading) for word in reader.words(text))


def readings_within(kana: str) -> dict[tuple[int, int], str]:
    """Return the possible readings within a run of kana, by their beginning and end."""
    places = (
        (start, end)
        for start in range(len(kana))
        for end in range(start + LEAST_READING, min(start + MAX_READING, len(kana)) + 1)
    )
    return {(start, end): reading for start, end in places if (reading := normal_reading(kana[start:end]))}


def cut_by_index(kana: str, lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """Yield the likeliest words of a run of kana with their readings, without kana that no page has."""
    kana = kana[:MAX_KANA]
    within = readings_within(kana)
    marked = (f"{READING_MARK}{reading}" for reading in dict.fromkeys(within.values()))
    pages = lexicon.reading_counts([READING_MARK, *marked])
    if READING_MARK not in pages:
        return
    known = {place: count for place, reading in within.items() if (count := pages.get(f"{READING_MARK}{reading}"))}
    if (0, len(kana)) in known:
        yield kana, within[0, len(kana)]
        return
    draws = math.log(WORDS * pages[READING_MARK])
    best: list[tuple[float, int]] = [(0.0, 0)]  # of the way to each place: its likelihood, where its last step began
    for end in range(1, len(kana) + 1):
        steps = [(best[end - 1][0] - SKIPPED * draws, end - 1)]
        starts = (start for start in range(max(0, end - MAX_READING), end - 1) if (start, end) in known)
        steps += [(best[start][0] + math.log(known[start, end]) - draws, start) for start in starts]
        best.append(max(steps))
    steps_back = list(_steps_back(best))
    yield from ((kana[start:end], within[start, end]) for start, end in reversed(steps_back) if end - start > 1)


def _steps_back(best: list[tuple[float, int]]) -> Iterator[tuple[int, int]]:
    end = len(best) - 1
    while end:
        yield best[end][1], end
        end = best[end][1]


def pages_not_read(snapshot: Snapshot) -> str:
    """Return which Japanese in a snapshot is not read, and the remedy, in words; "" if all is, or need be.

    For an index in a cluster it checks only the chosen pages.
    """
    if LANGUAGE not in snapshot.languages:
        return ""
    sentences = []
    try:
        load_reader()
    except ReadingFault as fault:
        sentences.append(f"Kanji of the query are not read: {fault}.")
    unread = snapshot.is_in(LANGUAGE) & snapshot.live & (snapshot.lengths(IndexField.READING) == 0)
    if number := int(np.count_nonzero(unread)):
        pages = counted(number, "page in Japanese is", "pages in Japanese are")
        sentences.append(
            f"{pages} found only as written, as indexed without readings: {REBUILD} --readings reads them."
        )
    return " ".join(sentences)


class Japanese:
    """Japanese, as the index reads it (`indexer.analysis.readings.WordReader`)."""

    language = LANGUAGE
    query_readings = staticmethod(readings_of_query)
    missing_readings = staticmethod(pages_not_read)

    @property
    def is_available(self) -> bool:
        """Whether the dictionary is installed."""
        return chosen_reader() is not None

    def words(self, text: str, start: int = 0, end: int | None = None) -> Iterator[WordReading]:
        """Yield the words from `start` to `end` that have a reading, in their order."""
        return load_reader().words(text, start, end)


JAPANESE = Japanese()
