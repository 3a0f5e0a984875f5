"""Why is a page no result of a question? The first step at which it fell, on the way that every result has gone.

The steps are those of a crawl and of a search, in their order: a page that falls at one has passed all before it. What
the index can tell is told here, by the code that ranks; the steps before it, reports/why/index_status.py tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.query.deadline import Deadline
from indexer.ranking.matching import Matcher
from indexer.ranking.query_postings import QueryPostings
from indexer.segments.schema import URL, IndexField
from urls.wording import ExplainedWord, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.query.terms import Term
    from indexer.ranking.ranker import Ranking


class ResultStep(ExplainedWord):
    """What a page must pass to be a result, in this order, and what it is to have passed it."""

    KNOWN = "known", "the crawl has met its address"
    ALLOWED = "allowed", "no rule refuses it"
    FETCHED = "fetched", "its server has answered with a page"
    KEPT = "kept", "no judge refused the page"
    CURRENT = "current", "the date until which it may be a result has not passed"
    INDEXED = "indexed", "the index has it"
    WORDS = "words", "it has a word of the question"
    CONDITIONS = "conditions", "it is what else was asked for: site, language, type, date, without some words"
    PHRASES = "phrases", "it has the phrases, or too few pages have them"
    OWN_PLACE = "own place", "it does not stand under another page that says nearly the same"
    RANK = "rank", "it is among the results that are looked through"


@dataclass(frozen=True, slots=True)
class Absence:
    """The step at which a page fell, and the reason as a clause."""

    step: ResultStep
    reason: str

    @property
    def passed(self) -> tuple[ResultStep, ...]:
        """The steps before it."""
        steps = list(ResultStep)
        return tuple(steps[: steps.index(self.step)])


def reason_absent(url: str, ranking: Ranking) -> Absence:
    """Return at which step a page fell; of one that answers, at which place it stands."""
    for page in ranking.snapshot.numbers(URL, url).tolist():
        if ranking.snapshot.live[page]:
            return next(_reasons(page, ranking))
    return Absence(ResultStep.INDEXED, "it is not in the index")


def _reasons(page: int, ranking: Ranking) -> Iterator[Absence]:
    """Yield what the ranking leaves the page out for (`matching.match`), and then what stands before it."""
    matching, snapshot = ranking.matching, ranking.snapshot
    if matching.ended[page]:
        yield Absence(ResultStep.CURRENT, "it named a date until which it may be a result, and that has passed")
    postings = QueryPostings(snapshot)
    if not matching.scored[page]:
        yield Absence(ResultStep.WORDS, _lacking(page, postings, matching.query.required_terms))
    matcher, alone = Matcher(postings, Deadline()), np.zeros(snapshot.size, np.bool_)
    alone[page] = True  # one page is soon looked through
    for condition in matching.query.conditions:
        if not matcher.truth(condition, alone).yes[page]:
            yield Absence(ResultStep.CONDITIONS, f"only pages {condition} were asked for, and it is none of them")
    place = next((number for number, other in enumerate(ranking.best(), 1) if other == page), 0)
    if not place:
        listed = " and ".join(f"“{phrase}”" for phrase in matching.lacks(page))
        yield Absence(ResultStep.PHRASES, f"it has not the phrase {listed}, and enough other pages have it")
    better = counted(place - 1, "page answers", "pages answer")
    yield Absence(
        ResultStep.RANK, f"{better} better: it is number {place:,} of {ranking.total:,}, similar pages counted"
    )


def _lacking(page: int, postings: QueryPostings, terms: tuple[Term, ...]) -> str:
    """Say that a page has no word of a question: nowhere, or only in its menus, header and footer."""
    if not terms:
        return "no word was asked for"
    around = [term for term in terms if _stands_around(page, postings, term)]
    listed = ", ".join(f"“{term.text}”" for term in around or terms)
    if around:
        return f"only its menus, header or footer have {listed}, and other pages have it in their text"
    return f"it has none of the words {listed}"


def _stands_around(page: int, postings: QueryPostings, term: Term) -> bool:
    return any(form.field is IndexField.TEMPLATE for form, _ in postings.of(term.variants).lists_of(page))
