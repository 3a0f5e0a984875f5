"""How does the operator act in the browser? `/admin` has a form for each action; each does what a command does.

The page is off without a token of at least sixteen characters, and says so. Each form has the token of the session.
Each action is a row of the journal before it is done. Searches hide what is taken out at once; the index follows in the
same request where that is little work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Blueprint, current_app, g, make_response, redirect, render_template, request

from crawldb.databases import in_each_part
from crawldb.tables.open_work import BLOCK, FORGET, OpenWork, noted_work
from extension_points import call_extensions
from frontier import submission, takedown
from frontier.aliases import OptionSwitch, switch_options
from frontier.budgets import release_everywhere
from frontier.submission import admin_notes, decline_proposal, note_admin
from gateway.browser_guard import OLD_FORM, PROTO, form_token, is_plain_http_over_network, is_valid_form
from gateway.operators.admin_session import MIN_TOKEN, SESSION_SECONDS, AdminSessions, TooManyAttempts, WrongToken
from gateway.served_crawl import served_crawl
from indexer.faults import UPDATE
from indexer.following import update_indexes
from reports.health import changes_to_index
from reports.traps import catches
from reports.wording import counted
from urls.blacklist import target_of
from urls.canonical import UnusableUrl
from urls.site_options import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask import Flask
    from werkzeug.wrappers import Response as AnyResponse

    from crawldb.database import CrawlDatabase
    from gateway.operators.admin_session import AdminSession
    from gateway.settings import GatewaySettings


MAX_CHANGES = 1_000  # that the index takes in a request; for more there is the command
MAX_REASON = 1_000  # characters


class ActionError(Exception):
    """A failed action; the message says why, and what would work."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action: its name, its target, a text, and the IP address of the operator."""

    name: str
    target: str
    words: str = ""
    address: str = ""


def perform(action: Action) -> str:
    """Do an action, and return a sentence about it. Raises ActionError, and DatabaseError without a crawl."""
    done = ACTIONS.get(action.name)
    if done is None:
        raise ActionError(f"there is no action {action.name[:100]!r}: choose {', '.join(ACTIONS)}")
    if not action.target.strip():
        raise ActionError("the target is missing: enter a URL, a site or a pattern")
    try:
        with served_crawl().open_to_write() as databases:
            words = f": {action.words}" if action.words else ""
            note_admin(databases, f"{action.name} {action.target}{words}"[:MAX_REASON], action.address)
            return done(databases, action)
    except UnusableUrl as error:
        raise ActionError(error.refusal.reason) from None
    except LookupError as error:
        raise ActionError(str(error)) from None


def _submit(databases: Sequence[CrawlDatabase], action: Action) -> str:
    sites = frozenset(submission.sites_of([action.target]))
    submitted = [
        submission.submit(database, served_crawl().settings.policy_of(database, sites=sites), [action.target])[0]
        for database in databases
    ]
    found = max(submitted, key=lambda each: bool(each.state or each.rule))
    if not found.accepted:
        raise ActionError(f"{found.url or found.given} is rejected ({found.rule}): {found.reason or 'as before'}")
    return f"{found.url} is a seed now ({found.state}). The next crawl fetches the site's robots.txt first."


def _block(databases: Sequence[CrawlDatabase], action: Action) -> str:
    target = target_of(action.target)
    if not any(takedown.known_of(database, target) for database in databases):
        anyway = f"./breadcrumb block --anyway {target.words}"
        raise ActionError(f"the crawl has not discovered {target}. To block it anyway: {anyway}")
    with noted_work(databases, OpenWork(BLOCK, (target.name,), action.words)):
        pages = sum(takedown.block(database, target.name, action.words)[1] for database in databases)
    return f"{target}: blocked; {counted(pages, 'page')} removed. {_update_index(databases, pages)}"


def _lift(databases: Sequence[CrawlDatabase], action: Action) -> str:
    lifted = in_each_part(databases, lambda database: takedown.unblock(database, action.target)[1])
    return (
        f"{target_of(action.target)}: removed from the blacklist; the next crawl fetches {counted(sum(lifted), 'URL')}."
    )


def _decline(databases: Sequence[CrawlDatabase], action: Action) -> str:
    declined = in_each_part(databases, lambda database: decline_proposal(database, action.target))
    return f"{declined[0]}: nothing changed; the proposal is closed."


