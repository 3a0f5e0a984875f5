"""What may a browser do with our pages, and which requests are safe? Headers, host names, the scheme, and form tokens.

**Headers.** A result repeats text of strangers. Escaping is the first defence, the Content Security Policy the second:
markup that slipped through could load, run and send nothing. A script runs only if its element has the nonce of this
response (Content Security Policy Level 3, 6.7.3.3). So a stranger's script element never runs, though it may name a
file of ours. Handlers and styles in attributes do not work. A cached copy is sandboxed: it has an origin of its own,
without scripts and forms. Its style is in the document and allowed by its hash.

**Host names.** The gateway accepts only its own. Otherwise any site could point one of its names at our IP address, and
read an intranet's index through a visitor's browser ("DNS rebinding"), and feeds would repeat any name that was sent.

**The scheme.** The gateway speaks plain HTTP. A proxy on this machine may say in X-Forwarded-Proto that its visitor
uses https. No other machine is trusted: it uses plain HTTP itself.

**Forms.** Another site can send a form through a visitor's browser ("cross-site request forgery"). It can't read our
pages, so it does not know the token in our forms. A browser also says whether a page of the same origin sent a request
(Sec-Fetch-Site, Fetch Metadata, 2.2; before it Origin, RFC 6454, 7).
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
# RFC 9110, 7.2: Host = uri-host [ ":" port ].
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
    "Referrer-Policy": "no-referrer",  # no site learns the query
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_security_headers(response: Response) -> Response:
    """Add the security headers, and keep all pages except the policy out of other search engines."""
    if response.mimetype == "text/html" and "Content-Security-Policy" not in response.headers:
        own_script = f"; script-src 'nonce-{nonce()}'; connect-src 'self'"
        response.headers["Content-Security-Policy"] = _HEADERS["Content-Security-Policy"] + own_script
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if request.path != POLICY_PATH:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    if not response.headers.get("Cache-Control"):
        response.headers["Cache-Control"] = "private, no-cache"  # a query is private, so no shared cache may keep it
    return response


def nonce() -> str:
    """Return the nonce of this response; templates write it into each script element.

    So no page may be cached: a later response has another nonce in its header.
    """
    if "nonce" not in g:
        g.nonce = secrets.token_urlsafe(NONCE_BYTES)
    found: str = g.nonce
    return found


@cache
def stylesheet() -> str:
    """Return the stylesheet of our pages."""
    return (Path(__file__).parent / "static" / "style.css").read_text()


@cache
def copy_security_policy() -> str:
    """Return the Content-Security-Policy of a cached copy, which contains `stylesheet`. Its links work."""
    digest = b64encode(sha256(stylesheet().encode()).digest()).decode()
    return (
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
        f"style-src 'sha256-{digest}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


class InvalidHostName(ValueError):
    """An invalid host name in the settings; the message says what would work."""


def allowed_hosts_of(bot_url: str, allowed: Iterable[str] = ()) -> frozenset[str]:
    """Return the host names of a gateway: loopback, that of BOT_URL, and ALLOWED_HOSTS. Raises InvalidHostName."""
    public = urlsplit(bot_url).hostname
    of_public = {f"[{public}]" if ":" in public else public} if public else set()
    return LOOPBACK_HOSTS.union(of_public, map(_name, allowed))


def hosts_on_network(host: str) -> frozenset[str]:
    """Return the host names in a network: `--host`, and the name of this machine."""
    machine = socket.gethostname().lower()
    return frozenset({host.lower(), machine, f"{machine}.local"})  # .local: multicast DNS (RFC 6762)


def is_allowed_host(host: str, names: frozenset[str], *, ip_addresses: bool = False) -> bool:
    """Return whether a Host header has one of `names`, or any IP address where `ip_addresses` allows it.

    An IP address is safe: nobody can point it elsewhere, as they can a name.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found["name"].lower()
    is_ip_address = read_ip_address(name.strip("[]")) is not None
    return name in names or name.endswith(".localhost") or (ip_addresses and is_ip_address)


