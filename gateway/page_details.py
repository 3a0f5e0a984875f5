"""What is known of one page? Why it is here or why it is not, and what it said when it was fetched.

`/why` tells everything that was decided about a URL, and what its score is made of.
`/cached` shows the text of a page, as a page of ours: none of its markup, scripts or pictures. So nothing that a
stranger wrote runs or loads here, and looking at a copy tells the site's server nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from gateway.question import MAX_URL, BadQuestion, read_question
from gateway.served_crawl import served_crawl
from indexer.retrieval.deadline import Deadline
from indexer.retrieval.score import FACTORS, FACTORS_IN_WORDS
from reports.shown_commands import in_folder
from reports.why import account, index_entry
from reports.wording import sentence
from urls.canonical import UnusableUrl, canonicalize
from urls.records import reason_hidden

if TYPE_CHECKING:
    from urls.records import Page


MAX_TERMS_SHOWN = 20  # of a page's most frequent terms
MAX_BLOCKS = 20_000  # paragraphs shown of one page

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
        site=question.site,
        language=question.language,
        deadline=Deadline(crawl.settings.search_timeout),
    )
    status = 200 if found.discovered else 404
    if request.args.get("format") == "json":
        advice = in_folder(found.advice, crawl.settings.folder)
        told = found.as_dict() | {"advice": advice, "terms": place.terms and dict(place.terms), "rank": place.as_dict()}
        return make_response(jsonify(told | ({"index_fault": place.fault} if place.fault else {})), status)
    *rows, _ = account(found)  # the last one is the advice, which stands by itself
    terms = (place.terms or ())[:MAX_TERMS_SHOWN]
    asked = replace(question, query=place.query)
    shown = {"factors": FACTORS, "factors_in_words": FACTORS_IN_WORDS, "asked": question.query}
    page = render_template("why.html", found=found, rows=rows, place=place, question=asked, terms=terms, **shown)
    return make_response(page, status)


def asked_url() -> str:
    """Return the URL that a request is about. Raises BadQuestion where it is too long to be one."""
    url = request.args.get("url", "").strip()
    if len(url) > MAX_URL:
        raise BadQuestion(f"url has {len(url)} characters, and no address longer than {MAX_URL} is known here")
    if not url and request.args.get("format") == "json":
        raise BadQuestion("url is missing: give the whole address of a page, as in /why?url=https://example.org/")
    return url


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
    reason = _reason_unknown(canonical) if page is None else reason_withheld(page, datetime.now(UTC))
    if page is None or reason:
        return make_response(render_template("no_copy.html", url=canonical, reason=reason), 404)
    return make_response(render_template("cached.html", page=page, blocks=blocks(page)))


def reason_withheld(page: Page, now: datetime) -> str:
    """Return why no copy of a stored page may be shown, or nothing where it may."""
    hidden = reason_hidden(page.refusals, page.controls, now)
    if hidden is not None:
        return sentence(f"The page is no result ({hidden.rule}): {hidden.reason}")
    return "" if page.controls.archive else "The page says noarchive: its owner wants no copy of it to be shown."


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
