"""`block`: never fetches a site or URL again, and removes its pages."""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.data_folder import folder_option, without_folder
from commands.frame.exits import DONE, CommandError
from commands.frame.targets import (
    add_confirmation,
    add_target_options,
    confirm,
    left_below,
    named_targets,
    robots_sentence,
    robots_versions_meant,
)
from commands.frame.terminal import json_line, pasteable, printable, row_lines, terminal_style
from crawldb.folders import holds_a_crawl, why_no_crawl
from extension_points import call_extensions
from reports.wording import counted, moment

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from urls.blacklist import Target

INDENT = 12  # columns for what a row is about
HINTS = 3  # of what may have been meant
LOOKED_THROUGH = 20_000  # URLs of a site among which those are looked for


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_target_options(parser)
    add_confirmation(parser)
    parser.add_argument(
        "--reason", default="", metavar="TEXT", help="who requested it and why; the command why shows it"
    )
    parser.add_argument("--lift", action="store_true", help="remove it from the blacklist")
    parser.add_argument(
        "--anyway",
        action="store_true",
        help="also block what the crawl does not know, for example before its first run",
    )
    parser.add_argument("--decline", action="store_true", help="decline the request of a visitor to block it")
    parser.add_argument("--list", action="store_true", help="list what is blocked, since when, and why")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Block targets, and remove their pages from the store and the index."""
    from commands.frame.follow_up import finish_stopped_work
    from crawldb.databases import open_to_write
    from crawldb.tables.open_work import BLOCK, OpenWork, noted_work
    from crawldb.tables.runs import crawling_process
    from frontier.takedown import block
    from indexer.following import update_indexes
    from reports.health import changes_to_index

    targets = named_targets(arguments)
    if arguments.list or not targets:
        return _list(arguments, settings)
    if arguments.decline:
        return _decline(targets, settings)
    if arguments.lift:
        return _lift(arguments, targets, settings)
    if not arguments.anyway:
        _check_known(targets, arguments.typed, settings)
    confirm(arguments, targets, settings.data_dir, "this blocks it and removes")
    finish_stopped_work(settings, settings.data_dir)
    work = OpenWork(BLOCK, tuple(target.name for target in targets), arguments.reason)
    with open_to_write(settings.data_dir, make=arguments.anyway) as databases, noted_work(databases, work):
        robots = robots_versions_meant(databases, targets)
        blocked = [
            (target, sum(block(database, target.name, arguments.reason)[1] for database in databases))
            for target in targets
        ]
        left = {target: left_below("block", databases, target) for target in targets}
        crawl = next(filter(None, map(crawling_process, databases)), None)
        by_links = any(changes_to_index(each.path.parent, each) for each in databases)  # results without a page
        for copies in call_extensions("stored_copies"):
            copies.remove_from_folder(settings.data_dir, databases, robots)
    pages = sum(count for _, count in blocked)
    changed = databases if pages or by_links else []
    index = pasteable(update_indexes(each.path.parent for each in changed)[0])
    if arguments.json:
        taken = [{"target": target.name, "kind": target.kind, "pages": count} for target, count in blocked]
        result = {"blocked": taken, "reason": arguments.reason, "pages": pages, "robots": robots}
        result |= {"index": index, "crawl": crawl}
        print(json_line(result))
    else:
        for target, count in blocked:
            done = f"{printable(str(target))}: blocked; {counted(count, 'page')} removed."
            print(" ".join(filter(None, (done, left[target]))))
        if pages:
            print(index)
        if robots:
            print(robots_sentence(robots))
    return DONE


def _check_known(targets: Sequence[Target], typed: Sequence[str], settings: CommandSettings) -> None:
    """Raise `CommandError` for an unknown target: with a typing error, the intended site would still be fetched."""
    from crawldb.database import DatabaseError
    from crawldb.databases import open_to_write
    from frontier.takedown import known_of

    again = f"./breadcrumb block{folder_option(settings.data_dir)} --anyway {shlex.join(without_folder(typed))}"
    if not holds_a_crawl(settings.data_dir):
        before = f"{settings.data_dir} holds no crawl yet. To block before the first crawl: {again}"
        raise DatabaseError(why_no_crawl(settings.data_dir) or before)
    with open_to_write(settings.data_dir) as databases:
        unknown = [target for target in targets if not any(known_of(database, target) for database in databases)]
        meant = dict.fromkeys(name for target in unknown for database in databases for name in _near(database, target))
    if unknown:
        names = " and ".join(printable(str(target)) for target in unknown)
        question = f"; did you mean {' or '.join(list(meant)[:HINTS])}?" if meant else "."
        raise CommandError(
            f"nothing was blocked: the crawl in {settings.data_dir} does not know {names}{printable(question)} "
            f"To block it anyway: {printable(again)}"
        )


def _near(database: CrawlDatabase, target: Target) -> list[str]:
    """Return known sites or URLs that are similar to an unknown target."""
    from crawldb.figures.one_url import urls_of_site_named
    from crawldb.tables.sites import site_names

    sites = site_names(database)
    wanted = (target.name.partition("://")[2] or target.name).partition("/")[0]
    if wanted not in sites:
        near = [name for name in sites if name.partition(":")[0] == wanted.partition(":")[0]]
        return near or get_close_matches(wanted, sites)
    return get_close_matches(target.name, urls_of_site_named(database, wanted, LOOKED_THROUGH))


def _list(arguments: Namespace, settings: CommandSettings) -> int:
    """Print what is on the blacklist."""
    from commands.frame.data_folder import open_to_read
    from crawldb.tables.blocks import FILE, listed
    from reports.numbers import open_complaints
    from reports.report_rows import complaint_rows

    with open_to_read(settings.data_dir) as databases:
        proposed = [each for database in databases for each in open_complaints(database)]
        entries = list(dict.fromkeys(entry for database in databases for entry in listed(database)))
    if arguments.json:
        blocks = [
            {
                "target": each.target.name,
                "kind": each.target.kind,
                "reason": each.reason,
                "at": each.at,
                "by": each.origin,
            }
            for each in entries
        ]
        print(json_line({"blocks": blocks, "proposed": proposed}))
        return DONE
    for each in entries:
        by = "BLACKLIST_FILE" if each.origin == FILE else "block"
        why = f": {each.reason}" if each.reason else ""
        print(f"{printable(f'{each.target}{why}')} (by {by}, {moment(each.at)})")
    print(*row_lines(complaint_rows(proposed), INDENT, terminal_style()), sep="\n", end="\n" * bool(proposed))
    if not entries:
        print(f"Nothing is blocked in {settings.data_dir}.")
    return DONE


def _decline(targets: Sequence[Target], settings: CommandSettings) -> int:
    from crawldb.databases import in_each_part, open_to_write
    from frontier.submission import decline_proposal

    with open_to_write(settings.data_dir) as databases:
        for target in targets:
            try:
                declined = in_each_part(databases, partial(decline_proposal, text=target.name))
            except LookupError:
                no_request = f"{target}: no visitor requested that. To list the requests: ./breadcrumb block"
                raise CommandError(no_request) from None
            print(f"{printable(str(declined[0]))}: request declined.")
    return DONE


def _lift(arguments: Namespace, targets: Sequence[Target], settings: CommandSettings) -> int:
    from crawldb.databases import in_each_part, open_to_write
    from frontier.takedown import unblock

    lifted = []
    with open_to_write(settings.data_dir, make=True) as databases:
        for target in targets:
            try:
                found = in_each_part(databases, partial(unblock, text=target.name))
            except LookupError as error:
                raise CommandError(f"{printable(str(error))}. To list what is blocked: ./breadcrumb block") from None
            lifted.append((found[0][0], sum(count for _, count in found)))
    if arguments.json:
        back = [{"target": target.name, "kind": target.kind, "urls": count} for target, count in lifted]
        print(json_line({"lifted": back}))
    else:
        for target, count in lifted:
            print(f"{printable(str(target))}: unblocked; the next crawl requests {counted(count, 'URL')} of it.")
    return DONE


COMMAND = Command(
    name="block",
    example='--site mirror.localhost:8400 --data demo --reason "its owner asked us to"',
    exits="0 done, 2 failed, or the crawl does not know the target",
    add_arguments=add_arguments,
    run=run,
)
