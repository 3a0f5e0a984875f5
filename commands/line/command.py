"""What is a command? A name, a line that says what it is for, its options, and what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from commands.line.settings import Settings

DONE = 0
NO = 1  # it worked, and the answer is no: nothing found, not allowed, not known
MISUSED = 2  # it could not do what was asked: wrong usage, or something that can't be read
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class Trouble(Exception):
    """The command can't go on; the message says what was given, what is wrong and what would work."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a person can write after a command's name, and what --help says of it; `exits` explains the exit codes."""

    name: str
    summary: str  # the line for the list of commands
    example: str  # what stands after the name in the example of --help
    exits: str
    add_arguments: Callable[[ArgumentParser], None]


@dataclass(frozen=True, slots=True)
class Command(Signature):
    """One command that needs no crawler. `run` returns the exit code."""

    run: Callable[[Namespace, Settings], int]
