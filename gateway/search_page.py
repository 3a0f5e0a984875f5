"""Which pages match a query? The search form, and its results as a page with filters.

Every filter and every wider search that is offered has its number of results, which was counted and not estimated. One
without results is not offered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request

from extension_points import call_extensions
from gateway.search_request import MAX_PAGE, InvalidParameter, paging, read_search_request, timed_search
from gateway.served_crawl import served_crawl
from indexer.query.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Protocol

    from flask.typing import ResponseReturnValue
    from werkzeug.wrappers import Response as Redirection

    from extension_points import SearchableCollection
    from gateway.search_request import SearchRequest
    from indexer.retrieval.facets import Facet
    from indexer.retrieval.results import Results
    from indexer.retrieval.searcher import Searcher

    class HasParameters(Protocol):
        """A search request that can be the query string of a URL."""

        def parameters(self) -> str:
            """Return the query string."""


search_views = Blueprint("search", __name__)
PAGES = "pages"  # the value of `in`
LATE = "wider searches"  # the name of what the deadline may leave out
_NAMES = {"site": "the site", "language": "the language", "file_type": "the file type", "year": "the year"}


@dataclass(frozen=True, slots=True)
class WiderSearch:
    """Another search that has results; `parameters` is the query string of its URL."""

    label: str
    parameters: str
    total: int


def choices(facets: Iterable[Facet], question: SearchRequest) -> list[Facet]:
    """Return the facets with a choice, without the filters that are set."""
    return [each for each in facets if len(each.values) + each.others > 1 and each.name not in question.narrowed]


def wider_searches(
    searcher: Searcher, question: SearchRequest, results: Results, deadline: Deadline
) -> list[WiderSearch]:
    """Return wider searches for one without results: without a filter, or only with the words that pages have."""
    found = []
    for label, wider in _wider(question, results):
        if wider.is_empty or deadline.passed(LATE):
            continue
        results_of_wider = searcher.search(wider.query, 1, exact=wider.exact, deadline=deadline, **wider.narrowing)
        if results_of_wider.total:
            found.append(WiderSearch(label, wider.parameters(), results_of_wider.total))
    return found


def _wider(question: SearchRequest, results: Results) -> Iterator[tuple[str, SearchRequest]]:
    asked = replace(question, page=1, similar="")
    for name in question.narrowed:
        yield f"Without {_NAMES[name]}:", replace(asked, **{name: 0 if name == "year" else ""})  # type: ignore[arg-type]  # of several types
    if len(question.narrowed) > 1:
        yield "Without any filter:", replace(asked, site="", language="", file_type="", year=0)
    words = " ".join(results.word_pages)
    if results.understood and words:
        yield f"Only the words “{words}”:", replace(asked, query=words)


@search_views.get("/")
def start() -> Redirection:
    """Redirect to the form, or to the results if a link has a query."""
    query = request.query_string.decode(errors="replace")
    return redirect(f"/search?{query}" if query else "/search", 302)


@search_views.route("/search", methods=["GET", "POST"])
def search() -> ResponseReturnValue:
    """Show the results, or the empty form. A redirect removes empty fields from the URL."""
    if (collection := _collection(request.values)) is not None:
        return collection.show(request.values)
    question = read_search_request(request.values)
    if to := redirect_without_empty_fields(question):
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
        "paging": paging(results.total, question.page_size, question.page, MAX_PAGE),
        "facets": choices(results.facets, question),
        "wider": () if results.total else wider_searches(searcher, question, results, deadline),
    }
    return render_template("search.html", results=results, seconds=seconds, parts=results.parts, **shown)


def _collection(parameters: Mapping[str, str]) -> SearchableCollection | None:
    """Return the collection to search instead of pages. Raises InvalidParameter for an unknown one."""
    wanted = parameters.get("in", "").strip()
    if wanted in {"", PAGES}:
        return None
    collections: dict[str, SearchableCollection] = {
        each.name: each for each in call_extensions("searchable_collections")
    }
    if wanted not in collections:
        raise InvalidParameter(f"in={wanted[:20]!r} is no collection: give {' or '.join([PAGES, *collections])}")
    return collections[wanted]


def redirect_without_empty_fields(question: HasParameters) -> Redirection | None:
    """Redirect a form with empty fields to the URL without them."""
    if all(request.args.values()):
        return None
    return redirect(f"/search?{question.parameters()}".rstrip("?"), 302)
