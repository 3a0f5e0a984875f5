"""Parses the arguments of a command, runs it, and prints errors.

A command is a name, its options, and a function. A user error prints a sentence or two, never a traceback. Ctrl-C and
a closed pipe (`| head`) end a command quietly.

argparse finds wrong arguments. Its messages differ between versions of Python (3.11 to 3.14 were compared), so the
known ones are rewritten here, and the others are printed unchanged.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from commands import SUMMARIES
from commands.frame.command_settings import CommandSettings, index_option, take_settings_file
from commands.frame.data_folder import OPTION, VARIABLE, chosen_folder, folder_option, other_folders
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, error_message, folder_error, is_of_a_folder
from commands.frame.terminal import OutputError, guard_streams, pasteable, printable_lines, set_folder_option
from crawldb.folders import make_private
from extension_points import call_extensions
from indexer.remote import use_index_setting
from urls.wording import enumerated

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Sequence

_ARGUMENT = re.compile(r"argument (?:\S+/)?(?P<name>\S+): (?P<fault>.*)", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: (?P<given>.*?) \(choose from (?P<choices>.*)\)", re.DOTALL)
_KIND = re.compile(r"invalid (?P<kind>int|float) value: (?P<given>.*)", re.DOTALL)
_BESIDE = re.compile(r"not allowed with argument (?:\S+/)?(?P<other>\S+)")
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL)
_MISSING = re.compile(r"the following arguments are required: (?P<names>.*)")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
_KINDS = {"int": "a whole number", "float": "a number"}


def explain_mistake(message: str, usage: str) -> str:
    """Rewrite an error of argparse; `usage` lists the options of the command."""
    if unknown := _UNKNOWN.fullmatch(message):
        return f"{unknown['given']}: {_nearest(unknown['given'], usage)}"
    if missing := _MISSING.fullmatch(message):
        return f"{missing['names']} is missing."
    about = _ARGUMENT.fullmatch(message)
    return f"{_told_of(about['name'], about['fault']) if about else message}."


def _told_of(name: str, fault: str) -> str:
    before = f"{name} " if name.startswith("-") else ""  # a word that is no option needs no name
    if choice := _CHOICE.fullmatch(fault):
        choices = [each.strip("'\"") for each in choice["choices"].split(", ")]
        return f"{before}{_bare(choice['given'])}: choose {enumerated(choices, 'or')}"
    if kind := _KIND.fullmatch(fault):
        return f"{before}{_bare(kind['given'])}: give {_KINDS[kind['kind']]}"
    if beside := _BESIDE.fullmatch(fault):
        return f"{name} and {beside['other']} can't be combined: give only one"
    if fault.startswith("expected "):
        return f"{name}: no value: give {name} VALUE"
    return f"{name}: {fault}"


def _bare(given: str) -> str:
    """Remove the quotes that argparse adds to a value."""
    return given[1:-1] if len(given) > 1 and given[0] == given[-1] and given[0] in "'\"" else given


def _nearest(given: str, usage: str) -> str:
    """Suggest the nearest option, or explain how to write a value."""
    word = given.partition(" ")[0].partition("=")[0]
    options = sorted(set(_OPTION.findall(usage)))
    if word.startswith("--") and (near := get_close_matches(word, options, 1)):
        return f"unknown option; did you mean {near[0]}?"
    if word.startswith("-"):
        return "unknown option. Put -- before a value that starts with a dash."
    return "too many arguments. Quote an argument with spaces."


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a command and their help; `exits` explains the exit codes."""

    name: str
    example: str  # what stands after the name in the example of --help
    exits: str
    add_arguments: Callable[[ArgumentParser], None]
    summary: str = field(default="", kw_only=True)  # of a command that an extension adds; ours stand in listing.txt


@dataclass(frozen=True, slots=True)
class Command(Signature):
    """A command that runs without Scrapy. `run` returns the exit code."""

    run: Callable[[Namespace, CommandSettings], int]


# Files that others may be meant to read.
WRITE_ELSEWHERE = frozenset({"cluster", "compare", "demo", "export", "lab", "slides"})
COMMANDS = Path(__file__).resolve().parents[1]
PARENT_WATCH = COMMANDS / "frame" / "parent_watch.py"  # starts a command that ends with whoever started it


def command_line(words: Sequence[str], settings: Iterable[str] = (), program: Path = COMMANDS) -> list[str]:
    """Return the command line of one of our commands; each setting is a NAME=VALUE."""
    return [sys.executable, "-P", str(program), *words, *(word for each in settings for word in ("-s", each))]


def run_and_wait(line: Sequence[str], stdout: int | None = None) -> int:
    """Run a process to its end and return its exit code, 128 + N after signal N. Only the process handles Ctrl-C."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, not SIG_IGN: the child would inherit that
    try:
        code = subprocess.run(line, stdout=stdout, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code  # as shells have it; an exit code of -2 would be 254


_WORD = "\0"  # stands before a word that is no option, whatever it looks like; no argument can contain it


class _Parser(argparse.ArgumentParser):
    """argparse with helpful errors."""

    def error(self, message: str) -> NoReturn:
        mistake = explain_mistake(message, self.format_usage())
        self.exit(MISUSED, f"{self.prog}: {mistake} {self.prog} --help shows an example.\n")


def run_command(command: Command, words: Sequence[str]) -> int:
    """Run `command` with `words` and return its exit code."""
    guard_streams()
    settings = None
    try:
        arguments = parse_words(command, words)
        arguments.typed = list(words)  # as they stood, to be repeated in a hint
        settings = CommandSettings(arguments.set)
        if command.name not in WRITE_ELSEWHERE and (notice := make_private(settings.data_dir)):
            print(f"breadcrumb {command.name}: {notice}", file=sys.stderr)
        set_folder_option(folder_option(settings.data_dir))
        use_index_setting(str(settings["INDEX"]))
        call_extensions("settings_chosen", settings=settings)
        set_folder_option(folder_option(settings.data_dir) + index_option(arguments.set))
        code = command.run(arguments, settings)
        sys.stdout.flush()
    except (BrokenPipeError, OutputError) as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python flushes at its end goes nowhere
        if isinstance(error, BrokenPipeError):
            return DONE
        print(f"breadcrumb {command.name}: {error}", file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        mistake = folder_error(error, settings) or error_message(error)
        if mistake is None:
            raise
        elsewhere = other_folders(command.name, words, settings.data_dir) if settings and is_of_a_folder(error) else []
        print(
            f"breadcrumb {command.name}: {printable_lines(pasteable(mistake))}", *elsewhere, sep="\n", file=sys.stderr
        )
        return MISUSED
    return code


def parse_words(command: Signature, words: Sequence[str]) -> argparse.Namespace:
    """Parse the words of a command. Words after `--` are never options; options may follow other words."""
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
        help=f"the crawl: demo for the folder data/demo, or a path (default: {VARIABLE}, else data)",
    )
    parser.add_argument(
        "--settings",
        dest="settings_file",
        metavar="FILE",
        help="a settings file, instead of breadcrumb.toml in the project folder",
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
    """Split the words at the first `--`, which argparse loses between mixed words."""
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    return value.removeprefix(_WORD) if isinstance(value, str) else value
