"""How is a body unpacked that may be a bomb? Piece by piece, and never beyond the limit (RFC 9110, 8.4).

A gigabyte of zeros fits into a kilobyte. So each coding is undone by a decoder that stops at the limit, at most two
are undone at all, and a body that ends before its end is told from one that is whole. Packed data may also be joined of
many pieces, each of which costs something before it brings anything, so these are counted.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CODINGS = 2  # one is usual; a proxy may add one; nobody honest sends three
ACCEPTED = "gzip, deflate, br, zstd"
PIECE = 64 * 1024  # bytes that are unpacked at a time
MAX_MEMBERS = 10_000  # of one body: gzip members and zstd frames may be joined; a block of bgzip holds 64 KiB
ZSTD_PIECE = 128  # bytes of packed data at a time: 32 blocks at most, each of up to 128 KiB
ZSTD_WINDOW = 8 * 1024 * 1024  # bytes of memory that a frame may ask for; RFC 9659 allows a server no more
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = re.compile(
    rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"
)  # of a frame, and of one to be skipped (RFC 8878)
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32
_BARE_DEFLATE = -zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a body can't be unpacked: `rule` is "size", "broken-off" or "coding"."""

    rule: str
    reason: str


class _Broken(Exception):
    """The packed bytes make no sense, or end too early."""


class _TooMuch(Exception):
    """It asks for more work or memory than a page is worth; the message says of what."""


class _TooLarge(Exception):
    """The limit was reached; `beginning` is what was unpacked until then."""

    def __init__(self, beginning: bytes | bytearray) -> None:
        super().__init__()
        self.beginning = beginning


def unpack(body: bytes, codings: list[str], limit: int, *, cut: bool = False) -> bytes | Unreadable:
    """Undo `codings`, given in the order in which the server applied them; `limit` is in bytes, for each step.

    With `cut`, a body that is longer is cut at the limit instead of refused: nobody would read on.
    """
    names = [name for name in (coding.strip().lower() for coding in codings) if name not in {"", "identity"}]
    if len(names) > MAX_CODINGS:
        return Unreadable("coding", f"it is packed {len(names)} times; {MAX_CODINGS} are undone")
    for name in reversed(names):
        decoder = _DECODERS.get(name)
        if decoder is None:
            return Unreadable("coding", f"its Content-Encoding {name[:40]!r} is not known; {ACCEPTED} are")
        try:
            body = decoder(body, limit)
        except _TooLarge as error:
            if not cut:
                return Unreadable("size", f"it is larger than {limit} bytes when unpacked")
            body = bytes(error.beginning[:limit])
        except _TooMuch as error:
            return Unreadable("coding", f"its {name} data {error}")
        except _Broken as error:
            return Unreadable("broken-off", f"its {name} data is broken: {error}")
    return body


def _gzip(body: bytes, limit: int) -> bytes:
    # A server that says gzip and sends plain text is common enough to be read (and its text is never gzip by chance).
    return _inflated(body, limit, _ZLIB_OR_GZIP) if body.startswith(_GZIP_MAGIC) or not body else body


def _deflate(body: bytes, limit: int) -> bytes:
    # "deflate" means zlib's format; half of the servers that use it send bare deflate data instead.
    try:
        return _inflated(body, limit, zlib.MAX_WBITS)
    except _Broken:
        return _inflated(body, limit, _BARE_DEFLATE)


def _inflated(body: bytes, limit: int, window: int) -> bytes:
    unpacked = bytearray()  # grows in place, where a list of pieces would be held twice
    decoder, members = zlib.decompressobj(window), 1
    for start in range(0, len(body), PIECE):  # what is left over is copied each time, so it must not be all the rest
        rest = body[start : start + PIECE]
        while rest:
            if decoder.eof:
                if not _GZIP_MAGIC.startswith(rest[: len(_GZIP_MAGIC)]):
                    return bytes(unpacked)  # padding behind the last member
                decoder, members = zlib.decompressobj(window), members + 1
                _count(members)
            unpacked += _inflate(decoder, rest)
            if len(unpacked) > limit:
                raise _TooLarge(unpacked)
            rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if body and not decoder.eof:
        unpacked += _inflate(decoder, b"")  # the last bytes may be in, and what they stand for not yet out
        if not decoder.eof:
            raise _Broken("it ends too early")
    return bytes(unpacked)


def _inflate(decoder: zlib._Decompress, packed: bytes) -> bytes:
    try:
        return decoder.decompress(packed, PIECE)
    except zlib.error as error:
        raise _Broken(str(error)) from None


def _count(members: int) -> None:
    if members > MAX_MEMBERS:
        raise _TooMuch(f"is joined of more than {MAX_MEMBERS} pieces")


def _brotli(body: bytes, limit: int) -> bytes:
    import brotli  # noqa: PLC0415 - only where a server uses it

    decoder = brotli.Decompressor()
    try:
        unpacked = decoder.process(body, output_buffer_limit=limit + 1)
        if len(unpacked) > limit or not decoder.can_accept_more_data():
            raise _TooLarge(unpacked)
    except brotli.error as error:
        raise _Broken(str(error)) from None
    if not decoder.is_finished():
        raise _Broken("it ends too early")
    return bytes(unpacked)


def _zstd(body: bytes, limit: int) -> bytes:
    import zstandard  # noqa: PLC0415 - only where a server uses it

    made = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    unpacked = bytearray()  # grows in place, where a list of pieces would be held twice
    start = frames = 0
    try:
        while start < len(body) and (not frames or _ZSTD_MAGIC.match(body, start)):  # else: padding behind the last one
            decoder, frames = made.decompressobj(), frames + 1
            _count(frames)
            while start < len(body) and not decoder.eof:
                unpacked += decoder.decompress(body[start : start + ZSTD_PIECE])
                start += ZSTD_PIECE
                if len(unpacked) > limit:
                    raise _TooLarge(unpacked)
            if not decoder.eof:
                raise _Broken("it ends too early")
            start = min(start, len(body)) - len(decoder.unused_data)
    except zstandard.ZstdError as error:
        if "too much memory" in str(error):
            raise _TooMuch(f"asks for a window of more than {ZSTD_WINDOW} bytes") from None
        raise _Broken(str(error)) from None
    return bytes(unpacked)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
