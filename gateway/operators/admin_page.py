"""What can be done on the admin page? What the commands do, by the same functions; each is noted before it is done.

What is taken out is hidden from searches at once. The index follows within the request where that is little work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from flask import Blueprint, current_app, make_response, redirect, render_template, request

from crawldb.tables.open_work import BLOCK, FORGET, OpenWork, noted_work
from frontier import submission, takedown
from frontier.aliases import OptionSwitch, switch_options
from frontier.budgets import release_everywhere
from frontier.submission import admin_notes, decline_proposal, note_admin
from gateway.browser_guard import OLD_FORM, PROTO, form_token, is_plain_http_over_network, is_valid_form
from gateway.operators.admin_session import LEAST_TOKEN, SESSION_SECONDS, AdminSessions, TooManyAttempts, WrongToken
from gateway.served_crawl import served_crawl
from indexer.following import bring_index_up_to_date
from reports.alias_evidence import find_alias_evidence
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


Done = TypeVar("Done")
AT_ONCE = 1_000  # changes that the index takes within a request; more take the command's time
MAX_REASON = 1_000  # characters


class ActionError(Exception):
    """An action could not be done; the message says why, and what would work."""


@dataclass(frozen=True, slots=True)
class Action:
    """What was asked for: which action, on what, with which words, by whom."""

    name: str
    target: str
    words: str = ""
    address: str = ""


def perform(action: Action) -> str:
    """Do it, and return what was done, in a sentence. Raises ActionError, and DatabaseError without a crawl."""
    done = ACTIONS.get(action.name)
    if done is None:
        raise ActionError(f"there is no action {action.name[:100]!r}: choose one of {', '.join(ACTIONS)}")
    if not action.target.strip():
        raise ActionError("it is missing what is meant: give an address, a site or a pattern")
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
    told = [
        submission.submit(database, served_crawl().settings.policy_of(database, sites=sites), [action.target])[0]
        for database in databases
    ]
    found = max(told, key=lambda each: bool(each.state or each.rule))
    if not found.accepted:
        raise ActionError(f"{found.url or found.given} is refused ({found.rule}): {found.reason or 'as before'}")
    return f"{found.url} is in the root set ({found.state}): the next crawl asks its site's robots.txt first."


def _block(databases: Sequence[CrawlDatabase], action: Action) -> str:
    target = target_of(action.target)
    if not any(takedown.known_of(database, target) for database in databases):
        raise ActionError(f"the crawl has never met {target}: ./breadcrumb block --anyway blocks it all the same")
    with noted_work(databases, OpenWork(BLOCK, (target.name,), action.words)):
        pages = sum(takedown.block(database, target.name, action.words)[1] for database in databases)
    return f"{target}: blocked; {counted(pages, 'page')} taken out. {_followed(databases, pages)}"


def _lift(databases: Sequence[CrawlDatabase], action: Action) -> str:
    lifted = _where_it_is(databases, lambda database: takedown.unblock(database, action.target)[1])
    return f"{target_of(action.target)}: off the blacklist; the next crawl asks for {counted(sum(lifted), 'URL')}."


def _decline(databases: Sequence[CrawlDatabase], action: Action) -> str:
    declined = _where_it_is(databases, lambda database: decline_proposal(database, action.target))
    return f"{declined[0]}: stays as it is; the proposal is closed."


def _forget(databases: Sequence[CrawlDatabase], action: Action) -> str:
    target = target_of(action.target)
    with noted_work(databases, OpenWork(FORGET, (target.name,))):
        pages = sum(takedown.forget(database, target.name)[1] for database in databases)
    if not pages:
        raise ActionError(f"nothing of {target} is stored, so nothing was taken out")
    told = f"{target}: {counted(pages, 'page')} forgotten; the next round may fetch it again."
    return f"{told} {_followed(databases, pages)}"


def _release(databases: Sequence[CrawlDatabase], action: Action) -> str:
    released = release_everywhere(databases, action.target, action.words)
    return f"{released.target}: released; the next crawl asks for {counted(released.urls, 'URL')} of it."


def _apply(databases: Sequence[CrawlDatabase], action: Action) -> str:
    """Switch on an option of a site, by `target` and `words`, if the evidence proposes it."""
    wanted = (action.target, action.words)
    found = [each for each in find_alias_evidence(*databases) if (each.site, each.choice.option.value) == wanted]
    if not any(each.proposed for each in found):
        raise ActionError(f"{action.target} {action.words}: nothing that is stored proposes it any longer")
    switches = [OptionSwitch(each.site, each.choice, on=True) for each in found]
    try:
        merged, _ = switch_options(databases, switches, served_crawl().settings.policy_of)
    except OptionError as error:
        raise ActionError(str(error)) from None
    told = f"{action.target}: {action.words} is on; {counted(merged, 'URL')} known under another name now."
    return f"{told} {_followed(databases, merged)}"


def _where_it_is(databases: Sequence[CrawlDatabase], do: Callable[[CrawlDatabase], Done]) -> list[Done]:
    """Do something in each part that has what is meant; raise `LookupError` where none has."""
    done: list[Done] = []
    nothing = LookupError()
    for database in databases:
        try:
            done.append(do(database))
        except LookupError as error:
            nothing = error
    if not done:
        raise nothing
    return done


def _followed(databases: Sequence[CrawlDatabase], pages: int) -> str:
    if not pages:
        return ""
    if sum(changes_to_index(database.path.parent, database) for database in databases) > AT_ONCE:
        return "Searches hide it from now on; ./breadcrumb index takes it out of the index, too."
    return bring_index_up_to_date(databases)


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
    if not _sessions().is_on or served_crawl().settings.admin_over_http or not is_plain_http_over_network():
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
    if not is_valid_form(form_token()):
        return _bound(make_response(_login(OLD_FORM), 403))
    try:
        session = _sessions().log_in(request.form.get("admin_token", ""), request.remote_addr or "")
    except WrongToken as error:
        return _bound(make_response(_login(str(error)), 403))
    except TooManyAttempts as error:
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
    if session is None or not is_valid_form(session.form_token):
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
    if not is_valid_form(session.form_token):
        return _bound(make_response(_actions(session, form_error=OLD_FORM), 403))
    action, target, words = (" ".join(request.form.get(name, "").split()) for name in ("action", "target", "words"))
    try:
        _sessions().act(session)
        done = perform(Action(action, target, words, request.remote_addr or ""))
        served_crawl().forget_suggestions()
    except TooManyAttempts as error:
        return _bound(_too_often(error, _actions(session, form_error=str(error))))
    except ActionError as error:
        return _bound(make_response(_actions(session, form_error=str(error)), 422))
    return _bound(make_response(_actions(session, done=done)))


def _sessions() -> AdminSessions:
    found: AdminSessions = current_app.extensions[EXTENSION]
    return found


def _session() -> AdminSession | None:
    return _sessions().find(request.cookies.get(COOKIE, ""))


def _too_often(error: TooManyAttempts, page: str) -> AnyResponse:
    answer = make_response(page, 429)
    answer.headers["Retry-After"] = str(math.ceil(error.seconds))
    return answer


def _bound(answer: AnyResponse) -> AnyResponse:
    """Keep an answer out of every store, and let a form say where it is from, as it must to be taken."""
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
    told = {"notes": notes[:NOTES], "catches": caught, "suggestions": served.suggestions()[:SUGGESTIONS]}
    return render_template(
        "operators/admin.html",
        token=session.form_token,
        done=done,
        form_error=form_error,
        needs=served.health(for_admin=True).needs,
        **told,
    )
