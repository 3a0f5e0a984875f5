"""To whom was a request made? A log shows a host and a path, hardly ever the scheme."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from crawldb.audit.record import ROBOTS_PATH, Visit
from robots import origin_of

HOSTS_KEPT = 4096  # names whose origins are remembered
MAX_AUTHORITY = 300  # characters: a name in the DNS has 253 at most, then a port
_SCHEMES = ("http", "https")


class Server(NamedTuple):
    """A host as a log names it: without its port, and the origins that it may stand for."""

    host: str
    origins: tuple[str, ...]


@lru_cache(HOSTS_KEPT)
def server(authority: str, scheme: str = "") -> Server | None:
    """Return what a Host header stands for; None where no host has such a name."""
    if not authority:
        return Server("", ())
    if len(authority) > MAX_AUTHORITY:
        return None
    try:
        origins = tuple(origin_of(f"{known}://{authority}/") for known in ([scheme] if scheme else _SCHEMES))
    except ValueError:
        return None
    return Server(origins[0].partition("://")[2].rpartition(":")[0], origins)


def visit_to(
    authority: str, target: str, place: int, *, start: float, end: float, status: int | None, again: bool
) -> Visit | None:
    """Return the visit that a request line asks for; None where it asks for no URL.

    `target` is a path, or a whole URL as a request to a proxy has it (RFC 9112, 3.2).
    """
    scheme, path = "", target
    if target[:1] != "/":
        scheme, mark, rest = target.partition("://")
        scheme = scheme.lower()
        authority, slash, path = rest.partition("/")
        path = slash + path or "/"
        if not mark or scheme not in _SCHEMES:
            return None
    named = server(authority, scheme)
    if named is None:
        return None
    robots = path.partition("#")[0] == ROBOTS_PATH
    return Visit(
        place, start, end,
        url=f"{scheme}://{authority}{path}" if scheme else (f"//{authority}{path}" if authority else path),
        path=path, host=named.host, origins=named.origins, status=status, again=again, robots=robots,
        rules_of=(named.origins[0] if named.origins else "") if robots else "",
    )  # fmt: skip
