"""JSON Schema of what views return to programs: for `/api/openapi.json` (`api_descriptions`, `search_schemas`).

The bounds are those that the views check.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from gateway.search_request import DEFAULT_RESULTS, MAX_PAGE, MAX_QUERY, MAX_RESULTS

if TYPE_CHECKING:
    from collections.abc import Mapping

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TRUTH: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
AS_JSON: Schema = {"name": "format", "in": "query", "required": True, "schema": {"const": "json"}}
_TYPES = {"str": TEXT, "float": NUMBER, "int": {"type": "integer"}, "bool": TRUTH}


def query_parameters(description: str) -> list[Schema]:
    """Return the parameters of a search; `description` is that of the query."""
    number = {"type": "integer", "minimum": 1}
    at_most = f"Results a page; more than {MAX_RESULTS} count as {MAX_RESULTS}."
    return [
        parameter("q", description, TEXT | {"maxLength": MAX_QUERY}),
        parameter("page", "Page of results.", number | {"maximum": MAX_PAGE, "default": 1}),
        parameter("n", at_most, number | {"default": DEFAULT_RESULTS}),
    ]


def parameter(name: str, description: str, schema: Schema) -> Schema:
    """Return the description of a parameter."""
    return {"name": name, "in": "query", "description": description, "schema": schema}


def responses(schema: Schema, media_type: str = "application/json") -> Schema:
    """Return the description of the responses: 200 with the schema, or an error."""
    faults = {"400": FAULTS["400"], "503": "There is no index yet, or it can't be read."}
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


def part_schema(kind: type) -> Schema:
    """Return the schema of a part of a score."""
    return object_schema({one.name: _TYPES[str(one.type)] for one in fields(kind)}) | {"title": kind.__name__}


def object_schema(required: Schema, **optional: Schema) -> Schema:
    """Return the schema of an object with required and optional keys, and no others."""
    return open_object(required) | {"properties": required | optional, "additionalProperties": False}


def open_object(required: Schema) -> Schema:
    """Return the schema of an object with required keys, and maybe others."""
    return {"type": "object", "properties": required, "required": list(required)}


def json_view(name: str, summary: str, parameters: list[Schema], rejections: dict[str, str] | None = None) -> Schema:
    """Return the description of a page that `format=json` returns as an object, and of statuses that also return it."""
    result = content(result_of(name))
    also = {status: {"description": why, "content": result} for status, why in (rejections or {}).items()}
    done = {"200": {"description": "The object.", "content": result}}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "parameters": [*parameters, AS_JSON],
            "responses": done | also | usual_errors("400", "503"),
        }
    }


def result_of(name: str) -> Schema:
    """Return a reference to the object that a page returns."""
    return ref(f"{name[0].upper()}{name[1:]}")


FAULTS = {
    "400": "An invalid parameter, and what would work.",
    "403": "The form is off, or its token is not that of this gateway.",
    "429": "Too many; Retry-After has the seconds to wait.",
    "503": "There is no crawl or no index, or it can't be read.",
}


def usual_errors(*codes: str) -> Schema:
    """Return the description of responses with these usual errors."""
    return errors({code: FAULTS[code] for code in codes})
