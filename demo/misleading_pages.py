"""Which pages are not what they seem? Soft 404s, a near copy, a page that is too large, and a picture without a suffix.

A site says 404 for a missing page. Two sites of the practice web say 200 instead, which makes a soft 404: one
apologises, and one praises every name.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from demo.messages import FOUNDED, PATH_SHOWN, TEXT, TEXTS, Response, framed, generated, paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.messages import SiteRequest


def friendly(path: str) -> Response:
    """Return status 200 with an apology: people can read that, a robot sees one more page."""
    body = paragraphs(
        f"Sorry! We turned out every drawer of the Gazette and could not find the page {path[:PATH_SHOWN]}.",
        "It may have been moved, or renamed, or eaten by the goat of our columnist. Page not found, as they say in "
        "larger towns. Please check the address, or go back to the front page and try another story.",
    )
    body += '\n<p><a href="/">To the front page</a></p>'
    return generated("Page not found", body, site="Seedville Gazette", hue=350)


NAME_SHOWN = 60  # characters of a name that a page repeats
_BOATS: dict[str, str] = TEXTS["boats"]  # by name


def boats(request: SiteRequest) -> Response:
    """Return the list of boats, one of them, or praise for any other name."""
    name = request.path.removeprefix("/boats/")
    if not name:
        items = "".join(f'<li><a href="/boats/{boat}">{boat.title()}</a></li>\n' for boat in _BOATS)
        body = paragraphs("Whatever floats and has an owner who would rather it floated elsewhere.")
        return _wharf_page("Boats on offer", f"{body}\n<ul>\n{items}</ul>")
    text = _BOATS.get(name)
    return _wharf_page(f"The {name.title()}", paragraphs(text)) if text else praise(request.path)


def praise(path: str) -> Response:
    """Return status 200 and praise for the name in the path, without a word of apology.

    No list of customary sentences knows that page. A robot can only request a generated name, and compare.
    """
    name = path.rstrip("/").rpartition("/")[2][:NAME_SHOWN]
    body = paragraphs(
        f"You have chosen {name}, and you have chosen well. Nobody on this coast has a finer one, at a fairer price.",
        "Our agents row out at dawn to bring it in. Leave a deposit with the harbour master, mention the parrot, and "
        "bring a rope that you will not need again.",
    )
    return _wharf_page(f"{name}, fresh from the quay", body)


def _wharf_page(title: str, body: str) -> Response:
    menu = '<p><a href="/boats/">All boats</a></p>'
    return generated(title, f"{body}\n{menu}", site="Wharf Exchange", hue=200)


FIRST_VISITOR = 4117
_GUESTS: list[str] = TEXTS["museum"]["guests"]


def guestbook(request: SiteRequest) -> Response:
    """Return the guest book and the number of this visitor, counted since the server's start.

    The page is the same at two addresses of the museum but for that number. An exact fingerprint never matches, a
    near-duplicate test does. It has no date, and its entity tag changes with each request.
    """
    body = paragraphs(f"You are visitor number {FIRST_VISITOR + request.times}.", *_GUESTS)
    return Response(200, framed("Guest book", body, site="Museum of Small Things", hue=160))


LINE = "{number:08d} wheels have passed the station, and the clerk is still awake.\n"
LINE_BYTES = len(LINE.format(number=0))
LINES_A_PIECE = 1000
PIECES = 155
SIZE = LINE_BYTES * LINES_A_PIECE * PIECES  # bytes: a little over 11 million


def ledger(request: SiteRequest) -> Response:  # noqa: ARG001 - all programs have one signature
    """Return 11 MB of text, made while it is sent: more than a robot should take. Content-Length says so first."""
    return Response(200, type=TEXT, stream=_ledger_pieces, length=SIZE)


def _ledger_pieces() -> Iterator[bytes]:
    for first in range(0, PIECES * LINES_A_PIECE, LINES_A_PIECE):
        yield "".join(LINE.format(number=first + line) for line in range(LINES_A_PIECE)).encode()


WIDTH, HEIGHT = 96, 48  # pixels
_PAPER, _HOLE = b"\xf4\xd0\x7a", b"\x5a\x3a\x1c"  # red, green, blue
_HOLE_AT = range(72, 84), range(18, 30)  # columns and rows


def ticket(request: SiteRequest) -> Response:  # noqa: ARG001 - all programs have one signature
    """Return a picture of a platform ticket. The path looks like a page; only the Content-Type shows the type."""
    columns, rows = _HOLE_AT
    lines = [
        b"\x00" + b"".join(_HOLE if x in columns and y in rows else _PAPER for x in range(WIDTH)) for y in range(HEIGHT)
    ]
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines))), (b"IEND", b"")
    png = b"\x89PNG\r\n\x1a\n" + b"".join(map(_png_chunk, *zip(*chunks, strict=True)))
    return Response(200, png, "image/png", modified=FOUNDED)


def _png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
