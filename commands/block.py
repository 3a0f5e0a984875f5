"""How does a complaint end? With one command: the site or URL is never fetched again, and its pages are gone."""

from __future__ import annotations

import contextlib
import json
from difflib import get_close_matches
from typing import TYPE_CHECKING

from commands.command import Command
from commands.exits import DONE, Trouble
from commands.terminal import printable
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from commands.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from urls.blacklist import Target

HINTS = 3  # sites that may have been meant


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="URL or SITE",
        help="a page, a folder (ends in /: all below it), a site such as bakery.localhost:8400, or a pattern with *",
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="who asked for it, and why; why tells it")
    parser.add_argument("--lift", action="store_true", help="take it off the blacklist again")
    parser.add_argument("--json", action="store_true", help="one JSON object with what was blocked")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Put targets on the blacklist, and take their pages out of the store and the index."""
    from commands.data_folder import open_to_write
    from commands.index import bring_index_up_to_date
    from crawldb.tables.runs import crawling_process
    from frontier.takedown import block, known_of
    from urls.blacklist import target_of

    targets = [target_of(text) for text in arguments.targets]  # a mistake in one leaves all as they were
    if arguments.lift:
        return _lift(arguments, settings)
    with open_to_write(
        settings.data_dir, make=True
    ) as databases:  # before the first crawl, too: it will never go there
        blocked = [
            (target, sum(block(database, text, arguments.reason)[1] for database in databases))
            for target, text in zip(targets, arguments.targets, strict=True)
        ]
        crawl = next(filter(None, map(crawling_process, databases)), None)
        unknown = [target for target in targets if not any(known_of(database, target) for database in databases)]
        sites = [name for database in databases for name in _sites(database)]
    pages = sum(count for _, count in blocked)
    index = bring_index_up_to_date(settings.data_dir) if pages else ""
    if arguments.json:
        taken = [{"target": target.name, "kind": target.kind, "pages": count} for target, count in blocked]
        told = {"blocked": taken, "reason": arguments.reason, "pages": pages, "index": index, "crawl": crawl}
        print(json.dumps(told, ensure_ascii=False))
    else:
        for target, (_, count) in zip(targets, blocked, strict=True):
            print(f"{printable(str(target))}: blocked; {counted(count, 'page')} taken out.")
        for target in unknown:
            print(_hint(target, sites))
        if index:
            print(index)
    return DONE


def _sites(database: CrawlDatabase) -> list[str]:
    return [name for (name,) in database.connection.execute("SELECT name FROM site ORDER BY id")]


def _hint(target: Target, sites: Sequence[str]) -> str:
    """Tell that nothing of a target is known: it may be a mistake, and it may be meant for the future."""
    wanted = (target.name.partition("://")[2] or target.name).partition("/")[0]
    near = [name for name in sites if name.partition(":")[0] == wanted.partition(":")[0] and name != wanted]
    near = near or get_close_matches(wanted, sites)
    meant = f"; did you mean {' or '.join(near[:HINTS])}?" if near and wanted not in sites else "."
    return f"The crawl knows nothing of {printable(str(target))} yet{printable(meant)}"


def _lift(arguments: Namespace, settings: CommandSettings) -> int:
    from commands.data_folder import open_to_write
    from frontier.takedown import unblock
    from urls.blacklist import target_of

    lifted = []
    with open_to_write(settings.data_dir, make=True) as databases:
        for text in arguments.targets:
            found = []
            for database in databases:
                with contextlib.suppress(LookupError):
                    found.append(unblock(database, text))
            if not found:
                what = f"{target_of(text)} is not on the blacklist"
                raise Trouble(f"{what}: ./breadcrumb block put it there in other words, or never did")
            lifted.append((found[0][0], sum(count for _, count in found)))
    if arguments.json:
        back = [{"target": target.name, "kind": target.kind, "urls": count} for target, count in lifted]
        print(json.dumps({"lifted": back}, ensure_ascii=False))
    else:
        for target, count in lifted:
            print(f"{printable(str(target))}: off the blacklist; the next crawl asks for {count} of its URLs again.")
    return DONE


COMMAND = Command(
    name="block",
    example='mirror.localhost:8400 --data demo --reason "its owner asked us to"',
    exits="0 blocked, 2 it could not be done",
    add_arguments=add_arguments,
    run=run,
)
