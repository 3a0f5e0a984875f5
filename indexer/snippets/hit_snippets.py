"""What is quoted of a result? Its best lines and its title, with the words of the question marked.

Where the words stand on the page is known from their postings, which the ranking has read: only the passages that
those lead to are read in the text. A text that is kept in another form than it was indexed in (parts of it may not be
shown) has no landmarks, and is read from its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.analysis.offsets import unpack_checkpoints
from indexer.analysis.readings import available_readers
from indexer.ranking.matching import common_places
from indexer.segments.schema import IndexField
from indexer.snippets.passages import best_passages, reading_regions, text_regions
from indexer.snippets.snippet import WINDOW, HighlightTerms, Snippet, highlight_terms, make_snippet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.analysis.readings import WordReader
    from indexer.query.deadline import Deadline
    from indexer.ranking.query_postings import Places
    from indexer.ranking.ranker import Ranking
    from indexer.ranking.term_scorer import TermScorer
    from indexer.segments.schema import StoredFields
    from indexer.snippets.passages import TextRegion

MAX_READ_CHARS = 1_000  # a text up to this length is read as soon as it is looked up where to read
PAIR_WEIGHT = 1.0  # of two words side by side as they were asked for: as much as another word


class HitHighlighter:
    """Quotes the pages that answer a question."""

    def __init__(self, ranking: Ranking, deadline: Deadline) -> None:
        self._deadline = deadline
        self._terms, self._proximity = ranking.terms, ranking.proximity
        self._readings = [gain for gain in self._terms if gain.term.reading_of]
        self._wanted = _wanted([gain for gain in self._terms if not gain.term.reading_of])
        reader = next(iter(available_readers()), None) if self._readings else None
        heard = [gain for gain in self._terms if not gain.term.is_phonetic]
        self._spoken = _wanted(heard, reader) if reader else self._wanted
        self._shown: dict[int, StoredFields] = {}  # pages whose passages were not looked up yet
        self._found: dict[int, Sequence[TextRegion]] = {}
        asked = ranking.matching.query.phrases
        self._phrases = [
            [(place, self._wanted.terms.get(words.exact[0], "")) for place, words in phrase.steps] for phrase in asked
        ]

    def title(self, page: int, stored: StoredFields) -> Snippet:
        """Return the title of a page with the words that stand in it."""
        return highlight_terms(stored.title, self._wanted_on(page))

    def _wanted_on(self, page: int) -> HighlightTerms:
        return self._spoken if self._read_on(page) else self._wanted

    def _read_on(self, page: int) -> list[TermScorer]:
        """Return the readings of the question that a page has."""
        return [gain for gain in self._readings if gain.has(page)]

    def snippet(self, page: int, stored: StoredFields) -> Snippet:
        """Return the best lines of a page: of its text, or of its own description where that alone has what was asked.

        That is a word of the question, or one of its phrases.
        """
        wanted = self._wanted_on(page)
        asked = (wanted, stored.snippet, self._deadline)
        snippet = make_snippet(stored.text, *asked, self._regions(page, stored))
        if not stored.description or (snippet.spans and not self._phrases):
            return snippet
        described = make_snippet(stored.description, *asked)
        if not snippet.spans or any(
            wanted.has_phrase(described.text, row) and not wanted.has_phrase(snippet.text, row) for row in self._phrases
        ):
            return described
        return snippet

    def prefetch(self, page: int, stored: StoredFields) -> None:
        """Note a page whose lines will be asked for: the passages of several pages are looked up together."""
        if _has_passages(stored):
            self._shown[page] = stored

    def _regions(self, page: int, stored: StoredFields) -> Sequence[TextRegion] | None:
        """Return the parts of a page's text that are worth reading, the best first; None: read all of it."""
        if not _has_passages(stored):
            return None
        if page not in self._found:
            self._look_up(self._shown | {page: stored})
            self._shown = {}
        return self._found[page]

    def _look_up(self, shown: Mapping[int, StoredFields]) -> None:
        """Find the passages of pages that have landmarks."""
        numbers = self._proximity.numbers_of(list(shown))
        pages = sorted(numbers)
        landmarks = {number: unpack_checkpoints(shown[numbers[number]].landmarks) for number in pages}
        reaches = [
            max(1, WINDOW * positions[-1] // max(characters[-1], 1)) for characters, positions in landmarks.values()
        ]
        passages = best_passages(list(self._places(numbers)), pages, reaches)
        for number, reach, best in zip(pages, reaches, passages, strict=True):
            page = numbers[number]
            found = text_regions(best, reach, landmarks[number], len(shown[page].text))
            if readings := self._read_on(page):
                found += reading_regions(page, shown[page], readings, WINDOW)
                found.sort(key=lambda region: -region[2])
            self._found[page] = found

    def _places(self, pages: Mapping[int, int]) -> Iterator[tuple[float, Places]]:
        """Yield where each word of the question stands on pages, and each pair of neighbours, with their weights."""
        before: Places | None = None
        for gain in self._terms:
            places = self._proximity.places_on(pages, gain, IndexField.BODY)
            yield gain.term.weight, places
            if before is not None:
                yield PAIR_WEIGHT, common_places(before + 1, places) - 1
            before = places


def _wanted(gains: Sequence[TermScorer], reader: WordReader | None = None) -> HighlightTerms:
    return HighlightTerms(
        {word: gain.term.text for gain in reversed(gains) for word in gain.postings.all_words},
        {gain.term.text: gain.term.weight for gain in gains},
        tuple(gain.term.text for gain in gains),
        reader,
    )


def _has_passages(stored: StoredFields) -> bool:
    """Return whether positions lead to parts of the text, and it is not read sooner as a whole."""
    return bool(stored.landmarks) and len(stored.text) > MAX_READ_CHARS
