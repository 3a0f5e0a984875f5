"""The programming interface: results as JSON and as an Atom feed (RFC 4287), and its own description (OpenAPI 3.1).

The description takes its bounds from the code, and the parts of a score from their classes.

Which pages can a program read, too? Those with `format=json`, and `/healthz`: what `/api/openapi.json` says of them.
The large objects are those of `why --json` and `report --json`; here are the keys that they always have.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, render_template, request

from extension_points import call_extensions
from frontier.submission import MAX_CONTACT, MAX_REASON
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
from indexer.ranking.score import PriorPart, ProximityPart, ScorePart, SectionPart
from indexer.retrieval.results import results_as_dict
from indexer.spelling.suggester import MAX_CHARS, MAX_SUGGESTIONS
from reports.numbers import Report
from urls.canonical import MAX_URL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extension_points import ApiDescription, SearchSchema


Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TRUTH: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
_URL: Schema = TEXT | {"maxLength": MAX_URL}
_AS_JSON: Schema = {"name": "format", "in": "query", "required": True, "schema": {"const": "json"}}
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
            "description": "Without an account or a fixed rate limit; 503 with Retry-After where there are too many "
            "requests at once. Operations that need the operator's token say so.",
        },
        "servers": [{"url": server}],
        "paths": {
            "/api/search": {"get": _search()},
            "/api/suggest": {"get": _suggest()},
            **_page_paths(),
            **{path: operation for each in added for path, operation in each.paths.items()},
        },
        "components": {
            "schemas": _schemas()
            | _page_schemas()
            | {name: schema for each in added for name, schema in each.schemas.items()},
            "securitySchemes": {name: scheme for each in added for name, scheme in each.security.items()},
        },
    }


def _search() -> Schema:
    return {
        "operationId": "search",
        "summary": "Search pages.",
        "parameters": [
            *query_parameters("Words and operators, as in the search box."),
            parameter("site", "Only this site: its host, with its port.", TEXT),
            parameter("lang", "Only this language.", TEXT | {"pattern": "^[A-Za-z]{2,3}$"}),
            parameter("type", "Only this file type, such as pdf.", TEXT | {"pattern": r"^\.?[A-Za-z0-9]{1,8}$"}),
            parameter(
                "year",
                "Only pages published (else changed, else fetched) in this year.",
                {"type": "integer", "minimum": YEARS.start, "maximum": YEARS.stop - 1},
            ),
            parameter("exact", "1: no spelling correction.", {"enum": [0, 1]}),
            parameter("similar", "The URL of a result: only its near copies.", TEXT),
        ],
        "responses": responses(ref("Results")),
    }


def query_parameters(description: str) -> list[Schema]:
    """Return the parameters of a search; `description` is that of the query."""
    number = {"type": "integer", "minimum": 1}
    at_most = f"Results a page; more than {MAX_RESULTS} count as {MAX_RESULTS}."
    return [
        parameter("q", description, TEXT | {"maxLength": MAX_QUERY}),
        parameter("page", "Page of results.", number | {"maximum": MAX_PAGE, "default": 1}),
        parameter("n", at_most, number | {"default": DEFAULT_RESULTS}),
    ]


def _suggest() -> Schema:
    suggestions = {
        "type": "array",
        "description": "The typed text, and completed queries, the most likely first (OpenSearch Suggestions 1.1).",
        "prefixItems": [TEXT, TEXTS | {"maxItems": MAX_SUGGESTIONS}],
        "minItems": 2,
        "items": False,
    }
    typed = parameter("q", f"The typed text, up to {MAX_CHARS} characters.", TEXT)
    return {
        "operationId": "suggest",
        "summary": "Complete a query.",
        "parameters": [typed],
        "responses": responses(suggestions, "application/x-suggestions+json"),
    }


def parameter(name: str, description: str, schema: Schema) -> Schema:
    """Return the description of a parameter."""
    return {"name": name, "in": "query", "description": description, "schema": schema}


def responses(schema: Schema, media_type: str = "application/json") -> Schema:
    """Return the description of the responses: 200 with the schema, or an error."""
    faults = {"400": _FAULTS["400"], "503": "There is no index yet, or it can't be read."}
    return {"200": {"description": "The results.", "content": content(schema, media_type)}} | errors(faults)


def errors(reasons: Mapping[str, str]) -> Schema:
    """Return the description of responses with an error, by status code."""
    return {code: {"description": reason, "content": content(ref("Error"))} for code, reason in reasons.items()}


def content(schema: Schema, media_type: str = "application/json") -> Schema:
    """Return the description of a body with this schema."""
    return {media_type: {"schema": schema}}


def ref(name: str) -> Schema:
    """Return a reference to a named schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas() -> Schema:
    added: list[SearchSchema] = call_extensions("search_schemas")
    by_extensions = (part for each in added for part in each.parts)
    parts = [ScorePart, ProximityPart, SectionPart, PriorPart, *by_extensions, Demotion]
    return {
        "Results": object_schema(
            {
                "query": TEXT,
                "total": COUNT | {"description": "Number of results, as far as known."},
                "folded": COUNT | {"description": "Near copies shown under a result."},
                "took_ms": NUMBER,
                "generation": COUNT | {"description": "Of the index; each commit increases it."},
                "hits": {"type": "array", "items": ref("Hit")},
            },
            understood=TEXT | {"description": "Operators in the query."},
            spelling=ref("Spelling"),
            left_out=TEXTS | {"description": "What was not searched, also for lack of time."},
            parts={"type": "array", "items": ref("Part")},
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
                "not_fetched": TEXT_OR_NULL
                | {"description": "Why the page was never fetched: it is known by links only."},
                "inlinks": COUNT,
                "explain": ref("Score"),
            },
            added_fields={
                "type": "object",
                "additionalProperties": TEXTS,
                "description": "Fields of extensions: the values by label.",
            },
            lacks=TEXTS | {"description": "Phrases that the page lacks."},
            leads_to=TEXT
            | {"format": "uri", "description": "Where the title leads: the section that answers, if not the page."},
            sections={
                "type": "array",
                "items": object_schema({"url": TEXT | {"format": "uri"}, "title": TEXT, "snippet": TEXT}),
                "description": "Sections of the page that answer the query, the best first.",
            },
            copies=TEXTS | {"description": "In a divided crawl: the same page in other parts."},
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
                "applied": TRUTH | {"description": "Whether the results are those of this query."},
            }
        ),
        "Part": object_schema(
            {"part": TEXT, "generation": COUNT, "as_of": NUMBER, "documents": COUNT, "fault": TEXT_OR_NULL}
        ),
        "Error": object_schema({"error": TEXT}),
    }


