"""Which robots.txt files match? `/search?in=robots&q=agent:GPTBot+disallow:/`: the other tab of the search page.

- `q`, `page`, `n`: as for pages. The syntax of `q` is in extensions/robots_files/index/query.py.
- `all`: with 1, older versions of a file match too.

`/api/robots` takes the same parameters, for programs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, render_template, request

from crawldb.tables.robots_files import history_mark
from extension_points import ApiDescription
from extensions.robots_files import HOW_FILES_COME
from extensions.robots_files.index.collection import RobotsCollection
from extensions.robots_files.index.results import RobotsScorePart
from gateway.json_schemas import (
    COUNT,
    NUMBER,
    TEXT,
    TEXTS,
    TRUTH,
    object_schema,
    parameter,
    part_schema,
    query_parameters,
    ref,
    responses,
)
from gateway.search_page import redirect_without_empty_fields
from gateway.search_request import DEFAULT_RESULTS, MAX_PAGE, InvalidParameter, paging, read_search_request
from gateway.served_crawl import served_crawl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.typing import ResponseReturnValue

    from extensions.robots_files.index.results import RobotsResults
    from gateway.json_schemas import Schema

robots_search_views = Blueprint("robots_search", __name__, template_folder="templates")
ROBOTS = "robots"  # the value of `in`
EXAMPLES = (
    ("agent:GPTBot disallow:/", "GPTBot shut out: a group that names it, with this rule"),
    ("agent:* disallow:/", "everybody shut out who is not named"),
    ("disallow:/wp*", "rules whose path begins so"),
    ('disallow:"/*.pdf$"', "in quotes a star is a star"),
    ("crawl-delay:>10", "more than ten seconds asked between two visits; also 5..20"),
    ("sitemap:* -agent:*", "a sitemap, and no group for everybody"),
    ("lint:misspelt", "what a lint finds"),
    ("comment:seo", "words of a comment; without a key, of any line"),
    ("site:bakery.example", "the files of a site"),
    ("date:2026-11", "seen in that month, older versions too; also before: and after:"),
    ("size:>=100000", "bytes"),
    ("agent:Googlebot OR agent:Bingbot", "either; a minus before anything: without it"),
)


@dataclass(frozen=True, slots=True)
class RobotsSearch:
    """A person's search for robots.txt files. An empty `query` is the empty form."""

    query: str = ""
    page: int = 1
    page_size: int = DEFAULT_RESULTS
    all_versions: bool = False

    @property
    def example(self) -> str:
        """The placeholder of the empty box."""
        return EXAMPLES[0][0]

    @property
    def kept(self) -> tuple[tuple[str, str | int], ...]:
        """The fields that a form keeps next to its words."""
        return replace(self, query="", page=1)._fields()

    def parameters(self, **changed: str | int | bool) -> str:
        """Return the search as the query of a URL, with some fields changed."""
        return urlencode(replace(self, **changed)._fields())  # type: ignore[arg-type]  # of several types

    def _fields(self) -> tuple[tuple[str, str | int], ...]:
        given: dict[str, str | int] = {
            "in": ROBOTS,
            "q": self.query,
            "page": self.page if self.page > 1 else 0,
            "n": self.page_size if self.page_size != DEFAULT_RESULTS else 0,
            "all": int(self.all_versions),
        }
        return tuple((name, value) for name, value in given.items() if value)


def read_robots_parameters(parameters: Mapping[str, str]) -> RobotsSearch:
    """Read the parameters of a request. Raises InvalidParameter."""
    read = read_search_request({name: parameters.get(name, "") for name in ("q", "page", "n")})
    older = parameters.get("all", "").strip() not in {"", "0"}
    return RobotsSearch(read.query, read.page, read.page_size, older)


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The matching files, the number of versions, and the unreadable parts of the crawl with the reasons."""

    found: RobotsResults
    versions: int
    faults: Mapping[str, str]


def found_files(question: RobotsSearch) -> FoundFiles:
    """Search the files, with an updated index."""
    crawl = served_crawl()
    _, faults = crawl.parts().ask(history_mark)
    with RobotsCollection.open(crawl.data_dir, tuple(crawl.parts().readable())) as collection:
        found = collection.search(
            question.query,
            page=question.page,
            limit=question.page_size,
            all_versions=question.all_versions,
        )
        return FoundFiles(found, len(collection), faults)


def robots_search(parameters: Mapping[str, str]) -> ResponseReturnValue:
    """Show the matching files, or the form with examples of queries."""
    question = read_robots_parameters(parameters)
    if to := redirect_without_empty_fields(question):
        return to
    answer = found_files(question)
    return render_template(
        "robots_search.html",
        question=question,
        found=answer.found if question.query else None,
        versions=answer.versions,
        faults=answer.faults,
        examples=EXAMPLES,
        how_files_come=HOW_FILES_COME,
        paging=paging(answer.found.total, question.page_size, question.page, MAX_PAGE),
    )


@robots_search_views.get("/api/robots")
def api_robots() -> Response:
    """Return the matching robots.txt files for a program."""
    question = read_robots_parameters(request.args)
    if not question.query:
        raise InvalidParameter("q is missing: say what to look for, as in /api/robots?q=agent:GPTBot+disallow:/")
    return jsonify(found_files(question).found.as_dict())


def api_description() -> ApiDescription:
    """Describe `/api/robots`."""
    return ApiDescription({"/api/robots": {"get": _robots()}}, _robots_schemas())


def _robots() -> Schema:
    return {
        "operationId": "robots",
        "summary": "Which robots.txt files match a query?",
        "parameters": [
            *query_parameters("Conditions, as in agent:GPTBot disallow:/"),
            parameter("all", "1: older versions of a file answer too.", {"enum": [0, 1]}),
        ],
        "responses": responses(ref("RobotsResults")),
    }


def _robots_schemas() -> Schema:
    counted = object_schema({"condition": TEXT, "files": COUNT})
    near = object_schema({"asked": TEXT, "known": {"type": "object", "additionalProperties": COUNT}})
    part = part_schema(RobotsScorePart)
    part["properties"] |= {"idf": NUMBER, "saturation": NUMBER, "value": NUMBER}
    line = object_schema({"number": COUNT, "text": TEXT, "conditions": TEXTS})
    return {
        "RobotsResults": object_schema(
            {
                "query": TEXT,
                "understood": TEXT,
                "total": COUNT,
                "took_ms": NUMBER,
                "searched": COUNT | {"description": "Versions that could answer."},
                "all_versions": TRUTH,
                "page": COUNT,
                "unread": TEXTS | {"description": "Parts that are not searched as typed, and why."},
                "alone": {"type": "array", "items": counted, "description": "Files by one condition: of no result."},
                "near": {"type": "array", "items": near, "description": "Robots of a similar name: of no result."},
                "hits": {"type": "array", "items": ref("RobotsHit")},
            }
        ),
        "RobotsHit": object_schema(
            {
                "rank": COUNT,
                "address": TEXT,
                "origin": TEXT,
                "name": TEXT,
                "site": TEXT,
                "imported": TRUTH,
                "collection": TEXT,
                "first_seen": TEXT | {"format": "date-time"},
                "last_seen": TEXT | {"format": "date-time"},
                "newest": TRUTH,
                "status": {"type": ["integer", "null"]},
                "size": COUNT | {"description": "Octets."},
                "lines_in_file": COUNT,
                "part": TEXT,
                "version": COUNT,
                "score": NUMBER,
                "explain": {"type": "array", "items": part},
                "lines": {"type": "array", "items": line, "description": "Those that decide."},
                "more_lines": COUNT,
            }
        ),
    }
