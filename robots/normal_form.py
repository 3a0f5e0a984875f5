"""When do a rule and a URL mean the same path? When their normal forms are the same octets (RFC 9309, 2.2.2).

`/~joe`, `/%7Ejoe` and `/%7ejoe` are one path. A rule and a URL get the same form before they are compared, octet by
octet. The texts disagree about which escapes are decoded. RFC 9309 decodes those of unreserved characters (RFC 3986,
2.3), so %2F stays different from /. The texts of 1996 and the book decode all but %2F. Google's parser decodes none. A
rule is compared with the path and query of a URL, which have the same normal form.

RFC 9309 also wants reserved characters escaped, and its table shows where. `:` and `/` in the value of a query are
escaped; the delimiters `/`, `?` and `=` of a URL are not. A delimiter differs from its escape (RFC 3986, 2.2). In a
query `:`, `/`, `?` and `@` are no delimiters (RFC 3986, 3.4), so each equals its escape, and the normal form decodes
it. In a path, and for the delimiters of a query such as `&` and `=`, the two differ. `[` and `]` are allowed in neither
part, so they are escaped.

The values of forty thousand rules get their normal form in a few milliseconds, because they are joined to one text.
Three octets never occur in the value of a line: LF and CR end it, and # begins a comment. So LF separates the values in
the text, CR represents a star in a pattern, and # the final end sign. A plain `*` or `$`, written %2A or %24, is then
decoded like any other escape and not mistaken for a special one (RFC 9309, 2.2.3).
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
# `*` and `$` are special in a rule, so a rule writes the plain ones as %2A and %24 (RFC 9309, 2.2.3). The special ones
# have been replaced before a rule comes here, so decoding both escapes makes the plain ones of rule and URL equal.
_DECODED_BY_RFC9309: Final = frozenset(_UNRESERVED + b"*$")
_SLASH: Final = ord("/")
_PRINTABLE: Final = bytes(  # what can stand in a URL as itself (RFC 3986, 2.2 and 2.3, and the % of an escape)
    octet for octet in range(0x21, 0x7F) if octet not in b'"<>[\\]^`{|}'
)
_IS_PRINTABLE: Final = re.compile(b"[%s]*" % re.escape(_PRINTABLE)).fullmatch
_ASCII: Final = bytes(range(0x80))


def _is_decoded(octet: int, escapes: Escapes) -> bool:
    if escapes is Escapes.UNRESERVED_DECODED:
        return octet in _DECODED_BY_RFC9309
    return escapes is Escapes.ALL_BUT_SLASH_DECODED and octet != _SLASH


def _escape(octet: int) -> bytes:
    return b"%%%02X" % octet


def _table(escapes: Escapes) -> dict[bytes, bytes]:
    """Return what %XX becomes, for every pair of hexadecimal digits in either case."""
    pairs = ((a + b).encode() for a in string.hexdigits for b in string.hexdigits)
    return {
        pair: bytes([int(pair, 16)]) if _is_decoded(int(pair, 16), escapes) else _escape(int(pair, 16))
        for pair in pairs
    }


_BY_RFC9309: Final = Escapes.UNRESERVED_DECODED  # a name of the module is found faster than a member of an enum
_TABLES: Final = {escapes: _table(escapes) for escapes in Escapes}  # plain dicts: proxies are twice as slow


def normal_form(path: bytes, escapes: Escapes, marks: bytes = b"") -> bytes:
    """Bring `path` to the form in which rules and URLs are compared, in linear time. A lone % stays as it is.

    `path` may be several paths; `marks` are the octets that stand between them, and stay as they are.
    """
    path = _by_octet(path, escapes, marks)
    if escapes is _BY_RFC9309 and b"%" in path and b"?" in path:
        if marks:
            return _QUERIES.sub(lambda query: _opened(query[0]), path) if ESCAPED_IN_QUERY.search(path) else path
        path, mark, query = path.partition(b"?")
        return path + mark + (_opened(query) if b"%" in query else query)
    return path


def _by_octet(path: bytes, escapes: Escapes, marks: bytes = b"") -> bytes:
    if b"%" in path:
        table = _TABLES[escapes]
        first, *pieces = path.split(b"%")
        decoded = [table[piece[:2]] + piece[2:] if piece[:2] in table else b"%" + piece for piece in pieces]
        path = first + b"".join(decoded)
    if escapes is _BY_RFC9309:
        return path if _IS_PRINTABLE(path) else escaped(path, untouched=_PRINTABLE + marks)
    if escapes is Escapes.AS_WRITTEN:
        return escaped(path, untouched=_ASCII)
    return path


def escaped(path: bytes, untouched: bytes = _PRINTABLE) -> bytes:
    r"""Write each octet outside `untouched` as %XX, the only form in which a URL can be sent with it.

    Dropping such octets, as decoding with errors="ignore" does, would turn /caf\xe9 into the wider rule /caf.
    """
    for octet in set(path.translate(None, untouched)):
        path = path.replace(bytes([octet]), _escape(octet))
    return path


_QUERIES: Final = re.compile(rb"(?<=\?)[^\n]++")  # of paths with NEXT between them
_DIVIDE_NO_QUERY: Final = b":/?@"
_OPENED: Final = tuple((_escape(octet), bytes([octet])) for octet in _DIVIDE_NO_QUERY)
ESCAPED_IN_QUERY: Final = re.compile(b"|".join(escape for escape, _ in _OPENED))


def _opened(query: bytes) -> bytes:
    for escape, sign in _OPENED:
        query = query.replace(escape, sign)
    return query


def closed_queries(url: str) -> tuple[bytes, bytes]:
    """Return the path and query of `url` with the escapes in its query as they are, and with all that can be escaped.

    They are for a rule with a star before such an escape: the escape may be in a query or in a path.
    """
    as_it_is = _by_octet(path_of(url), _BY_RFC9309)
    path, mark, query = as_it_is.partition(b"?")
    for escape, sign in _OPENED:
        query = query.replace(sign, escape)
    return as_it_is, path + mark + query


# A URL whose path is its own normal form in every reading: it has no escape, and no character that needs one.
_IN_NORMAL_FORM: Final = re.compile(r"(?:[A-Za-z]+://[^/?#]*)?(/[!$&-;=?-Z_a-z~]*)").fullmatch


def normal_path(url: str, escapes: Escapes) -> bytes:
    """Return the normal form of the path and query of `url`: at least `/`, and without the fragment."""
    plain = _IN_NORMAL_FORM(url)
    if plain:
        return plain[1].encode()
    path = path_of(url)
    return path if escapes is Escapes.AS_WRITTEN else normal_form(path, escapes)


def path_of(url: str) -> bytes:
    """Return the path and query of `url` as they are written."""
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
    """Return the patterns of Allow and Disallow values in normal form, and the weight of each: its octets.

    Stars that follow each other match like one star, and a star at the end like none. So they are left out of the
    pattern; in the weight they count.
    """
    if not choices.wildcards:
        # Without wildcards the escape of LF is decoded as well, so the values cannot be joined by LF.
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
