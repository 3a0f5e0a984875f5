"""What does a command open, and by which policy are its URLs judged?

It opens the index and the crawl database of a data folder; of a divided crawl, those of all parts. The policy is that
of the next crawl: of the root set, the blacklist and the settings.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from commands.exits import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from commands.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from indexer.retrieval.searcher import Searcher
    from spiders.conduct import Conduct
    from urls.policy import Policy


def open_searcher(data_dir: Path) -> Searcher:
    """Open the index of a data folder. Raises NoIndex, CorruptIndex, and DatabaseError for a damaged crawl database.

    The crawl database hides at once what was taken out since. A part of a divided crawl that can't be read is left
    out.
    """
    from crawldb.database import FILE_NAME
    from crawldb.parts.partition import WHOLE
    from crawldb.parts.parts import Parts
    from indexer import open_index

    parts = Parts.in_folder(data_dir)  # open as long as the command runs
    if not parts.divided and (data_dir / FILE_NAME).exists():
        parts.of(WHOLE)  # whatever is asked, its damage is told
    return open_index(data_dir, blocked=parts.is_hidden, copies=parts.copies)


@contextmanager
def open_to_write(data_dir: Path, *, make: bool = False) -> Iterator[tuple[CrawlDatabase, ...]]:
    """Open for writing the database of a data folder, or those of all parts of a divided crawl.

    Raises `DatabaseError` before anything is written: where there is none, unless `make` says to make one, and where a
    part is missing.
    """
    from crawldb.database import CrawlDatabase, OldSchemaError
    from crawldb.parts.division import folders_of

    folders = folders_of(data_dir)
    if not make:
        for folder in folders:
            with suppress(OldSchemaError):  # opened for writing, it is brought to the present version
                CrawlDatabase(folder, readonly=True).close()  # where there is no crawl, none is made
    with ExitStack() as stack:
        yield tuple(stack.enter_context(CrawlDatabase(folder)) for folder in folders)


@contextmanager
def open_to_read(data_dir: Path) -> Iterator[tuple[CrawlDatabase, ...]]:
    """Open for reading what `open_to_write` opens for writing. Raises `DatabaseError` as it does."""
    from crawldb.database import CrawlDatabase
    from crawldb.parts.division import folders_of

    with ExitStack() as stack:
        yield tuple(stack.enter_context(CrawlDatabase(folder, readonly=True)) for folder in folders_of(data_dir))


@contextmanager
def open_part_of(data_dir: Path, url: str) -> Iterator[CrawlDatabase]:
    """Open for reading the database of a data folder; of a divided crawl, that of the part that has `url`."""
    from crawldb.parts.parts import Parts

    with Parts.in_folder(data_dir) as parts:
        yield parts.home(url)


def open_to_report(data_dir: Path) -> CrawlDatabase:
    """Open the database for reading; one of an earlier Breadcrumb is brought to the present version first."""
    from crawldb.database import OldSchemaError
    from crawldb.parts.division import open_whole

    try:
        return open_whole(data_dir, readonly=True)
    except OldSchemaError:
        open_whole(data_dir).close()
        return open_whole(data_dir, readonly=True)


def conduct_of(settings: CommandSettings, seeds: str = "") -> Conduct:
    """Return how a crawl under these settings would be done; raise `Trouble` for what can't hold."""
    from spiders.address_policy import IdentityError
    from spiders.conduct import Conduct, SettingError, SpiderArguments
    from spiders.seeds import SeedError

    try:
        return Conduct.read(settings, SpiderArguments(seeds))
    except (SettingError, IdentityError, SeedError) as error:
        raise Trouble(str(error)) from error


def policy_for(database: CrawlDatabase, settings: CommandSettings, more_sites: Iterable[str] = ()) -> Policy:
    """Return the policy of a crawl whose seeds are on the sites of the root set, and on `more_sites`."""
    return policy_under(settings, more_sites)(database)


def policy_under(settings: CommandSettings, more_sites: Iterable[str] = ()) -> Callable[[CrawlDatabase], Policy]:
    """Return what gives that policy for a data folder: settings that can't hold are told before one is opened."""
    from frontier.policy_in_force import policy_in

    job = conduct_of(settings).job
    return partial(policy_in, breadth=job.breadth, limits=job.limits, ports=job.ports, sites=frozenset(more_sites))
