"""Finishes commands that were stopped between two commits, and updates the index afterwards.

`forget`, `block` and options of sites are repeated; a repetition does no harm. Changes missing from the index are
added. Commands of extensions may take long and are left to the command itself.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commands.frame.terminal import pasteable, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commands.frame.stopping import Stop
    from crawldb.database import CrawlDatabase
    from crawldb.tables.open_work import OpenWork
    from pipelines.review import PageReview
    from spiders.setting_values import ReadableSettings


def refilter_by_templates(review: PageReview, stop: Stop) -> int:
    """Learn the templates of sites, and filter the affected pages again; return their number."""
    changed = 0
    for found in review.refilter_by_templates():
        changed += found
        if stop.asked:
            break
    return changed


def finish_stopped_work(settings: ReadableSettings, data_dir: Path, *, follow: bool = True) -> list[OpenWork]:
    """Finish stopped commands and print them; return the unfinished ones.

    Without `follow`, the caller updates the index.
    """
    from commands.frame.data_folder import open_to_read
    from crawldb.database import MissingPartError, NoCrawlError
    from crawldb.databases import folders_of
    from crawldb.folders import holds_a_crawl
    from crawldb.tables.open_work import stopped_work
    from reports.health import changes_to_index

    if not holds_a_crawl(data_dir):
        return []
    try:
        with open_to_read(data_dir) as databases:
            stopped = stopped_work(databases)
            follows = settings.getbool("INDEX_FOLLOW") or bool(stopped)
            behind = follow and follows and any(changes_to_index(each.path.parent, each) for each in databases)
    except (NoCrawlError, MissingPartError):
        return []  # killed before it made its tables, or a part is fetched again
    left = [work for work in stopped if not _finished(work, settings, data_dir)]
    if behind or (follow and len(left) < len(stopped)):
        from indexer.following import update_indexes  # the index writer, which a crawl does not load

        update_indexes(folders_of(data_dir))
    return left


def _finished(work: OpenWork, settings: ReadableSettings, data_dir: Path) -> bool:
    from commands.frame.data_folder import policy_under
    from crawldb.databases import open_to_write
    from crawldb.tables.open_work import BLOCK, FORGET, SUGGEST, drop_work
    from extension_points import call_extensions
    from frontier.aliases import OptionSwitch, switch_options

    if work.command not in {BLOCK, FORGET, SUGGEST}:
        if reasons := call_extensions("abandoned_work", work=work):
            with open_to_write(data_dir) as databases:
                drop_work(databases, work)
        for sentence in reasons:
            print(printable(sentence), file=sys.stderr)
        return bool(reasons)
    with open_to_write(data_dir) as databases:
        if work.command == SUGGEST:
            switch_options(databases, [OptionSwitch.of_work(work)], policy_under(settings))
        else:
            _take_out(work, data_dir, databases)
    print(printable(f"Finished an earlier command: {work}"), file=sys.stderr)
    return True


def _take_out(work: OpenWork, data_dir: Path, databases: Sequence[CrawlDatabase]) -> None:
    from crawldb.tables.open_work import FORGET, noted_work
    from extension_points import call_extensions
    from frontier.takedown import block, forget

    with noted_work(databases, work):
        for database in databases:
            for target in work.words:
                if work.command == FORGET:
                    forget(database, target)
                else:
                    block(database, target, work.reason)
        for copies in call_extensions("stored_copies"):
            copies.remove_from_folder(data_dir, databases, None)


@contextmanager
def recorded_rebuild(data_dir: Path) -> Iterator[None]:
    """Record a rebuild of the index, so that the next `index` finishes it after a kill."""
    from crawldb.databases import open_to_write
    from crawldb.tables.open_work import REBUILD, OpenWork, drop_work, noted_work
    from indexer.faults import IndexLocked

    work = OpenWork(REBUILD, ())
    with open_to_write(data_dir) as databases:
        try:
            with noted_work(databases, work):
                yield
        except IndexLocked:
            drop_work(databases, work)  # it has not begun
            raise


def warn_of_stopped_work(databases: Sequence[CrawlDatabase]) -> None:
    """Warn on standard error about unfinished commands and missing index changes."""
    from crawldb.tables.open_work import stopped_work
    from reports.health import behind_need, pending_changes, stopped_work_need

    for need in (*stopped_work_need(stopped_work(databases)), *behind_need(pending_changes(databases))):
        print(pasteable(f"{need.text} {need.remedies[0].command} {need.remedies[0].effect}."), file=sys.stderr)
