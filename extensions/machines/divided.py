"""Which arguments does each part of a divided crawl get? The same ones, checked before any part begins."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from commands.frame.exits import CommandError
from extension_points import call_extensions
from urls.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Mapping

    from commands.frame.command_settings import CommandSettings
    from extensions.machines.store.objects import Objects

MODES = ("all", "due", "discover")


def add_crawl_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments that both commands of divided crawls take."""
    parser.add_argument("seeds", nargs="?", default="", help="addresses with commas between them, or a file")
    parser.add_argument("--mode", choices=MODES, default=MODES[0], help="what to fetch, as with crawl")
    for argument in call_extensions("spider_arguments"):
        parser.add_argument(f"--{argument.name}", metavar=argument.metavar, help=argument.option_help)
    parser.add_argument("--json", action="store_true", help="one JSON object with each part's share")


def added_arguments(arguments: Namespace) -> dict[str, str]:
    """Return the values given for the spider arguments that extensions add, by name."""
    given = {argument.name: getattr(arguments, argument.name) for argument in call_extensions("spider_arguments")}
    return {name: value for name, value in given.items() if value is not None}


def check_before_parts(
    seeds: str, added: Mapping[str, str], settings: CommandSettings, tell: Callable[[str], None]
) -> None:
    """Raise `CommandError` or `IndexFault` for what a crawl would reject: else the log of each part would report it.

    An unreachable index cluster is only reported: the crawl can go on without it, and the index follows later.
    """
    from commands.crawling.start import MISTAKES, check_owner_is_known
    from commands.frame.command_settings import read_crawl_settings
    from indexer import check_engine
    from indexer.faults import IndexUnreachable
    from spiders.arguments import SpiderArguments

    try:
        check_engine(settings.data_dir, in_parts=True, must_respond=True)
    except IndexUnreachable as fault:
        tell(str(fault))
    try:
        crawl_settings = read_crawl_settings(settings, SpiderArguments(seeds, added=added))
        check_owner_is_known(crawl_settings, crawl_settings.seeds)
    except MISTAKES as mistake:
        raise CommandError(str(mistake)) from mistake


def share_line(share: Mapping[str, Any]) -> str:
    """Return the counts of a part, as the beginning of a sentence; outcomes of old versions don't count failures."""
    return (
        f"Part {share['part']}: {counted(share['sites'], 'site')}, {counted(share['pages'], 'page')} stored, "
        f"{share['indexed']} {'for' if share.get('behind') else 'in'} the index, "
        f"{counted(share['requests'], 'request')}, {share['queued']} queued, {share.get('failed', 0)} failed"
    )


def words_here(seeds: str, added: Mapping[str, str], settings: CommandSettings) -> list[str]:
    """Return the arguments of `crawl site` on this machine, as they were given."""
    return _words(seeds, added) + [word for each in settings.assignments for word in ("-s", each)]


def words_elsewhere(
    seeds: str, added: Mapping[str, str], settings: CommandSettings, objects: Objects, driver: int
) -> list[str]:
    """Return the arguments of `crawl site` on other machines: files and own settings go through the store.

    `driver` is the number of the driver's epoch. Without seeds, the newest seeds of an earlier driver are used.
    """
    from extensions.machines.tasks.run_spec import SEEDS, give, newest_seeds
    from spiders.own_folders import settings_file
    from spiders.own_settings import PREFIX, own_defaults

    with TemporaryDirectory() as folder:
        listed, none_set = Path(folder) / "seeds.txt", Path(folder) / "none.toml"
        listed.write_text(seeds.replace(",", "\n"), "utf-8")
        none_set.touch()
        if seeds:
            seeds = give(objects, driver, SEEDS, listed if "://" in seeds else Path(seeds))
        own = settings_file()
        own_there = give(objects, driver, "settings", own if own.is_file() else none_set)
    files = {name: Path(value) for name, value in added.items() if Path(value).exists()}
    added = {**added, **{name: give(objects, driver, name, path) for name, path in files.items()}}
    variables = [f"{name}={os.environ[PREFIX + name]}" for name in own_defaults() if PREFIX + name in os.environ]
    if not (seeds := seeds or newest_seeds(objects)):
        raise CommandError(f"{objects.uri} holds a crawl that was given no seeds: give them, as addresses or as a file")
    words = [*_words(seeds, added), "--settings", own_there]
    return words + [word for each in (*variables, *settings.assignments) for word in ("-s", each)]


def _words(seeds: str, added: Mapping[str, str]) -> list[str]:
    given = [f"seeds={seeds}"] * bool(seeds) + [f"{name}={value}" for name, value in added.items()]
    return [word for argument in given for word in ("-a", argument)]
