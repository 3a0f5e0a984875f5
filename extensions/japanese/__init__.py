"""How is Japanese pronounced? Words are also found by their readings: とうきょう finds 東京; off by default.

A dictionary gives the reading of each word of a page (reader.py), and of a query (query.py). The index has a field of
the engine for them: `indexer/analysis/readings.py`.

It adds the setting READINGS, `index --readings`, and packages that the launcher installs for that (extra.txt).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from extension_points import CommandOptions, IndexWork, extends

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.frame.command_settings import CommandSettings
    from indexer.analysis.readings import WordReader
    from spiders.setting_values import ReadableSettings

VARIABLE = "BREADCRUMB_READINGS"  # an environment variable reaches every process that a command starts
_YES = "yes"


def read_readings(*, wanted: bool) -> None:
    """Switch readings of Japanese on or off, for this process and all that it starts: the setting READINGS."""
    os.environ.pop(VARIABLE, None)
    if wanted:
        os.environ[VARIABLE] = _YES


def are_wanted() -> bool:
    """Return whether this process reads Japanese."""
    return os.environ.get(VARIABLE) == _YES


@extends
def settings() -> dict[str, object]:
    """Add READINGS: whether Japanese is also found by its pronunciation: an extra (index --readings)."""
    return {"READINGS": False}


@extends
def settings_chosen(settings: ReadableSettings) -> None:
    """Let this process read Japanese if READINGS is on."""
    read_readings(wanted=settings.getbool("READINGS"))


@extends
def word_readers() -> list[WordReader]:
    """Return the reader of Japanese, if it is on."""
    if not are_wanted():
        return []
    from extensions.japanese.query import JAPANESE

    return [JAPANESE]


@extends
def command_options(command: str) -> list[CommandOptions]:
    """Add `index --readings`."""

    def add(parser: ArgumentParser) -> None:
        parser.add_argument(
            "--readings",
            action="store_true",
            help="read Japanese, too, as READINGS does for good; --yes asks nothing before",
        )
        parser.add_argument("--yes", action="store_true", help="install what --readings needs without asking")

    return [CommandOptions(add)] if command == "index" else []


@extends
def index_work(arguments: Namespace, settings: CommandSettings) -> list[IndexWork]:  # noqa: ARG001 - READINGS is known
    """With `--readings`, read Japanese from now on. The index reads pages as it adds them."""
    if arguments.readings or are_wanted():
        from extensions.japanese.reader import begin_to_read

        begin_to_read(asked=arguments.readings)
    return []
