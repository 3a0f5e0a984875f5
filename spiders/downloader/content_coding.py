"""How is a body unpacked that may be a bomb? Piece by piece, and never beyond the limit (RFC 9110, 8.4).

A gigabyte of zeros fits into a kilobyte. So each decoder stops at the limit, and at most two codings are undone. A body
that breaks off never counts as whole. Packed data may also consist of many parts, each of which costs something, so
these are counted.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_CODINGS = 2  # one is usual; a proxy may add one; no honest server sends three
ACCEPTED = "gzip, deflate, br, zstd"
PIECE_BYTES = 64 * 1024  # that are unpacked at a time
MAX_MEMBERS = 10_000  # of one body: gzip members and zstd frames may be joined; a block of bgzip holds 64 KiB
ZSTD_PIECE_BYTES = 128  # of packed data at a time: 32 blocks at most, each of up to 128 KiB
ZSTD_WINDOW = 8 * 1024 * 1024  # bytes of memory that a frame may need; RFC 9659 allows a server no more
GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = re.compile(
    rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"
)  # of a frame, and of one to be skipped (RFC 8878)
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32
_BARE_DEFLATE = -zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a body can't be unpacked: Rule.SIZE, BROKEN_OFF or CODING, and a sentence."""

    rule: Rule
    reason: str


class BrokenData(Exception):
    """The packed bytes make no sense, or end too early."""


class TooCostly(Exception):
    """Unpacking takes more work or memory than the limits allow; the message says why."""


class _TooLarge(Exception):
    """The limit was reached; `beginning` is what was unpacked until then."""

    def __init__(self, beginning: bytes | bytearray) -> None:
        super().__init__()
        self.beginning = beginning


def unpack(body: bytes, codings: list[str], limit: int, *, cut: bool = False) -> bytes | Unreadable:
    """Undo `codings`, given in the order in which the server applied them; `limit` is in bytes, for each step.

    With `cut`, a body that is longer is cut at the limit and not refused: the rest would not be read.
    """
    names = [name for name in (coding.strip().lower() for coding in codings) if name not in {"", "identity"}]
    if len(names) > MAX_CODINGS:
        return Unreadable(Rule.CODING, f"it is packed {len(names)} times; {MAX_CODINGS} are undone")
    for name in reversed(names):
        decoder = _DECODERS.get(name)
        if decoder is None:
            return Unreadable(Rule.CODING, f"its Content-Encoding {name[:40]!r} is not known; {ACCEPTED} are")
        try:
            body = decoder(body, limit)
        except _TooLarge as error:
            if not cut:
                return Unreadable(Rule.SIZE, f"it is larger than {limit} bytes when unpacked")
            body = bytes(error.beginning[:limit])
        except TooCostly as error:
            return Unreadable(Rule.CODING, f"its {name} data {error}")
        except BrokenData as error:
            return Unreadable(Rule.BROKEN_OFF, f"its {name} data is broken: {error}")
    return body


def _gzip(body: bytes, limit: int) -> bytes:
    # A server that says gzip and sends plain text is common enough to be read; text never looks like gzip by chance.
    return _inflated(body, limit, _ZLIB_OR_GZIP) if body.startswith(GZIP_MAGIC) or not body else body


def _deflate(body: bytes, limit: int) -> bytes:
    # "deflate" means zlib's format, but half of the servers that use it send bare deflate data.
    try:
        return _inflated(body, limit, zlib.MAX_WBITS)
    except BrokenData:
        return _inflated(body, limit, _BARE_DEFLATE)


def _inflated(body: bytes, limit: int, window: int) -> bytes:
    unpacked = bytearray()  # grows in place, where a list of pieces would be held twice
    for piece in inflated(body, window):
        unpacked += piece
        if len(unpacked) > limit:
            raise _TooLarge(unpacked)
    return bytes(unpacked)


def inflated(body: bytes, window: int, most_members: int = MAX_MEMBERS) -> Iterator[bytes]:
    """Unpack deflate data, or gzip data that may be joined of several members; yield it piece by piece.

    `window` is zlib's: which format, and how far it looks back. Raises `BrokenData` and `TooCostly`.
    """
    decoder, members = zlib.decompressobj(window), 1
    for start in range(0, len(body), PIECE_BYTES):  # each step copies what is left of a piece, so pieces are short
        rest = body[start : start + PIECE_BYTES]
        while rest:
            if decoder.eof:
                if not GZIP_MAGIC.startswith(rest[: len(GZIP_MAGIC)]):
                    return  # padding behind the last member
                decoder, members = zlib.decompressobj(window), members + 1
                _count(members, most_members)
            yield _inflate(decoder, rest)
            rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if body and not decoder.eof:
        yield _inflate(decoder, b"")  # zlib may have taken the last bytes without returning their content
        if not decoder.eof:
            raise BrokenData("it ends too early")


def _inflate(decoder: zlib._Decompress, packed: bytes) -> bytes:
    try:
        return decoder.decompress(packed, PIECE_BYTES)
    except zlib.error as error:
        raise BrokenData(str(error)) from None


def _count(members: int, most: int = MAX_MEMBERS) -> None:
    if members > most:
        raise TooCostly(f"is joined of more than {most} pieces")


def _brotli(body: bytes, limit: int) -> bytes:
    import brotli  # only where a server uses it

    decoder = brotli.Decompressor()
    try:
        unpacked = decoder.process(body, output_buffer_limit=limit + 1)
        if len(unpacked) > limit or not decoder.can_accept_more_data():
            raise _TooLarge(unpacked)
    except brotli.error as error:
        raise BrokenData(str(error)) from None
    if not decoder.is_finished():
        raise BrokenData("it ends too early")
    return bytes(unpacked)


def _zstd(body: bytes, limit: int) -> bytes:
    import zstandard  # only where a server uses it

    made = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    unpacked = bytearray()  # grows in place, where a list of pieces would be held twice
    start = frames = 0
    try:
        while start < len(body) and (
            not frames or _ZSTD_MAGIC.match(body, start)
        ):  # else: padding behind the last frame
            decoder, frames = made.decompressobj(), frames + 1
            _count(frames)
            while start < len(body) and not decoder.eof:
                unpacked += decoder.decompress(body[start : start + ZSTD_PIECE_BYTES])
                start += ZSTD_PIECE_BYTES
                if len(unpacked) > limit:
                    raise _TooLarge(unpacked)
            if not decoder.eof:
                raise BrokenData("it ends too early")
            start = min(start, len(body)) - len(decoder.unused_data)
    except zstandard.ZstdError as error:
        if "too much memory" in str(error):
            raise TooCostly(f"asks for a window of more than {ZSTD_WINDOW} bytes") from None
        raise BrokenData(str(error)) from None
    return bytes(unpacked)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
