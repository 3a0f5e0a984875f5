"""What speaks for a page beside its words? It has all of them, has links, its language, or is an entrance.

    all words ALL_WORDS x sum of their idf                where a question of MAX_WORDS at most has two or more
    links     PAGERANK x ln(1 + PageRank)                 in times the mean of all pages; where it is known
    language  LANGUAGE                                    where the question has function words of one language alone
    entrance  ENTRANCE x (sum of the idf of the question's words that its names have) x their share of all

Priors are whispers among pages that say the same: they are added, and never bring up a page by themselves. The entrance
is an exception that people ask for: who types `sqlite` wants the first page, though each page of the site has the word.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.stopwords import STOP_WORDS
from indexer.ranking.score import PriorPart
from indexer.segments.link_ranks import MEAN
from indexer.segments.schema import LANGUAGE, IndexField
from urls.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.question.query import Query
    from indexer.ranking.term_gain import Amounts, Documents, TermGain
    from indexer.ranking.weights import Weights
    from indexer.retrieval.snapshot import Snapshot

MAX_WORDS = 4  # of a question that a page may be wanted to have all of; hardly one has those of a long question
_NAMED = IndexField.TITLE, IndexField.HEADINGS  # where a site's name stands; not words of links, which are others'
_KANA = re.compile("[\u3041-\u30fa]")
_LABELS = re.compile(r"[^\W_]+")


class Priors:
    """What pages have beforehand, for one question."""

    def __init__(self, query: Query, gains: Sequence[TermGain], snapshot: Snapshot, weights: Weights) -> None:
        self._gains, self._snapshot, self._weights = gains, snapshot, weights
        self._is_linked = bool(weights.pagerank) and any((view.pagerank != MEAN).any() for view in snapshot.views)
        several = len(snapshot.languages - {""}) > 1  # where all pages are in one, it says nothing
        self._language = language_of_question(query, snapshot.languages) if several else ""
        self._asked = sum(gain.term.weight * gain.idf for gain in gains)
        few = weights.all_words and 1 < len(gains) <= MAX_WORDS
        self._with_all = [_with_all(gains, segment) for segment in range(len(snapshot.views)) if few]

    def add_to(self, segment: int, scores: Amounts) -> None:
        """Add to the score of each page of a segment."""
        if self._with_all:
            scores[self._with_all[segment]] += self._weights.all_words * self._asked
        if self._is_linked:
            scores += self._linked(self._snapshot.views[segment].pagerank)
        if self._language and self._weights.language:
            scores[self._snapshot.views[segment].file.documents(LANGUAGE, self._language)] += self._weights.language
        for document, name in self._snapshot.views[segment].entrances.items():
            scores[document] += self._entrance(segment, document, name)[0]

    def parts(self, segment: int, document: int) -> Iterator[PriorPart]:
        """Yield what one page has, not rounded."""
        view, weights = self._snapshot.views[segment], self._weights
        if self._with_all and document in self._with_all[segment]:
            told = (
                f"it has all {len(self._gains)}; most {weights.all_words:g} x {self._asked:.3f}, the sum of their idf"
            )
            yield PriorPart("all words", "page", weights.all_words * self._asked, told)
        if self._is_linked:
            times, linked = float(view.pagerank[document]), self._linked(view.pagerank[document : document + 1])
            links = counted(int(view.inlinks[document]), "page links", "pages link")
            told = f"{links} to it, and its PageRank is {times:.2f} times the mean"
            if times == MEAN and not view.inlinks[document]:
                told = "what links to it is not known yet, so it counts as a mean page"
            told += f"; most {weights.pagerank:g} x ln(1 + {times:.2f})"
            yield PriorPart("links", "page", float(linked[0]), told)
        if self._language and self._weights.language and document in view.file.documents(LANGUAGE, self._language):
            told = f"the question and the page are in the language “{self._language}”"
            yield PriorPart("language", "page", self._weights.language, told)
        if document in view.entrances:
            value, named = self._entrance(segment, document, view.entrances[document])
            if value:
                yield PriorPart("entrance", "page", value, f"the first page of a site that has “{named}” in its name")

    def _linked(self, pagerank: NDArray[np.float32]) -> Amounts:
        gained: Amounts = self._weights.pagerank * np.log1p(pagerank.astype(np.float64))
        return gained

    def _entrance(self, segment: int, document: int, site: str) -> tuple[float, str]:
        """Return what the entrance of a site has, and the words of its name that the question has."""
        labels = set(_LABELS.findall(site.lower()))
        named = [gain for gain in self._gains if gain.term.word in labels or _is_called(gain, segment, document)]
        known = sum(gain.term.weight * gain.idf for gain in named)
        share = known / self._asked if self._asked else 0.0
        return self._weights.entrance * known * share, " ".join(gain.term.word for gain in named)


def _with_all(gains: Sequence[TermGain], segment: int) -> Documents:
    return reduce(np.intersect1d, [gain.documents(segment) for gain in gains])


def _is_called(gain: TermGain, segment: int, document: int) -> bool:
    return any(form.field in _NAMED and form.row_of(document) is not None for form in gain.forms[segment])


def language_of_question(query: Query, spoken: frozenset[str]) -> str:
    """Return the language of a question, if its script or its function words tell; "" where they don't."""
    if _KANA.search(query.text):
        return "ja" if "ja" in spoken else ""
    words = {term.word for term in query.terms}
    counts = sorted((len(words & STOP_WORDS.get(language, frozenset())), language) for language in spoken)
    if not counts or not counts[-1][0] or (len(counts) > 1 and counts[-2][0] == counts[-1][0]):
        return ""
    return counts[-1][1]
