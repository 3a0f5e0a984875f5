"""What is known of one page? `/why` tells everything that was decided about a URL, and what its score is made of."""

from __future__ import annotations

from dataclasses import asdict, replace

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from gateway.question import MAX_URL, BadQuestion, read_question
from gateway.served_crawl import served_crawl
from indexer.question.deadline import Deadline
from indexer.ranking.score import FACTORS, parts_in_words
from reports.shown_commands import in_folder
from reports.why import account, index_entry

MAX_TERMS_SHOWN = 20  # of a page's most frequent terms

page_views = Blueprint("page", __name__)


@page_views.get("/why")
def why() -> Response:
    """Tell everything known about `url`; with `q`, also its score for that query. 404: it was never discovered."""
    url = asked_url()
    question = read_question(request.args)
    if not url:
        return make_response(render_template("why_form.html"))
    crawl = served_crawl()
    found = crawl.dossier(url)
    place = index_entry(
        lambda: crawl.searcher,
        found,
        question.query,
        deadline=Deadline(crawl.settings.search_timeout),
        **question.narrowing,
    )
    status = 200 if found.discovered else 404
    if request.args.get("format") == "json":
        advice = in_folder(found.advice, crawl.settings.folder)
        told = found.as_dict() | {"advice": advice, "terms": place.terms and dict(place.terms), "rank": place.as_dict()}
        told["links"] = place.standing and asdict(place.standing)
        return make_response(jsonify(told | ({"index_fault": place.fault} if place.fault else {})), status)
    *rows, _ = account(found)  # the last one is the advice, which stands by itself
    terms = (place.terms or ())[:MAX_TERMS_SHOWN]
    asked = replace(question, query=place.query)
    shown = {"factors": FACTORS, "parts_in_words": parts_in_words}
    page = render_template(
        "why.html", found=found, rows=rows, place=place, question=asked, asked=question.query, terms=terms, **shown
    )
    return make_response(page, status)


def asked_url() -> str:
    """Return the URL that a request is about. Raises BadQuestion where it is too long to be one."""
    url = request.args.get("url", "").strip()
    if len(url) > MAX_URL:
        raise BadQuestion(f"url has {len(url)} characters, and no address longer than {MAX_URL} is known here")
    if not url and request.args.get("format") == "json":
        raise BadQuestion("url is missing: give the whole address of a page, as in /why?url=https://example.org/")
    return url
