"""`export`: writes what was crawled in a format of other programs. Extensions add the formats.

A format is an option with a value, such as `--warc FOLDER`: `extension_points.ExportFormat`. One is given at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import CommandError
from extension_points import call_extensions

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.frame.command_settings import CommandSettings
    from extension_points import ExportFormat


def formats() -> list[ExportFormat]:
    """Return the formats of all extensions."""
    return call_extensions("export_formats")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options: one of each format, and what goes with it."""
    known = formats()
    chosen = parser.add_mutually_exclusive_group(required=bool(known))
    for each in known:
        chosen.add_argument(each.option, metavar=each.metavar, choices=each.choices or None, help=each.help)
        for name, keywords in each.options.items():
            parser.add_argument(name, **keywords)
    parser.add_argument("--json", action="store_true", help="one JSON object with what was written")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Export a crawl in the chosen format."""
    known = formats()
    chosen = next((each for each in known if _given(arguments, each.option)), None)
    if chosen is None:
        raise CommandError("no extension that is installed adds a format; docs/extending.md lists those that do")
    for each in known:
        for name in each.options:
            if each is not chosen and _given(arguments, name):
                raise CommandError(f"{name} goes with {each.option}, not with {chosen.option}: leave one of them out")
    return chosen.write(arguments, settings)


def _given(arguments: Namespace, option: str) -> bool:
    return getattr(arguments, option.removeprefix("--").replace("-", "_")) not in {None, False}


COMMAND = Command(
    name="export",
    example="--warc demo-archive --data demo",
    exits="0 all is written, 1 nothing could be, or some of it is damaged, 2 it could not be done",
    add_arguments=add_arguments,
    run=run,
)
