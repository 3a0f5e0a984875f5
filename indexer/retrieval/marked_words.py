"""Where in a text do the words of a question stand? In the forms in which the index knows them.

The text is cut as the index cut it: a search for "run" marks "running", and a Japanese pair of characters is marked
inside its run. Each distinct token is stemmed once; one regular expression then finds where the wanted ones stand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.analysis.forms import forms_of
from indexer.analysis.tokens import terms_of
from indexer.analysis.words import TOKEN_PATTERN, is_unspaced
from indexer.retrieval.query import parse_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NEVER = r"(?!)"  # matches nothing


class WordPattern:
    """Finds words of a question among the tokens of a text; false where none of them is there.

    `tokens` are those of the text; `wanted` leads from words, and from their forms, to the words of the question.
    """

    def __init__(self, tokens: Iterable[str], wanted: Mapping[str, str], language: str) -> None:
        self.words: dict[str, str] = {}  # as they stand in the text, to those of the question
        for raw in set(tokens):
            if raw.isascii() or not is_unspaced(raw):
                forms = (form for word, _ in terms_of(raw)[0] for form in (word, *forms_of(word, (language,))))
                if found := next((form for form in forms if form in wanted), None):
                    self.words[raw] = wanted[found]
        self.words |= {term: word for term, word in wanted.items() if is_unspaced(term)}
        longest_first = sorted(self.words, key=len, reverse=True)
        runs = "|".join(re.escape(word) for word in longest_first if is_unspaced(word)) or _NEVER
        names = "|".join(re.escape(word) for word in longest_first if not is_unspaced(word)) or _NEVER
        self.pattern = re.compile(rf"(?<!\w)({names})(?!\w)|(?=({runs}))")

    def __bool__(self) -> bool:
        return bool(self.words)


class QuestionMarker:
    """Finds the words of a question in the pieces of one page; `text` has all of them."""

    def __init__(self, question: str, language: str, text: str) -> None:
        spoken = frozenset({language} if language else ())
        wanted = {form: term.word for term in parse_query(question, spoken).telling for form in term.variants.wanted}
        self._words = WordPattern(TOKEN_PATTERN.findall(text), wanted, language) if wanted else None

    @property
    def finds_any(self) -> bool:
        """Whether the page has any of the words."""
        return bool(self._words)

    def spans(self, piece: str) -> list[tuple[int, int]]:
        """Return where words of the question stand in a piece of the page, start and end of each, in order."""
        found: list[tuple[int, int]] = []
        for match in self._words.pattern.finditer(piece) if self._words else ():
            start, end = match.span(1) if match[1] else match.span(2)
            if found and start <= found[-1][1]:
                found[-1] = found[-1][0], max(end, found[-1][1])  # pairs of characters overlap in their run
            else:
                found.append((start, end))
        return found
