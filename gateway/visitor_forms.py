"""Where does the User-Agent of the robot lead? To who runs it, what it obeys, how to stop it, and a form to complain.

The form ends in a proposal, on which a person decides: who sends it may be anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from frontier.submission import (
    MAX_CONTACT,
    MAX_REASON,
    ProposalRefused,
    Submission,
    TooManyProposals,
    TooManySubmissionsError,
)
from gateway.browser_guard import OLD_FORM, form_error, form_token, is_valid_form
from gateway.search_request import InvalidParameter
from gateway.served_crawl import served_crawl
from urls.canonical import MAX_URL

if TYPE_CHECKING:
    from crawldb.tables.blocks import BlockProposal


ROBOT_DELAY = 10  # seconds that other robots are asked to leave between two pages: each is made anew
NO_FORM = "this gateway takes no complaints by a form: write to whoever runs it"
policy_views = Blueprint("policy", __name__)


@policy_views.get("/bot")
def bot() -> str:
    """Show the policy of the robot, as the newest crawl kept it."""
    return _policy()


@policy_views.post("/bot")
def complaint() -> Response:
    """Take a complaint. 403: there is no form, or it was not ours; 422: it can't be taken; 429: too many came."""
    if not served_crawl().settings.complaints_per_hour:
        return _refused(403, NO_FORM)
    if not is_valid_form(form_token()):
        return _refused(403, OLD_FORM)
    site, reason, contact = (request.form.get(name, "") for name in ("site", "reason", "contact"))
    try:
        proposal = served_crawl().propose_block(site[: MAX_URL + 1], reason, contact)
    except TooManyProposals as error:
        return _refused(429, str(error))
    except ProposalRefused as error:
        return _refused(422, str(error))
    if request.values.get("format") == "json":
        return make_response(jsonify(target=proposal.target.name, proposed=True, reason=proposal.reason), 202)
    return make_response(_policy(proposal=proposal), 202)


@policy_views.get("/robots.txt")
def robots_txt() -> Response:
    """Let other robots fetch what they have an address of: a page that they may not fetch can't say noindex.

    What keeps results out of their indexes and their links unfollowed is the header (`browser_guard`).
    """
    return Response(f"User-agent: *\nCrawl-delay: {ROBOT_DELAY}\nAllow: /\n", mimetype="text/plain")


def _refused(status: int, message: str) -> Response:
    return form_error(status, message, lambda told: _policy(refused=told))


def _policy(proposal: BlockProposal | None = None, refused: str = "") -> str:
    served = served_crawl()
    told = {name: request.form.get(name, "") for name in ("site", "reason", "contact")} if refused else {}
    token = form_token() if served.settings.complaints_per_hour else ""
    bounds = {"max_reason": MAX_REASON, "max_contact": MAX_CONTACT, "max_url": MAX_URL}
    return render_template(
        "bot.html", settings=served.manners(), token=token, proposal=proposal, form_error=refused, told=told, **bounds
    )


HOW_TO_ALLOW = "handing in addresses is switched off here; ./breadcrumb serve -s ALLOW_SUBMIT=yes switches it on"

submit_views = Blueprint("submit", __name__)


@submit_views.route("/submit", methods=["GET", "POST"])
def submission_form() -> Response:
    """Show the form, and take an address that was handed in. 403: it is switched off, or the form was not ours."""
    if not served_crawl().settings.allow_submit:
        return _submit_refused(403, HOW_TO_ALLOW)
    if request.method == "GET":
        return make_response(_form_page())
    if not is_valid_form(form_token()):
        return _submit_refused(403, OLD_FORM)
    url = request.form.get("url", "").strip()
    if not url or len(url) > MAX_URL:
        raise InvalidParameter(f"give the whole address of a page, of at most {MAX_URL} characters")
    try:
        submission = served_crawl().submit(url)
    except TooManySubmissionsError as error:
        return _submit_refused(429, f"{error}. Come back later")
    return _judged(submission)


def _form_page(submission: Submission | None = None) -> str:
    return render_template("submit.html", token=form_token(), submission=submission)


def _judged(submission: Submission) -> Response:
    status = 202 if submission.accepted else 422
    if request.values.get("format") == "json":
        told = {"url": submission.url, "accepted": submission.accepted, "state": submission.state}
        return make_response(jsonify(told | {"rule": submission.rule, "reason": submission.reason}), status)
    return make_response(_form_page(submission), status)


def _submit_refused(status: int, message: str) -> Response:
    title = "This can't be handed in"
    return form_error(status, message, lambda told: render_template("message.html", title=title, message=told))
