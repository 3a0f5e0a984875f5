"""Did a form come from a page of ours? It has a token that only our page knows; the browser says where it is from.

A page elsewhere can send a form of its own through a visitor's browser ("cross-site request forgery"). It can't read
our pages, so it can't know the token. Beside that a browser says of each request whether a page of the same origin made
it (Sec-Fetch-Site, Fetch Metadata, 2.2; before it Origin, RFC 6454, 7).
"""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import current_app, jsonify, make_response, request

from reports.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response

TOKEN_KEY = "FORM_TOKEN"  # noqa: S105 - the name under which the application keeps it
OLD_FORM = "the form is an old one, or not this search engine's: open its page again, and send it from there"
OWN_PAGE = "same-origin"
RETRY_SECONDS = 600  # after which a form may be sent again where too many were


def form_token() -> str:
    """Return the token of this process, which every form for visitors has."""
    found: str = current_app.config.setdefault(TOKEN_KEY, secrets.token_urlsafe(32))
    return found


def is_own_form(token: str) -> bool:
    """Return whether the form of this request has `token`, and nothing says that another site sent it."""
    given = request.form.get("token", "")
    return secrets.compare_digest(given.encode(), token.encode()) and not is_from_elsewhere()


def refusal(status: int, message: str, page: Callable[[str], str]) -> Response:
    """Return the answer to a form that is not taken, as a page or, for programs, as an object."""
    if request.values.get("format") == "json":
        told = make_response(jsonify(error=message), status)
    else:
        told = make_response(page(sentence(f"{message[0].upper()}{message[1:]}")), status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        told.headers["Retry-After"] = str(RETRY_SECONDS)
    return told


def is_from_elsewhere() -> bool:
    """Return whether the browser says that a page of another origin made this request.

    An Origin of "null" says nothing: our pages ask for no referrer, and then a browser tells no origin either.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "null")
    if site is not None:
        return site != OWN_PAGE
    return origin != "null" and origin.partition("://")[2] != request.host
