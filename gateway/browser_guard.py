"""What may a page of ours do in a browser? Show text and our own style, and send our own form; nothing else.

A result repeats what strangers wrote. Escaping is the first line of defence and this is the second: even markup that
slipped through could load nothing, run nothing and send nothing (Content Security Policy Level 3).

By default the gateway answers under this machine's own names alone. Otherwise any site could point a name of its own
at 127.0.0.1 and read an intranet's index through a visitor's browser ("DNS rebinding").
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from flask import Response

MAX_FORM_BYTES = 16 * 1024  # a query is at most 1,000 characters, twelve bytes each when escaped
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})  # and what ends in .localhost (RFC 6761, 6.3)

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


def with_security_headers(response: Response) -> Response:
    """Add the headers that bind a browser to an answer."""
    response.headers.update(_HEADERS)
    if not response.headers.get("Cache-Control"):
        response.headers["Cache-Control"] = "private, no-cache"  # a query is private: no shared cache may keep it
    return response


def own_names(bot_url: str) -> frozenset[str]:
    """Return the names under which a gateway on loopback is asked: this machine's, and that of its public address."""
    public = urlsplit(bot_url).hostname
    return LOOPBACK_NAMES | ({public} if public else set())


def is_own_name(host: str, names: frozenset[str]) -> bool:
    """Return whether a Host header, with or without a port, has one of `names`."""
    name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    name = name.lower().rstrip(".")
    return name in names or name.endswith(".localhost")


def wrong_name_message(host: str) -> str:
    """Return what to tell a request that came under another name."""
    return (
        f"This gateway answers to localhost, 127.0.0.1 and [::1], and was asked as {host[:100]!r}. Open it under one "
        "of those; behind a proxy set BOT_URL to its public address, or let it listen to the network with "
        "./breadcrumb serve --host 0.0.0.0"
    )
