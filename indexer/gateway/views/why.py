"""Why is this page here, or why is it not? Everything that was decided about a URL, and what its score is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from crawldb.dossier import Dossier, dossier
from indexer.faults import IndexFault
from indexer.gateway.address import MAX_URL
from indexer.gateway.holdings import holdings
from indexer.gateway.question import MAX_QUERY, BadQuestion, read_question

if TYPE_CHECKING:
    from indexer.gateway.question import Question
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

TERMS_SHOWN = 20  # of a page's most frequent terms
DEEPEST = 10  # such pages are looked through for the one in question; beyond, nobody asks why
LOOKED_AT = 100  # results a page: as many as a searcher gives

views = Blueprint("why", __name__)


@dataclass(frozen=True, slots=True)
class Place:
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


@views.get("/why")
def why() -> Response:
    """Tell everything known about `url`; with `q`, also its score for that query. 404: it was never discovered."""
    url = asked_url()
    question = read_question(request.args)
    if not url:
        return make_response(render_template("why_form.html"))
    held = holdings()
    found = dossier(held.database(url), url, held.product, policy=held.policy(url))
    place = _in_index(found, question)
    status = 200 if found.discovered else 404
    if request.args.get("format") == "json":
        told = found.as_dict() | {"terms": place.terms and dict(place.terms), "rank": place.as_dict()}
        return make_response(jsonify(told), status)
    page = render_template("why.html", found=found, place=place, terms=(place.terms or ())[:TERMS_SHOWN])
    return make_response(page, status)


def asked_url() -> str:
    """Return the URL that a request is about. Raises BadQuestion where it is too long to be one."""
    url = request.args.get("url", "").strip()
    if len(url) > MAX_URL:
        raise BadQuestion(f"url has {len(url)} characters, and no address longer than {MAX_URL} is known here")
    if not url and request.args.get("format") == "json":
        raise BadQuestion("url is missing: give the whole address of a page, as in /why?url=https://example.org/")
    return url


def _in_index(found: Dossier, question: Question) -> Place:
    """Look for a page among the results of a question, or where none was asked, among those for its own title."""
    if found.canonical is None or found.page is None:
        return Place(question)
    asked = question if question.query else replace(question, query=found.page.title[:MAX_QUERY])
    try:
        searcher = holdings().searcher
        terms = searcher.terms(found.canonical)
    except IndexFault:
        return Place(asked)  # the crawl has its account of the URL all the same
    if terms is None:
        return Place(asked)
    total, hit = _hit(searcher, found.canonical, asked)
    return Place(asked, terms, total, hit)


def _hit(searcher: Searcher, url: str, question: Question) -> tuple[int, Hit | None]:
    total = 0
    for page in range(1, DEEPEST + 1):
        results = searcher.search(question.query, LOOKED_AT, page, site=question.site, language=question.language)
        total = results.total
        for hit in results.hits:
            if hit.url == url:
                return total, hit
        if len(results.hits) < LOOKED_AT:
            break
    return total, None
