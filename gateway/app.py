"""The application: views, limits on requests, headers on responses, and a page for each kind of error."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.local import LocalProxy
from werkzeug.routing import Rule

from crawldb.database import DatabaseError, in_words
from extension_points import call_extensions
from gateway.api import program_views
from gateway.browser_guard import (
    MAX_FORM_BYTES,
    add_security_headers,
    allowed_hosts_of,
    is_allowed_host,
    nonce,
    trust_local_proxies,
    wrong_host_message,
)
from gateway.copy_page import copy_views
from gateway.operators import operator_views
from gateway.operators.admin_page import open_admin, open_operator_views
from gateway.search_page import search_views
from gateway.search_request import MAX_QUERY, InvalidParameter, SearchRequest
from gateway.served_crawl import EXTENSION, NotShown, ServedCrawl, close_after_error, served_crawl
from gateway.template_filters import FILTERS, is_linkable, with_folder_option, without_direction_marks
from gateway.visitor_forms import submit_views
from gateway.why_page import page_views
from indexer.faults import UPDATE, IndexFault, NoIndex, NotInForeignIndex
from indexer.retrieval.corpus import UnreadablePart
from urls.rules import FIRST_CRAWL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extension_points import InsideView
    from gateway.settings import GatewaySettings

STATIC_SECONDS = 3600  # for which a browser may cache a stylesheet or script
NO_CRAWL = "This index has no crawl"
_NOT_YET = "There is nothing to search yet"


class LazyRule(Rule):
    """A route that compiles what makes its URLs at the first URL: for all routes that is most of the start."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled: list[Callable[..., tuple[str, str]]] = []

        def build(rule: Rule, **values: str) -> tuple[str, str]:
            if not compiled:
                compiled.append(Rule._compile_builder(self, append_unknown))  # noqa: SLF001 - a private name
            return compiled[0](rule, **values)

        return build


class Gateway(Flask):
    """Flask with routes that start quickly."""

    url_rule_class = LazyRule


def make_app(data_dir: Path, settings: GatewaySettings) -> Flask:
    """Return the application for a data folder."""
    app = Gateway(__name__)
    app.config.update(
        HOST_NAMES=allowed_hosts_of(settings.bot_url, settings.allowed_hosts),
        ON_NETWORK=False,
        MAX_CONTENT_LENGTH=MAX_FORM_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=STATIC_SECONDS,
    )
    app.extensions[EXTENSION] = ServedCrawl(data_dir, settings)
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.finalize = without_direction_marks
    app.jinja_env.tests["link"] = is_linkable
    app.jinja_env.globals.update(
        product=settings.product,
        empty=SearchRequest(),
        max_query=MAX_QUERY,
        submit_allowed=settings.allow_submit,
        first_crawl=FIRST_CRAWL,
        update_index=UPDATE,
    )
    app.jinja_env.globals["nonce"] = LocalProxy(nonce)  # of the request that runs, in macros too
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals["collections"] = [
        (each.label, each.name) for each in call_extensions("searchable_collections")
    ]
    inside: list[InsideView] = call_extensions("inside_views")
    app.jinja_env.globals["inside_views"] = {view.path: view.name for view in inside}  # a page links to no other
    own = (search_views, program_views, page_views, copy_views, submit_views, *operator_views)
    for views in (*own, *(view.views for view in inside), *call_extensions("views")):
        app.register_blueprint(views)
    app.jinja_env.globals["has_inside"] = "inside" in app.blueprints  # the list of these views, of an extension
    open_admin(app, settings)
    app.before_request(_check_host)
    open_operator_views(app)
    trust_local_proxies(app)
    app.after_request(add_security_headers)
    app.teardown_appcontext(close_after_error)
    app.register_error_handler(InvalidParameter, lambda error: error_response(400, "Invalid request", str(error)))
    app.register_error_handler(NotShown, lambda error: error_response(403, "Not for every visitor", str(error)))
    app.register_error_handler(NoIndex, lambda _: _nothing_yet())
    app.register_error_handler(NotInForeignIndex, lambda error: error_response(404, NO_CRAWL, str(error)))
    app.register_error_handler(IndexFault, lambda error: _unreadable(error, "The index can't be read"))
    app.register_error_handler(UnreadablePart, lambda error: _unreadable_crawl(error, str(error)))
    app.register_error_handler(DatabaseError, lambda error: _unreadable_crawl(error, str(error)))
    app.register_error_handler(sqlite3.Error, lambda error: _unreadable_crawl(error, in_words(error)))
    app.register_error_handler(HTTPException, _http_error)
    return app


def _check_host() -> Response | None:
    host, config = request.headers.get("Host", ""), current_app.config
    if not host or is_allowed_host(
        host, config["HOST_NAMES"], ip_addresses=config["ON_NETWORK"]
    ):  # a browser sends a Host
        return None
    return error_response(421, "Unknown host name", wrong_host_message(host, ip_addresses=config["ON_NETWORK"]))


def _http_error(error: HTTPException) -> Response:
    return error_response(error.code or 500, error.name, error.description or "")


def _unreadable_crawl(error: Exception, message: str) -> Response:
    close_after_error(error)
    if foreign := served_crawl().foreign:
        return error_response(404, NO_CRAWL, f"{foreign.note}.")
    return _unreadable(message, "The crawl can't be used")


def _unreadable(fault: object, title: str) -> Response:
    return error_response(503, title, served_crawl().public_error(fault))


def _nothing_yet() -> Response:
    if _wants_json():
        return error_response(503, _NOT_YET, f"{_NOT_YET}: run {FIRST_CRAWL}")
    page = Response(render_template("empty.html"), status=503)
    page.headers["Retry-After"] = "60"
    return page


def error_response(status: int, title: str, message: str) -> Response:
    """Return an error as a page, or as JSON to a program."""
    if _wants_json():
        response = jsonify(error=with_folder_option(message))
        response.status_code = status
        return response
    typed = SearchRequest(" ".join(request.args.get("q", "").split())[:MAX_QUERY])  # stays in the search box
    return Response(render_template("message.html", title=title, message=message, question=typed), status=status)


def _wants_json() -> bool:
    return request.path.startswith("/api/") or request.path == "/healthz" or request.args.get("format") == "json"
