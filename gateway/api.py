"""What can a program ask, and what does it get? A description that it can read itself (OpenAPI 3.1).

The bounds are those of the code, and the parts of a score are described from the classes that they are.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, render_template, request

from extension_points import call_extensions
from gateway.plots import permitted
from gateway.search_request import (
    DEFAULT_RESULTS,
    MAX_PAGE,
    MAX_QUERY,
    MAX_RESULTS,
    InvalidParameter,
    read_search_request,
    timed_search,
)
from gateway.served_crawl import served_crawl
from gateway.template_filters import public_error, rfc3339
from indexer.query.deadline import Deadline
from indexer.query.syntax import YEARS
from indexer.ranking.demotion import Demotion
from indexer.ranking.score import PriorPart, ProximityPart, ScorePart
from indexer.retrieval.results import results_as_dict
from indexer.spelling.suggester import MAX_CHARS, MAX_SUGGESTIONS

if TYPE_CHECKING:
    from extension_points import ApiDescription, SearchSchema


Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TRUTH: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
_TYPES = {"str": TEXT, "float": NUMBER, "int": {"type": "integer"}, "bool": TRUTH}
_TIME = {"type": ["number", "null"], "description": "Seconds since the epoch; null: not known."}


def description(server: str, product: str) -> Schema:
    """Return the document, for the gateway at `server`."""
    added: list[ApiDescription] = call_extensions("api_descriptions")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"Search with {product}",
            "version": "1",
            "description": "Reads only, asks for no account, and answers as fast as one may ask; 503 with Retry-After "
            "where too many ask at once.",
        },
        "servers": [{"url": server}],
        "paths": {
            "/api/search": {"get": _search()},
            "/api/suggest": {"get": _suggest()},
            **{path: told for each in added for path, told in each.paths.items()},
        },
        "components": {"schemas": _schemas() | {name: told for each in added for name, told in each.schemas.items()}},
    }


def _search() -> Schema:
    return {
        "operationId": "search",
        "summary": "Which pages answer a question?",
        "parameters": [
            *question_parameters("Words and operators, as in the search box."),
            parameter("site", "Only this site: its host, with its port.", TEXT),
            parameter("lang", "Only this language.", TEXT | {"pattern": "^[A-Za-z]{2,3}$"}),
            parameter("type", "Only this type of files: pdf.", TEXT | {"pattern": r"^\.?[A-Za-z0-9]{1,8}$"}),
            parameter(
                "year",
                "Only pages published, else changed, else fetched in this year.",
                {"type": "integer", "minimum": YEARS.start, "maximum": YEARS.stop - 1},
            ),
            parameter("exact", "1: words are searched for as they were typed.", {"enum": [0, 1]}),
            parameter("similar", "The address of a result: only pages that say nearly the same.", TEXT),
        ],
        "responses": responses("application/json", {"$ref": "#/components/schemas/Results"}),
    }


def question_parameters(told: str) -> list[Schema]:
    """Return the parameters of a search; `told` says what a query is."""
    number = {"type": "integer", "minimum": 1}
    at_most = f"Results a page; more than {MAX_RESULTS} count as so many."
    return [
        parameter("q", told, TEXT | {"maxLength": MAX_QUERY}),
        parameter("page", "Page of results.", number | {"maximum": MAX_PAGE, "default": 1}),
        parameter("n", at_most, number | {"default": DEFAULT_RESULTS}),
    ]


def _suggest() -> Schema:
    told = {
        "type": "array",
        "description": "What was typed, and whole questions, the likeliest first (OpenSearch Suggestions 1.1).",
        "prefixItems": [TEXT, TEXTS | {"maxItems": MAX_SUGGESTIONS}],
        "minItems": 2,
        "items": False,
    }
    asked = parameter("q", f"What was typed; {MAX_CHARS} characters of it are read.", TEXT)
    return {
        "operationId": "suggest",
        "summary": "How may a question go on that is being typed?",
        "parameters": [asked],
        "responses": responses("application/x-suggestions+json", told),
    }


def parameter(name: str, told: str, schema: Schema) -> Schema:
    """Return what a parameter is."""
    return {"name": name, "in": "query", "description": told, "schema": schema}


def responses(media_type: str, schema: Schema) -> Schema:
    """Return what comes back: what the schema says, or an error."""
    refused = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "200": {"description": "The answer.", "content": {media_type: {"schema": schema}}},
        "400": {"description": "A parameter can't be meant: which, and what would work.", "content": refused},
        "503": {"description": "Nothing is indexed yet, or it can't be read.", "content": refused},
    }


def _schemas() -> Schema:
    added: list[SearchSchema] = call_extensions("search_schemas")
    parts = [ScorePart, ProximityPart, PriorPart, *(part for each in added for part in each.parts), Demotion]
    return {
        "Results": object_schema(
            {
                "query": TEXT,
                "total": COUNT | {"description": "Results, as far as is known."},
                "folded": COUNT | {"description": "Pages that say nearly the same as a result, and stand under it."},
                "took_ms": NUMBER,
                "generation": COUNT | {"description": "Of the index; it grows with each commit."},
                "hits": {"type": "array", "items": {"$ref": "#/components/schemas/Hit"}},
            },
            understood=TEXT | {"description": "What more than plain words was read in the question."},
            spelling={"$ref": "#/components/schemas/Spelling"},
            left_out=TEXTS | {"description": "What was not looked for, or there was no time for."},
            parts={"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
            **{name: schema for each in added for name, schema in each.results.items()},
        ),
        "Hit": object_schema(
            {
                "url": TEXT | {"format": "uri"},
                "title": TEXT,
                "snippet": TEXT,
                "score": NUMBER,
                "lang": TEXT,
                "fetched_at": _TIME,
                "published": _TIME,
                "modified": _TIME,
                "similar": COUNT,
                "not_fetched": TEXT_OR_NULL | {"description": "Why it never was: known by links alone."},
                "inlinks": COUNT,
                "explain": {"$ref": "#/components/schemas/Score"},
            },
            added_fields={
                "type": "object",
                "additionalProperties": TEXTS,
                "description": "Fields of extensions: the label of each, with the values of the page.",
            },
            lacks=TEXTS | {"description": "Phrases that it does not have."},
            copies=TEXTS | {"description": "Of a divided crawl: pages of other parts that say the same."},
            **{name: schema for each in added for name, schema in each.hit.items()},
        ),
        "Score": object_schema(
            {"total": NUMBER, "parts": {"type": "array", "items": {"anyOf": list(map(part_schema, parts))}}}
        )
        | {"description": "The values of the parts add up to the total, to the last digit."},
        "Spelling": object_schema(
            {
                "question": TEXT,
                "changes": {"type": "array", "items": object_schema({"typed": TEXT, "meant": TEXT})},
                "applied": TRUTH | {"description": "The results are those of this question."},
            }
        ),
        "Part": object_schema(
            {"part": TEXT, "generation": COUNT, "as_of": NUMBER, "documents": COUNT, "fault": TEXT_OR_NULL}
        ),
        "Error": object_schema({"error": TEXT}),
    }


def part_schema(kind: type) -> Schema:
    """Return what a part of a score is."""
    return object_schema({one.name: _TYPES[str(one.type)] for one in fields(kind)}) | {"title": kind.__name__}


def object_schema(always: Schema, **sometimes: Schema) -> Schema:
    """Return what an object is, by keys that it always has and others."""
    return {
        "type": "object",
        "properties": always | sometimes,
        "required": list(always),
        "additionalProperties": False,
    }


MAX_RFC3339 = 253_402_300_799  # seconds since the epoch: the end of the year 9999, after which it has no date
program_views = Blueprint("programs", __name__)


@program_views.get("/api/search")
def api_search() -> Response:
    """Answer a program."""
    question = read_search_request(request.args)
    if question.is_empty:
        raise InvalidParameter("q is missing: give words to search for, as in /api/search?q=rye+bread")
    crawl = served_crawl()
    results, seconds = timed_search(crawl.searcher, question, Deadline(crawl.settings.search_timeout))
    return jsonify(results_as_dict(results, seconds, public_error))


@program_views.get("/api/suggest")
def suggest() -> Response:
    """Tell the search box, or a browser, how a question may go on that is being typed (OpenSearch Suggestions 1.1)."""
    typed = request.args.get("q", "")
    told = jsonify([typed, list(served_crawl().searcher.complete(typed))])
    told.mimetype = "application/x-suggestions+json"
    return told


@program_views.get("/api/openapi.json")
def openapi() -> Response:
    """Describe what programs can ask (OpenAPI 3.1)."""
    return jsonify(description(request.url_root.rstrip("/"), served_crawl().settings.product))


@program_views.get("/search.atom")
def feed() -> Response:
    """Tell a feed reader which pages answer: what is new among them is news."""
    question = read_search_request(request.args)
    if question.is_empty:
        raise InvalidParameter("q is missing: give words to search for, as in /search.atom?q=rye+bread")
    crawl = served_crawl()
    results, _ = timed_search(crawl.searcher, question, Deadline(crawl.settings.search_timeout))
    dates = [_rfc3339(hit.modified or hit.published or hit.fetched_at or results.as_of) for hit in results.hits]
    page = render_template(
        "feed.xml",
        root=request.url_root,
        question=question,
        results=results,
        dates=dates,
        xml=permitted,
        rfc3339=_rfc3339,
    )
    return Response(page, mimetype="application/atom+xml")


@program_views.get("/opensearch.xml")
def opensearch() -> Response:
    """Describe the form to a browser that can add a search engine (OpenSearch 1.1)."""
    return Response(
        render_template("opensearch.xml", root=request.url_root), mimetype="application/opensearchdescription+xml"
    )


def _rfc3339(seconds: float) -> str:
    """Return a time as Atom has it; a date before 1970 or after 9999, which a page may claim, is cut to these."""
    return rfc3339(min(max(0.0, seconds), MAX_RFC3339))
