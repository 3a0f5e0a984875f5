"""Where does the User-Agent of the robot lead? To who runs it, what it obeys, how to stop it, and a form to complain.

The form ends in a proposal, on which a person decides: who sends it may be anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from frontier.complaint import MAX_CONTACT, MAX_REASON, ComplaintRefused, TooManyComplaints
from gateway.form_guard import OLD_FORM, form_token, is_own_form, refusal
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
    if not is_own_form(form_token()):
        return _refused(403, OLD_FORM)
    site, reason, contact = (request.form.get(name, "") for name in ("site", "reason", "contact"))
    try:
        proposal = served_crawl().complain(site[: MAX_URL + 1], reason, contact)
    except TooManyComplaints as error:
        return _refused(429, str(error))
    except ComplaintRefused as error:
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
    return refusal(status, message, lambda told: _policy(refused=told))


def _policy(proposal: BlockProposal | None = None, refused: str = "") -> str:
    served = served_crawl()
    told = {name: request.form.get(name, "") for name in ("site", "reason", "contact")} if refused else {}
    token = form_token() if served.settings.complaints_per_hour else ""
    bounds = {"max_reason": MAX_REASON, "max_contact": MAX_CONTACT, "max_url": MAX_URL}
    return render_template(
        "bot.html", settings=served.manners(), token=token, proposal=proposal, refusal=refused, told=told, **bounds
    )
