"""The OpenAPI 3.1 description of what programs can read: `/api/...`, pages with `format=json`, `/healthz`.

It takes its bounds from the code, and the parts of a score from their classes. The large objects are those of
`why --json` and `report --json`; here are the keys that they always have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, request

from extension_points import call_extensions
from frontier.submission import MAX_CONTACT, MAX_REASON
from gateway.json_schemas import (
    AS_JSON,
    COUNT,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    TRUTH,
    Schema,
    content,
    json_view,
    object_schema,
    open_object,
    parameter,
    part_schema,
    query_parameters,
    ref,
    responses,
    result_of,
    usual_errors,
)
from gateway.search_request import MAX_QUERY
from gateway.served_crawl import served_crawl
from indexer.query.syntax import YEARS
from indexer.ranking.demotion import Demotion
from indexer.ranking.score import PriorPart, ProximityPart, ScorePart, SectionPart
from indexer.spelling.suggester import MAX_CHARS, MAX_SUGGESTIONS
from reports.numbers import Report
from urls.canonical import MAX_URL

if TYPE_CHECKING:
    from extension_points import ApiDescription, SearchSchema

_URL: Schema = TEXT | {"maxLength": MAX_URL}
_TIME = {"type": ["number", "null"], "description": "Seconds since the epoch; null: not known."}
openapi_views = Blueprint("openapi", __name__)


@openapi_views.get("/api/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI description."""
    return jsonify(description(request.url_root.rstrip("/"), served_crawl().settings.product))


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


def _health() -> Schema:
    meanings = {"200": "Searches work.", "503": "Searches do not work."}
    responses = {
        status: {"description": words, "content": content(ref("Health"))} for status, words in meanings.items()
    }
    return {"operationId": "health", "summary": "Show whether searches work.", "responses": responses}


def _post(name: str, summary: str, required: Schema, optional: Schema) -> Schema:
    form = open_object(required) | {"properties": required | optional}
    rejected = {"anyOf": [result_of(name), ref("Error")]}
    responses = {
        "202": {"description": "Accepted.", "content": content(result_of(name))},
        "422": {"description": "Rejected, and why.", "content": content(rejected)},
        **usual_errors("400", "403", "429", "503"),
    }
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "parameters": [AS_JSON],
            "requestBody": {"required": True, "content": content(form, "application/x-www-form-urlencoded")},
            "responses": responses,
        }
    }
