"""Why is a page a result or not? `/why` has the answer in one sentence, and below it everything known about the URL.

`reports/why/` computes it, for the terminal and for programs as well. `/why/diff` compares two pages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, make_response, render_template, request

import reports.why.facts
from crawldb.tables import links
from gateway.plots import Plot, bar_plot, line_plot
from gateway.search_request import InvalidParameter, read_search_request, read_text
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from gateway.template_filters import with_folder_option
from indexer.ranking import score as score_of_page
from indexer.ranking.score import FACTORS, parts_in_words
from indexer.retrieval import page_terms
from reports.why import controls, index_status, site_files, why_rows
from reports.why.differences import page_difference
from reports.why.facts import HOPS
from urls.traps import TRAP_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extension_points import ForeignPage
    from indexer.ranking.score import Score
    from reports.why import UrlFacts
    from reports.why.facts import PastFetch


TERMS_SHOWN = 16  # the most distinctive terms of a page
_TIME_UNITS = (
    (172_800, 86_400, "days"),
    (7_200, 3_600, "hours"),
    (180, 60, "minutes"),
    (0, 1, "seconds"),
)  # (from so many seconds on, seconds of the unit, unit)

_SOURCES = (index_status, score_of_page, links, site_files, controls, page_terms, reports.why.facts)

page_views = Blueprint("page", __name__)


@page_views.get("/why")
def why() -> Response:
    """Show everything known about `url`; with `q`, also its score for that query. 404: it was never discovered."""
    url = read_url()
    question = read_search_request(request.args)
    if not url:
        return make_response(render_template("why/form.html"))
    if foreign := served_crawl().foreign_page(url, question.query):
        return _foreign_response(foreign)
    facts = served_crawl().facts(url, question.query, question.narrowing)
    status = 200 if facts.found.discovered else 404
    if request.args.get("format") == "json":
        advice = with_folder_option(facts.found.advice)
        return make_response(jsonify(facts.as_dict() | {"advice": advice}), status)
    *rows, _ = why_rows(facts.found)  # the last one is the advice, which the page shows apart
    hit = facts.place.hit
    page = render_template(
        "why/page.html",
        facts=facts,
        found=facts.found,
        place=facts.place,
        rows=rows,
        words=facts.words[:TERMS_SHOWN],
        question=replace(question, query=facts.place.query),
        asked=question.query,
        score=hit.explain() if hit else None,
        score_plot=score_plot(hit.explain()) if hit else None,
        history_plot=history_plot(facts.history),
        sections=sections(facts, asked=bool(question.query)),
        hops=HOPS,
        sources=source_files_of(*_SOURCES),
        trap_rules=TRAP_RULES,
        factors=FACTORS,
        parts_in_words=parts_in_words,
    )
    return make_response(page, status)


def _foreign_response(page: ForeignPage) -> Response:
    status = 200 if page.is_known else 404
    if request.args.get("format") == "json":
        return make_response(jsonify(page.as_dict()), status)
    score = page.hit.explain() if page.hit else None
    shown = render_template("why/foreign.html", page=page, score=score, parts_in_words=parts_in_words)
    return make_response(shown, status)


@page_views.get("/why/diff")
def two_pages() -> Response:
    """Show the words in which the pages `url` and `with` differ. 404: one is not stored, or hidden."""
    first, second = read_url(), read_url("with")
    if not (first and second):
        raise InvalidParameter("url and with are the URLs of two pages: /why/diff?url=https://a.example/&with=…")
    found = page_difference(served_crawl().parts(), first, second)
    status = 200 if found.difference is not None else 404
    if request.args.get("format") == "json":
        return make_response(jsonify(found.as_dict()), status)
    return make_response(render_template("why/diff.html", comparison=found), status)


def read_url(name: str = "url") -> str:
    """Return the URL parameter of the request. Raises InvalidParameter; a program must send it."""
    url = read_text(request.args, name)
    if not url and request.args.get("format") == "json":
        raise InvalidParameter(f"{name} is missing: add the whole URL of a page, as in /why?url=https://example.org/")
    return url


def sections(facts: UrlFacts, *, asked: bool) -> dict[str, str]:
    """Return the titles of the sections by anchor, without sections that would be empty."""
    found, place = facts.found, facts.place
    present = {
        "steps": bool(facts.answer.steps),
        "score": place.hit is not None or asked,
        "found": found.canonical is not None,
        "robots": found.robots is not None,
        "history": bool(facts.history),
        "controls": found.page is not None,
        "similar": found.cluster is not None or bool(found.duplicate_of) or bool(found.page and found.page.fingerprint),
        "words": bool(facts.words),
        "links": found.discovered or bool(facts.inlinks.nofollow),
        "decided": True,
    }
    names = {
        "steps": "Step by step",
        "score": "Score",
        "found": "How it was found",
        "robots": "robots.txt",
        "history": "Fetches",
        "controls": "Directives for robots",
        "similar": "Copies and near copies",
        "words": "Distinctive terms",
        "links": "Links to it",
        "decided": "All decisions",
    }
    return {anchor: names[anchor] for anchor, is_present in present.items() if is_present}


def score_plot(score: Score) -> Plot:
    """Draw the parts of a score, the greatest first."""
    bars = [(f"{part.term}, {part.field_in_words}", part.value) for part in [*score.words, *score.others]]
    bars += [(f"{part.term} (penalty)", part.value) for part in score.demotions]
    return bar_plot(
        sorted(bars, key=lambda bar: -bar[1]),
        title=f"Parts of the score {score.total:.4f}",
        name="part",
        unit="of the score",
        nothing="The score is 0: no term was ranked.",
    )


def history_plot(history: Sequence[PastFetch]) -> Plot | None:
    """Draw the bytes of each fetch over time, and mark statuses other than 200; None for a single fetch."""
    if len(history) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    first, span = history[0].at, history[-1].at - history[0].at
    unit, name = next((unit, name) for least, unit, name in _TIME_UNITS if span >= least)
    other: dict[str, Any] = {
        f"{'no response' if fetch.status is None else fetch.status}": (fetch.at - first) / unit
        for fetch in reversed(history)
        if fetch.status != 200  # noqa: PLR2004 - OK
    }
    points = [((fetch.at - first) / unit, float(fetch.size)) for fetch in history]
    title = "Size of each response"
    return line_plot({"bytes": points}, title=title, x=f"{name} since the first fetch", y="bytes", marks=other)
