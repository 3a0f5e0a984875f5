"""What of an archive has to be known before its pages are judged? Robots.txt files, sites and methods, kept for that.

A robots.txt is kept like one that was asked for at its date, where the folder knows no later one: so it rules for the
pages of the archive, and `why` tells of it. A later crawl asks anew, since none of them lasts for over a day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.robots_files import read_robots, write_robots
from crawldb.tables.seeds import note_imported_sites
from extensions.archives.tables import Imports
from robots import AccessState, RobotsRecord, notice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crawldb.database import CrawlDatabase
    from extensions.archives.captures import Surveyed, SurveyedRobots
    from extensions.archives.tables import ImportedArchive
    from robots import Unreachable

SLICE = 1000  # of what records tell, in a transaction


def take_survey(
    database: CrawlDatabase,
    archive: ImportedArchive,
    found: Iterable[Surveyed],
    reading: Unreachable,
    go_on: Callable[[], bool],
) -> bool:
    """Keep what records tell; return whether all of the archive was looked through. `go_on` may end it before that."""
    imports = Imports(database)
    no_pages: list[int] = []
    sites: set[str] = set()

    def write(*, last: bool) -> None:
        with database.transaction():
            note_imported_sites(database, sites)
            imports.note_no_pages(archive.id, no_pages)
            if archive.software:
                imports.note_software(archive.id, archive.software)
            if last:
                imports.end_survey(archive.id)
        no_pages.clear()
        sites.clear()

    for number, each in enumerate(found, 1):
        archive.software = archive.software or each.software
        if each.site:
            sites.add(each.site)
        no_pages += each.no_pages
        for robots in each.robots:
            _keep(database, robots, reading)
        if number % SLICE == 0:
            write(last=False)
            if not go_on():
                return False
    write(last=True)
    archive.is_surveyed = True
    return True


def _keep(database: CrawlDatabase, found: SurveyedRobots, reading: Unreachable) -> None:
    """Keep a robots.txt, if the folder knows no later one of its origin."""
    record = read_robots(database, found.origin)
    before = None if record is None else record.access_state
    if before is not None and before.asked_at >= found.at:
        return
    state = (before or AccessState()).after(found.answer, found.at, reading)
    news = notice(before, found.answer, state, [found.address])
    write_robots(database, None, RobotsRecord.of(found.origin, state), news)
