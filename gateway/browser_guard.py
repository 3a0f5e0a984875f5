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
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import g, request

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class NameUnusable(ValueError):
    """A name under which the gateway should answer is none; the message says what would work."""


def own_names(bot_url: str, allowed: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of a gateway: this machine's to itself, that of its public address, and those of its settings.

    Raises NameUnusable.
    """
    public = urlsplit(bot_url).hostname
    of_public = {f"[{public}]" if ":" in public else public} if public else set()
    return LOOPBACK_NAMES.union(of_public, map(_name, allowed))


def names_on_network(host: str) -> frozenset[str]:
    """Return the names of a gateway that a network can reach: `--host` itself, and the machine's own name there."""
    machine = socket.gethostname().lower()
    return frozenset({host.lower(), machine, f"{machine}.local"})  # .local: multicast DNS (RFC 6762)


def is_own_name(host: str, names: frozenset[str], *, ip_addresses: bool = False) -> bool:
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
        raise NameUnusable(f"{text!r} is no name of a host: give one such as search.example.org, without http:// and /")
    return found["name"].lower()


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def wrong_name_message(host: str, *, ip_addresses: bool = False) -> str:
    """Return what to tell a request that came under another name."""
    also = ", to its IP addresses" if ip_addresses else ""
    return (
        f"This gateway answers to localhost, 127.0.0.1 and [::1]{also}, and was asked as {host[:100]!r}. Open it under "
        "one of those; for another name set BOT_URL to its public address, or ALLOWED_HOSTS to the name"
    )
