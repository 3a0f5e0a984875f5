"""Which pages are not what they seem? Soft 404s, a near copy, a page that is too large, and a picture without a suffix.

A site says 404 for a missing page. Two sites of the practice web say 200 instead, which makes a soft 404: one
apologises, and one praises every name.
"""

from __future__ import annotations

import struct
import tomllib
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from demo.messages import FOUNDED, PATH_SHOWN, TEXT, Response, framed, paragraphs

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
    page = framed(
        "Page not found", body + '\n<p><a href="/">To the front page</a></p>', site="Seedville Gazette", hue=350
    )
    return Response(200, page, modified=FOUNDED)


_WHARF, _WHARF_HUE = "Wharf Exchange", 200
NAME_SHOWN = 60  # characters of a name that a page repeats
_BOATS: dict[str, str] = tomllib.loads((Path(__file__).parent / "wharf.toml").read_text("utf-8"))  # by name


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
    return Response(200, framed(title, f"{body}\n{menu}", site=_WHARF, hue=_WHARF_HUE), modified=FOUNDED)


FIRST_VISITOR = 4117
_GUESTS = """
We came for the smallest exhibit and stayed for the second smallest. The attendant lent my husband her glasses, and
he says that he now understands buttons. The cake in the lobby is excellent and should be listed as an exhibit in
its own right, perhaps between the comet dust and the left glove of the first mayor.

My class of nine-year-olds has voted: best was the drawer of lost keys, second the stuffed pike that everybody is
sure has moved. Worst was going home. Two children are still missing and have asked me to write that they are fine
and have been made curators.

I am a surveyor and would like to state that the room with the sloping floor is in fact level, and that it is the
rest of Seedville that slopes. I have told the town hall. They have asked me to write it here, where it can do no
harm, and to enjoy the view of the river from the window, which is level too.

Third request this year. The label of the grey stone used to say that it fell from the sky; now it says that it was
found near where something fell. I admire a museum that can change its mind in public. Please dust the globe: there
is a new continent south of Africa and I believe that it is biscuit.

I left my umbrella here in spring and found it again today in a glass case, with a card that names me as the donor
and praises the handle. I did not have the heart to ask for it back. It was raining when I left, and I have never
been so proud to be wet.
""".strip().split("\n\n")


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
