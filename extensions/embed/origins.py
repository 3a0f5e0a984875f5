"""Which pages of other sites may search here? Those of EMBED_ORIGINS: their browsers get the headers that let them.

- `/embed.js`: every page may load it, as it says nothing about the crawl. It is 404 without EMBED_ORIGINS.
- `/api/search` and `/api/suggest`: a page of such an origin may read the response (CORS, https://fetch.spec.whatwg.org).
- `/` and `/search`: such a page may show it in a frame (CSP frame-ancestors).

The visitor's cookies and tokens are never part of it: no response allows credentials.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, request, send_from_directory

from spiders.setting_values import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ORIGINS = 100
READ_BY_SCRIPTS = frozenset({"/api/search", "/api/suggest"})
SHOWN_IN_FRAMES = frozenset({"/", "/search"})
SCRIPT = "/embed.js"
SCRIPT_SECONDS = 3600  # that a browser keeps the script
_HOST = re.compile(r"[a-z0-9.-]+|\[[0-9a-f:.]+\]")

embed_views = Blueprint("embed", __name__)
_allowed: set[str] = set()


def allow(given: Iterable[object]) -> None:
    """Take the origins of the setting. Raises SettingError."""
    origins = {origin_of_setting(str(each)) for each in given}
    if len(origins) > MAX_ORIGINS:
        raise SettingError(f"EMBED_ORIGINS has {len(origins)} origins: at most {MAX_ORIGINS} are possible")
    _allowed.clear()
    _allowed.update(origins)


def origin_of_setting(given: str) -> str:
    """Return an origin as browsers write it (RFC 6454, 6.2): scheme, host, and a port that is not the scheme's own."""
    fault = f"EMBED_ORIGINS: {given!r} is no origin: give it as https://docs.example.org, or http://127.0.0.1:8000"
    try:
        parts = urlsplit(given.strip().rstrip("/").lower())
        port, host = parts.port, parts.netloc.rpartition("@")[2].partition(":")[0]
    except ValueError:
        raise SettingError(fault) from None
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else host
    if (
        parts.scheme not in {"http", "https"}
        or not _HOST.fullmatch(host)
        or parts.path
        or parts.query
        or parts.username
    ):
        raise SettingError(fault)
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != usual else "")


@embed_views.get(SCRIPT)
def script() -> Response | tuple[str, int]:
    """Return the script of the element."""
    if not _allowed:
        return "EMBED_ORIGINS names no origin, so nobody may embed this search.\n", 404
    return send_from_directory(embed_views.root_path, "embed.js", max_age=SCRIPT_SECONDS)


@embed_views.after_app_request
def let_allowed_origins(response: Response) -> Response:
    """Add the headers that let pages of the allowed origins use a response. It is called after the gateway's own."""
    if not _allowed:
        return response
    if request.path == SCRIPT:
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    elif request.path in READ_BY_SCRIPTS:
        response.headers.add("Vary", "Origin")
        if (origin := request.headers.get("Origin", "")) in _allowed:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    elif request.path in SHOWN_IN_FRAMES and "Content-Security-Policy" in response.headers:
        policy = response.headers["Content-Security-Policy"]
        framing = f"frame-ancestors {' '.join(sorted(_allowed))}"
        response.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", framing)
        response.headers.pop("X-Frame-Options", None)
    return response
