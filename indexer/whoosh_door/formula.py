"""How does a search of Whoosh rank by our formula? Its query finds the pages, and each gets the score that we give it.

    index.searcher(weighting=Breadcrumb()).search(QueryParser("content", index.schema).parse("two words"))

Whoosh's other formulas score each term of a query by itself. Ours looks at all words together: how near to each other
they stand, and whether they name the page. So a query is read for its words, these are ranked as our own search ranks
them, and a page that the query finds has that score. A query without words, such as a range, finds pages that are
ordered by what counts without words: links, and the language.
"""
# mypy: disable-error-code="no-untyped-call,misc,attr-defined"

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from whoosh import query
from whoosh.matching.wrappers import WrappingMatcher
from whoosh.query.spans import SpanNot, SpanQuery
from whoosh.scoring import Frequency

from indexer.faults import IndexFault
from indexer.query.deadline import Deadline
from indexer.query.lexicon import Lexicon
from indexer.query.query import parse_query
from indexer.ranking.candidates import rank
from indexer.ranking.score import round_parts
from indexer.ranking.weights import Formula
from indexer.whoosh_door.fields import STORED_WORDS, UNSTORED_WORDS, segment_field
from indexer.whoosh_door.matcher import PostingsMatcher
from indexer.whoosh_door.reader import PagesReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from whoosh.matching.mcore import Matcher
    from whoosh.query import Query
    from whoosh.scoring import WeightScorer

    from indexer.snapshot.snapshot import Snapshot

WORDED = {*STORED_WORDS, *UNSTORED_WORDS}
FIRST_ALONE = (query.AndNot, query.Require, SpanNot)  # their second part adds to no score


class Breadcrumb(Frequency):
    """Our formula as a weighting of Whoosh, for searchers of `indexer.open_whoosh`. Raises IndexFault for any other.

    Boosts of a query, and the field in which a word is looked for, decide nothing: `formula` has its own weights.
    """

    def __init__(self, formula: Formula | None = None) -> None:
        self.formula = formula or Formula()

    def scorer(self, searcher: Any, fieldname: str, text: str, qf: int = 1) -> WeightScorer:
        """Return a scorer that lets Whoosh find pages; `OurScores` then replaces what it gives."""
        if not isinstance(searcher.reader(), PagesReader):
            raise IndexFault(
                "Breadcrumb() ranks the pages of our own index: give it to indexer.open_whoosh(folder).searcher(). "
                "An index of Whoosh's own has its BM25F, TF_IDF and PL2"
            )
        return super().scorer(searcher, fieldname, text, qf)

    def scores(self, asked: Query, snapshot: Snapshot) -> NDArray[Any]:
        """Return the score of each page of a snapshot for the words of a query."""
        lexicon = Lexicon([view.file for view in snapshot.views])
        ours = parse_query(" ".join(queried_words(asked)), snapshot.languages, lexicon=lexicon)
        return rank(ours, snapshot, self.formula, time.time(), Deadline()).scores


def queried_words(asked: Query) -> list[str]:
    """Return the words that a query looks for, in its order, each once; a prefix has its star.

    A word that is looked for in several fields, as a `MultifieldParser` does it, is one word.
    """
    return [*dict.fromkeys(_words(asked))]


def _words(asked: Query) -> Iterator[str]:
    if isinstance(asked, query.Not):
        return
    if isinstance(asked, FIRST_ALONE):
        yield from _words(asked.a)
    elif isinstance(asked, query.Phrase):
        yield from asked.words
    elif isinstance(asked, (query.Term, query.Prefix)):
        if segment_field(asked.field()) in WORDED:
            text = asked.text.decode() if isinstance(asked.text, bytes) else asked.text
            yield text if isinstance(asked, query.Term) else f"{text}*"
    elif isinstance(asked, SpanQuery) and hasattr(asked, "q"):
        yield from _words(asked.q)
    elif not asked.is_leaf():
        for part in asked.children():
            yield from _words(part)


class OurScores(WrappingMatcher):
    """Whoosh's matcher of a query, with our score for each of its pages."""

    def __init__(self, child: Matcher, scores: NDArray[Any]) -> None:
        super().__init__(child)
        self._scores = scores

    def copy(self) -> OurScores:
        """Return another matcher at the same place."""
        return OurScores(self.child.copy(), self._scores)

    def _replacement(self, newchild: Matcher) -> OurScores:
        return OurScores(newchild, self._scores)

    def supports_block_quality(self) -> bool:
        """Return False: what the child knows of its best scores is not ours."""
        return False

    def score(self) -> float:
        """Return our score of this page."""
        return float(self._scores[self.child.id()])


def with_our_scores(matcher: Matcher, scores: NDArray[Any]) -> Matcher:
    """Return a matcher that gives the pages of another one our scores, which are by Whoosh's number."""
    if isinstance(matcher, PostingsMatcher):  # one term: it skips all but its best pages
        matcher.scores = scores[matcher.pages]
        return matcher
    return OurScores(matcher, scores)


def rounded_results(found: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return results with their scores as our own search shows them: rounded to the digits of an explanation."""
    return [(round_parts([score])[0], document) for score, document in found]
