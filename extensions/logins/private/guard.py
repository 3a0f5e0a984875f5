"""What does the gateway show to whom? Each visitor sees public pages, and the private ones for the visitor's groups.

A visitor who may not see all pages gets results, completions, feeds and copies, from an index without the hidden pages.
All other views count, list or link all pages of the crawl: they are shown only to those who may see all.
"""

from __future__ import annotations

import stat
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from flask import Blueprint, current_app, g, has_request_context, jsonify, make_response, redirect, request

from commands.frame.exits import CommandError
from extensions.logins.private.visitors import OPERATOR, STRANGER, VisitorRejected, read_admission
from extensions.logins.sites import read_sites
from extensions.logins.tables import marked_now
from gateway.app import error_response
from gateway.browser_guard import is_plain_http_over_network
from gateway.operators.admin_page import COOKIE, admin_sessions
from gateway.operators.admin_page import PATH as ADMIN_PATH
from gateway.served_crawl import EXTENSION, NotShown, served_crawl
from indexer.faults import IndexFault
from indexer.remote import configured_index
from indexer.segments.areas import HiddenAreas
from spiders.setting_values import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from flask import Flask
    from werkzeug.wrappers import Response as AnyResponse

    from commands.frame.command_settings import CommandSettings
    from extensions.logins.private.visitors import Visitor, VisitorAdmission

SIGN_IN = "/sign-in"
NOT_CHECKED = ADMIN_PATH, "/api/crawls", "/static"  # they check a token of their own, or say nothing of the crawl
PAGES = {"", "pages"}  # the values of `in` that mean pages
# They show no more than public pages, or check for themselves who asks.
FOR_ALL = frozenset({
    "/", "/search", "/api/search", "/api/suggest", "/api/openapi.json", "/search.atom", "/opensearch.xml", "/cached",
    "/bot", "/robots.txt", "/embed.js", SIGN_IN,
})  # fmt: skip
CHALLENGE = 'Basic realm="Breadcrumb: any name, and your token as the password", charset="UTF-8"'
WHY = (
    "This view covers pages that not every visitor may see. To see it, sign in at /sign-in with a token whose groups "
    "may see all of them."
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO

reader_views = Blueprint("readers", __name__)


@reader_views.get(SIGN_IN)
def sign_in() -> AnyResponse:
    """Let a browser ask for a token; with a valid one, go to the search page."""
    guard: Guard | None = current_app.extensions.get("readers")
    if guard is not None and guard.visitor() == STRANGER:
        return _rejection(401, "Enter your token as the password; the name may be anything.")
    return redirect("/search", 303)


class Guard:
    """Limits one gateway. `readers` has the groups that may see the pages of each area in the settings."""

    def __init__(self, readers: Mapping[str, frozenset[str]], admission: VisitorAdmission) -> None:
        self._readers, self._admission = readers, admission
        self._marked: frozenset[str] = frozenset()

    def visitor(self) -> Visitor:
        """Return who sends the present request. Raises VisitorRejected."""
        if "visitor" not in g:
            is_safe = served_crawl().settings.admin_over_http or not is_plain_http_over_network()
            shared = current_app.config["ON_NETWORK"]
            admin = admin_sessions()
            found = self._admission.visitor(request, admin, is_safe=is_safe, on_network=shared)
            g.visitor = OPERATOR if admin.find(request.cookies.get(COOKIE, "")) else found
        visitor: Visitor = g.visitor
        return visitor

    def hidden(self, apart: frozenset[str]) -> HiddenAreas | None:
        """Return what the present visitor may not see: nobody is let in without a request."""
        visitor = self.visitor() if has_request_context() else STRANGER
        areas = frozenset().union(self._marks(), self._readers, apart)
        hidden = frozenset(area for area in areas if not visitor.may_read(self._readers.get(area, ())))
        return HiddenAreas(areas, hidden) if hidden else None

    def _marks(self) -> frozenset[str]:
        """Return the areas that a crawl has marked, also since the gateway began; a mark does not go."""
        if "private_areas" not in g:
            g.private_areas = self._marked = self._marked | marked_now(served_crawl().all_parts)
        found: frozenset[str] = g.private_areas
        return found

    def check(self) -> AnyResponse | None:
        """Answer a request for what the visitor may not see; None: let it pass."""
        rule = str(request.url_rule or "")
        if not rule or any(rule == path or rule.startswith(f"{path}/") for path in NOT_CHECKED):
            return None
        self.visitor()
        if self.hidden(frozenset()) is None:
            return None
        if rule == "/healthz":
            return _health()
        if rule not in FOR_ALL or request.values.get("in", "").strip() not in PAGES:
            return _rejection(401, WHY)
        return None


def guard(app: Flask, data_dir: Path, settings: CommandSettings) -> None:
    """Limit a gateway, and say what that means for it. Raises CommandError."""
    if configured_index():
        raise CommandError(
            "INDEX names an index elsewhere, and the crawl has private pages ([[site]] in breadcrumb.toml): serve them "
            "from the index in the data folder, and leave INDEX empty"
        )
    try:
        readers = {site.name: site.read for site in read_sites(settings)}
        admission = read_admission(settings)
    except SettingError as error:
        raise CommandError(str(error)) from None
    served = app.extensions[EXTENSION]
    # Both forms say whether the crawl knows a URL.
    served.settings = replace(served.settings, complaints_per_hour=0, allow_submit=False)
    app.jinja_env.globals["submit_allowed"] = False
    made = app.extensions["readers"] = Guard(readers, admission)
    served.hidden = made.hidden
    app.register_blueprint(reader_views)
    app.before_request(made.check)
    app.after_request(_uncached)
    app.register_error_handler(NotShown, lambda _: _rejection(401, WHY))
    app.register_error_handler(VisitorRejected, _visitor_rejected)
    if warning := folder_warning(data_dir):
        print(warning, file=sys.stderr)


def folder_warning(data_dir: Path) -> str:
    """Return a sentence if other users of this machine can read a data folder with private pages; else ""."""
    with suppress(OSError):
        if data_dir.stat().st_mode & _OTHERS:
            return f"Other users of this machine can read the private pages in {data_dir}: run chmod 700 {data_dir}"
    return ""


def _health() -> AnyResponse:
    """Return whether search works, and no number."""
    try:
        _ = served_crawl().searcher
    except IndexFault:
        return make_response(jsonify(ok=False), 503)
    return make_response(jsonify(ok=True))


def _visitor_rejected(error: VisitorRejected) -> AnyResponse:
    response = _rejection(error.status, str(error))
    if error.wait:
        response.headers["Retry-After"] = str(error.wait)
    return response


def _rejection(status: int, message: str) -> AnyResponse:
    response = error_response(status, "Not for every visitor", message)
    if status == 401:  # noqa: PLR2004 - Unauthorized
        response.headers["WWW-Authenticate"] = CHALLENGE
    return response


def _uncached(response: AnyResponse) -> AnyResponse:
    """Let no cache give a visitor what another one saw."""
    if not request.path.startswith("/static/"):
        response.headers["Cache-Control"] = "no-store"
        response.headers.add("Vary", "Authorization")
    return response
