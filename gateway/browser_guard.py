"""What may a page of ours do in a browser? Show text and our own style, send our own forms, and run our own scripts.

A result repeats what strangers wrote. Escaping is the first line of defence and this is the second: even markup that
slipped through could load nothing, run nothing and send nothing (Content Security Policy Level 3). A script runs if its
element has the nonce of this answer, a number that nobody can know before (section 6.7.3.3): so a stranger's script
element does not, though it names a file of ours. No handler in an attribute runs, and no style in one holds.

A copy of a page is bound more tightly: it is sandboxed, which gives it an origin of its own, without scripts and forms,
whatever its markup says. Its style is in the document and allowed by its hash, so that it has nothing to load.

By default the gateway answers under this machine's own names alone. Otherwise any site could point a name of its own
at 127.0.0.1 and read an intranet's index through a visitor's browser ("DNS rebinding").
"""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import g, request

if TYPE_CHECKING:
    from flask import Response

MAX_FORM_BYTES = 16 * 1024  # a query is at most 1,000 characters, twelve bytes each when escaped
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})  # and what ends in .localhost (RFC 6761, 6.3)
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


def with_guarding_headers(response: Response) -> Response:
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
def own_style() -> str:
    """Return the style of our pages."""
    return (Path(__file__).parent / "static" / "style.css").read_text()


@cache
def copy_policy() -> str:
    """Return the Content-Security-Policy of a copy, which has `own_style` in it. Its links may be followed."""
    digest = b64encode(sha256(own_style().encode()).digest()).decode()
    return (
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
        f"style-src 'sha256-{digest}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


def own_names(bot_url: str) -> frozenset[str]:
    """Return the names under which a gateway on loopback is asked: this machine's, and that of its public address."""
    public = urlsplit(bot_url).hostname
    return LOOPBACK_NAMES | ({f"[{public}]" if ":" in public else public} if public else set())


def is_own_name(host: str, names: frozenset[str]) -> bool:
    """Return whether a Host header, with or without a port, has one of `names`."""
    found = _HOST.fullmatch(host)
    return found is not None and ((name := found["name"].lower()) in names or name.endswith(".localhost"))


def wrong_name_message(host: str) -> str:
    """Return what to tell a request that came under another name."""
    return (
        f"This gateway answers to localhost, 127.0.0.1 and [::1], and was asked as {host[:100]!r}. Open it under one "
        "of those; behind a proxy set BOT_URL to its public address, or let it listen to the network with "
        "./breadcrumb serve --host 0.0.0.0"
    )
