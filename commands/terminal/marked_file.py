"""Which line was it? A robots.txt with its line numbers, and an arrow at each line that decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.terminal.ink import Ink, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

WHOLE_LINES = 60  # a file of no more lines is shown whole
AROUND = 3  # lines shown before and after a deciding one of a longer file
LONGEST = 200  # characters of a line
_LINE_ENDS = (b"\r\n", b"\r")


def lines_of(body: bytes) -> list[str]:
    """Return the lines of a robots.txt as RFC 9309 counts them: ended by CR, LF or both, and by nothing else."""
    for end in _LINE_ENDS:
        body = body.replace(end, b"\n")
    return [line.decode("utf-8", "backslashreplace") for line in body.removesuffix(b"\n").split(b"\n")]


def marked_file(body: bytes, deciding: Collection[int], pen: Ink) -> Iterator[str]:
    """Yield the file with its lines numbered from 1, and those in `deciding` marked."""
    lines = lines_of(body)
    if not body:
        yield "  (the file is empty)"
        return
    width = len(str(len(lines)))
    before = 0
    for number, line in enumerate(lines, 1):
        if len(lines) > WHOLE_LINES and not any(abs(number - marked) <= AROUND for marked in deciding):
            continue
        if number != before + 1:
            yield pen.dim(f"  {'…':>{width}}")
        before = number
        shown = printable(line)
        shown = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
        if number in deciding:
            yield pen.bold(f"> {number:>{width}}  {shown}")
        else:
            yield f"  {pen.dim(f'{number:>{width}}')}  {shown}".rstrip()
    if before != len(lines):
        yield pen.dim(f"  {'…':>{width}}  {len(lines):,} lines in all")
