"""Which pages answer these words? The form, and its results as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request

from gateway.searching.question import MAX_ASKED_PAGE, paging, read_question, timed_search
from gateway.searching.refining import choices, ways_out
from gateway.searching.robots_search import is_for_robots, read_robots_parameters, robots_search
from gateway.served_crawl import served_crawl
from indexer.question.deadline import Deadline

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as Redirection

    from gateway.searching.question import Question
    from gateway.searching.robots_search import RobotsQuestion

search_views = Blueprint("search", __name__)


@search_views.get("/")
def start() -> Redirection:
    """Lead to the form."""
    return redirect("/search", 302)


@search_views.route("/search", methods=["GET", "POST"])
def search() -> str | Redirection:
    """Answer the form, by GET or by POST; without words, show it. Fields that were left empty are taken off its URL."""
    if is_for_robots(request.values):
        robots_question = read_robots_parameters(request.values)
        return _without_empty_fields(robots_question) or robots_search(robots_question)
    question = read_question(request.values)
    if to := _without_empty_fields(question):
        return to
    crawl = served_crawl()
    searcher = crawl.searcher
    shown = {"question": question, "as_of": searcher.as_of, "documents": searcher.documents}
    shown |= {"engine": searcher.not_done}
    if question.is_empty:
        return render_template("search.html", results=None, parts=searcher.parts, **shown)
    deadline = Deadline(crawl.settings.search_timeout)
    results, seconds = timed_search(searcher, question, deadline)
    shown |= {
        "paging": paging(results.total, question.results_a_page, question.page, MAX_ASKED_PAGE),
        "facets": choices(results.facets, question),
        "ways": () if results.total else ways_out(searcher, question, results, deadline),
    }
    return render_template("search.html", results=results, seconds=seconds, parts=results.parts, **shown)


def _without_empty_fields(question: Question | RobotsQuestion) -> Redirection | None:
    """Lead a form that was sent with empty fields to the address without them."""
    if all(request.args.values()):
        return None
    return redirect(f"/search?{question.parameters()}".rstrip("?"), 302)
