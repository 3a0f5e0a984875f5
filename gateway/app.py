"""What is the gateway made of? Views, the bounds on a request, the headers on an answer, and a page for each fault."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.local import LocalProxy

from crawldb.database import DatabaseError, in_words
from extension_points import called
from gateway.browser_guard import (
    MAX_FORM_BYTES,
    is_own_name,
    nonce,
    own_names,
    with_guarding_headers,
    wrong_name_message,
)
from gateway.copy_page import copy_views
from gateway.inside.contents import contents_view, listed_views
from gateway.operators import operator_views
from gateway.operators.admin_page import open_admin
from gateway.operators.measurements import count_answers
from gateway.operators.request_log import log_requests
from gateway.page_details import page_views
from gateway.programs.answers import program_views
from gateway.searching.crumbs import crumbs
from gateway.searching.question import MAX_QUERY, BadQuestion, Question
from gateway.searching.search_page import search_views
from gateway.served_crawl import EXTENSION, ServedCrawl, after_a_fault, served_crawl
from gateway.submit_page import submit_views
from gateway.template_filters import filters_of, is_linkable, of_served_folder, trail, undirected
from gateway.transport import believe_local_proxies
from indexer.faults import IndexFault, NoIndex, NotInWhoosh
from indexer.retrieval.corpus import UnreadablePart
from reports.why.whoosh_page import NO_JOURNAL

if TYPE_CHECKING:
    from pathlib import Path

    from gateway.settings import GatewaySettings

STATIC_SECONDS = 3600  # a browser may keep the style this long
NOT_IN_WHOOSH = "A Whoosh folder does not have this"
_NOT_YET = "There is nothing to search yet"


def make_app(data_dir: Path, settings: GatewaySettings) -> Flask:
    """Return the application for a data folder."""
    app = Flask(__name__)
    app.config.update(
        OWN_NAMES=own_names(settings.bot_url, settings.allowed_hosts),
        ON_NETWORK=False,
        MAX_CONTENT_LENGTH=MAX_FORM_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=STATIC_SECONDS,
    )
    app.extensions[EXTENSION] = ServedCrawl(data_dir, settings)
    app.jinja_env.filters.update(filters_of(settings.folder), trail=trail, crumbs=crumbs)
    app.jinja_env.finalize = undirected
    app.jinja_env.tests["link"] = is_linkable
    app.jinja_env.globals.update(
        product=settings.product, empty=Question(), max_query=MAX_QUERY, submit_allowed=settings.allow_submit
    )
    app.jinja_env.globals["nonce"] = LocalProxy(nonce)  # of the request that runs, in macros too
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals["collections"] = [(each.label, each.name) for each in called("searchable_collections")]
    inside = (contents_view, *(view.views for view in listed_views()))
    own = (search_views, program_views, page_views, copy_views, submit_views, *operator_views, *inside)
    for views in (*own, *called("views")):
        app.register_blueprint(views)
    open_admin(app, settings)
    count_answers(app)
    log_requests(app, data_dir, settings)
    app.before_request(_under_own_name)
    believe_local_proxies(app)
    app.after_request(with_guarding_headers)
    app.teardown_appcontext(after_a_fault)
    app.register_error_handler(BadQuestion, lambda error: _error_answer(400, "This can't be searched for", str(error)))
    app.register_error_handler(NoIndex, lambda _: _nothing_yet())
    app.register_error_handler(NotInWhoosh, lambda error: _error_answer(404, NOT_IN_WHOOSH, str(error)))
    app.register_error_handler(IndexFault, lambda error: _unreadable(error, "The index can't be read"))
    app.register_error_handler(UnreadablePart, lambda error: _unreadable_crawl(error, str(error)))
    app.register_error_handler(DatabaseError, lambda error: _unreadable_crawl(error, str(error)))
    app.register_error_handler(sqlite3.Error, lambda error: _unreadable_crawl(error, in_words(error)))
    app.register_error_handler(HTTPException, _refused)
    return app


def _under_own_name() -> Response | None:
    host, config = request.headers.get("Host", ""), current_app.config
    if not host or is_own_name(host, config["OWN_NAMES"], ip_addresses=config["ON_NETWORK"]):  # a browser sends a Host
        return None
    return _error_answer(421, "Not under this name", wrong_name_message(host, ip_addresses=config["ON_NETWORK"]))


def _refused(error: HTTPException) -> Response:
    return _error_answer(error.code or 500, error.name, error.description or "")


def _unreadable_crawl(error: Exception, message: str) -> Response:
    after_a_fault(error)
    if served_crawl().serves_whoosh:
        return _error_answer(404, NOT_IN_WHOOSH, f"{NO_JOURNAL}.")
    return _unreadable(message, "The crawl can't be read")


def _unreadable(fault: object, title: str) -> Response:
    return _error_answer(503, title, served_crawl().in_words(fault))


def _nothing_yet() -> Response:
    if _wants_json():
        return _error_answer(503, _NOT_YET, f"{_NOT_YET}: run ./breadcrumb crawl site -a seeds=URL")
    page = Response(render_template("empty.html"), status=503)
    page.headers["Retry-After"] = "60"
    return page


def _error_answer(status: int, title: str, message: str) -> Response:
    if _wants_json():
        told = jsonify(error=of_served_folder(message))
        told.status_code = status
        return told
    typed = Question(" ".join(request.args.get("q", "").split())[:MAX_QUERY])  # stays in the box, to be put right
    return Response(render_template("message.html", title=title, message=message, question=typed), status=status)


def _wants_json() -> bool:
    return request.path.startswith("/api/") or request.path == "/healthz" or request.args.get("format") == "json"
