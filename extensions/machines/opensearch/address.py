"""Which index of which cluster does a URL name?

    opensearch://host:9200/name              opensearchs://user:password@host,other:9200/name     (with TLS)

Keep a password out of the URL, in OPENSEARCH_USER and OPENSEARCH_PASSWORD. Printed URLs never contain it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote, urlsplit

from indexer.remote import hide_credentials

USER, PASSWORD, AUTHORITIES = "OPENSEARCH_USER", "OPENSEARCH_PASSWORD", "OPENSEARCH_CA"
PORT = 9200
SCHEMES = {"opensearch": False, "opensearchs": True}  # whether the connection is encrypted
# Names that OpenSearch accepts for an index, without those that a URL could not hold as one name.
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^\s:\[\]/@,]+)(?::(?P<port>[0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """The URL of an index in a cluster. `hosts` are names with ports; any of them serves the whole cluster."""

    hosts: tuple[tuple[str, int], ...]
    name: str
    encrypted: bool = False
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Return the URL without user and password."""
        hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"opensearch{'s' if self.encrypted else ''}://{hosts}/{self.name}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a URL. Raises ValueError with the reason, without the password."""
        parts = urlsplit(text)
        if parts.query or parts.fragment:
            raise ValueError("what stands behind ? or # means nothing here")
        login, at, places = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        name = parts.path.strip("/")
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{hide_credentials(name)!r} is no name of an index: small letters, digits, dots, - and _, at most 100"
            )
        secret = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
        known = (unquote(user), unquote(password)) if at else secret
        return cls(tuple(map(_host, places.split(","))), name, SCHEMES[parts.scheme], *known)


def _host(place: str) -> tuple[str, int]:
    found = _HOST.fullmatch(place)
    port = int(found["port"] or PORT) if found else 0
    if not found or not 0 < port < 1 << 16:
        raise ValueError(f"{hide_credentials(place)!r} is no host, with a port from 1 to 65535 behind a colon")
    return found["name"], port