def _forget(databases: Sequence[CrawlDatabase], action: Action) -> str:
    target = target_of(action.target)
    with noted_work(databases, OpenWork(FORGET, (target.name,))):
        pages = sum(takedown.forget(database, target.name)[1] for database in databases)
    if not pages:
        raise ActionError(f"nothing of {target} is stored, so nothing was removed")
    done = f"{target}: {counted(pages, 'page')} forgotten; the next round may fetch it again."
    return f"{done} {_update_index(databases, pages)}"


def _release(databases: Sequence[CrawlDatabase], action: Action) -> str:
    released = release_everywhere(databases, action.target, action.words)
    return f"{released.target}: released; the next crawl fetches {counted(released.urls, 'URL')} of it."


def _apply(databases: Sequence[CrawlDatabase], action: Action) -> str:
    """Switch on a site option, by `target` and `words`, if the stored pages suggest it."""
    wanted = (action.target, action.words)
    proposals = call_extensions("option_proposals", databases=databases)
    found = [each for each in proposals if (each.site, each.choice.option.value) == wanted]
    if not found:
        raise ActionError(f"{action.target} {action.words}: the stored pages no longer suggest it")
    switches = [OptionSwitch(each.site, each.choice, on=True) for each in found]
    try:
        merged, _ = switch_options(databases, switches, served_crawl().settings.policy_of)
    except OptionError as error:
        raise ActionError(str(error)) from None
    done = f"{action.target}: {action.words} is on; {counted(merged, 'URL')} merged with another one."
    return f"{done} {_update_index(databases, merged)}"


def _update_index(databases: Sequence[CrawlDatabase], pages: int) -> str:
    changes = sum(changes_to_index(database.path.parent, database) for database in databases)
    if not pages and not changes:
        return ""
    if changes > MAX_CHANGES:
        return f"Searches already hide removed pages. {UPDATE} removes them from the index, too."
    return update_indexes(database.path.parent for database in databases)[0]


ACTIONS: dict[str, Callable[[Sequence[CrawlDatabase], Action], str]] = {
    "block": _block,
    "decline": _decline,
    "lift": _lift,
    "forget": _forget,
    "submit": _submit,
    "release": _release,
    "apply": _apply,
}


PATH, COOKIE, EXTENSION = "/admin", "breadcrumb_admin", "admin"
NOTES, CATCHES, SUGGESTIONS = 20, 20, 20  # rows on the page
OFF = (
    f"The admin page is off: it needs a token of at least {MIN_TOKEN} characters. Set it as ADMIN_TOKEN in "
    "breadcrumb.toml, or as BREADCRUMB_ADMIN_TOKEN in the environment, and start ./breadcrumb serve again."
)
PLAIN = (
    "The admin page does not open over plain HTTP from a network, because others could read the token. Open it on "
    f"the gateway's own machine as http://127.0.0.1, or by https through a proxy there that sets {PROTO}. "
    "ADMIN_OVER_HTTP=yes accepts the risk."
)
SENT_IN_PLAIN = " The token has been sent in plain text: change it."
admin_views = Blueprint("admin", __name__)


def open_admin(app: Flask, settings: GatewaySettings) -> None:
    """Give an application its admin page, on or off."""
    app.extensions[EXTENSION] = AdminSessions(settings.admin_token)
    app.jinja_env.globals["admin_on"] = app.extensions[EXTENSION].is_on


def open_operator_views(app: Flask) -> None:
    """Give an application the operator's pages of extensions: each request to one is checked before its view runs."""
    views = call_extensions("operator_views")
    app.jinja_env.globals["operator_views"] = views
    names = frozenset(each.views.name for each in views)
    for each in views:
        app.register_blueprint(each.views)
    app.before_request(lambda: _check_operator() if request.blueprint in names else None)
    app.after_request(lambda response: _uncached(response) if request.blueprint in names else response)


def _check_operator() -> AnyResponse | None:
    """Reject a request that is not the operator's: 403; a foreign form: 403; too many actions: 429."""
    if not admin_sessions().is_on:
        return _message(OFF, 403)
    if (rejected := _check_transport()) is not None:
        return rejected
    session = _session()
    if session is None:
        return make_response(_login(), 200 if request.method == "GET" else 403)
    g.form_token = session.form_token
    if request.method == "POST":
        if not is_valid_form(session.form_token):
            return _message(OLD_FORM, 403)
        try:
            admin_sessions().act(session)
        except TooManyAttempts as error:
            return _too_often(error, render_template("message.html", title="Admin", message=str(error)))
    return None


