"""The targets of a command: a page, a folder, a site or a pattern.

A folder, a site or a pattern with stored pages must be confirmed: at a terminal by an answer, elsewhere by `--yes`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commands.frame.data_folder import open_to_read
from commands.frame.exits import CommandError
from commands.frame.terminal import pasteable, printable
from crawldb.folders import holds_a_crawl
from reports.wording import counted
from urls.blacklist import TargetKind, folder_target, site_target, target_of
from urls.wording import shell_word

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from urls.blacklist import Target


def add_target_options(parser: ArgumentParser) -> None:
    """Declare the options for targets. The command handles a missing target."""
    parser.add_argument("targets", nargs="*", metavar="PAGE", help="the URL of a page, or a URL pattern with *")
    parser.add_argument(
        "--below", action="append", default=[], metavar="FOLDER", help="the URL of a folder, with all pages below it"
    )
    parser.add_argument("--site", action="append", default=[], metavar="SITE", help="a site, by name or URL")


def add_confirmation(parser: ArgumentParser) -> None:
    """Declare the option that skips the confirmation."""
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def named_targets(arguments: Namespace) -> list[Target]:
    """Return all targets. Raises `UnusableUrl` for an invalid one, before anything changes."""
    return [*map(target_of, arguments.targets), *map(folder_target, arguments.below), *map(site_target, arguments.site)]


def confirm(arguments: Namespace, targets: Sequence[Target], data_dir: Path, what: str) -> None:
    """Require `--yes`, or an answer at a terminal, before stored pages of a wide target go. Raises `CommandError`."""
    from frontier.takedown import stored_pages

    wide = [target for target in targets if target.kind is not TargetKind.URL]
    if not wide or arguments.yes or not holds_a_crawl(data_dir):
        return
    with open_to_read(data_dir) as databases:
        pages = sum(stored_pages(database, target) for database in databases for target in wide)
    if not pages:
        return
    removed = f"{printable(', '.join(map(str, wide)))}: {what} {counted(pages, 'stored page')}."
    if not sys.stdin.isatty():  # an empty or open pipe answers nothing, and a loop over a list would lose its next line
        raise CommandError(f"{removed} Nothing was changed, since no terminal can confirm it: give --yes")
    print(f"{removed} Continue? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise CommandError("nothing was changed. Answer y to continue, or give --yes")


def left_below(command: str, databases: Sequence[CrawlDatabase], target: Target) -> str:
    """Return a sentence on the stored pages below a URL that ends with a slash; "" if there are none."""
    from frontier.takedown import stored_pages

    if target.kind is not TargetKind.URL or not target.name.endswith("/") or "?" in target.name:
        return ""
    left = sum(stored_pages(database, folder_target(target.name)) for database in databases)
    if not left:
        return ""
    stay = counted(left, "page below it stays", "pages below it stay")
    return pasteable(f"{stay}. To include them: ./breadcrumb {command} --below {shell_word(target.name)}")


def robots_versions_meant(databases: Iterable[CrawlDatabase], targets: Iterable[Target]) -> int:
    """Return how many stored versions of robots.txt the targets cover."""
    from crawldb.tables.robots_files import versions_meant

    return sum(len(set().union(*(versions_meant(database, target) for target in targets))) for database in databases)


def robots_sentence(versions: int) -> str:
    """Return a sentence on these versions."""
    return (
        f"{counted(versions, 'stored version')} of robots.txt removed. The rules in force stay, and the next fetched "
        "file is stored again."
    )
