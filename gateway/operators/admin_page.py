"""How does whoever runs the crawl act in the browser? On `/admin`, with the token of the settings, a form an action.

Off, and saying so, where there is no token of at least sixteen characters. Each form has a token of the session, and
what another site sent through the browser is refused; each action is a row of the journal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flask import Blueprint, current_app, make_response, redirect, render_template, request

from frontier.administration import admin_notes
from gateway.form_guard import OLD_FORM, form_token, is_own_form
from gateway.operators.admin_actions import Action, ActionRefused, perform
from gateway.operators.admin_session import LEAST_TOKEN, SESSION_SECONDS, AdminSessions, TooOften, WrongToken
from gateway.served_crawl import served_crawl
from gateway.transport import PROTO, can_be_overheard
from reports.traps import catches

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.wrappers import Response as AnyResponse

    from gateway.operators.admin_session import AdminSession
    from gateway.settings import GatewaySettings

PATH, COOKIE, EXTENSION = "/admin", "breadcrumb_admin", "admin"
NOTES, CATCHES, SUGGESTIONS = 20, 20, 20  # rows that are shown
OFF = (
    f"The admin page is off: it needs a token of at least {LEAST_TOKEN} characters. Set it as ADMIN_TOKEN in "
    "breadcrumb.toml, or as BREADCRUMB_ADMIN_TOKEN in the environment, and start ./breadcrumb serve again."
)
PLAIN = (
    "The admin page does not open over plain HTTP from the network: others on the way could read the token. Open it on "
    f"the gateway's own machine as http://127.0.0.1, or by https through a proxy there that sets {PROTO}. "
    "ADMIN_OVER_HTTP=yes accepts the risk."
)
SENT_IN_PLAIN = " The token was sent all the same: take a new one."
admin_views = Blueprint("admin", __name__)


def open_admin(app: Flask, settings: GatewaySettings) -> None:
    """Let an application have an admin page, on or off."""
    app.extensions[EXTENSION] = AdminSessions(settings.admin_token)
    app.jinja_env.globals["admin_on"] = app.extensions[EXTENSION].is_on


@admin_views.before_request
def _where_nobody_listens() -> AnyResponse | None:
    """Refuse what others on the way can read, where the page is on: 403."""
    if not _sessions().is_on or served_crawl().settings.admin_over_http or not can_be_overheard():
        return None
    told = PLAIN + (SENT_IN_PLAIN if request.form.get("admin_token") else "")
    return _bound(make_response(render_template("message.html", title="Admin", message=told), 403))


@admin_views.get("/admin")
def admin() -> AnyResponse:
    """Show the actions to who has logged in, else the form for the token. 403: the page is off."""
    if not _sessions().is_on:
        return _bound(make_response(render_template("message.html", title="Admin", message=OFF), 403))
    session = _session()
    return _bound(make_response(_actions(session) if session else _login()))


@admin_views.post("/admin/login")
def log_in() -> AnyResponse:
    """Take the token. 403: it is another one, or the form was not ours; 429: too many that began so were wrong."""
    if not is_own_form(form_token()):
        return _bound(make_response(_login(OLD_FORM), 403))
    try:
        session = _sessions().log_in(request.form.get("admin_token", ""), request.remote_addr or "")
    except WrongToken as error:
        return _bound(make_response(_login(str(error)), 403))
    except TooOften as error:
        return _bound(_too_often(error, _login(str(error))))
    answer = redirect(PATH, 303)
    answer.set_cookie(
        COOKIE,
        session.key,
        max_age=int(SESSION_SECONDS),
        path=PATH,
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )
    return _bound(answer)


@admin_views.post("/admin/logout")
def log_out() -> AnyResponse:
    """End the session."""
    session = _session()
    if session is None or not is_own_form(session.form_token):
        return _bound(make_response(_login(OLD_FORM), 403))
    _sessions().log_out(session)
    answer = redirect(PATH, 303)
    answer.delete_cookie(COOKIE, path=PATH, secure=request.is_secure, httponly=True, samesite="Strict")
    return _bound(answer)


@admin_views.post("/admin/act")
def act() -> AnyResponse:
    """Do what a form asks for. 403: not logged in, or the form was not ours; 422: it can't be done; 429: too often."""
    session = _session()
    if session is None:
        return _bound(make_response(_login("the session is over: give the token again"), 403))
    if not is_own_form(session.form_token):
        return _bound(make_response(_actions(session, refusal=OLD_FORM), 403))
    action, target, words = (" ".join(request.form.get(name, "").split()) for name in ("action", "target", "words"))
    try:
        _sessions().act(session)
        done = perform(Action(action, target, words, request.remote_addr or ""))
        served_crawl().acted()
    except TooOften as error:
        return _bound(_too_often(error, _actions(session, refusal=str(error))))
    except ActionRefused as error:
        return _bound(make_response(_actions(session, refusal=str(error)), 422))
    return _bound(make_response(_actions(session, done=done)))


def _sessions() -> AdminSessions:
    found: AdminSessions = current_app.extensions[EXTENSION]
    return found


def _session() -> AdminSession | None:
    return _sessions().find(request.cookies.get(COOKIE, ""))


def _too_often(error: TooOften, page: str) -> AnyResponse:
    answer = make_response(page, 429)
    answer.headers["Retry-After"] = str(math.ceil(error.seconds))
    return answer


def _bound(answer: AnyResponse) -> AnyResponse:
    """Keep an answer out of every store, and let a form say where it is from, as it must to be taken."""
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "same-origin"
    return answer


def _login(refusal: str = "") -> str:
    return render_template("operators/login.html", token=form_token(), refusal=refusal)


def _actions(session: AdminSession, done: str = "", refusal: str = "") -> str:
    served = served_crawl()
    databases = served.read()
    notes = sorted((note for each in databases for note in admin_notes(each, NOTES)), key=lambda note: -note.at)
    caught = [catch for each in databases for catch in catches(each)][:CATCHES]
    told = {"notes": notes[:NOTES], "catches": caught, "suggestions": served.suggestions()[:SUGGESTIONS]}
    return render_template(
        "operators/admin.html",
        token=session.form_token,
        done=done,
        refusal=refusal,
        needs=served.health(for_admin=True).needs,
        **told,
    )
