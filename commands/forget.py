"""`forget`: removes pages from the results. Record, copy and index entry are deleted; the URL stays known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.targets import (
    add_confirmation,
    add_target_options,
    confirm,
    left_below,
    named_targets,
    robots_sentence,
    robots_versions_meant,
)
from commands.frame.terminal import json_line, pasteable, printable
from extension_points import call_extensions
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.frame.command_settings import CommandSettings


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_target_options(parser)
    add_confirmation(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Remove pages from the store and the index."""
    from commands.frame.follow_up import finish_stopped_work
    from crawldb.databases import open_to_write
    from crawldb.tables.open_work import FORGET, OpenWork, noted_work
    from frontier.takedown import forget, put_off_by
    from indexer.following import update_indexes
    from reports.health import changes_to_index

    targets = named_targets(arguments)
    if not targets:
        raise CommandError("no target: give the URL of a page, --below FOLDER or --site SITE")
    confirm(arguments, targets, settings.data_dir, "this removes")
    finish_stopped_work(settings, settings.data_dir)
    work = OpenWork(FORGET, tuple(target.name for target in targets))
    with open_to_write(settings.data_dir) as databases, noted_work(databases, work):
        counts = [copies.count(databases, targets) for copies in call_extensions("stored_copies")]
        waiting = sum(put_off_by(database, target) for database in databases for target in targets)
        robots = robots_versions_meant(databases, targets)
        forgotten = [(target, sum(forget(database, target.name)[1] for database in databases)) for target in targets]
        left = {target: left_below("forget", databases, target) for target in targets}
        removed = [count() for count in counts]
        by_links = any(changes_to_index(each.path.parent, each) for each in databases)  # results without a page
        for copies in call_extensions("stored_copies"):
            copies.remove_from_folder(settings.data_dir, databases, robots)
    pages = sum(count for _, count in forgotten)
    changed = databases if pages or by_links else []
    index = pasteable(update_indexes(each.path.parent for each in changed)[0])
    from_copies = [copies.sentence for copies in removed if copies.number]
    if arguments.json:
        taken = [{"target": target.name, "kind": target.kind, "pages": count} for target, count in forgotten]
        found = {"forgotten": taken, "pages": pages, "robots": robots}
        fields = {name: number for copies in removed for name, number in copies.fields.items()}
        print(json_line(found | fields | {"waiting": waiting, "index": index}))
    else:
        for target, count in forgotten:
            print(
                " ".join(filter(None, (f"{printable(str(target))}: {counted(count, 'page')} forgotten.", left[target])))
            )
        if pages:
            meant = " ".join(target.words for target in targets)
            print(index)  # perhaps with a command at its end
            print(pasteable(f"The next round may fetch it again. To prevent that: ./breadcrumb block {meant}"))
        elif not robots and not from_copies:
            print("Nothing of it is stored, so nothing was removed.")
        for sentence in [*([robots_sentence(robots)] if robots else []), *from_copies]:
            print(sentence)
        if waiting:
            print(f"{counted(waiting, 'queued URL waits', 'queued URLs wait')} for the next round.")
    return DONE if pages or robots or from_copies else NO


COMMAND = Command(
    name="forget",
    example="http://bakery.localhost:8400/breads/rye.html --data demo",
    exits="0 removed, 1 nothing was stored, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
