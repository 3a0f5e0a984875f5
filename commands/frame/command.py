"""What is a command, and how does a line of words become its exit code? Parsed, run, and every mistake told plainly.

A command is a name, its options, and what it does. Nobody gets to see a traceback for
a mistake of their own: a missing folder, a wrong option, a URL that is none. It is told in a sentence or two. A reader
that has seen enough (`| head`) and Ctrl-C end a command quietly.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from commands import SUMMARIES
from commands.frame.command_settings import CommandSettings, index_option, index_place, take_settings_file
from commands.frame.data_folder import OPTION, VARIABLE, chosen_folder, folder_option, same_elsewhere
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, is_of_a_folder, mistake_in_words
from commands.frame.mistyped import told_of_mistake
from commands.frame.terminal import guard_streams, pasteable, printable_lines, speak_of_folder
from crawldb.folders import make_private
from extension_points import called
from indexer.plain_whoosh.folder import use_whoosh_settings
from indexer.remote import use_index_setting

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Signature:
    """What a person can write after a command's name, and what --help says of it; `exits` explains the exit codes."""

    name: str
    example: str  # what stands after the name in the example of --help
    exits: str
    add_arguments: Callable[[ArgumentParser], None]
    summary: str = field(default="", kw_only=True)  # of a command that an extension adds; ours stand in listing.txt


@dataclass(frozen=True, slots=True)
class Command(Signature):
    """One command that needs no crawler. `run` returns the exit code."""

    run: Callable[[Namespace, CommandSettings], int]


WRITE_ELSEWHERE = frozenset({"cluster", "compare", "demo", "export", "lab"})  # files that others may be meant to read
COMMANDS = Path(__file__).resolve().parents[1]
TETHER = COMMANDS / "frame" / "tether.py"  # starts a command that ends with whoever started it


def command_line(words: Sequence[str], settings: Iterable[str] = (), program: Path = COMMANDS) -> list[str]:
    """Return what starts one of our commands as a process of its own; each setting is a NAME=VALUE."""
    return [sys.executable, "-P", str(program), *words, *(word for each in settings for word in ("-s", each))]


def run_and_wait(line: Sequence[str], stdout: int | None = None) -> int:
    """Run a process to its end and return its exit code. Ctrl-C is for it alone, and it ends by it in order."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, not SIG_IGN: the child would inherit that
    try:
        return subprocess.run(line, stdout=stdout, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


_WORD = "\0"  # stands before a word that is no option, whatever it looks like; no argument can contain it


class _Parser(argparse.ArgumentParser):
    """argparse, whose errors say what would work."""

    def error(self, message: str) -> NoReturn:
        told = told_of_mistake(message, self.format_usage())
        self.exit(MISUSED, f"{self.prog}: {told} {self.prog} --help shows an example.\n")


def run_command(command: Command, words: Sequence[str]) -> int:
    """Run `command` with `words` and return its exit code."""
    guard_streams()
    settings = None
    try:
        arguments = parse_words(command, words)
        arguments.typed = list(words)  # as they stood, to be repeated in a hint
        settings = CommandSettings(arguments.set)
        if command.name not in WRITE_ELSEWHERE and (told := make_private(settings.data_dir)):
            print(f"breadcrumb {command.name}: {told}", file=sys.stderr)
        speak_of_folder(folder_option(settings.data_dir))
        use_index_setting(index_place(settings))
        use_whoosh_settings(settings.getlist("WHOOSH_FIELDS"), trusted=settings.getbool("TRUST_PICKLES"))
        called("settings_chosen", settings=settings)
        speak_of_folder(folder_option(settings.data_dir) + index_option(arguments.set))
        code = command.run(arguments, settings)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python flushes at its end goes nowhere
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        mistake = mistake_in_words(error)
        if mistake is None:
            raise
        elsewhere = same_elsewhere(command.name, words, settings.data_dir) if settings and is_of_a_folder(error) else []
        print(
            f"breadcrumb {command.name}: {printable_lines(pasteable(mistake))}", *elsewhere, sep="\n", file=sys.stderr
        )
        return MISUSED
    return code


def parse_words(command: Signature, words: Sequence[str]) -> argparse.Namespace:
    """Read the words of one command. Those after `--` are never options, and options may stand between the others."""
    summary = command.summary or SUMMARIES[command.name]
    parser = _Parser(
        prog=f"breadcrumb {command.name}",
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example: breadcrumb {command.name} {command.example}\nexit codes: {command.exits}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    parser.add_argument(
        "-s", dest="set", action="append", default=[], metavar="NAME=VALUE", help="a setting for this run"
    )
    parser.add_argument(
        OPTION,
        dest="data_name",
        metavar="NAME",
        help=f"which crawl: demo for the folder data/demo, or a path; else what {VARIABLE} says, else data",
    )
    parser.add_argument(
        "--settings",
        dest="settings_file",
        metavar="FILE",
        help="settings of your own, instead of breadcrumb.toml in the project's folder",
    )
    before, after = _split_at_dashes(list(words))
    arguments = parser.parse_intermixed_args(before + [f"{_WORD}{word}" for word in after])
    for name, value in vars(arguments).items():
        if name != "set":
            setattr(arguments, name, _unmarked(value))
    take_settings_file(arguments.settings_file)
    arguments.set += chosen_folder(arguments.data_name, arguments.set)
    return arguments


def _split_at_dashes(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words before the first `--`, and those after it. argparse itself loses it among mixed words."""
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    return value.removeprefix(_WORD) if isinstance(value, str) else value
