"""A robots.txt belongs to one scheme, host and port: it applies to no other origin (RFC 9309, 2.3).

`http://example.com` and `https://example.com` have a file each, and so have `a.example.com` and port 8080.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

DEFAULT_PORTS: Final = MappingProxyType({"http": 80, "https": 443})


def origin_of(url: str) -> str:
    """Return "scheme://host:port" of an http(s) URL, the key under which its robots.txt is known.

    The host is in lower case and punycode, without a final dot. The port is always part of the key; user and password
    never are. Raises ValueError for anything but an http(s) URL with a host.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"origin_of({url!r}): {error}; an example that works: http://example.com/page") from None
    if parts.scheme not in DEFAULT_PORTS or not host.rstrip("."):
        raise ValueError(f"origin_of({url!r}): not an http or https URL with a host, such as http://example.com/page")
    return f"{parts.scheme}://{_key(host)}:{DEFAULT_PORTS[parts.scheme] if port is None else port}"


def robots_url(origin: str) -> str:
    """Return the one URL at which `origin` may have a robots.txt. The default port of the scheme is left out."""
    scheme, _, rest = origin.partition("://")
    host, _, port = rest.rpartition(":")
    authority = host if port == str(DEFAULT_PORTS[scheme]) else rest
    return f"{scheme}://{authority}/robots.txt"


_HOST_LINE: Final = re.compile(rb"(?:^|[\r\n])[ \t]*host[ \t]*:[ \t]*(?:https?://)?([^\s#/]{1,261})", re.IGNORECASE)


def preferred_host(body: bytes) -> str:
    """Return the host that the first `Host` line of a robots.txt names as the original of its mirrors, or ""."""
    line = _HOST_LINE.search(body)
    return line[1].decode("ascii", "ignore").lower() if line else ""


def is_host_of(name: str, url: str) -> bool:
    """Say whether a `Host` line means the host of `url`: with its port, or without one any port."""
    host = origin_of(url).partition("://")[2]
    return bool(name) and name in {host, host.rpartition(":")[0]}


def _key(host: str) -> str:
    if ":" in host:
        return f"[{host.lower()}]"  # an IPv6 address
    try:
        return host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        # No DNS server knows such a name, for example one with a label of 64 octets. It still needs a key of its own.
        return host.lower().rstrip(".")
