"""How does a sitemap file become one `Sitemap`? Its first bytes tell its form: XML, or a list with an address a line.

A sitemap is the list of pages that a site makes itself (sitemaps.org, protocol 0.9). `read_sitemap` is the whole
interface: bytes in, one `Sitemap` out. It never raises, whatever the bytes. What is no sitemap, such as the HTML of an
error page under a status that says "found", comes back with no form, no entries, and a warning.

How is a packed sitemap read without holding all of it? In pieces, up to the size that a sitemap may have. Sitemaps are
often served as `.xml.gz`: packed as a file, which is no Content-Encoding, so that nobody has unpacked it yet. One piece
at a time is unpacked and read; of a file that breaks off, the pieces before the break are read.
"""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF8
from itertools import chain
from typing import TYPE_CHECKING

from robots.freshness import validator
from robots.lines import UTF16_BYTE_ORDER_MARKS
from spiders.downloader.content_coding import GZIP_MAGIC, PIECE_BYTES, BrokenData, TooCostly, inflated
from spiders.sitemaps.entries import MAX_URL_CHARS, Listing, read_markup
from urls.records import Sitemap
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pages.http_headers import FetchedBody


MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # of a sitemap, unpacked; sitemaps.org: 50 MB (52,428,800 bytes)
MAX_GZIP_MEMBERS = 1000  # gzip files may be joined; each costs a copy of what is left of a piece
_GZIP = zlib.MAX_WBITS | 16


class SitemapBytes:
    """The bytes of a sitemap file, unpacked where it is packed. `warning` says at the end why there are no more."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.warning = ""

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._unpacked() if self._body.startswith(GZIP_MAGIC) else _slices(self._body):
            yield piece[: MAX_SITEMAP_BYTES - size]
            size += len(piece)
            if size > MAX_SITEMAP_BYTES:
                self.warning = (
                    f"larger than the {MAX_SITEMAP_BYTES} bytes that a sitemap may have: the rest is not read"
                )
                return

    def _unpacked(self) -> Iterator[bytes]:
        try:
            yield from filter(None, inflated(self._body, _GZIP, MAX_GZIP_MEMBERS))
        except BrokenData as error:
            self.warning = f"its gzip data is broken: {error}"
        except TooCostly as error:
            self.warning = f"its gzip data {error}"


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[start : start + PIECE_BYTES] for start in range(0, len(body), PIECE_BYTES))


_BLANKS = b" \t\r\n\f"
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|div|p)\b", re.IGNORECASE)
_ADDRESS_LINE = re.compile(rb"^[ \t]*https?://", re.IGNORECASE | re.MULTILINE)
_COMMENTS = re.compile(rb"(?:<\?xml[^>]{0,200}\?>|<!--.{0,1000}?-->|\s)*", re.DOTALL)


def read_sitemap(fetched: FetchedBody) -> Sitemap:
    """Read one answer."""
    listing = Listing(fetched.fetched_at)
    pieces = SitemapBytes(fetched.body)
    _read_form(iter(pieces), listing)
    if pieces.warning:
        listing.warn(pieces.warning)
    entries, is_index = listing.entries_in_order(), listing.form == "index"
    return Sitemap(
        fetched.url,
        listing.form,
        entries=() if is_index else entries,
        children=entries if is_index else (),
        beyond=listing.beyond,
        warnings=listing.all_warnings(),
        fetched_at=fetched.fetched_at,
        status=fetched.status,
        etag=validator(fetched.headers, "etag"),
        last_modified=validator(fetched.headers, "last-modified"),
        seconds=fetched.seconds,
        size=len(fetched.body),
    )


def _read_form(pieces: Iterable[bytes], listing: Listing) -> None:
    pieces = iter(pieces)
    first = next(pieces, b"")
    start = first.removeprefix(BOM_UTF8).lstrip(_BLANKS)
    if not start:
        listing.warn("it is empty: no sitemap")
    elif _HTML.match(start, _end_of_comments(start)):
        listing.warn("it is HTML: no sitemap")
    elif start.startswith(b"<"):
        read_markup(chain([start], pieces), listing)
    elif first.startswith(UTF16_BYTE_ORDER_MARKS):
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
        listing.warn(counted(others, "line is no address", "lines are no addresses"))
