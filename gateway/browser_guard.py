"""What may a page of ours do in a browser? Show text and our own style, send our own forms, and run our own scripts.

A result repeats what strangers wrote. Escaping is the first line of defence and this is the second: even markup that
slipped through could load nothing, run nothing and send nothing (Content Security Policy Level 3). A script runs if its
element has the nonce of this answer, a number that nobody can know before (section 6.7.3.3): so a stranger's script
element does not, though it names a file of ours. No handler in an attribute runs, and no style in one holds.

A copy of a page is bound more tightly: it is sandboxed, which gives it an origin of its own, without scripts and forms,
whatever its markup says. Its style is in the document and allowed by its hash, so that it has nothing to load.

The gateway answers under names of its own alone. Otherwise any site could point a name of its own at our IP address and
read an intranet's index through a visitor's browser ("DNS rebinding"), and feeds would repeat whatever name was sent.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from base64 import b64encode
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import current_app, g, jsonify, make_response, request

from reports.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from flask import Flask, Response


MAX_FORM_BYTES = 16 * 1024  # a query is at most 1,000 characters, twelve bytes each when escaped
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})  # and what ends in .localhost (RFC 6761, 6.3)
# RFC 9110, 7.2: Host = uri-host [ ":" port ]. A name of letters that resolve, nothing before it and nothing after it.
_HOST = re.compile(
    r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::[0-9]{0,5})?", re.ASCII | re.IGNORECASE
)

POLICY_PATH = "/bot"
NONCE_BYTES = 16  # "at least 128 bits long" (Content Security Policy Level 3, 7.1)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # frame-ancestors, for browsers from before it
    "Referrer-Policy": "no-referrer",  # no site learns from which words it was found
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_security_headers(response: Response) -> Response:
    """Add the headers that bind a browser to an answer, and keep all pages but the policy out of other indexes.

    Results are no source of their own, and the links between them have no end.
    """
    if response.mimetype == "text/html" and "Content-Security-Policy" not in response.headers:
        own_script = f"; script-src 'nonce-{nonce()}'; connect-src 'self'"
        response.headers["Content-Security-Policy"] = _HEADERS["Content-Security-Policy"] + own_script
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if request.path != POLICY_PATH:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    if not response.headers.get("Cache-Control"):
        response.headers["Cache-Control"] = "private, no-cache"  # a query is private: no shared cache may keep it
    return response


def nonce() -> str:
    """Return the number by which the scripts of this answer are known; templates write it into each script element.

    So a page of ours must not be kept and sent twice: a later answer has another nonce in its header.
    """
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(NONCE_BYTES)
    found: str = g.nonce
    return found


@cache
def stylesheet() -> str:
    """Return the style of our pages."""
    return (Path(__file__).parent / "static" / "style.css").read_text()


@cache
def copy_security_policy() -> str:
    """Return the Content-Security-Policy of a copy, which has `stylesheet` in it. Its links may be followed."""
    digest = b64encode(sha256(stylesheet().encode()).digest()).decode()
    return (
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
        f"style-src 'sha256-{digest}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


class InvalidHostName(ValueError):
    """A name under which the gateway should answer is none; the message says what would work."""


def allowed_hosts_of(bot_url: str, allowed: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of a gateway: this machine's to itself, that of its public address, and those of its settings.

    Raises InvalidHostName.
    """
    public = urlsplit(bot_url).hostname
    of_public = {f"[{public}]" if ":" in public else public} if public else set()
    return LOOPBACK_HOSTS.union(of_public, map(_name, allowed))


def hosts_on_network(host: str) -> frozenset[str]:
    """Return the names of a gateway that a network can reach: `--host` itself, and the machine's own name there."""
    machine = socket.gethostname().lower()
    return frozenset({host.lower(), machine, f"{machine}.local"})  # .local: multicast DNS (RFC 6762)


def is_allowed_host(host: str, names: frozenset[str], *, ip_addresses: bool = False) -> bool:
    """Return whether a Host header, with or without a port, has one of `names`, or any IP address where these count.

    Nobody can point an IP address elsewhere as they can a name.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found["name"].lower()
    return name in names or name.endswith(".localhost") or (ip_addresses and _is_ip_address(name))


def _name(text: str) -> str:
    found = _HOST.fullmatch(text.strip())
    if found is None:
        raise InvalidHostName(
            f"{text!r} is no name of a host: give one such as search.example.org, without http:// and /"
        )
    return found["name"].lower()


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def wrong_host_message(host: str, *, ip_addresses: bool = False) -> str:
    """Return what to tell a request that came under another name."""
    also = ", to its IP addresses" if ip_addresses else ""
    return (
        f"This gateway answers to localhost, 127.0.0.1 and [::1]{also}, and was asked as {host[:100]!r}. Open it under "
        "one of those; for another name set BOT_URL to its public address, or ALLOWED_HOSTS to the name"
    )


PROTO = "X-Forwarded-Proto"
OF_PROXIES = (PROTO, "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")


def trust_local_proxies(app: Flask) -> None:
    """Let the application see the scheme that a proxy on this machine names, also in the addresses that it writes."""
    answer = app.wsgi_app

    def with_scheme(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        said = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2]  # the last word is the nearest proxy's
        if said.strip().lower() == "https" and is_loopback_address(environ.get("REMOTE_ADDR", "")):
            environ["wsgi.url_scheme"] = "https"
        return answer(environ, start_response)

    app.wsgi_app = with_scheme  # type: ignore[method-assign]  # as Flask's documentation has it


def is_plain_http_over_network() -> bool:
    """Return whether this request crossed a network in plain text, as far as anybody can know."""
    if request.is_secure:
        return False
    stayed_here = is_loopback_address(request.remote_addr or "") and is_allowed_host(request.host, LOOPBACK_HOSTS)
    return not stayed_here or any(name in request.headers for name in OF_PROXIES)


def is_loopback_address(address: str) -> bool:
    """Return whether an IP address is one of this machine to itself, also where IPv6 carries one of IPv4."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


TOKEN_KEY = "FORM_TOKEN"  # noqa: S105 - the name under which the application keeps it
OLD_FORM = "the form is an old one, or not this search engine's: open its page again, and send it from there"
OWN_PAGE = "same-origin"
RETRY_SECONDS = 600  # after which a form may be sent again where too many were


def form_token() -> str:
    """Return the token of this process, which every form for visitors has."""
    found: str = current_app.config.setdefault(TOKEN_KEY, secrets.token_urlsafe(32))
    return found


def is_valid_form(token: str) -> bool:
    """Return whether the form of this request has `token`, and nothing says that another site sent it."""
    given = request.form.get("token", "")
    return secrets.compare_digest(given.encode(), token.encode()) and not is_cross_site()


def form_error(status: int, message: str, page: Callable[[str], str]) -> Response:
    """Return the answer to a form that is not taken, as a page or, for programs, as an object."""
    if request.values.get("format") == "json":
        told = make_response(jsonify(error=message), status)
    else:
        told = make_response(page(sentence(f"{message[0].upper()}{message[1:]}")), status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        told.headers["Retry-After"] = str(RETRY_SECONDS)
    return told


def is_cross_site() -> bool:
    """Return whether the browser says that a page of another origin made this request.

    An Origin of "null" says nothing: our pages ask for no referrer, and then a browser tells no origin either.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "null")
    if site is not None:
        return site != OWN_PAGE
    return origin != "null" and origin.partition("://")[2] != request.host
