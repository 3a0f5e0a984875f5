"""How would a crawl read the archive of another program? Its WARC and ARC files are read like responses of servers.

Nothing is fetched. A first pass looks through all files, since a robots.txt or a site in one file decides about the
pages of another. A second pass reads and stores each file, one transaction for each slice of it. After a stop or a
kill, the same command continues.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.crawling.start import crawl_from
from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.follow_up import finish_stopped_work, refilter_by_templates
from commands.frame.stopping import Stop
from commands.frame.terminal import ProgressLine, json_line, pasteable, printable
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.archives.tables import ImportedArchive
    from spiders.crawl_settings import CrawlSettings

ENDS = {  # by how records ended: one, and several; all others are their own words
    "stored": ("page is stored and in the index", "pages are stored and in the index"),
    "renewed": ("revisit record renewed what was stored", "revisit records renewed what was stored"),
    "older": (
        "answer is older than what is known of its URL: noted as a visit",
        "answers are older than what is known of their URL: noted as visits",
    ),
    "known": ("answer was known already", "answers were known already"),
    "robots.txt": ("robots.txt file, which rules over the pages", "robots.txt files, which rule over the pages"),
    "damaged": ("stretch is damaged, and left out", "stretches are damaged, and left out"),
    "not a page: answer to another method, or to a made-up address": (
        "not a page: response to another method, or to a generated URL",
        "not a page: responses to another method, or to generated URLs",
    ),
}
PREFIXES = {  # … followed by a word after a colon
    "refused": "kept out of the index: {}",
    "ended": "no page: {}",
    "unread": "not read: {}",
    "not a page": "not a page: {}",
}


def import_progress(archive: ImportedArchive) -> str:
    """Return how far an archive was read."""
    read, stored = archive.account.total(), archive.account["stored"]
    share = f"{archive.place.member / max(archive.size, 1):.0%}"
    return f"import: {archive.name}: {counted(read, 'record')} ({share} of the file), {stored:,} stored"


def account_json(
    archives: Sequence[tuple[ImportedArchive, bool]], *, seconds: float, index: str, private: Sequence[str]
) -> dict[str, Any]:
    """Return the counts of records by how they ended, and whether each archive had been imported before.

    `private` has the root URLs of sites that a crawl does not reach before they are seeds.
    """
    rows = [
        {
            "name": archive.name,
            "bytes": archive.size,
            "software": archive.software,
            "complete": archive.is_done,
            "imported_before": before,
            "records": archive.account.total(),
            "account": dict(archive.account.most_common()),
            "without_robots": archive.without_robots,
        }
        for archive, before in archives
    ]
    return {"archives": rows, "seconds": round(seconds, 3), "index": index, "private": list(private)}


def account_lines(done: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines for a person."""
    for archive in done["archives"]:
        by = f", written by {archive['software']}" if archive["software"] else ""
        if archive["imported_before"]:
            yield f"{archive['name']} was imported before, to its end: nothing is added. It held:"
        else:
            yield f"{archive['name']}: {counted(archive['records'], 'record')}{by}"
        for end, count in archive["account"].items():
            yield f"  {count:>8,}  {_said(end, count)}"
        if not archive["records"]:
            yield "  it holds no record at all"
        if any(end.startswith("unread: revisit") for end in archive["account"]):
            yield "  Import the archive of an earlier run, too: it may hold what the revisit records refer to."
        if archive["without_robots"]:
            pages = counted(archive["without_robots"], "page is", "pages are")
            yield f"  {pages} of origins without a stored robots.txt: read as if there were none"
        if not archive["complete"]:
            yield "  Stopped before its end: the same command continues it."
    if done["index"]:
        yield done["index"]
    if done["private"]:
        goes_on = pasteable(crawl_from(done["private"]))
        yield f"A crawl requests a private address only if a seed is there. To continue from here: {goes_on}"


def _said(end: str, count: int) -> str:
    word, _, more = end.partition(": ")
    if word in PREFIXES and end not in ENDS:
        return PREFIXES[word].format(more)
    return counted(count, *ENDS.get(end, (end, end))).partition(" ")[2]


