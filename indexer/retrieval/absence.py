"""Why does a page that the index has not answer a question? Its date, its words, or what else was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.retrieval.candidates import rank, read_term_postings
from indexer.retrieval.deadline import Deadline
from indexer.retrieval.matching import SegmentMatcher, has_ended
from indexer.segments.schema import URL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.retrieval.query import Query
    from indexer.retrieval.score import Formula
    from indexer.retrieval.snapshot import Snapshot


def reason_absent(url: str, asked: Query, snapshot: Snapshot, formula: Formula, now: float) -> str:
    """Return the first reason that holds, "" where there is none: it does answer."""
    for segment, view in enumerate(snapshot.views):
        for document in view.file.documents(URL, url):
            if document not in view.deleted:
                return next(_reasons(segment, document, asked, snapshot, formula, now), "")
    return "it is not in the index"


def _reasons(
    segment: int, document: int, asked: Query, snapshot: Snapshot, formula: Formula, now: float
) -> Iterator[str]:
    """Yield what the ranking leaves the page out for (`matching.match`)."""
    view = snapshot.views[segment]
    if has_ended(view, now)[document]:
        yield "it named a date until which it may be a result, and that has passed"
    words = [read_term_postings(term, snapshot, formula.weights) for term in asked.telling]
    if not asked.only_filters and not any(document in word.frequencies[segment] for word in words):
        listed = ", ".join(f"“{term.word}”" for term in asked.telling)
        yield f"it has none of the words {listed}" if words else "no word was asked for"
    matcher, alone = SegmentMatcher(view, Deadline()), np.zeros(view.file.count, np.bool_)
    alone[document] = True  # one page is soon looked through
    for condition in asked.conditions:
        if not matcher.truth(condition, alone).yes[document]:
            yield f"only pages {condition} were asked for, and it is none of them"
    answers = not asked.phrases or rank(asked, snapshot, formula, now, Deadline()).matching.answers[segment][document]
    for phrase in () if answers else asked.phrases:
        if not matcher.phrases.find(phrase, alone).yes[document]:
            yield f"it has not the phrase {phrase}, and enough other pages have it"
