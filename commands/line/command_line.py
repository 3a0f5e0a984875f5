"""How does a line of words become an exit code? Parsed, run, and every mistake told in a plain sentence or two.

Nobody gets to see a traceback for a mistake of their own: a missing folder, a wrong option, a URL that is none. A
reader that has seen enough (`| head`) and Ctrl-C end a command quietly.
"""

from __future__ import annotations

import argparse
import io
import os
import sqlite3
import sys
from typing import TYPE_CHECKING, NoReturn

from commands.line.command import DONE, INTERRUPTED, MISUSED, Trouble
from commands.line.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commands.line.command import Command, Signature

_WORD = "\0"  # stands before a word that is no option, whatever it looks like; no argument can contain it


class _Parser(argparse.ArgumentParser):
    """argparse, whose errors say what would work."""

    def error(self, message: str) -> NoReturn:
        about_words = "unrecognized" in message or "required" in message
        hint = " A word that begins with - and is no option stands after --." if about_words else ""
        self.exit(MISUSED, f"{self.prog}: {message}.{hint} {self.prog} --help shows an example.\n")


def run(command: Command, words: Sequence[str]) -> int:
    """Run `command` with `words` and return its exit code."""
    write_any_letter()
    try:
        arguments = parse(command, words)
        code = command.run(arguments, Settings(arguments.set))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python flushes at its end goes nowhere
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        mistake = _as_mistake(error)
        if mistake is None:
            raise
        print(f"breadcrumb {command.name}: {mistake}", file=sys.stderr)
        return MISUSED
    return code


def write_any_letter() -> None:
    """Let what is printed hold any letter, whatever the terminal's locale can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def parse(command: Signature, words: Sequence[str]) -> argparse.Namespace:
    """Read the words of one command. Those after `--` are never options, and options may stand between the others."""
    parser = _Parser(
        prog=f"breadcrumb {command.name}",
        description=f"{command.summary[0].upper()}{command.summary[1:]}.",
        epilog=f"example: breadcrumb {command.name} {command.example}\nexit codes: {command.exits}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    parser.add_argument(
        "-s", dest="set", action="append", default=[], metavar="NAME=VALUE", help="a setting for this run"
    )
    before, after = _split(list(words))
    arguments = parser.parse_intermixed_args(before + [f"{_WORD}{word}" for word in after])
    for name, value in vars(arguments).items():
        if name != "set":
            setattr(arguments, name, _unmarked(value))
    return arguments


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words before the first `--`, and those after it. argparse itself loses it among mixed words."""
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    return value.removeprefix(_WORD) if isinstance(value, str) else value


def _as_mistake(error: Exception) -> str | None:
    """Return the sentence for an error that a person can do something about, or None for a fault of ours."""
    from crawldb import DatabaseError, UnusableUrl  # noqa: PLC0415 - only when something went wrong
    from indexer import IndexFault  # noqa: PLC0415 - the same

    if isinstance(error, (Trouble, DatabaseError, UnusableUrl, IndexFault)):
        return str(error)
    if isinstance(error, OSError):
        return f"{error}. Is there a folder to read and write, and room on its disk? -s DATA_DIR=FOLDER names another"
    if isinstance(error, sqlite3.Error):
        return f"the crawl database in DATA_DIR can't be used: {error}"
    return None
