"""Output for a terminal: wrapped to 80 columns or less, coloured, and safe.

Lines are wrapped by screen width: East Asian letters take two columns. A terminal gets colours and bold text. A file, a
pipe or NO_COLOR gets plain text. Texts of pages and servers pass `printable`: a line break in a title must not start a
new line. All output passes `GuardedStream`: an escape sequence in a title must not move the cursor.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import time
import unicodedata
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from reports.shown_commands import in_folder
from reports.shown_commands import pieces as shown_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from reports.wording import Row

COLUMNS = 80
LEAST = 30  # columns; a narrower terminal breaks the lines itself
_WIDE = frozenset("WF")  # Unicode's East Asian Width: wide and full
_WORD_OR_BLANK = re.compile(r" +|[^ ]+")
_FOLDER: ContextVar[str] = ContextVar("folder", default="")  # the option that names the folder of the command that runs


def width_of(text: str) -> int:
    """Return the width of `text` in columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in _WIDE) for letter in text
    )


def spans_of_lines(text: str, columns: int) -> list[tuple[int, int]]:
    """Return begin and end of each line of `text`, wrapped at spaces or between wide letters.

    Commands and long words, such as URLs, are not wrapped, so that they can be copied.
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
    """Set the option that all printed commands get, with a leading space."""
    _FOLDER.set(option)


def print_last(text: str, out: TextIO) -> OSError | None:
    """Print the last output of a command; return the error if that fails.

    A closed pipe, as with `head`, is no error.
    """
    try:
        print(text, file=out, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # what Python flushes at its end, too
        return None if isinstance(error, BrokenPipeError) else error
    return None


def pasteable(text: str) -> str:
    """Add the data folder to the commands in a text."""
    return in_folder(text, _FOLDER.get())


def columns() -> int:
    """Return the line width: that of a narrow terminal, else 80."""
    if not sys.stdout.isatty():
        return COLUMNS
    return max(LEAST, min(COLUMNS, shutil.get_terminal_size((COLUMNS, 24)).columns))


def wrapped(text: str, columns: int) -> list[str]:
    """Return `text` in lines of at most `columns`."""
    return [text[begin:end] for begin, end in spans_of_lines(text, columns)]


def hanging(label: str, text: str, indent: int) -> list[str]:
    """Return `text` wrapped with a hanging indent of `indent` columns, with `label` before the first line."""
    first, *others = wrapped(text, columns() - indent) or [""]
    return [f"{label:<{indent}}{first}".rstrip(), *(" " * indent + line for line in others)]


def indented(line: str, more: int = 0) -> list[str]:
    """Return `line` wrapped with its own indent, and `more` columns."""
    text = line.lstrip()
    return hanging("", printable(text), more + len(line) - len(text))


def row_lines(rows: Iterable[Row], indent: int, style: Style) -> Iterator[str]:
    """Yield report rows as lines, with dimmed labels in the first `indent` columns."""
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
    """Styles text for a terminal, or leaves it unchanged."""

    colours: bool

    def bold(self, text: str) -> str:
        """Style a query term or a heading."""
        return self._mark("1", text)

    def dim(self, text: str) -> str:
        """Style less important text."""
        return self._mark("2", text)

    def good(self, text: str) -> str:
        """Style a positive result."""
        return self._mark("32", text)

    def bad(self, text: str) -> str:
        """Style a negative result."""
        return self._mark("31", text)

    def link(self, text: str) -> str:
        """Style a URL."""
        return self._mark("36", text)

    def _mark(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def terminal_style() -> Style:
    """Return the terminal_style for standard output."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return Style(colours=sys.stdout.isatty() and not plain)


def printable(text: str) -> str:
    """Return `text` with spaces for line breaks, � for controls, and without invisible marks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_printable, text))


def printable_lines(text: str) -> str:
    """Return `text` with each of its lines as `printable` has it."""
    return "\n".join(map(printable, text.split("\n")))


class OutputError(OSError):
    """Standard output or error can't be written: it is a file on a full disk, say. The message says why."""


@contextmanager
def _writing(stream: TextIO) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads on, which is no fault
    except OSError as error:
        name = "error" if getattr(stream, "name", "") == "<stderr>" else "output"
        raise OutputError(f"standard {name} can't be written: {error.strerror}") from error


class GuardedStream:
    """A text stream that removes control sequences, except our own styles on a terminal. It raises `OutputError`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()

    def write(self, text: str) -> int:
        """Write a text, with line breaks and tabs as they are, and otherwise as `printable` has it."""
        with _writing(self._stream):
            self._stream.write(self._guarded(text))
        return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        with _writing(self._stream):
            self._stream.flush()

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


def json_line(value: object) -> str:
    """Return one line of readable JSON; control characters are escaped."""
    line = json.dumps(value, ensure_ascii=False)
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


TERMINAL_SECONDS, LOG_SECONDS = 0.25, 10.0  # between two progress lines, on a terminal and in a log


class ProgressLine:
    """Reports on standard error how far a command is: live on a terminal, and now and then in a log."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._written_at = time.monotonic()

    def write(self, line: Callable[[], str]) -> None:
        """Write the line if it is due."""
        now = time.monotonic()
        if now - self._written_at < (TERMINAL_SECONDS if self._live else LOG_SECONDS):
            return
        self._written_at = now
        start, end = (WIPE_LINE, "") if self._live else ("", "\n")
        print(f"{start}{printable(line())}", end=end, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Wipe the line of a terminal."""
        if self._live:
            print(WIPE_LINE, end="", file=sys.stderr, flush=True)
