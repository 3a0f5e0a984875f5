"""Where in a stored copy do the words of a question stand? In any of the forms in which the index would find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.query.query import parse_query
from indexer.snippets.found_words import WordMarker, joined_spans

if TYPE_CHECKING:
    from indexer.snippets.found_words import TextSpan


class QuestionMarker:
    """Finds the words of a question in the pieces of one page; `text` has all of them."""

    def __init__(self, question: str, language: str, text: str) -> None:
        spoken = frozenset({language} if language else ())
        asked = parse_query(question, spoken).telling

        def meant(word: str) -> str | None:
            return next((term.word for term in asked if term.variants.is_meant_by(word, (language,))), None)

        self._marker = WordMarker(meant)
        self.finds_any = bool(asked) and next(self._marker.find(text), None) is not None

    def spans(self, piece: str) -> list[TextSpan]:
        """Return where words of the question stand in a piece of the page, start and end of each, in order."""
        return joined_spans(found.span for found in self._marker.find(piece)) if self.finds_any else []