def part_schema(kind: type) -> Schema:
    """Return the schema of a part of a score."""
    return object_schema({one.name: _TYPES[str(one.type)] for one in fields(kind)}) | {"title": kind.__name__}


def object_schema(required: Schema, **optional: Schema) -> Schema:
    """Return the schema of an object with required and optional keys, and no others."""
    return open_object(required) | {"properties": required | optional, "additionalProperties": False}


def open_object(required: Schema) -> Schema:
    """Return the schema of an object with required keys, and maybe others."""
    return {"type": "object", "properties": required, "required": list(required)}


def _page_paths() -> Schema:
    """Return the paths."""
    url = parameter("url", "The whole URL of a page.", _URL) | {"required": True}
    other = parameter("with", "The whole URL of the other page.", _URL) | {"required": True}
    by_query = parameter("q", "Also its rank for this query.", TEXT | {"maxLength": MAX_QUERY})
    token, unknown = TEXT | {"description": "As in the form of the page."}, "The crawl does not know the URL."
    complaint = {"reason": TEXT | {"maxLength": MAX_REASON}, "contact": TEXT | {"maxLength": MAX_CONTACT}}
    return {
        "/why": json_view(
            "why", "Show everything known about a URL, as why --json.", [url, by_query], {"404": unknown}
        ),
        "/why/diff": json_view(
            "diff", "Compare the main texts of two pages.", [url, other], {"404": "One is not stored."}
        ),
        "/stats": json_view("stats", "Show the crawl in numbers, as report --json.", []),
        "/healthz": {"get": _health()},
        "/submit": _post("submit", "Submit a URL of a crawled site.", {"url": _URL, "token": token}, {}),
        "/bot": _post("proposeBlock", "Ask the operator to block a site.", {"site": _URL, "token": token}, complaint),
    }


