"""What is quoted of a result? Its best lines and its title, with the words of the question marked.

Where the words stand on the page is known from their postings, which the ranking has read: only the passages that
those lead to are read in the text. A text that is kept in another form than it was indexed in (parts of it may not be
shown) has no landmarks, and is read from its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.analysis.landmarks import landmarks_in
from indexer.ranking.phrases import common_places
from indexer.segments.schema import IndexField
from indexer.snippets.passages import best_passages, text_regions
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
        self._terms, self._proximity = ranking.terms, ranking.proximity
        terms = [gain.term for gain in self._terms]
        self._wanted = WantedWords(
            {word: gain.term.word for gain in reversed(self._terms) for word in gain.postings.all_words},
            {term.word: term.weight for term in terms},
            tuple(term.word for term in terms),
        )
        asked = ranking.matching.query.phrases
        self._phrases = [
            [(place, self._wanted.terms.get(words.exact[0], "")) for place, words in phrase.steps] for phrase in asked
        ]

    def title(self, stored: StoredFields) -> Snippet:
        """Return the title with the words that stand in it."""
        return mark_words(stored.title, self._wanted)

    def snippet(self, page: int, stored: StoredFields) -> Snippet:
        """Return the best lines of a page: of its text, or of its own description where that alone has what was asked.

        That is a word of the question, or one of its phrases.
        """
        regions = None
        if stored.landmarks and len(stored.text) > MAX_READ_CHARS:
            regions = self._regions(page, stored)
        asked = (self._wanted, stored.snippet, self._deadline)
        snippet = make_snippet(stored.text, *asked, regions)
        if not stored.description or (snippet.spans and not self._phrases):
            return snippet
        described = make_snippet(stored.description, *asked)
        if not snippet.spans or any(
            self._wanted.has_row(described.text, row) and not self._wanted.has_row(snippet.text, row)
            for row in self._phrases
        ):
            return described
        return snippet

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
            if before is not None and len(pair := common_places(before + 1, places) - 1):
                yield PAIR_WEIGHT, pair
            before = places
