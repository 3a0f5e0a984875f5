"""How can a question be made narrower, or wider? By facets that tell results apart, and by ways out of finding nothing.

Every offer tells how many results it has, counted and not guessed; one without any is not made.
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
    from collections.abc import Iterable, Iterator

    from gateway.search_request import SearchRequest
    from indexer.retrieval.facets import Facet
    from indexer.retrieval.results import Results
    from indexer.retrieval.searcher import Searcher


LATE = "wider questions"  # what there may be no time for
_NAMES = {"site": "the site", "language": "the language", "file_type": "the file type", "year": "the year"}


@dataclass(frozen=True, slots=True)
class WiderSearch:
    """Another question that has results; `parameters` is the query of its URL."""

    told: str
    parameters: str
    total: int


def choices(facets: Iterable[Facet], question: SearchRequest) -> list[Facet]:
    """Return the facets that leave something to choose, without those that the question is narrowed by."""
    return [each for each in facets if len(each.values) + each.others > 1 and each.name not in question.narrowed]


def wider_searches(
    searcher: Searcher, question: SearchRequest, results: Results, deadline: Deadline
) -> list[WiderSearch]:
    """Return wider questions, of one that has no result: without what narrows it, and of its words alone."""
    found = []
    for told, wider in _wider(question, results):
        if wider.is_empty or deadline.passed(LATE):
            continue
        asked = searcher.search(wider.query, 1, exact=wider.exact, deadline=deadline, **wider.narrowing)
        if asked.total:
            found.append(WiderSearch(told, wider.parameters(), asked.total))
    return found


def _wider(question: SearchRequest, results: Results) -> Iterator[tuple[str, SearchRequest]]:
    asked = replace(question, page=1, similar="")
    for name in question.narrowed:
        yield f"Without {_NAMES[name]}:", replace(asked, **{name: 0 if name == "year" else ""})  # type: ignore[arg-type]  # of several types
    if len(question.narrowed) > 1:
        yield "Without all of these:", replace(asked, site="", language="", file_type="", year=0)
    words = " ".join(results.word_pages)
    if results.understood and words:
        yield f"Only the words “{words}”:", replace(asked, query=words)


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
        "ways": () if results.total else wider_searches(searcher, question, results, deadline),
    }
    return render_template("search.html", results=results, seconds=seconds, parts=results.parts, **shown)


def _collection(parameters: Mapping[str, str]) -> SearchableCollection | None:
    """Return what is searched instead of pages. Raises InvalidParameter for what is not there."""
    wanted = parameters.get("in", "").strip()
    if wanted in {"", PAGES}:
        return None
    collections: dict[str, SearchableCollection] = {
        each.name: each for each in call_extensions("searchable_collections")
    }
    if wanted not in collections:
        raise InvalidParameter(f"in={wanted[:20]!r} can't be searched in: give {' or '.join([PAGES, *collections])}")
    return collections[wanted]


def redirect_without_empty_fields(question: HasParameters) -> Redirection | None:
    """Lead a form that was sent with empty fields to the address without them."""
    if all(request.args.values()):
        return None
    return redirect(f"/search?{question.parameters()}".rstrip("?"), 302)
