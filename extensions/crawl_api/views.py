"""Which requests start, show and stop a crawl?

- `POST /api/crawls` starts one, 202. Its body is a JSON object with `seeds`, `pages`, `each` and `mode`, none required.
- `GET /api/crawls/1` shows how far it is, or how it ended.
- `DELETE /api/crawls/1` stops it, 202.

The token comes in the header Authorization (RFC 6750) and nowhere else. A browser sends that header only for a script
of the same origin, so no page elsewhere can act through a visitor, whatever cookies there are.

Seeds may only be on sites that the crawl has already, and pass the same policy as links. So a program with the token
can't send the robot anywhere else.

What does `/api/openapi.json` say about `/api/crawls`? The bounds are those that the views check.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, current_app, jsonify, request, url_for

from crawldb.lock import LOCKS, is_held
from crawldb.tables.runs import crawling_process, newest_ids, run_of_process
from crawldb.tables.seeds import seed_sites
from crawldb.tables.urls import State
from extension_points import ApiDescription
from extensions.crawl_api.crawls import FOLDER, SEEDS, CrawlRuns
from frontier.submission import note_admin
from gateway.browser_guard import PROTO, is_plain_http_over_network
from gateway.json_schemas import COUNT, NUMBER, TEXT, TEXT_OR_NULL, TEXTS, TRUTH, content, errors, object_schema, ref
from gateway.operators.admin_page import MAX_REASON, admin_sessions
from gateway.operators.admin_session import MIN_TOKEN, TooManyAttempts, WrongToken
from gateway.served_crawl import served_crawl
from reports.numbers import run_numbers, url_counts
from urls.canonical import UnusableUrl, canonicalize, site_of
from urls.schedule import Mode
from urls.wording import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase
    from extensions.crawl_api.crawls import StartedCrawl, StartedCrawls
    from gateway.json_schemas import Schema
    from urls.records import CanonicalUrl


MAX_SEEDS = 100  # in one request; a body has at most 16 KiB
MAX_PAGES = 1_000_000_000
MODES = [mode.value for mode in Mode]
OFF = (
    f"no crawl can be started over HTTP: ADMIN_TOKEN needs at least {MIN_TOKEN} characters. Set it in breadcrumb.toml, "
    "or as BREADCRUMB_ADMIN_TOKEN in the environment, and start ./breadcrumb serve again"
)
PLAIN = (
    "the token must not cross a network in plain HTTP, where others could read it: change it now. Send the request on "
    f"the gateway's own machine to http://127.0.0.1, or by https through a proxy there that sets {PROTO}"
)
HOW_TO_SEND = "send the header Authorization: Bearer TOKEN, with the ADMIN_TOKEN of the settings"
AS_JSON = "the body must be a JSON object, with the header Content-Type: application/json"
BY_SOMEBODY = "a crawl of this folder runs already: wait for it, or end it where it was started, with Ctrl-C"
STATES = ["running", "stopping", "finished", "failed", "interrupted", "killed"]
RUNNING = frozenset({"running", "stopping"})
FAILED = frozenset({"failed", "killed"})  # states in which the log says why

_NUMBER = re.compile("[1-9][0-9]{0,8}")

crawl_api_views = Blueprint(FOLDER, __name__)


class Rejected(Exception):
    """A rejected request: its status, the sentence, and further headers."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.headers = status, {name.replace("_", "-"): value for name, value in headers.items()}


@crawl_api_views.errorhandler(Rejected)
def _rejected(error: Rejected) -> Response:
    response = jsonify(error=str(error))
    response.status_code = error.status
    response.headers.update(error.headers)
    return response


