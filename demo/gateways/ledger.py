"""How large may a page be? This one is larger than a robot should take: 11 MB of wheels counted, made as it is sent.

Its Content-Length says so before the first byte; a robot with a limit need not wait for the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.answer import TEXT, Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.request import Visit

LINE = "{number:08d} wheels have passed the station, and the clerk is still awake.\n"
LINE_BYTES = len(LINE.format(number=0))
LINES_A_PIECE = 1000
PIECES = 155
SIZE = LINE_BYTES * LINES_A_PIECE * PIECES  # bytes: a little over 11 million


def ledger(visit: Visit) -> Answer:  # noqa: ARG001 - every gateway is asked the same way
    """Answer with the wheel counter's ledger."""
    return Answer(200, type=TEXT, stream=_pieces, length=SIZE)


def _pieces() -> Iterator[bytes]:
    for first in range(0, PIECES * LINES_A_PIECE, LINES_A_PIECE):
        yield "".join(LINE.format(number=first + line) for line in range(LINES_A_PIECE)).encode()
