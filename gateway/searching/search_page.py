"""Which pages answer these words? The form, and its results as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request

from extension_points import called
from gateway.searching.question import MAX_ASKED_PAGE, BadQuestion, paging, read_question, timed_search
from gateway.searching.refining import choices, ways_out
from gateway.served_crawl import served_crawl
from indexer.query.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from flask.typing import ResponseReturnValue
    from werkzeug.wrappers import Response as Redirection

    from extension_points import SearchableCollection

    class HasParameters(Protocol):
        """A question that can be written as the query of a URL."""

        def parameters(self) -> str:
            """Return the query of the URL."""


PAGES = "pages"  # the value of `in`
search_views = Blueprint("search", __name__)


@search_views.get("/")
def start() -> Redirection:
    """Lead to the form."""
    return redirect("/search", 302)


@search_views.route("/search", methods=["GET", "POST"])
def search() -> ResponseReturnValue:
    """Answer the form, by GET or by POST; without words, show it. Fields that were left empty are taken off its URL."""
    if (collection := _collection(request.values)) is not None:
        return collection.show(request.values)
    question = read_question(request.values)
    if to := without_empty_fields(question):
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


def _collection(parameters: Mapping[str, str]) -> SearchableCollection | None:
    """Return what is searched instead of pages. Raises BadQuestion for what is not there."""
    wanted = parameters.get("in", "").strip()
    if wanted in {"", PAGES}:
        return None
    collections: dict[str, SearchableCollection] = {each.name: each for each in called("searchable_collections")}
    if wanted not in collections:
        raise BadQuestion(f"in={wanted[:20]!r} can't be searched in: give {' or '.join([PAGES, *collections])}")
    return collections[wanted]


def without_empty_fields(question: HasParameters) -> Redirection | None:
    """Lead a form that was sent with empty fields to the address without them."""
    if all(request.args.values()):
        return None
    return redirect(f"/search?{question.parameters()}".rstrip("?"), 302)
