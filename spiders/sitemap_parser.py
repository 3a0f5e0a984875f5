"""How does a sitemap file become one `Sitemap`? Its first bytes tell its form: XML, or a list with an address a line.

A sitemap is the list of pages that a site makes by itself (sitemaps.org, protocol 0.9). `read_sitemap` is the whole
interface: bytes in, one `Sitemap` out. It never raises, whatever the bytes. What is no sitemap at all, such as the HTML
of an error page under a status that says "found", comes back with no form, no entries, and a warning.

How is a packed sitemap read without holding all of it? In pieces, as far as a sitemap may reach. Sitemaps are often
served as `.xml.gz`: packed as a file, which is no Content-Encoding, so that nobody has unpacked it yet. One piece at a
time is unpacked and read; of a file that breaks off, the pieces before that are read.
"""

from __future__ import annotations

import re
import zlib
from itertools import chain
from typing import TYPE_CHECKING

from spiders.sitemap_entries import MAX_URL_CHARS, Listing, read_markup
from urls.records import CanonicalUrl, Sitemap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # of a sitemap, unpacked; sitemaps.org: 50 MB (52,428,800 bytes)
PIECE_BYTES = 64 * 1024  # bytes that are handed on at a time: a bomb fills no memory
MAX_GZIP_MEMBERS = 1000  # gzip files may be joined; each costs a copy of what is left of a piece
GZIP_MAGIC = b"\x1f\x8b"
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
        decoder, members = zlib.decompressobj(_GZIP), 1
        for packed in _slices(self._body):
            rest = packed
            while rest:
                if decoder.eof:
                    if not rest.startswith(GZIP_MAGIC[:1]) or members >= MAX_GZIP_MEMBERS:
                        return  # padding behind the last member
                    decoder, members = zlib.decompressobj(_GZIP), members + 1
                try:
                    piece = decoder.decompress(rest, PIECE_BYTES)
                except zlib.error as error:
                    self.warning = f"its gzip data is broken: {error}"
                    return
                rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
                if piece:
                    yield piece
        if not decoder.eof:
            self.warning = "its gzip data ends too early"


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[start : start + PIECE_BYTES] for start in range(0, len(body), PIECE_BYTES))


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
    pieces = SitemapBytes(body)
    _read_form(iter(pieces), listing)
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


def _read_form(pieces: Iterable[bytes], listing: Listing) -> None:
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
