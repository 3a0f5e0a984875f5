"""What can a visitor tell the operator? `/bot` has the policy of the robot and a complaint form; `/submit` takes a URL.

The User-Agent of the robot links to `/bot`. A complaint becomes a proposal, and a person decides about it, because
anybody may send one. `/submit` is off unless the settings allow it. Both forms have a token (`browser_guard`).
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


ROBOT_DELAY = 10  # seconds between two pages, for other robots: each page is computed
NO_FORM = "this gateway has no complaint form: write to the operator"
policy_views = Blueprint("policy", __name__)


@policy_views.get("/bot")
def bot() -> str:
    """Show the policy of the robot, with the settings of the newest crawl."""
    return _policy()


@policy_views.post("/bot")
def complaint() -> Response:
    """Accept a complaint. 403: no form, or a foreign one; 422: an invalid one; 429: too many."""
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
    """Allow other robots everything: a page that they may not fetch can't say noindex.

    The noindex and nofollow are in a header (`browser_guard`).
    """
    return Response(f"User-agent: *\nCrawl-delay: {ROBOT_DELAY}\nAllow: /\n", mimetype="text/plain")


def _refused(status: int, message: str) -> Response:
    return form_error(status, message, lambda message: _policy(refused=message))


def _policy(proposal: BlockProposal | None = None, refused: str = "") -> str:
    served = served_crawl()
    typed = {name: request.form.get(name, "") for name in ("site", "reason", "contact")} if refused else {}
    token = form_token() if served.settings.complaints_per_hour else ""
    bounds = {"max_reason": MAX_REASON, "max_contact": MAX_CONTACT, "max_url": MAX_URL}
    return render_template(
        "bot.html", settings=served.manners(), token=token, proposal=proposal, form_error=refused, typed=typed, **bounds
    )


HOW_TO_ALLOW = "submitting pages is off; ./breadcrumb serve -s ALLOW_SUBMIT=yes switches it on"

submit_views = Blueprint("submit", __name__)


@submit_views.route("/submit", methods=["GET", "POST"])
def submission_form() -> Response:
    """Show the form, and accept a submitted URL. 403: the form is off, or a foreign one was sent."""
    if not served_crawl().settings.allow_submit:
        return _submit_refused(403, HOW_TO_ALLOW)
    if request.method == "GET":
        return make_response(_form_page())
    if not is_valid_form(form_token()):
        return _submit_refused(403, OLD_FORM)
    url = request.form.get("url", "").strip()
    if not url or len(url) > MAX_URL:
        raise InvalidParameter(f"enter the whole URL of a page, at most {MAX_URL} characters")
    try:
        submission = served_crawl().submit(url)
    except TooManySubmissionsError as error:
        return _submit_refused(429, f"{error}. Try again later")
    return _submission_response(submission)


def _form_page(submission: Submission | None = None) -> str:
    return render_template("submit.html", token=form_token(), submission=submission)


def _submission_response(submission: Submission) -> Response:
    status = 202 if submission.accepted else 422
    if request.values.get("format") == "json":
        result = {"url": submission.url, "accepted": submission.accepted, "state": submission.state}
        return make_response(jsonify(result | {"rule": submission.rule, "reason": submission.reason}), status)
    return make_response(_form_page(submission), status)


def _submit_refused(status: int, message: str) -> Response:
    title = "Not submitted"
    return form_error(status, message, lambda text: render_template("message.html", title=title, message=text))
