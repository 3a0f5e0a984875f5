"""What is known of one page? `/why` answers in a sentence, and then tells everything that was decided about a URL.

What it says is put together by `reports/why/facts.py`, for the terminal and for programs as well; here it gets a page
with sections that can be linked to. `/why/diff` lays two pages side by side (`reports/why/differences.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, make_response, render_template, request

import reports.why.facts
from crawldb.tables import paths
from gateway.inside.source_files import source_files_of
from gateway.plots import Plot, bar_plot, line_plot
from gateway.search_request import InvalidParameter, read_search_request
from gateway.served_crawl import served_crawl
from gateway.template_filters import with_folder_option
from indexer.ranking import score as score_of_page
from indexer.ranking.score import FACTORS, parts_in_words
from indexer.retrieval import page_terms
from reports.why import controls, index_status, site_files, why_rows
from reports.why.facts import HOPS
from urls.canonical import MAX_URL
from urls.traps import TRAP_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.ranking.score import Score
    from reports.why import UrlFacts
    from reports.why.facts import PastFetch
    from reports.why.whoosh_page import WhooshPage


WORDS_SHOWN = 16  # of a page, those that tell it from others
_TIME_UNITS = (
    (172_800, 86_400, "days"),
    (7_200, 3_600, "hours"),
    (180, 60, "minutes"),
    (0, 1, "seconds"),
)  # from so many seconds on

_SOURCES = (index_status, score_of_page, paths, site_files, controls, page_terms, reports.why.facts)

page_views = Blueprint("page", __name__)


@page_views.get("/why")
def why() -> Response:
    """Tell everything known about `url`; with `q`, also its score for that query. 404: it was never discovered."""
    url = asked_url()
    question = read_search_request(request.args)
    if not url:
        return make_response(render_template("why/form.html"))
    if in_whoosh := served_crawl().whoosh_page(url, question.query):
        return _whoosh_answer(in_whoosh)
    facts = served_crawl().facts(url, question.query, question.narrowing)
    status = 200 if facts.found.discovered else 404
    if request.args.get("format") == "json":
        advice = with_folder_option(facts.found.advice)
        return make_response(jsonify(facts.as_dict() | {"advice": advice}), status)
    *rows, _ = why_rows(facts.found)  # the last one is the advice, which stands by itself
    hit = facts.place.hit
    page = render_template(
        "why/page.html",
        facts=facts,
        found=facts.found,
        place=facts.place,
        rows=rows,
        words=facts.words[:WORDS_SHOWN],
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


def _whoosh_answer(page: WhooshPage) -> Response:
    status = 200 if page.fields is not None else 404
    if request.args.get("format") == "json":
        return make_response(jsonify(page.as_dict()), status)
    score = page.hit.explain() if page.hit else None
    shown = render_template("why/whoosh.html", page=page, score=score, parts_in_words=parts_in_words)
    return make_response(shown, status)


@page_views.get("/why/diff")
def two_pages() -> Response:
    """Show in which words the pages `url` and `with` differ. 404: one of them is not stored, or may not be shown."""
    first, second = asked_url(), asked_url("with")
    if not (first and second):
        raise InvalidParameter("url and with are the addresses of two pages: /why/diff?url=https://a.example/&with=…")
    found = served_crawl().page_difference(first, second)
    status = 200 if found.difference is not None else 404
    if request.args.get("format") == "json":
        return make_response(jsonify(found.as_dict()), status)
    return make_response(render_template("why/diff.html", told=found), status)


def asked_url(name: str = "url") -> str:
    """Return the URL that a request is about. Raises InvalidParameter where it is too long to be one."""
    url = request.args.get(name, "").strip()
    if len(url) > MAX_URL:
        raise InvalidParameter(f"{name} has {len(url)} characters, and no address longer than {MAX_URL} is known here")
    if not url and request.args.get("format") == "json":
        raise InvalidParameter(
            f"{name} is missing: give the whole address of a page, as in /why?url=https://example.org/"
        )
    return url


def sections(facts: UrlFacts, *, asked: bool) -> dict[str, str]:
    """Return the sections that a page has, by their anchors: what nothing is known of has none."""
    found, place = facts.found, facts.place
    there = {
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
        "score": "Its score",
        "found": "How it was found",
        "robots": "What robots.txt says",
        "history": "When it was fetched",
        "controls": "What the page asks",
        "similar": "Pages that say the same",
        "words": "Its words",
        "links": "Who links to it",
        "decided": "All that was decided",
    }
    return {anchor: names[anchor] for anchor, is_there in there.items() if is_there}


def score_plot(score: Score) -> Plot:
    """Return the parts of a score as bars, the greatest first."""
    bars = [(f"{part.term}, {part.field_in_words}", part.value) for part in [*score.words, *score.others]]
    bars += [(f"{part.term} takes", part.value) for part in score.demotions]
    return bar_plot(
        sorted(bars, key=lambda bar: -bar[1]),
        title=f"What its score of {score.total:.4f} is made of",
        name="part",
        unit="of the score",
        nothing="No word was ranked: the score is 0.",
    )


def history_plot(history: Sequence[PastFetch]) -> Plot | None:
    """Return the bytes that came over the time, with the answers that brought no page; None: there is one visit."""
    if len(history) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    first, span = history[0].at, history[-1].at - history[0].at
    unit, name = next((unit, name) for least, unit, name in _TIME_UNITS if span >= least)
    other: dict[str, Any] = {
        f"{'no answer' if fetch.status is None else fetch.status}": (fetch.at - first) / unit
        for fetch in reversed(history)
        if fetch.status != 200  # noqa: PLR2004 - OK
    }
    points = [((fetch.at - first) / unit, float(fetch.size)) for fetch in history]
    title = "What came at each visit"
    return line_plot({"bytes": points}, title=title, x=f"{name} since the first", y="bytes of the answer", marks=other)