def _message(message: str, status: int) -> AnyResponse:
    return _uncached(make_response(render_template("message.html", title="Admin", message=message), status))


@admin_views.before_request
def _check_transport() -> AnyResponse | None:
    """Reject plain HTTP over a network where the page is on: 403."""
    if not admin_sessions().is_on or served_crawl().settings.admin_over_http or not is_plain_http_over_network():
        return None
    message = PLAIN + (SENT_IN_PLAIN if request.form.get("admin_token") else "")
    return _message(message, 403)


@admin_views.get("/admin")
def admin() -> AnyResponse:
    """Show the actions after a login, else the form for the token. 403: the page is off."""
    if not admin_sessions().is_on:
        return _message(OFF, 403)
    session = _session()
    return _uncached(make_response(_actions(session) if session else _login()))


@admin_views.post("/admin/login")
def log_in() -> AnyResponse:
    """Log in. 403: a wrong token, or a foreign form; 429: too many wrong tokens."""
    if not is_valid_form(form_token()):
        return _uncached(make_response(_login(OLD_FORM), 403))
    try:
        session = admin_sessions().log_in(request.form.get("admin_token", ""), request.remote_addr or "")
    except WrongToken as error:
        return _uncached(make_response(_login(str(error)), 403))
    except TooManyAttempts as error:
        return _uncached(_too_often(error, _login(str(error))))
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
    return _uncached(answer)


@admin_views.post("/admin/logout")
def log_out() -> AnyResponse:
    """End the session."""
    session = _session()
    if session is None or not is_valid_form(session.form_token):
        return _uncached(make_response(_login(OLD_FORM), 403))
    admin_sessions().log_out(session)
    answer = redirect(PATH, 303)
    answer.delete_cookie(COOKIE, path=PATH, secure=request.is_secure, httponly=True, samesite="Strict")
    return _uncached(answer)


@admin_views.post("/admin/act")
def act() -> AnyResponse:
    """Do an action. 403: not logged in, or a foreign form; 422: it can't be done; 429: too many actions."""
    session = _session()
    if session is None:
        return _uncached(make_response(_login("the session has ended: enter the token again"), 403))
    if not is_valid_form(session.form_token):
        return _uncached(make_response(_actions(session, form_error=OLD_FORM), 403))
    action, target, words = (" ".join(request.form.get(name, "").split()) for name in ("action", "target", "words"))
    try:
        admin_sessions().act(session)
        done = perform(Action(action, target, words, request.remote_addr or ""))
        served_crawl().forget_suggestions()
    except TooManyAttempts as error:
        return _uncached(_too_often(error, _actions(session, form_error=str(error))))
    except ActionError as error:
        return _uncached(make_response(_actions(session, form_error=str(error)), 422))
    return _uncached(make_response(_actions(session, done=done)))


def admin_sessions() -> AdminSessions:
    """Return the sessions of the current application, which know its token."""
    found: AdminSessions = current_app.extensions[EXTENSION]
    return found


def _session() -> AdminSession | None:
    return admin_sessions().find(request.cookies.get(COOKIE, ""))


def _too_often(error: TooManyAttempts, page: str) -> AnyResponse:
    answer = make_response(page, 429)
    answer.headers["Retry-After"] = str(math.ceil(error.seconds))
    return answer


def _uncached(answer: AnyResponse) -> AnyResponse:
    """Forbid caching, and let forms send their origin, which is checked."""
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "same-origin"
    return answer


def _login(form_error: str = "") -> str:
    return render_template("operators/login.html", token=form_token(), form_error=form_error)


def _actions(session: AdminSession, done: str = "", form_error: str = "") -> str:
    served = served_crawl()
    databases = served.read()
    notes = sorted((note for each in databases for note in admin_notes(each, NOTES)), key=lambda note: -note.at)
    caught = [catch for each in databases for catch in catches(each)][:CATCHES]
    rows = {"notes": notes[:NOTES], "catches": caught, "suggestions": served.suggestions()[:SUGGESTIONS]}
    return render_template(
        "operators/admin.html",
        token=session.form_token,
        done=done,
        form_error=form_error,
        needs=served.health(for_admin=True).needs,
        **rows,
    )
