"""Whose robots.txt is it? That of one scheme, host and port: a file speaks for nobody else (RFC 9309, 2.3).

`http://example.com` and `https://example.com` have a file each, and so have `a.example.com` and port 8080.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

DEFAULT_PORTS: Final = MappingProxyType({"http": 80, "https": 443})


def origin_of(url: str) -> str:
    """Give "scheme://host:port" of an http(s) URL, the key under which its robots.txt is known.

    The host is in lower case and punycode, without a final dot; the port always stands there; user and password
    never do. Raises ValueError for anything else than an http(s) URL with a host.
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
    """Give the one URL where the robots.txt of `origin` may be. A port that is the scheme's own is left out."""
    scheme, _, rest = origin.partition("://")
    host, _, port = rest.rpartition(":")
    authority = host if port == str(DEFAULT_PORTS[scheme]) else rest
    return f"{scheme}://{authority}/robots.txt"


def _key(host: str) -> str:
    if ":" in host:
        return f"[{host.lower()}]"  # an IPv6 address
    try:
        return host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        # No name that a DNS server knows, such as one with a label of 64 octets. It still needs a key of its own.
        return host.lower().rstrip(".")