def _name(text: str) -> str:
    found = _HOST.fullmatch(text.strip())
    if found is None:
        raise InvalidHostName(f"{text!r} is no host name: give one such as search.example.org, without http:// and /")
    return found["name"].lower()


def wrong_host_message(host: str, *, ip_addresses: bool = False) -> str:
    """Return the message for a request with another host name."""
    also = ", to its IP addresses" if ip_addresses else ""
    return (
        f"The request is for the host {host[:100]!r}, but this gateway accepts localhost, 127.0.0.1 and [::1]{also}. "
        "Use one of those. To allow another name, set BOT_URL to the public URL, or ALLOWED_HOSTS to the name"
    )


PROTO = "X-Forwarded-Proto"
OF_PROXIES = (PROTO, "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")


def trust_local_proxies(app: Flask) -> None:
    """Let the application use the scheme that a proxy on this machine sends, also in its own URLs."""
    inner = app.wsgi_app

    def with_scheme(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        scheme = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2]  # the last one is the nearest proxy's
        if scheme.strip().lower() == "https" and is_loopback_address(environ.get("REMOTE_ADDR", "")):
            environ["wsgi.url_scheme"] = "https"
        return inner(environ, start_response)

    app.wsgi_app = with_scheme  # type: ignore[method-assign]  # as Flask's documentation has it


def is_plain_http_over_network() -> bool:
    """Return whether this request may have crossed a network in plain text."""
    return not (request.is_secure or is_from_this_machine())


def is_from_this_machine() -> bool:
    """Return whether this request, if there is one, was sent here without a proxy, to a name of loopback."""
    if not request:
        return True  # a command or an assistant asks
    is_local = is_loopback_address(request.remote_addr or "") and is_allowed_host(request.host, LOOPBACK_HOSTS)
    return is_local and not any(name in request.headers for name in OF_PROXIES)


def read_ip_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an IP address, an IPv4-mapped one as that of IPv4; None for what is no IP address."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def is_loopback_address(address: str) -> bool:
    """Return whether an IP address is a loopback address, also an IPv4-mapped one."""
    found = read_ip_address(address)
    return found is not None and found.is_loopback


TOKEN_KEY = "FORM_TOKEN"  # noqa: S105 - the key in the configuration of the application
OLD_FORM = "the form has expired, or is not from this search engine: reload its page and send it again"
READING = frozenset({"GET", "HEAD"})
OWN_PAGE, BY_URL = "same-origin", "none"  # values of Sec-Fetch-Site; none: a person entered the URL
TOP_LEVEL = ("navigate", "document")  # Sec-Fetch-Mode and -Dest of a link that was followed
RETRY_SECONDS = 600  # before another form, after too many


def form_token() -> str:
    """Return the token of this process for all visitor forms."""
    found: str = current_app.config.setdefault(TOKEN_KEY, secrets.token_urlsafe(32))
    return found


def is_valid_form(token: str) -> bool:
    """Return whether the form of this request has `token` and no other site sent it."""
    sent = request.form.get("token", "")
    return secrets.compare_digest(sent.encode(), token.encode()) and not is_cross_site()


def form_error(status: int, message: str, page: Callable[[str], str]) -> Response:
    """Return the response to a form that is not accepted, as a page or as JSON."""
    if request.values.get("format") == "json":
        response = make_response(jsonify(error=message), status)
    else:
        response = make_response(page(sentence(f"{message[0].upper()}{message[1:]}")), status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def is_cross_site() -> bool:
    """Return whether the browser says that a page of another origin sent this request, or shows its response.

    A page may be opened from anywhere: by a link elsewhere, or by its URL. A form comes only from a page of ours.
    """
    only_reads = request.method in READING
    site, origin = (request.headers.get(name) for name in ("Sec-Fetch-Site", "Origin"))
    if site is not None:
        opened = tuple(request.headers.get(f"Sec-Fetch-{name}") for name in ("Mode", "Dest")) == TOP_LEVEL
        return site != OWN_PAGE and not (only_reads and (opened or site == BY_URL))
    if origin is None or (origin == "null" and not only_reads):
        return False  # our pages send no referrer, and then a browser names no origin of a form either
    return origin.partition("://")[2] != request.host
