"""What does a command that changes a crawl finish, before and after its own work?"""

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
    """Learn the templates of sites, and judge those pages again in which they find other lines; count them."""
    changed = 0
    for found in review.refilter_by_templates():
        changed += found
        if stop.asked:
            break
    return changed


def update_index(data_dir: Path, *, begin: bool = False) -> str:
    """Let the index follow what has changed, of each part in its turn; return a sentence on that.

    Where there is no index, none is needed; with `begin` it is made.
    """
    from crawldb.databases import folders_of
    from indexer import IndexFault, IndexLocked
    from indexer.following import catch_up
    from indexer.position import index_exists

    try:
        for folder in folders_of(data_dir):
            if begin or index_exists(folder):
                catch_up(folder)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "another process"
        return f"The index is written by {by}, which takes over what has changed."
    except (IndexFault, OSError) as fault:
        return f"The index could not follow: {fault}"
    return "The index is up to date."


def finish_stopped_work(settings: ReadableSettings, data_dir: Path, *, follow: bool = True) -> list[OpenWork]:
    """Finish it, and say so; return what is left. A folder without a crawl has nothing.

    Without `follow`, the caller brings the index up to date.
    """
    from commands.frame.data_folder import open_to_read
    from crawldb.database import NoCrawlError, OldSchemaError
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
    except (NoCrawlError, OldSchemaError):
        return []  # killed before it made its tables, or of a version without this list
    left = [work for work in stopped if not _finished(work, settings, data_dir)]
    if behind or (follow and len(left) < len(stopped)):
        from indexer.following import bring_index_up_to_date  # the index writer, which a crawl does not load

        with open_to_read(data_dir) as databases:
            bring_index_up_to_date(databases)
    return left


def _finished(work: OpenWork, settings: ReadableSettings, data_dir: Path) -> bool:
    from commands.frame.data_folder import policy_under
    from crawldb.databases import open_to_write
    from crawldb.tables.open_work import BLOCK, FORGET, SUGGEST, drop_work
    from extension_points import call_extensions
    from frontier.aliases import OptionSwitch, switch_options

    if work.command not in {BLOCK, FORGET, SUGGEST}:
        if told := call_extensions("abandoned_work", work=work):
            with open_to_write(data_dir) as databases:
                drop_work(databases, work)
        for sentence in told:
            print(printable(sentence), file=sys.stderr)
        return bool(told)
    with open_to_write(data_dir) as databases:
        if work.command == SUGGEST:
            switch_options(databases, [OptionSwitch.of_work(work)], policy_under(settings))
        else:
            _take_out(work, data_dir, databases)
    print(printable(f"Finished what was stopped before: {work}"), file=sys.stderr)
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
    """Keep on the list that the index is made anew: who is killed meanwhile leaves it to the next `index`."""
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
    """Say on standard error what a search may not show yet, or may still show."""
    from crawldb.tables.open_work import stopped_work
    from reports.health import behind_need, pending_changes, stopped_work_need

    for need in (*stopped_work_need(stopped_work(databases)), *behind_need(pending_changes(databases))):
        print(pasteable(f"{need.text} {need.remedies[0].command} {need.remedies[0].effect}."), file=sys.stderr)
