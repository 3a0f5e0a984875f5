"""How does `scrapy search` do the same as `breadcrumb search`? It is handed the words, and reads them itself."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

from commands.line.command_line import run

if TYPE_CHECKING:
    from commands.line.command import Command

_NO_PREFIX = "\0"  # no word can begin with it


def take_every_word(parser: argparse.ArgumentParser) -> None:
    """Let a parser of Scrapy's hand on all words, under `words`, as they stand."""
    parser.prefix_chars = _NO_PREFIX  # for this parser, then, no word is an option
    parser.add_argument("words", nargs=argparse.REMAINDER)


class LightCommand(ScrapyCommand):
    """One of our commands as Scrapy knows it, under the name of the module that declares it."""

    command: ClassVar[Command]
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        """Return what stands after the command's name."""
        return self.command.example

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return self.command.summary

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Take every word as it is: the command reads its options itself, so that they are the same everywhere."""
        super().add_options(parser)
        take_every_word(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command."""
        self.exitcode = run(self.command, [*opts.words, *args])
