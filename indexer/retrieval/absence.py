"""Why does a page that the index has not answer a question? Its date, its words, or what else was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.retrieval.candidates import read_term_postings
from indexer.retrieval.deadline import Deadline
from indexer.retrieval.phrases import PhraseFinder
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
    """Yield what the ranking leaves the page out for (`candidates._filtered`)."""
    view = snapshot.views[segment]
    stored = view.file.stored(document)
    if 0 < view.file.expiries()[document] <= now:
        yield "it named a date until which it may be a result, and that has passed"
    words = [read_term_postings(term, snapshot, formula.weights) for term in asked.telling]
    if not asked.only_filters and not any(document in word.frequencies[segment] for word in words):
        listed = ", ".join(f"“{term.word}”" for term in asked.telling)
        yield f"it has none of the words {listed}" if words else "no word was asked for"
    phrases = PhraseFinder(view.file, Deadline())  # one page is soon looked through
    for phrase in asked.required:
        if not phrases.split(phrase, {document})[0]:
            yield f"it has not the phrase “{phrase.text}”"
    for phrase in asked.excluded:
        if phrases.split(phrase, {document})[0]:
            yield f"it has “{phrase.text}”, which was asked to be left out"
    for what, values, wanted, unwanted in (
        ("on the site", (stored.site,), asked.sites, asked.excluded_sites),
        ("in the language", stored.languages, asked.languages, asked.excluded_languages),
    ):
        if (wanted and wanted.isdisjoint(values)) or not unwanted.isdisjoint(values):
            yield f"it is {what} “{', '.join(values)}”, which was not asked for"
