"""How is a packed sitemap read without holding all of it? In pieces, as far as a sitemap may reach.

Sitemaps are often served as `.xml.gz`: packed as a file, which is no Content-Encoding, so that nobody has unpacked it
yet. A piece at a time is unpacked and read; a file that breaks off has the pieces before that.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 50 * 1024 * 1024  # of a sitemap, unpacked; sitemaps.org: 50 MB (52,428,800 bytes)
PIECE = 64 * 1024  # bytes that are handed on at a time: a bomb fills no memory
MAX_MEMBERS = 1000  # gzip files may be joined; each costs a copy of what is left of a piece
GZIP_MAGIC = b"\x1f\x8b"
_GZIP = zlib.MAX_WBITS | 16


class Pieces:
    """The bytes of a sitemap file, unpacked where it is packed. `warning` says at the end why there are no more."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.warning = ""

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._unpacked() if self._body.startswith(GZIP_MAGIC) else _slices(self._body):
            yield piece[: MAX_BYTES - size]
            size += len(piece)
            if size > MAX_BYTES:
                self.warning = f"larger than the {MAX_BYTES} bytes that a sitemap may have: the rest is not read"
                return

    def _unpacked(self) -> Iterator[bytes]:
        decoder, members = zlib.decompressobj(_GZIP), 1
        for packed in _slices(self._body):
            rest = packed
            while rest:
                if decoder.eof:
                    if not rest.startswith(GZIP_MAGIC[:1]) or members >= MAX_MEMBERS:
                        return  # padding behind the last member
                    decoder, members = zlib.decompressobj(_GZIP), members + 1
                try:
                    piece = decoder.decompress(rest, PIECE)
                except zlib.error as error:
                    self.warning = f"its gzip data is broken: {error}"
                    return
                rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
                if piece:
                    yield piece
        if not decoder.eof:
            self.warning = "its gzip data ends too early"


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[start : start + PIECE] for start in range(0, len(body), PIECE))
