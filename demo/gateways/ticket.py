"""Does a name tell the type? `/ticket` looks like a page and is a picture: only its Content-Type says so."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer

if TYPE_CHECKING:
    from demo.request import Visit

WIDTH, HEIGHT = 96, 48  # pixels
_PAPER, _HOLE = b"\xf4\xd0\x7a", b"\x5a\x3a\x1c"  # red, green, blue
_HOLE_AT = range(72, 84), range(18, 30)  # columns and rows


def ticket(visit: Visit) -> Answer:  # noqa: ARG001 - every gateway is asked the same way
    """Answer with a platform ticket, one hole punched."""
    columns, rows = _HOLE_AT
    lines = [
        b"\x00" + b"".join(_HOLE if x in columns and y in rows else _PAPER for x in range(WIDTH)) for y in range(HEIGHT)
    ]
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines))), (b"IEND", b"")
    png = b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, *zip(*chunks, strict=True)))
    return Answer(200, png, "image/png", modified=FOUNDED)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
