"""When are two spellings the same octets? `/~joe`, `/%7Ejoe` and `/%7ejoe` are one path (RFC 9309, 2.2.2).

A rule and a URL are brought to one form before they are compared, octet by octet. The texts disagree about which
escapes are opened: RFC 9309 opens those of unreserved characters (RFC 3986, 2.3), so that %2F stays apart from /;
the texts of 1996 and the book open all but %2F; Google's parser opens none.
"""

from __future__ import annotations

import string
from enum import Enum
from typing import Final


class Escapes(Enum):
    """How far the percent escapes of a path are opened."""

    UNRESERVED_DECODED = "unreserved characters are opened"
    AS_WRITTEN = "nothing is opened, and an address is compared as it is"
    ALL_BUT_SLASH_DECODED = "everything but %2F is opened"


_UNRESERVED: Final = (string.ascii_letters + string.digits + "-._~").encode()
# `*` and `$` are special in a rule, so a rule writes the plain ones as %2A and %24 (RFC 9309, 2.2.3). By the time a
# path comes here the special ones have been taken out of it: opening both escapes makes the plain ones equal.
_OPENED_BY_RFC9309: Final = frozenset(_UNRESERVED + b"*$")
_SLASH: Final = ord("/")
_PRINTABLE: Final = bytes(  # what can stand in a URL as itself (RFC 3986, 2.2 and 2.3, and the % of an escape)
    octet for octet in range(0x21, 0x7F) if octet not in b'"<>\\^`{|}'
)
_ASCII: Final = bytes(range(0x80))


def _opened(octet: int, escapes: Escapes) -> bool:
    if escapes is Escapes.UNRESERVED_DECODED:
        return octet in _OPENED_BY_RFC9309
    return escapes is Escapes.ALL_BUT_SLASH_DECODED and octet != _SLASH


def _escape(octet: int) -> bytes:
    return b"%%%02X" % octet


def _table(escapes: Escapes) -> dict[bytes, bytes]:
    """Every pair of hexadecimal digits, in either case, and what %XX with these digits becomes."""
    pairs = ((a + b).encode() for a in string.hexdigits for b in string.hexdigits)
    return {
        pair: bytes([int(pair, 16)]) if _opened(int(pair, 16), escapes) else _escape(int(pair, 16)) for pair in pairs
    }


_TABLES: Final = {escapes: _table(escapes) for escapes in Escapes}  # no proxies: they are twice as slow


def normal_form(path: bytes, escapes: Escapes, marks: bytes = b"") -> bytes:
    """Bring `path` to the form in which rules and URLs are compared. Linear, and total: a lone % stays as it is.

    `marks` are octets that are no part of a path but were put among several of them; they stay as they are.
    """
    if b"%" in path:
        table = _TABLES[escapes]
        first, *pieces = path.split(b"%")
        opened = [table[piece[:2]] + piece[2:] if piece[:2] in table else b"%" + piece for piece in pieces]
        path = first + b"".join(opened)
    if escapes is Escapes.UNRESERVED_DECODED:
        return escaped(path, untouched=_PRINTABLE + marks)
    if escapes is Escapes.AS_WRITTEN:
        return escaped(path, untouched=_ASCII)
    return path


def escaped(path: bytes, untouched: bytes = _PRINTABLE) -> bytes:
    r"""Write each octet outside `untouched` as %XX: no URL on the wire holds it in any other way.

    Dropping such octets, as decoding with errors="ignore" does, would turn /caf\xe9 into the wider rule /caf.
    """
    for octet in set(path.translate(None, untouched)):
        path = path.replace(bytes([octet]), _escape(octet))
    return path