DIGEST_BYTES = 16
READ_BYTES = 1024 * 1024  # at a time, for the digest
KINDS = ".warc, .warc.gz, .warc.zst, .arc or .arc.gz"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"an archive: {KINDS}")
    parser.add_argument("--json", action="store_true", help="one JSON object with what became of the records")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Import archives."""
    from commands.crawling.start import private_roots
    from commands.frame.data_folder import crawl_settings_of
    from crawldb.databases import open_whole
    from crawldb.lock import CrawlLock, FolderInUse
    from crawldb.tables.open_work import OpenWork, noted_work
    from indexer.following import update_indexes

    crawl_settings = crawl_settings_of(settings)
    began = time.monotonic()
    files = [Path(name) for name in arguments.files]
    for path in files:
        _check(path)
    resumes = any(work.command == COMMAND.name for work in finish_stopped_work(settings, settings.data_dir))
    work = OpenWork(COMMAND.name, tuple(sorted(str(path.resolve()) for path in files)))
    with ExitStack() as stack:
        stop = Stop("import: stopping after the records under way, which still come into the index")
        try:
            stack.callback(CrawlLock(settings.data_dir).release)
        except FolderInUse as error:
            raise CommandError(str(error)) from None
        database = stack.enter_context(open_whole(settings.data_dir))
        with noted_work((database,), work) as noted:
            found = _import(database, files, settings, crawl_settings, stop, resumes=resumes)
            noted.stopped = stop.asked
        private = private_roots(database)
        database.seal()
    stored = any(archive.account.total() for archive, _ in found) and settings.getbool("INDEX_FOLLOW")
    index, is_updated = update_indexes([settings.data_dir] if stored else (), begin=True)
    done = account_json(found, seconds=time.monotonic() - began, index=pasteable(index), private=private)
    print(json_line(done) if arguments.json else "\n".join(map(printable, account_lines(done))))
    is_whole = all(archive.is_done and not archive.account["damaged"] for archive, _ in found)
    return DONE if is_whole and is_updated else NO


def _check(path: Path) -> None:
    """Raise `CommandError` unless a file is a readable archive."""
    from extensions.archives.importing.reader import is_archive

    if path.is_dir():
        raise CommandError(f"{path} is a folder: give the files in it, such as {path}/*.warc.gz")
    try:
        if path.exists() and not path.is_file():
            raise CommandError(f"{path} can't be read from a place on: save it as a file first, and import that")
        with path.open("rb") as file:
            is_one, is_empty = is_archive(file), not file.seek(0, 2)
    except OSError as error:
        raise CommandError(f"{path} can't be read: {error.strerror}. Give an archive: {KINDS}") from None
    if not is_one:
        what = "is empty" if is_empty else "does not begin with a record of WARC or ARC"
        raise CommandError(f"{path} {what}: give an archive: {KINDS}")


def _import(
    database: CrawlDatabase,
    files: Sequence[Path],
    settings: CommandSettings,
    crawl_settings: CrawlSettings,
    stop: Stop,
    *,
    resumes: bool,
) -> list[tuple[ImportedArchive, bool]]:
    """Look through all files, then read them; return each with whether it had been imported before."""
    from extensions.archives.importing.survey import Survey, take_survey

    known = [(path, _known(database, path)) for path in files]
    found = list({archive.id: (archive, archive.is_done) for _, archive in known}.values())
    left = {archive.id: (path, archive) for path, archive in known if not archive.is_done}
    progress, read_as = (
        ProgressLine(),
        {"denial_closes": crawl_settings.denial_closes, "meant": crawl_settings.misspelt_counts},
    )
    for path, archive in left.values():
        if not archive.is_surveyed and not stop.asked:
            with path.open("rb") as file:
                survey = Survey(file, time.time(), [other for other in files if other != path], **read_as)
                take_survey(database, archive, survey, crawl_settings.unreachable, lambda: not stop.asked)
    if (left or resumes) and not stop.asked:
        _read(database, list(left.values()), settings, crawl_settings, stop, progress, last=found[-1][0])
    progress.clear()
    return found


def _known(database: CrawlDatabase, path: Path) -> ImportedArchive:
    """Return the folder's row of an archive, by the hash of its bytes."""
    from extensions.archives.tables import Imports

    digest, size = blake2b(digest_size=DIGEST_BYTES), 0
    with path.open("rb") as file:
        while piece := file.read(READ_BYTES):
            digest.update(piece)
            size += len(piece)
    with database.transaction():
        return Imports(database).archive(digest.digest(), path.name, size)


def _read(
    database: CrawlDatabase,
    files: Sequence[tuple[Path, ImportedArchive]],
    settings: CommandSettings,
    crawl_settings: CrawlSettings,
    stop: Stop,
    progress: ProgressLine,
    *,
    last: ImportedArchive,
) -> None:
    """Read, filter and store the captures until a person stops the run; then settle clusters and templates."""
    from dataclasses import replace

    from commands.frame.data_folder import policy_for
    from crawldb.pages.clusters import settle
    from extension_points import manager
    from extensions.archives.importing.reading import CaptureReader, read_archive
    from extensions.archives.importing.run import CaptureLeaseWriter, ImportRun
    from frontier.writer import CrawlWriter
    from pipelines.filters import FilterSettings, PageFilters
    from pipelines.review import PageReview

    job = replace(crawl_settings.job, probe_after=0)  # an import probes no site: it fetches nothing
    policy, criteria, product = (
        policy_for(database, settings),
        FilterSettings.read(settings),
        crawl_settings.identity.product,
    )
    limit = settings.getint("DOWNLOAD_MAXSIZE")
    read = CaptureReader(product, limit, crawl_settings.documents)

    def go_on(archive: ImportedArchive) -> bool:
        progress.write(lambda: import_progress(archive))
        return not stop.asked

    try:
        for path, archive in files:
            leases = CaptureLeaseWriter(database, archive.id)
            writer = CrawlWriter(database, policy, job, leases)
            importing = ImportRun(writer, leases, PageFilters(database, criteria), archive, read, product)
            with path.open("rb") as file:
                if not importing.run(read_archive(file, archive.place, limit, time.time()), go_on):
                    return
        with database.transaction():
            settle(database)  # as at the end of a run, clusters choose their canonicals
        leases = CaptureLeaseWriter(database, last.id)
        writer = CrawlWriter(database, policy, job, leases)
        refilter_by_templates(PageReview(writer, PageFilters(database, criteria), read.again), stop)
        manager().hook.crawl_ends(database=database, journal=leases.journal)
    finally:
        crawl_settings.documents.close()


COMMAND = Command(
    name="import",
    example="site.warc.gz other.warc.gz --data archive",
    exits="0 done, 1 stopped before that, a part is damaged or the index was not updated, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
