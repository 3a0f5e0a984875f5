"""Which percent-escapes mean the same octet? Those of unreserved characters (RFC 3986, 6.2.2).

`%7E` and `~` are one octet written twice, so the escape goes. `%2F` and `/` are not: one is data, the other
structure, so that escape stays. Hex digits are upper case; what may not stand in a URL is escaped as UTF-8.
"""

from __future__ import annotations

import re

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SUB_DELIMITERS = b"!$&'()*+,;=:@"
PATH_OCTETS = UNRESERVED | frozenset(_SUB_DELIMITERS + b"/")
QUERY_OCTETS = PATH_OCTETS | frozenset(b"?")

_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_LONE = re.compile("[\ud800-\udfff]")  # half a character, which has no octets: browsers put U+FFFD in its place


def _table(allowed: frozenset[int]) -> dict[int, bytes]:
    return {octet: bytes([octet]) if octet in allowed else b"%%%02X" % octet for octet in range(256)}


_PATH_TABLE = _table(PATH_OCTETS)
_QUERY_TABLE = _table(QUERY_OCTETS)


def _canonical_escape(match: re.Match[bytes]) -> bytes:
    octet = int(match[1], 16)
    return bytes([octet]) if octet in UNRESERVED else b"%%%02X" % octet


def _normalized(text: str, table: dict[int, bytes]) -> str:
    octets = (text if text.isascii() else _LONE.sub("\ufffd", text)).encode()
    pieces: list[bytes] = []
    at = 0
    for escape in _ESCAPE.finditer(octets):
        pieces.append(_escaped(octets[at : escape.start()], table))
        pieces.append(_canonical_escape(escape))
        at = escape.end()
    pieces.append(_escaped(octets[at:], table))
    return b"".join(pieces).decode("ascii")


def _escaped(octets: bytes, table: dict[int, bytes]) -> bytes:
    # A percent sign that begins no escape is data, and is escaped: left alone it could become part of a new escape.
    return b"".join(table[octet] for octet in octets)


def normalize_path(path: str) -> str:
    """Return `path` with unreserved escapes decoded and everything that is not a path octet escaped."""
    return _normalized(path, _PATH_TABLE)


def normalize_query(query: str) -> str:
    """Return `query` with unreserved escapes decoded and everything that is not a query octet escaped."""
    return _normalized(query, _QUERY_TABLE)
