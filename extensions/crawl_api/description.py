"""What does `/api/openapi.json` say about `/api/crawls`? The bounds are those that the views check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.urls import State
from extension_points import ApiDescription
from extensions.crawl_api.views import MAX_PAGES, MAX_SEEDS, MODES, STATES
from gateway.api import COUNT, NUMBER, TEXT, TEXT_OR_NULL, TEXTS, TRUTH, object_schema

if TYPE_CHECKING:
    from gateway.api import Schema

TIME: Schema = {"type": "number", "description": "Seconds since the epoch."}
PAGES: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_PAGES}
COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}


def crawls_description() -> ApiDescription:
    """Describe the views."""
    return ApiDescription(
        {
            "/api/crawls": {"post": _start()},
            "/api/crawls/{number}": {
                "parameters": [
                    {
                        "name": "number",
                        "in": "path",
                        "required": True,
                        "description": "The number of the crawl.",
                        "schema": {"type": "integer", "minimum": 1},
                    }
                ],
                "get": _show(),
                "delete": _stop(),
            },
        },
        {"StartedCrawl": _started(), "CrawlArguments": _arguments(), "Run": _run()},
        {"adminToken": {"type": "http", "scheme": "bearer", "description": "The setting ADMIN_TOKEN."}},
    )


def _operation(name: str, summary: str, status: int, **rejections: str) -> Schema:
    started = {"application/json": {"schema": {"$ref": "#/components/schemas/StartedCrawl"}}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    reasons = {
        "401": "No token, or a wrong one.",
        "403": "The gateway has no ADMIN_TOKEN, or the request came in plain HTTP over a network.",
        **{code.removeprefix("_"): reason for code, reason in rejections.items()},
        "429": "Too many wrong tokens; Retry-After has the seconds to wait.",
        "503": "There is no crawl, or it can't be read.",
    }
    return {
        "operationId": name,
        "summary": summary,
        "security": [{"adminToken": []}],
        "responses": {
            str(status): {"description": "The crawl.", "content": started},
            **{code: {"description": reason, "content": error} for code, reason in reasons.items()},
        },
    }


def _start() -> Schema:
    operation = _operation(
        "startCrawl",
        "Start a crawl of the sites that are crawled here.",
        202,
        _400="The body is no JSON.",
        _409="A crawl of this folder runs already.",
        _413="The body has more than 16 KiB.",
        _415="The body is not application/json.",
        _422="An argument is invalid, a seed is on another site or blocked, or the crawl is divided.",
    )
    operation["requestBody"] = {
        "description": "None: all that is due.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CrawlArguments"}}},
    }
    location = {"Location": {"description": "The path of the crawl.", "schema": TEXT}}
    operation["responses"]["202"]["headers"] = location
    return operation


def _show() -> Schema:
    return _operation("showCrawl", "Show how far a crawl is, or how it ended.", 200, _404="There is no such crawl.")


def _stop() -> Schema:
    summary = "Stop a crawl: it waits for running requests and completes the index."
    return _operation("stopCrawl", summary, 202, _404="There is no such crawl.", _409="The crawl has ended.")


def _arguments() -> Schema:
    seeds = {"type": "array", "items": TEXT | {"format": "uri"}, "minItems": 1, "maxItems": MAX_SEEDS}
    return object_schema(
        {},
        seeds=seeds | {"description": "Each on a site that is crawled here already."},
        pages=PAGES | {"description": "A trial: stop after so many fetched pages."},
        each=PAGES | {"description": "A trial: so many requests to each site."},
        mode={"enum": MODES, "description": "Which URLs to request."},
    )


def _started() -> Schema:
    return object_schema(
        {
            "crawl": {"type": "integer", "minimum": 1},
            "url": TEXT | {"description": "The path of the crawl."},
            "state": {"enum": STATES, "description": "killed: without an exit code, or by a signal."},
            "arguments": {"$ref": "#/components/schemas/CrawlArguments"},
            "started_at": TIME,
            "ended_at": NUMBER_OR_NULL,
            "exit_code": {"type": ["integer", "null"], "description": "That of the command crawl."},
            "urls": object_schema({"discovered": COUNT, **{state.name.lower(): COUNT for state in State}})
            | {"description": "All URLs of the folder, by state."},
            "run": {"oneOf": [{"$ref": "#/components/schemas/Run"}, {"type": "null"}]},
            "log": TEXTS | {"description": "Of a failed or killed crawl: the last lines that it printed."},
        }
    )


def _run() -> Schema:
    return object_schema(
        {
            "run": COUNT,
            "round": COUNT,
            "pid": COUNT,
            "running": TRUTH,
            "started_at": TIME,
            "ended_at": NUMBER_OR_NULL,
            "ending": TEXT_OR_NULL,
            "waiting": COUNT | {"description": "URLs that had to wait when it ended."},
            "outcomes": COUNTS | {"description": "Requests, by outcome."},
            "status": COUNTS | {"description": "Requests, by status code."},
            "requests": COUNT,
            "bytes": COUNT,
            "seconds": NUMBER,
        }
    ) | {"description": "What the crawl has done; the same as last_run of /stats."}
