"""How does a sitemap file become one `Sitemap`? Its first bytes tell its form: XML, or a list with an address a line.

`read_sitemap` never raises, whatever the bytes. What is no sitemap at all, such as the HTML of an error page under a
status that says "found", comes back with no form, no entries, and a warning.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from crawldb.page import CanonicalUrl, Sitemap
from spiders.sitemap.listing import MAX_URL_CHARS, Listing
from spiders.sitemap.markup import read_markup
from spiders.sitemap.unpacking import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BLANKS = b" \t\r\n\f"
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|div|p)\b", re.IGNORECASE)
_ADDRESS_LINE = re.compile(rb"^[ \t]*https?://", re.IGNORECASE | re.MULTILINE)
_COMMENTS = re.compile(rb"(?:<\?xml[^>]{0,200}\?>|<!--.{0,1000}?-->|\s)*", re.DOTALL)


def read_sitemap(
    body: bytes,
    *,
    url: CanonicalUrl,
    headers: Sequence[tuple[str, str]] = (),
    status: int = 200,
    fetched_at: float = 0.0,
    seconds: float = 0.0,
) -> Sitemap:
    """Read one answer; the names of `headers` are in lower case, `seconds` is how long the fetch took."""
    listing = Listing(fetched_at)
    pieces = Pieces(body)
    _read(iter(pieces), listing)
    if pieces.warning:
        listing.warn(pieces.warning)
    told = dict(reversed(headers))  # the first of a name counts
    is_index = listing.form == "index"
    return Sitemap(
        url, listing.form,
        entries=() if is_index else listing.taken(),
        children=listing.taken() if is_index else (),
        beyond=listing.beyond, warnings=listing.all_warnings(), fetched_at=fetched_at, status=status,
        etag=told.get("etag", "").strip(), last_modified=told.get("last-modified", "").strip(),
        seconds=seconds, size=len(body),
    )  # fmt: skip


def _read(pieces: Iterable[bytes], listing: Listing) -> None:
    pieces = iter(pieces)
    first = next(pieces, b"")
    start = first.removeprefix(UTF8_MARK).lstrip(_BLANKS)
    if not start:
        listing.warn("it is empty: no sitemap")
    elif _HTML.match(start, _end_of_comments(start)):
        listing.warn("it is HTML: no sitemap")
    elif start.startswith(b"<"):
        read_markup(chain([start], pieces), listing)
    elif first.startswith(_UTF16_MARKS):
        read_markup(chain([first], pieces), listing)
    elif _ADDRESS_LINE.search(start):
        _read_lines(chain([start], pieces), listing)
    else:
        listing.warn("it is neither XML nor a list of addresses: no sitemap")


def _end_of_comments(start: bytes) -> int:
    match = _COMMENTS.match(start)
    return match.end() if match else 0


def _read_lines(pieces: Iterable[bytes], listing: Listing) -> None:
    listing.form = "text"
    others, rest = 0, b""
    for piece in chain(pieces, [b"\n"]):
        *lines, rest = (rest + piece).replace(b"\r", b"\n").split(b"\n")
        for line in filter(None, map(bytes.strip, lines)):
            if _ADDRESS_LINE.match(line):
                listing.add(line.decode("utf-8", "replace"))
            else:
                others += 1
        rest = rest[: 4 * MAX_URL_CHARS]  # what is longer is no address, however it goes on
    if others:
        listing.warn(f"{others} lines are no addresses")
