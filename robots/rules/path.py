"""What are rules compared with? The path and query of an address, in the same normal form as theirs."""

from __future__ import annotations

import re
from typing import Final

from robots.rules.escapes import Escapes, normal_form

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