@crawl_api_views.before_request
def check_token() -> None:
    """Reject a request without the token: 403 where there is none or the way is open to others, 401, 429."""
    sessions, settings = admin_sessions(), served_crawl().settings
    if not sessions.is_on:
        raise Rejected(403, OFF)
    if not settings.admin_over_http and is_plain_http_over_network():
        raise Rejected(403, PLAIN)
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Rejected(401, f"a token is missing: {HOW_TO_SEND}", WWW_Authenticate="Bearer")
    try:
        sessions.check(token.strip(), request.remote_addr or "")
    except WrongToken:
        wrong = 'Bearer error="invalid_token"'
        raise Rejected(401, f"wrong token: {HOW_TO_SEND}", WWW_Authenticate=wrong) from None
    except TooManyAttempts as error:
        raise Rejected(429, str(error), Retry_After=str(math.ceil(error.seconds))) from None


@crawl_api_views.after_request
def _keep_out_of_caches(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


@crawl_api_views.post("/api/crawls")
def start_crawl() -> Response:
    """Start a crawl. 400: no JSON; 409: one runs; 415: another type; 422: it can't be done."""
    arguments = _read_body()
    database = _whole_crawl()
    if SEEDS in arguments:
        arguments[SEEDS] = [_checked_seed(database, seed) for seed in arguments[SEEDS]]
    _check_nobody_crawls(database)
    with served_crawl().open_to_write() as databases:
        note_admin(databases, f"crawl {json.dumps(arguments)}"[:MAX_REASON], request.remote_addr or "")
    try:
        started = _started_crawls().start(arguments, newest_ids(database)[1])
    except CrawlRuns as error:
        raise Rejected(409, _runs_already(error.number)) from None
    except OSError as error:
        raise Rejected(
            503,
            f"the crawl can't begin: {error.strerror}. Make room, or let the gateway write into its folder",
        ) from None
    response = jsonify(_as_dict(started, database))
    response.status_code = 202
    response.headers["Location"] = _url(started)
    return response


@crawl_api_views.get("/api/crawls/<number>")
def show_crawl(number: str) -> Response:
    """Show a crawl. 404: there is none with this number."""
    return jsonify(_as_dict(_find(number), _whole_crawl()))


@crawl_api_views.delete("/api/crawls/<number>")
def stop_crawl(number: str) -> Response:
    """Stop a crawl, as Ctrl-C does. 404: there is none with this number; 409: it has ended."""
    crawl = _find(number)
    if not crawl.runs():
        raise Rejected(409, f"crawl {number} has ended ({crawl.state()}), so there is nothing to stop")
    crawl.stop()
    response = jsonify(_as_dict(crawl, _whole_crawl()))
    response.status_code = 202
    return response


def _started_crawls() -> StartedCrawls:
    found: StartedCrawls = current_app.extensions[FOLDER]
    return found


def _find(number: str) -> StartedCrawl:
    crawl = _started_crawls().find(int(number)) if _NUMBER.fullmatch(number) else None
    if crawl is None:
        raise Rejected(404, f"there is no crawl {number[:20]}: POST /api/crawls starts one, and names its URL")
    return crawl


def _whole_crawl() -> CrawlDatabase:
    databases = served_crawl().read()
    if len(databases) > 1:
        raise Rejected(
            422, f"this crawl is in {counted(len(databases), 'part')}: the command that divided it continues it"
        )
    return databases[0]


def _read_body() -> dict[str, Any]:
    """Return the arguments of the request, checked one by one. An empty body asks for everything that is due."""
    body = request.get_data()
    if not body and not request.mimetype:
        return {}
    if request.mimetype != "application/json":
        raise Rejected(415, f"{AS_JSON}, not {request.mimetype or 'none'}")
    try:
        arguments = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, json.JSONDecodeError) else "it can't be read"
        raise Rejected(400, f"{AS_JSON}: {reason}") from None
    if not isinstance(arguments, dict):
        raise Rejected(422, AS_JSON)
    for name, value in arguments.items():
        if name not in _CHECKS:
            known = enumerated(list(_CHECKS), "and")
            raise Rejected(422, f"unknown key {name[:100]!r}: the keys are {known}")
        fits, rule = _CHECKS[name]
        if not fits(value):
            raise Rejected(422, f"{name} {rule}")
    return arguments


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_PAGES


