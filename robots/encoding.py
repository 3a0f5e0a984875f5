"""In which alphabet did it come? UTF-8, which RFC 9309 (2.2) demands, or UTF-16 that says so at its start.

RFC 9309 allows a robot to bridge the mismatch: whoever saves robots.txt in an old editor meant what it says. So
what was fetched goes through `to_utf8` before it is parsed. The parser itself reads octets as RFC 9309 and Google's
library do, and finds nothing in UTF-16.
"""

from __future__ import annotations

import codecs
from typing import Final

UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def to_utf8(body: bytes) -> bytes:
    """Give UTF-16 with a byte order mark as UTF-8; anything else as it is. Lines keep their numbers."""
    if not body.startswith(UTF16_MARKS):
        return body
    return body.decode("utf-16", errors="replace").encode("utf-8")


def without_mark(body: bytes) -> bytes:
    """Drop a UTF-8 byte order mark, also one that was cut short."""
    for size in range(len(codecs.BOM_UTF8), 0, -1):
        if body.startswith(codecs.BOM_UTF8[:size]):
            return body[size:]
    return body
