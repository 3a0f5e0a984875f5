"""Which pages can a program read, too? Those with `format=json`, and `/healthz`: what `/api/openapi.json` says of them.

The large objects are those of `why --json` and `report --json`; here are the keys that they always have.
"""

from __future__ import annotations

from typing import Any

from frontier.submission import MAX_CONTACT, MAX_REASON
from gateway.search_request import MAX_QUERY
from reports.numbers import Report
from urls.canonical import MAX_URL

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_TEXTS: Schema = {"type": "array", "items": TEXT}
_TRUTH: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_URL: Schema = TEXT | {"maxLength": MAX_URL}
_ERROR: Schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
_AS_JSON: Schema = {"name": "format", "in": "query", "required": True, "schema": {"const": "json"}}


def page_paths() -> Schema:
    """Return the paths."""
    url = _parameter("url", "The whole URL of a page.", _URL, required=True)
    other = _parameter("with", "The whole URL of the other page.", _URL, required=True)
    query = TEXT | {"maxLength": MAX_QUERY}
    by_query, ranked = (_parameter("q", text, query) for text in ("Also its rank for this query.", "A query."))
    token, unknown = TEXT | {"description": "As in the form of the page."}, "The crawl does not know the URL."
    complaint = {"reason": TEXT | {"maxLength": MAX_REASON}, "contact": TEXT | {"maxLength": MAX_CONTACT}}
    return {
        "/why": _get("why", "Show everything known about a URL, as why --json.", [url, by_query], {404: unknown}),
        "/why/diff": _get("diff", "Compare the main texts of two pages.", [url, other], {404: "One is not stored."}),
        "/stats": _get("stats", "Show the crawl in numbers, as report --json.", []),
        "/inside/ranking": _get("ranking", "Compare rankings; each weight is a parameter, too.", [ranked]),
        "/healthz": {"get": _health()},
        "/submit": _post("submit", "Submit a URL of a crawled site.", {"url": _URL, "token": token}, {}),
        "/bot": _post("proposeBlock", "Ask the operator to block a site.", {"site": _URL, "token": token}, complaint),
    }


def page_schemas() -> Schema:
    """Return the schemas of what they return."""
    numbers = Report.__annotations__.keys() | {"happened", "needs_you"}
    result = _object({"is_result": _TRUTH, "sentence": TEXT})
    return {
        "Why": _object({"canonical": _TEXT_OR_NULL, "answer": result, "advice": TEXT}),
        "Diff": _object({"first": TEXT, "second": TEXT, "difference": {"type": ["object", "null"]}, "reason": TEXT}),
        "Stats": _object({"happened": _TEXTS} | dict.fromkeys(sorted(numbers - {"happened"}), True)),
        "Ranking": _object({"query": TEXT, "changed": {"type": "object"}, "kept_by": _TEXTS}),
        "Submit": _object(
            {"url": _TEXT_OR_NULL, "accepted": _TRUTH, "state": TEXT, "rule": _TEXT_OR_NULL, "reason": TEXT}
        ),
        "ProposeBlock": _object({"target": TEXT, "proposed": _TRUTH, "reason": TEXT}),
        "Health": _object({"ok": _TRUTH})
        | {
            "properties": {
                "ok": _TRUTH,
                "error": TEXT | {"description": "Why searches do not work."},
                "generation": _COUNT,
                "documents": _COUNT,
                "as_of": TEXT | {"format": "date-time"},
                "crawl": {"type": ["object", "null"], "description": "The newest run."},
                "disk": {"type": "object", "additionalProperties": _COUNT},
                "alarms": _TEXTS,
            }
        },
    }


def _get(name: str, summary: str, parameters: list[Schema], rejections: dict[int, str] | None = None) -> Schema:
    schema = {"$ref": f"#/components/schemas/{name[0].upper()}{name[1:]}"}
    with_object = {"application/json": {"schema": schema}}
    also = {str(status): {"description": why, "content": with_object} for status, why in (rejections or {}).items()}
    responses = {"200": {"description": "The object.", "content": with_object}, **also, **_faults("400", "503")}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "parameters": [*parameters, _AS_JSON],
            "responses": responses,
        }
    }


def _health() -> Schema:
    health = {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
    told = {"200": "Searches work.", "503": "Searches do not work."}
    responses = {status: {"description": words, "content": health} for status, words in told.items()}
    return {"operationId": "health", "summary": "Show whether searches work.", "responses": responses}


def _post(name: str, summary: str, required: Schema, optional: Schema) -> Schema:
    form = {"application/x-www-form-urlencoded": {"schema": _object(required) | {"properties": required | optional}}}
    done = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name[0].upper()}{name[1:]}"}}}
    rejected = {"anyOf": [done["application/json"]["schema"], _ERROR["application/json"]["schema"]]}
    responses = {
        "202": {"description": "Accepted.", "content": done},
        "422": {"description": "Rejected, and why.", "content": {"application/json": {"schema": rejected}}},
        **_faults("400", "403", "429", "503"),
    }
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "parameters": [_AS_JSON],
            "requestBody": {"required": True, "content": form},
            "responses": responses,
        }
    }


_FAULTS = {
    "400": "An invalid parameter, and what would work.",
    "403": "The form is off, or its token is not that of this gateway.",
    "429": "Too many; Retry-After has the seconds to wait.",
    "503": "There is no crawl or no index, or it can't be read.",
}


def _faults(*codes: str) -> Schema:
    return {code: {"description": _FAULTS[code], "content": _ERROR} for code in codes}


def _parameter(name: str, description: str, schema: Schema, *, required: bool = False) -> Schema:
    return {"name": name, "in": "query", "description": description, "required": required, "schema": schema}


def _object(required: Schema) -> Schema:
    return {"type": "object", "properties": required, "required": list(required)}
