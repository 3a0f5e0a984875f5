"""Where is the index kept? In the data folder, unless the setting INDEX names one in an OpenSearch cluster.

    opensearch://host:9200/name              opensearchs://user:password@host,other:9200/name     (with TLS)
    whoosh:FOLDER                            an index that Whoosh wrote, to be searched only    (indexer/plain_whoosh)

The setting reaches every room, and every process that a command starts, as the environment variable BREADCRUMB_INDEX
(docs/settings.md). A password is better kept out of an address, in OPENSEARCH_USER and OPENSEARCH_PASSWORD: whatever is
printed of an address is without it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from indexer.faults import IndexFault

VARIABLE = "BREADCRUMB_INDEX"
WHOOSH = "whoosh:"  # before the path of a folder
USER, PASSWORD, AUTHORITIES = "OPENSEARCH_USER", "OPENSEARCH_PASSWORD", "OPENSEARCH_CA"
PORT = 9200
EXAMPLE = "opensearch://localhost:9200/breadcrumb"
SCHEMES = {"opensearch": False, "opensearchs": True}  # whether the connection is encrypted
# What OpenSearch takes for the name of an index, less what would not be one name in an address.
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^\s:\[\]/@,]+)(?::(?P<port>[0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """The address of an index in a cluster. `hosts` are names with their ports, any of which answers for all."""

    hosts: tuple[tuple[str, int], ...]
    name: str
    encrypted: bool = False
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Return the address without user and password."""
        hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"opensearch{'s' if self.encrypted else ''}://{hosts}/{self.name}"


def read_address(text: str) -> IndexAddress | None:
    """Read the value of INDEX; None for the data folder. Raises IndexFault, which repeats no password."""
    if not text.strip():
        return None
    try:
        found = _read(text.strip())
    except ValueError as error:
        told = _shown(text.strip())
        raise IndexFault(
            f"INDEX={told}: {error}. Give an address such as {EXAMPLE}, or nothing: the data folder"
        ) from None
    return found


def _shown(text: str) -> str:
    """Return what may be shown of a text that somebody gave: a password may stand anywhere before an @."""
    return re.sub(r".*@", "…@", text, flags=re.DOTALL)


def _read(text: str) -> IndexAddress:
    try:
        parts = urlsplit(text)
    except ValueError:  # whose words repeat all that was given
        raise ValueError("this is no address") from None
    if parts.scheme not in SCHEMES:
        raise ValueError(
            "an index is kept in the data folder, at opensearch:// or opensearchs:// (with TLS), or is whoosh:FOLDER"
        )
    if parts.query or parts.fragment:
        raise ValueError("what stands behind ? or # means nothing here")
    login, at, places = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    name = parts.path.strip("/")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{_shown(name)!r} is no name of an index: small letters, digits, dots, - and _, at most 100")
    secret = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
    known = (unquote(user), unquote(password)) if at else secret
    return IndexAddress(tuple(map(_host, places.split(","))), name, SCHEMES[parts.scheme], *known)


def _host(place: str) -> tuple[str, int]:
    found = _HOST.fullmatch(place)
    port = int(found["port"] or PORT) if found else 0
    if not found or not 0 < port < 1 << 16:
        raise ValueError(f"{_shown(place)!r} is no host, with a port from 1 to 65535 behind a colon")
    return found["name"], port


def keep_index_at(text: str) -> None:
    """Let this process, and all that it starts, keep the index where INDEX says. Raises IndexFault."""
    if not text.startswith(WHOOSH):
        read_address(text)
    elif not text.removeprefix(WHOOSH).strip():
        raise IndexFault(f"INDEX={text}: give the folder of the index, as whoosh:data/textbook/whoosh")
    os.environ.pop(VARIABLE, None)
    if text.strip():
        os.environ[VARIABLE] = text


def chosen_address() -> IndexAddress | None:
    """Return where the index of this process is kept; None: in its data folder.

    Raises IndexFault, also where it is a Whoosh folder: those who can search one ask `served_whoosh` first.
    """
    text = os.environ.get(VARIABLE, "")
    if text.startswith(WHOOSH):
        raise IndexFault(
            f"INDEX={text}: search, serve and why read a Whoosh folder, and nothing else does. Leave INDEX empty here"
        )
    return read_address(text)
