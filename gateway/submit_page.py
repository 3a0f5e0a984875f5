"""How does a visitor hand in an address? By a form, which is off unless whoever runs the gateway switches it on.

The form has a token of this process (`form_guard`).
"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from frontier.submission import Submission, TooManySubmissionsError
from gateway.form_guard import OLD_FORM, form_token, is_own_form, refusal
from gateway.searching.question import BadQuestion
from gateway.served_crawl import served_crawl
from urls.canonical import MAX_URL

HOW_TO_ALLOW = "handing in addresses is switched off here; ./breadcrumb serve -s ALLOW_SUBMIT=yes switches it on"

submit_views = Blueprint("submit", __name__)


@submit_views.route("/submit", methods=["GET", "POST"])
def submission_form() -> Response:
    """Show the form, and take an address that was handed in. 403: it is switched off, or the form was not ours."""
    if not served_crawl().settings.allow_submit:
        return _refused(403, HOW_TO_ALLOW)
    if request.method == "GET":
        return make_response(_form_page())
    if not is_own_form(form_token()):
        return _refused(403, OLD_FORM)
    url = request.form.get("url", "").strip()
    if not url or len(url) > MAX_URL:
        raise BadQuestion(f"give the whole address of a page, of at most {MAX_URL} characters")
    try:
        submission = served_crawl().submit(url)
    except TooManySubmissionsError as error:
        return _refused(429, f"{error}. Come back later")
    return _judged(submission)


def _form_page(submission: Submission | None = None) -> str:
    return render_template("submit.html", token=form_token(), submission=submission)


def _judged(submission: Submission) -> Response:
    status = 202 if submission.accepted else 422
    if request.values.get("format") == "json":
        told = {"url": submission.url, "accepted": submission.accepted, "state": submission.state}
        return make_response(jsonify(told | {"rule": submission.rule, "reason": submission.reason}), status)
    return make_response(_form_page(submission), status)


def _refused(status: int, message: str) -> Response:
    title = "This can't be handed in"
    return refusal(status, message, lambda told: render_template("message.html", title=title, message=told))
