"""What is known of one page? Why it is here or why it is not, and what it said when it was fetched.

`/why` tells everything that was decided about a URL, and what its score is made of.
`/cached` shows the text of a page, as a page of ours: none of its markup, scripts or pictures. So nothing that a
stranger wrote runs or loads here, and looking at a copy tells the site's server nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from gateway.question import MAX_QUERY, MAX_URL, BadQuestion, read_question
from gateway.served_crawl import served_crawl
from indexer.faults import IndexFault
from reports.why import account
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from gateway.question import Question
    from indexer.retrieval.results import Hit
    from reports.why import Dossier
    from urls.records import Page


MAX_TERMS_SHOWN = 20  # of a page's most frequent terms
MAX_RESULTS_LOOKED_AT = 1_000  # are looked through for the page in question; beyond, nobody asks why
MAX_BLOCKS = 20_000  # paragraphs shown of one page

page_views = Blueprint("page", __name__)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Where the index has a page. `terms` is None where it does not have it, `hit` where it is not among the first."""

    question: Question
    terms: tuple[tuple[str, int], ...] | None = None
    total: int = 0
    hit: Hit | None = None

    def as_dict(self) -> dict[str, Any] | None:
        """Return it for JSON, None where the page is not in the index."""
        if self.terms is None:
            return None
        found = (
            {"place": self.hit.rank, "score": self.hit.score, "explain": self.hit.explain().as_dict()}
            if self.hit
            else {}
        )
        return {"query": self.question.query, "total": self.total, "place": None} | found


@page_views.get("/why")
def why() -> Response:
    """Tell everything known about `url`; with `q`, also its score for that query. 404: it was never discovered."""
    url = asked_url()
    question = read_question(request.args)
    if not url:
        return make_response(render_template("why_form.html"))
    found = served_crawl().dossier(url)
    place = _find_in_index(found, question)
    status = 200 if found.discovered else 404
    if request.args.get("format") == "json":
        told = found.as_dict() | {"terms": place.terms and dict(place.terms), "rank": place.as_dict()}
        return make_response(jsonify(told), status)
    *rows, _ = account(found)  # the last one is the advice, which stands by itself
    terms = (place.terms or ())[:MAX_TERMS_SHOWN]
    page = render_template("why.html", found=found, rows=rows, place=place, terms=terms)
    return make_response(page, status)


def asked_url() -> str:
    """Return the URL that a request is about. Raises BadQuestion where it is too long to be one."""
    url = request.args.get("url", "").strip()
    if len(url) > MAX_URL:
        raise BadQuestion(f"url has {len(url)} characters, and no address longer than {MAX_URL} is known here")
    if not url and request.args.get("format") == "json":
        raise BadQuestion("url is missing: give the whole address of a page, as in /why?url=https://example.org/")
    return url


def _find_in_index(found: Dossier, question: Question) -> IndexEntry:
    """Look for a page among the results of a question, or where none was asked, among those for its own title."""
    if found.canonical is None or found.page is None:
        return IndexEntry(question)
    asked = question if question.query else replace(question, query=found.page.title[:MAX_QUERY])
    try:
        searcher = served_crawl().searcher
        terms = searcher.terms(found.canonical)
    except IndexFault:
        return IndexEntry(asked)  # the crawl has its account of the URL all the same
    if terms is None:
        return IndexEntry(asked)
    total, hit = searcher.find_hit(
        found.canonical, asked.query, MAX_RESULTS_LOOKED_AT, site=asked.site, language=asked.language
    )
    return IndexEntry(asked, terms, total, hit)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of a page's text: a heading or a paragraph."""

    text: str
    heading: bool


@page_views.get("/cached")
def cached() -> Response:
    """Show the copy of `url`. 404: none is kept, and why."""
    url = asked_url()
    if not url:
        raise BadQuestion("url is missing: give the address of a page, as in /cached?url=https://example.org/")
    try:
        canonical = canonicalize(url)
    except UnusableUrl as error:
        raise BadQuestion(error.refusal.reason) from None
    page = served_crawl().page(canonical)
    reason = _reason_unknown(canonical) if page is None else reason_withheld(page, time.time())
    if page is None or reason:
        return make_response(render_template("no_copy.html", url=canonical, reason=reason), 404)
    return make_response(render_template("cached.html", page=page, blocks=blocks(page)))


def reason_withheld(page: Page, now: float) -> str:
    """Return why no copy of a stored page may be shown, or nothing where it may."""
    if page.refusals:
        return f"The page is not in the index ({page.refusals[0].rule}): {page.refusals[0].reason}."
    if not page.controls.archive:
        return "The page says noarchive: its owner wants no copy of it to be shown."
    if page.controls.expires and page.controls.expires.timestamp() <= now:
        return "The page says unavailable_after, and that date has passed."
    return ""


def blocks(page: Page) -> list[TextBlock]:
    """Return the text of a page in pieces; a line that is one of its headings is shown as one."""
    headings = set(page.headings)
    lines = [line.strip() for line in page.text.split("\n")]
    return [TextBlock(line, line in headings) for line in lines if line][:MAX_BLOCKS]


def _reason_unknown(url: str) -> str:
    found = served_crawl().dossier(url)
    if not found.discovered:
        return "The crawl has never met this URL."
    told = found.journal[-1].reason if found.journal else ""
    return f"The crawl knows this URL, and keeps no page of it: it is {found.state}{f' ({told})' if told else ''}."
