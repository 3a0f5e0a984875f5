"""What is quoted of a result? Its best lines and its title, with the words of the question marked.

Where the words stand on the page is known from their postings, which the ranking has read: only the passages that
those lead to are read in the text. A text that is kept in another form than it was indexed in (parts of it may not be
shown) has no landmarks, and is read from its beginning.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from indexer.analysis.landmarks import landmarks_in
from indexer.segments.schema import IndexField
from indexer.snippets.passages import best_passages, side_by_side_places, text_regions
from indexer.snippets.snippet import WINDOW, Snippet, WantedWords, make_snippet, mark_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.question.deadline import Deadline
    from indexer.ranking.asked_postings import Places
    from indexer.ranking.candidates import Ranking
    from indexer.segments.schema import StoredFields
    from indexer.snippets.passages import TextRegion

MAX_READ_CHARS = 1_000  # a text up to this length is read as soon as it is looked up where to read
PAIR_WEIGHT = 1.0  # of two words side by side as they were asked for: as much as another word


class Quotation:
    """Quotes the pages that answer a question."""

    def __init__(self, ranking: Ranking, deadline: Deadline) -> None:
        self._deadline = deadline
        self._terms = ranking.terms
        self._snapshot, self._proximity = ranking.snapshot, ranking.proximity
        self._wanted = cache(self._wanted_in)

    def _wanted_in(self, segment: int) -> WantedWords:
        terms = [gain.term for gain in self._terms]
        words = {word: gain.term.word for gain in reversed(self._terms) for word, _ in gain.postings.words[segment]}
        return WantedWords(words, {term.word: term.weight for term in terms}, tuple(term.word for term in terms))

    def title(self, page: int, stored: StoredFields) -> Snippet:
        """Return the title with the words that stand in it."""
        return mark_words(stored.title, self._wanted(self._snapshot.segment_of(page)))

    def snippet(self, page: int, stored: StoredFields) -> Snippet:
        """Return the best lines of a page: of its text, else of its own description."""
        regions = None
        if stored.landmarks and len(stored.text) > MAX_READ_CHARS:
            regions = self._regions(page, stored)
        asked = (self._wanted(self._snapshot.segment_of(page)), stored.snippet, self._deadline)
        snippet = make_snippet(stored.text, *asked, regions)
        if snippet.spans or not stored.description:
            return snippet
        return make_snippet(stored.description, *asked)

    def _regions(self, page: int, stored: StoredFields) -> Sequence[TextRegion]:
        characters, positions = landmarks_in(stored.landmarks)
        reach = max(1, WINDOW * positions[-1] // max(characters[-1], 1))
        passages = best_passages(list(self._places(page)), reach)
        return text_regions(passages, reach, (characters, positions), len(stored.text))

    def _places(self, page: int) -> Iterator[tuple[float, Places]]:
        """Yield where each word of the question stands on a page, and each pair of neighbours, with their weights."""
        before: Places | None = None
        for gain in self._terms:
            places = self._proximity.places_on(page, gain, IndexField.BODY)
            if len(places):
                yield gain.term.weight, places
            if before is not None and len(pair := side_by_side_places(before, places)):
                yield PAIR_WEIGHT, pair
            before = places
