"""Why is a page no result of a query? Because of the first step that it fails, on the way of every result.

The steps are those of a crawl and of a search, in their order: a page that fails one has passed all before it. This
file decides the steps of the search, with the code of the ranking; `reports/why/index_status.py` decides those before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.query.deadline import Deadline
from indexer.ranking.matching import Matcher
from indexer.ranking.query_postings import QueryPostings
from indexer.segments.schema import IndexField
from urls.wording import ExplainedWord, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.query.terms import Term
    from indexer.ranking.ranker import Ranking


class ResultStep(ExplainedWord):
    """The steps that a page passes to be a result, in this order, each with its meaning."""

    KNOWN = "known", "the crawl has found its URL"
    ALLOWED = "allowed", "no rule rejects its URL"
    FETCHED = "fetched", "its server has returned a page"
    KEPT = "kept", "no filter rejected the page"
    CURRENT = "current", "it has not expired"
    INDEXED = "indexed", "the index has it"
    WORDS = "words", "it has a word of the query"
    CONDITIONS = "conditions", "it fulfils the filters: site, language, type, date, excluded words"
    PHRASES = "phrases", "it has the phrases, or few pages have them"
    OWN_PLACE = "own place", "it is not folded under a near copy"
    RANK = "rank", "it is among the results that are compared"


@dataclass(frozen=True, slots=True)
class Absence:
    """The step that a page failed, and the reason as a clause."""

    step: ResultStep
    reason: str

    @property
    def passed(self) -> tuple[ResultStep, ...]:
        """The steps before it."""
        steps = list(ResultStep)
        return tuple(steps[: steps.index(self.step)])


def reason_absent(url: str, ranking: Ranking) -> Absence:
    """Return the step that a page fails; for a matching page its rank."""
    page = ranking.snapshot.page_of(url)
    return Absence(ResultStep.INDEXED, "it is not in the index") if page is None else next(_reasons(page, ranking))


def _reasons(page: int, ranking: Ranking) -> Iterator[Absence]:
    """Yield the reasons why the ranking leaves the page out (`matching.match`), then the results before it."""
    matching, snapshot = ranking.matching, ranking.snapshot
    if matching.ended[page]:
        yield Absence(ResultStep.CURRENT, "it has expired: the date is past until which it may be a result")
    postings = QueryPostings(snapshot)
    if not matching.scored[page]:
        yield Absence(ResultStep.WORDS, _lacking(page, postings, matching.query.required_terms))
    matcher, alone = Matcher(postings, Deadline()), np.zeros(snapshot.size, np.bool_)
    alone[page] = True  # only this page is examined
    for condition in matching.query.conditions:
        if not matcher.truth(condition, alone).yes[page]:
            yield Absence(ResultStep.CONDITIONS, f"the query finds only pages {condition}, and it is none of them")
    place = next((number for number, other in enumerate(ranking.best(), 1) if other == page), 0)
    if not place:
        listed = " and ".join(f"“{phrase}”" for phrase in matching.lacks(page))
        yield Absence(ResultStep.PHRASES, f"it has not the phrase {listed}, and enough other pages have it")
    better = counted(place - 1, "page matches", "pages match")
    yield Absence(
        ResultStep.RANK, f"{better} better: it is number {place:,} of {ranking.total:,}, similar pages counted"
    )


def _lacking(page: int, postings: QueryPostings, terms: tuple[Term, ...]) -> str:
    """Return the clause for a page without a word of a query, or with one only in its menus, header and footer."""
    if not terms:
        return "the query has no word to search for"
    around = [term for term in terms if _stands_around(page, postings, term)]
    listed = ", ".join(f"“{term.text}”" for term in around or terms)
    if around:
        return f"only its menus, header or footer have {listed}, and other pages have it in their text"
    return f"it has none of the words {listed}"


def _stands_around(page: int, postings: QueryPostings, term: Term) -> bool:
    return any(form.field is IndexField.TEMPLATE for form, _ in postings.of(term.variants).lists_of(page))
