"""Which question is answered: as it was typed, or with words that may have been meant? The one that finds more.

Another word is only put in where the first result then has more words of the question than before. Whoever has typed
it is told, and can ask for exactly what was typed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.spelling.spellchecker import suggest_spellings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.retrieval.results import Results
    from indexer.spelling.term_list import TermList

LATE = "words that no page has, but others that are spelt nearly so"  # what there may be no time for
MANY = 1_000_000  # pages: a word that is not ranked by, such as a stop word, is none that is missing


def better_spelt(typed: Results, ask: Callable[[str], Results], lists: Callable[[], Sequence[TermList]]) -> Results:
    """Return the results of a question, or of the one that may have been meant, with what was changed."""
    for spelling in suggest_spellings(typed.query, lists, lambda word: typed.word_pages.get(word, MANY)):
        other = ask(spelling.question)
        if spelling.applied and _words_met(other) > _words_met(typed):
            return replace(other, query=typed.query, spelling=spelling)
        if not spelling.applied and other.total > typed.total:
            return replace(typed, spelling=spelling)
    return typed


def _words_met(results: Results) -> int:
    """Return how many words of the question the first result has; the parts of a compound are none."""
    met = {part.term for part in results.hits[0].explain().words} if results.hits else set()
    return len(met & results.word_pages.keys())
