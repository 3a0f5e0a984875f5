"""How does a person see it? In 80 columns or fewer, with colours in a terminal, and without what could steer one.

A text is broken by its width on the screen: letters of East Asia take two columns. A terminal gets colours and bold
words; a file, a pipe or a person who set NO_COLOR gets plain text. What a web page or a server wrote passes `printable`
before it stands in a line: a line break in a title must not begin a line of ours. All that is printed passes
`GuardedStream`: an escape sequence in a title must not move anybody's cursor, whoever prints it.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import unicodedata
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from reports.shown_commands import in_folder
from reports.shown_commands import pieces as shown_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reports.wording import Row

COLUMNS = 80
LEAST = 30  # columns; a narrower terminal breaks the lines itself
_WIDE = frozenset("WF")  # Unicode's East Asian Width: wide and full
_WORD_OR_BLANK = re.compile(r" +|[^ ]+")
_FOLDER: ContextVar[str] = ContextVar("folder", default="")  # the option that names the folder of the command that runs


def width_of(text: str) -> int:
    """Return how many columns `text` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in _WIDE) for letter in text
    )


def spans_of_lines(text: str, columns: int) -> list[tuple[int, int]]:
    """Return where each line of `text` begins and ends when it is broken at blanks, or between wide letters.

    A word that is too long for a line, such as a URL, is left whole, so that it can be copied; and so is a command.
    """
    lines: list[tuple[int, int]] = []
    begin = end = used = 0
    for start, stop in _pieces(text):
        width = width_of(text[start:stop])
        blank = text[start] == " "
        if used and not blank and used + width > columns:
            lines.append((begin, end))
            begin, used = start, 0
        if blank and not used:
            begin = stop
            continue
        used += width
        if not blank:
            end = stop
    return [*lines, (begin, end)] if end > begin else lines


def set_folder_option(option: str) -> None:
    """Let the commands that are shown from now on name a data folder, by an option that begins with a blank."""
    _FOLDER.set(option)


def print_last(text: str, out: TextIO) -> OSError | None:
    """Print what a command has to say at its end; return the error if it can't be written.

    A reader that has closed its end, as `head` does, has read enough: that is no error.
    """
    try:
        print(text, file=out, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # what Python flushes at its end, too
        return None if isinstance(error, BrokenPipeError) else error
    return None


def pasteable(text: str) -> str:
    """Return a text whose commands name the folder of the command that runs."""
    return in_folder(text, _FOLDER.get())


def columns() -> int:
    """Return how wide a line may be: as wide as a narrow terminal is; elsewhere the same for everybody."""
    if not sys.stdout.isatty():
        return COLUMNS
    return max(LEAST, min(COLUMNS, shutil.get_terminal_size((COLUMNS, 24)).columns))


def wrapped(text: str, columns: int) -> list[str]:
    """Return `text` in lines of at most `columns`."""
    return [text[begin:end] for begin, end in spans_of_lines(text, columns)]


def hanging(label: str, text: str, indent: int) -> list[str]:
    """Return `text` wrapped beside `label`, which takes the first `indent` columns of the first line."""
    first, *others = wrapped(text, columns() - indent) or [""]
    return [f"{label:<{indent}}{first}".rstrip(), *(" " * indent + line for line in others)]


def row_lines(rows: Iterable[Row], indent: int, style: Style) -> Iterator[str]:
    """Yield the lines of a report's rows: the label, dimmed, takes the first `indent` columns."""
    for row in rows:
        first, *others = hanging(row.label, printable(pasteable(row.text)), indent)
        yield style.dim(first[:indent]) + first[indent:]
        yield from others


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for is_command, piece in shown_pieces(text):
        if is_command:
            yield at, at + len(piece)
        else:
            yield from ((at + start, at + stop) for start, stop in _words(piece))
        at += len(piece)


def _words(text: str) -> Iterator[tuple[int, int]]:
    for match in _WORD_OR_BLANK.finditer(text):
        start, stop = match.span()
        if text[start:stop].isascii():
            yield start, stop
            continue
        at = start
        for place in range(start, stop):  # a line may end after each wide letter, and before it
            if unicodedata.east_asian_width(text[place]) in _WIDE:
                if at < place:
                    yield at, place
                yield place, place + 1
                at = place + 1
        if at < stop:
            yield at, stop


_DROPPED = frozenset({"Cf"})  # format marks: soft hyphens, and those that turn the direction of writing
_REPLACED = frozenset({"Cc", "Cs"})  # controls and lone surrogates
_JOINERS = frozenset("\u200c\u200d")  # format marks that some scripts and emoji need
WIPE_LINE = "\r\x1b[K"  # stands before a line that replaces the last one of a terminal
_INK = re.compile(r"(\x1b\[(?:0|1|2|31|32|36)m)")  # the marks of `Style`; a page that has one changes a colour at most


@dataclass(frozen=True, slots=True)
class Style:
    """Marks words for a terminal, or leaves them as they are."""

    colours: bool

    def bold(self, text: str) -> str:
        """Mark the words of a question, or a heading."""
        return self._mark("1", text)

    def dim(self, text: str) -> str:
        """Mark what is less important."""
        return self._mark("2", text)

    def good(self, text: str) -> str:
        """Mark a yes."""
        return self._mark("32", text)

    def bad(self, text: str) -> str:
        """Mark a no."""
        return self._mark("31", text)

    def link(self, text: str) -> str:
        """Mark an address."""
        return self._mark("36", text)

    def _mark(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def terminal_style() -> Style:
    """Return the terminal_style for standard output."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return Style(colours=sys.stdout.isatty() and not plain)


def printable(text: str) -> str:
    """Return `text` with blanks for line breaks and � for controls, and without invisible marks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_printable, text))