def _page_schemas() -> Schema:
    """Return the schemas of what they return."""
    numbers = Report.__annotations__.keys() | {"happened", "needs_you"}
    result = open_object({"is_result": TRUTH, "sentence": TEXT})
    return {
        "Why": open_object({"canonical": TEXT_OR_NULL, "answer": result, "advice": TEXT}),
        "Diff": open_object(
            {"first": TEXT, "second": TEXT, "difference": {"type": ["object", "null"]}, "reason": TEXT}
        ),
        "Stats": open_object({"happened": TEXTS} | dict.fromkeys(sorted(numbers - {"happened"}), True)),
        "Submit": open_object(
            {"url": TEXT_OR_NULL, "accepted": TRUTH, "state": TEXT, "rule": TEXT_OR_NULL, "reason": TEXT}
        ),
        "ProposeBlock": open_object({"target": TEXT, "proposed": TRUTH, "reason": TEXT}),
        "Health": open_object({"ok": TRUTH})
        | {
            "properties": {
                "ok": TRUTH,
                "error": TEXT | {"description": "Why searches do not work."},
                "generation": COUNT,
                "documents": COUNT,
                "as_of": TEXT | {"format": "date-time"},
                "crawl": {"type": ["object", "null"], "description": "The newest run."},
                "disk": {"type": "object", "additionalProperties": COUNT},
                "alarms": TEXTS,
            }
        },
    }


def json_view(name: str, summary: str, parameters: list[Schema], rejections: dict[str, str] | None = None) -> Schema:
    """Return the description of a page that `format=json` returns as an object, and of statuses that also return it."""
    result = content(_result_of(name))
    also = {status: {"description": why, "content": result} for status, why in (rejections or {}).items()}
    done = {"200": {"description": "The object.", "content": result}}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "parameters": [*parameters, _AS_JSON],
            "responses": done | also | _faults("400", "503"),
        }
    }


def _health() -> Schema:
    meanings = {"200": "Searches work.", "503": "Searches do not work."}
    responses = {
        status: {"description": words, "content": content(ref("Health"))} for status, words in meanings.items()
    }
    return {"operationId": "health", "summary": "Show whether searches work.", "responses": responses}


def _post(name: str, summary: str, required: Schema, optional: Schema) -> Schema:
    form = open_object(required) | {"properties": required | optional}
    rejected = {"anyOf": [_result_of(name), ref("Error")]}
    responses = {
        "202": {"description": "Accepted.", "content": content(_result_of(name))},
        "422": {"description": "Rejected, and why.", "content": content(rejected)},
        **_faults("400", "403", "429", "503"),
    }
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "parameters": [_AS_JSON],
            "requestBody": {"required": True, "content": content(form, "application/x-www-form-urlencoded")},
            "responses": responses,
        }
    }


def _result_of(name: str) -> Schema:
    return ref(f"{name[0].upper()}{name[1:]}")


_FAULTS = {
    "400": "An invalid parameter, and what would work.",
    "403": "The form is off, or its token is not that of this gateway.",
    "429": "Too many; Retry-After has the seconds to wait.",
    "503": "There is no crawl or no index, or it can't be read.",
}


def _faults(*codes: str) -> Schema:
    return errors({code: _FAULTS[code] for code in codes})


MAX_RFC3339 = 253_402_300_799  # seconds since the epoch: the end of the year 9999, the last that RFC 3339 can write
program_views = Blueprint("programs", __name__)


@program_views.get("/api/search")
def api_search() -> Response:
    """Return the results as JSON."""
    question = read_search_request(request.args)
    if question.is_empty:
        raise InvalidParameter("q is missing: add words, as in /api/search?q=rye+bread")
    crawl = served_crawl()
    results, seconds = timed_search(crawl.searcher, question, Deadline(crawl.settings.search_timeout))
    return jsonify(results_as_dict(results, seconds, public_error))


@program_views.get("/api/suggest")
def suggest() -> Response:
    """Complete a query for the search box or a browser (OpenSearch Suggestions 1.1)."""
    typed = request.args.get("q", "")
    response = jsonify([typed, list(served_crawl().searcher.complete(typed))])
    response.mimetype = "application/x-suggestions+json"
    return response


@program_views.get("/api/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI description."""
    return jsonify(description(request.url_root.rstrip("/"), served_crawl().settings.product))


@program_views.get("/search.atom")
def feed() -> Response:
    """Return the results as an Atom feed."""
    question = read_search_request(request.args)
    if question.is_empty:
        raise InvalidParameter("q is missing: add words, as in /search.atom?q=rye+bread")
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
    """Return the OpenSearch 1.1 description, with which a browser adds this search engine."""
    return Response(
        render_template("opensearch.xml", root=request.url_root), mimetype="application/opensearchdescription+xml"
    )


def _rfc3339(seconds: float) -> str:
    """Return a time for Atom. A page may claim a date before 1970 or after 9999; it is clipped."""
    return rfc3339(min(max(0.0, seconds), MAX_RFC3339))
