"""When do a rule and a URL mean the same path? When their normal forms are the same octets (RFC 9309, 2.2.2).

`/~joe`, `/%7Ejoe` and `/%7ejoe` are one path. A rule and a URL are brought to one form before they are compared, octet
by octet. The texts disagree about which escapes are decoded. RFC 9309 decodes those of unreserved characters (RFC 3986,
2.3), so that %2F stays different from /; the texts of 1996 and the book decode all but %2F; Google's parser decodes
none. What a rule is compared with is the path and query of an address, in the same normal form.

The values of forty thousand rules get their normal form in a few milliseconds: all at once, as one text. Three octets
never stand in the value of a line: LF and CR end it, and # begins a comment. In a text of all values, LF separates
them; in their patterns CR stands for a star and # for the final end sign. A plain `*` or `$`, written %2A or %24, can
then be decoded like any other escape and is not mistaken for a special one (RFC 9309, 2.2.3).
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Final

from robots.dialect import Escapes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robots.dialect import Choices


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


# An address whose path is its own normal form in every reading: it has no escape, and no character that needs one.
_IN_NORMAL_FORM: Final = re.compile(r"(?:[A-Za-z]+://[^/?#]*)?(/[!$&-;=?-\[\]_a-z~]*)").fullmatch


def normal_path(url: str, escapes: Escapes) -> bytes:
    """Give path and query of `url`, at least `/`, without the fragment, in normal form."""
    plain = _IN_NORMAL_FORM(url)
    if plain:
        return plain[1].encode()
    path = path_of(url)
    return path if escapes is Escapes.AS_WRITTEN else normal_form(path, escapes)


def path_of(url: str) -> bytes:
    """Cut `url` as it is written."""
    octets = url.encode("utf-8", "surrogatepass").partition(b"#")[0]
    if octets.startswith(b"/"):
        return octets
    rest = octets.partition(b"://")[2]
    path, mark, query = rest.partition(b"?")
    return b"/" + path.partition(b"/")[2] + mark + query


NEXT: Final = b"\n"
STAR: Final = b"\r"
END: Final = b"#"


def normal_patterns(values: Sequence[bytes], choices: Choices) -> tuple[list[bytes], list[int]]:
    """Bring the values of Allow and Disallow lines to the form in which they are compared, and count their octets.

    Stars that follow each other match like one, and a star at the end like none: they count, and are left out.
    """
    if not choices.wildcards:
        # All escapes but one are opened here, that of LF too: these go one by one.
        patterns = [normal_form(value, choices.escapes) if b"%" in value else value for value in values]
        return patterns, [*map(len, patterns)]
    if not values:
        return [], []
    text = (NEXT.join(values) + NEXT).replace(b"$" + NEXT, END + NEXT).replace(b"*", STAR)
    text = normal_form(text, choices.escapes, marks=NEXT + STAR)
    patterns = text.split(NEXT)[:-1]
    weights = [*map(len, patterns)]
    shorter = text
    while STAR + STAR in shorter:
        shorter = shorter.replace(STAR + STAR, STAR)  # a run of stars is halved each time
    shorter = shorter.replace(STAR + NEXT, NEXT)
    return (patterns if shorter == text else shorter.split(NEXT)[:-1]), weights