def printable_lines(text: str) -> str:
    """Return `text` with each of its lines as `printable` has it."""
    return "\n".join(map(printable, text.split("\n")))


class GuardedStream:
    """A text stream that writes nothing that could steer a terminal, but our own marks where it is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()

    def write(self, text: str) -> int:
        """Write a text, with line breaks and tabs as they are, and otherwise as `printable` has it."""
        self._stream.write(self._guarded(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        """Return what else the stream has."""
        return getattr(self._stream, name)

    def _guarded(self, text: str) -> str:
        if _is_harmless(text):
            return text
        if not self._is_terminal:
            return _printable_text(text)
        wipe = WIPE_LINE if text.startswith(WIPE_LINE) else ""
        pieces = _INK.split(text.removeprefix(wipe))  # each second one is a mark
        return wipe + "".join(piece if place % 2 else _printable_text(piece) for place, piece in enumerate(pieces))


def guard_streams(*names: str) -> None:
    """Guard standard output and error, or those named; a letter that the terminal's encoding lacks is an escape."""
    for name in names or ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        if not isinstance(stream, GuardedStream):
            setattr(sys, name, GuardedStream(stream))


def _is_harmless(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").isprintable()


def _printable_text(text: str) -> str:
    """Return `text` with its line breaks, tabs and lone surrogates: these are printed as escapes."""
    return "".join(
        letter if letter in "\n\t" or unicodedata.category(letter) == "Cs" else _printable(letter) for letter in text
    )


def json_line(told: object) -> str:
    """Return one line of JSON in readable letters; what could steer a terminal is escaped, and means the same."""
    line = json.dumps(told, ensure_ascii=False)
    if printable(line) == line:
        return line
    return "".join(letter if printable(letter) == letter else json.dumps(letter)[1:-1] for letter in line)


def _printable(letter: str) -> str:
    if letter in "\t\n\r\u2028\u2029":
        return " "
    if letter in _JOINERS:
        return letter
    category = unicodedata.category(letter)
    if category in _DROPPED:
        return ""
    return "\N{REPLACEMENT CHARACTER}" if category in _REPLACED else letter