def _are_seeds(value: object) -> bool:
    return isinstance(value, list) and 1 <= len(value) <= MAX_SEEDS and all(isinstance(each, str) for each in value)


_CHECKS: Mapping[str, Any] = {  # by key: whether a value fits, and what would
    "seeds": (_are_seeds, f"must be a list of 1 to {MAX_SEEDS} URLs"),
    "pages": (_is_count, "must be a number of pages, from 1 up"),
    "each": (_is_count, "must be a number of requests to each site, from 1 up"),
    "mode": (MODES.__contains__, f"must be one of {enumerated(MODES, 'or')}"),
}


def _checked_seed(database: CrawlDatabase, given: str) -> CanonicalUrl:
    """Return the canonical URL of a seed on a site of the crawl, if the crawl may fetch it."""
    try:
        url = canonicalize(given)
    except UnusableUrl as error:
        raise Rejected(422, f"{given[:200]!r} is no URL of a page: {error.refusal.reason}") from None
    policy = served_crawl().settings.policy_of(database)
    sites = {site_of(url), site_of(policy.options.canonical(url))}
    if not sites <= seed_sites(database):
        raise Rejected(
            422,
            f"{site_of(url)} is not among the sites that are crawled here, and only those can be crawled over HTTP. "
            f"Its operator can add it: ./breadcrumb submit {url}",
        )
    if refusal := policy.check(url).refusal:
        raise Rejected(422, f"{url} can't be crawled ({refusal.rule}): {refusal.reason}")
    return url


def _check_nobody_crawls(database: CrawlDatabase) -> None:
    """Reject the request where a crawl runs, whoever has started it."""
    if own := _started_crawls().running():
        raise Rejected(409, _runs_already(own.number))
    somebody = is_held(served_crawl().data_dir) if LOCKS.exists() else crawling_process(database) is not None
    if somebody:
        raise Rejected(409, BY_SOMEBODY)


def _runs_already(number: int) -> str:
    return f"crawl {number} runs already: GET /api/crawls/{number} shows how far it is, DELETE stops it"


def _url(crawl: StartedCrawl) -> str:
    return url_for(f"{FOLDER}.show_crawl", number=crawl.number)


def _as_dict(crawl: StartedCrawl, database: CrawlDatabase) -> dict[str, Any]:
    """Return a crawl for a program. Times are in seconds since the epoch."""
    state, begun, pid = crawl.state(), crawl.request(), crawl.pid()  # the state first: a crawl may end meanwhile
    with database.one_state():
        run = run_of_process(database, pid, begun["newest_run"]) if pid else None
        return {
            "crawl": crawl.number,
            "url": _url(crawl),
            "state": state,
            "arguments": begun["arguments"],
            "started_at": begun["at"],
            "ended_at": None if state in RUNNING else crawl.ended_at(),
            "exit_code": None if state in RUNNING else crawl.exit_code(),
            "urls": url_counts(database),
            "run": run_numbers(database, run) if run else None,
            "log": crawl.last_lines() if state in FAILED else [],
        }


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
        "responses": {str(status): {"description": "The crawl.", "content": content(ref("StartedCrawl"))}}
        | errors(reasons),
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
        "content": content(ref("CrawlArguments")),
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
            "arguments": ref("CrawlArguments"),
            "started_at": TIME,
            "ended_at": NUMBER_OR_NULL,
            "exit_code": {"type": ["integer", "null"], "description": "That of the command crawl."},
            "urls": object_schema({"discovered": COUNT, **{state.name.lower(): COUNT for state in State}})
            | {"description": "All URLs of the folder, by state."},
            "run": {"oneOf": [ref("Run"), {"type": "null"}]},
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
