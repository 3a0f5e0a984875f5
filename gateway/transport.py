"""How did a request reach us? From this machine, by https through a proxy, or over a network that others can read.

The gateway speaks plain HTTP. A proxy on this machine may say in X-Forwarded-Proto that its visitor came by https. No
other machine is believed: it reaches us by plain HTTP itself, whatever it says of those before it.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from flask import request

from gateway.browser_guard import LOOPBACK_NAMES, is_own_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from flask import Flask

PROTO = "X-Forwarded-Proto"
OF_PROXIES = (PROTO, "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")


def believe_local_proxies(app: Flask) -> None:
    """Let the application see the scheme that a proxy on this machine names, also in the addresses that it writes."""
    answer = app.wsgi_app

    def with_scheme(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        said = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2]  # the last word is the nearest proxy's
        if said.strip().lower() == "https" and is_this_machine(environ.get("REMOTE_ADDR", "")):
            environ["wsgi.url_scheme"] = "https"
        return answer(environ, start_response)

    app.wsgi_app = with_scheme  # type: ignore[method-assign]  # as Flask's documentation has it


def can_be_overheard() -> bool:
    """Return whether this request crossed a network in plain text, as far as anybody can know."""
    if request.is_secure:
        return False
    stayed_here = is_this_machine(request.remote_addr or "") and is_own_name(request.host, LOOPBACK_NAMES)
    return not stayed_here or any(name in request.headers for name in OF_PROXIES)


def is_this_machine(address: str) -> bool:
    """Return whether an IP address is one of this machine to itself, also where IPv6 carries one of IPv4."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback
