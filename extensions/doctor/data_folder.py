"""Is the data folder usable? Its rights and disk, each crawl database in it, its index, and the last failure."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from typing import TYPE_CHECKING

from extensions.doctor.findings import FAULT, OK, WARN, Diagnosis
from urls.rules import FIRST_CRAWL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from extensions.doctor.findings import Installation

NEEDED = 512 * 1024 * 1024  # bytes: as the alarm of reports/health.py
LINES = 3  # of a log
SUBJECT = "data folder"


def check_data_folder(place: Installation) -> Iterator[Diagnosis]:
    """Look at the folder, then at what it holds."""
    folder, word = place.data_dir, shlex.quote(str(place.data_dir))
    if not folder.exists():
        yield Diagnosis(WARN, SUBJECT, f"{folder} does not exist; the first crawl makes it", FIRST_CRAWL + place.option)
        yield from _disk(next(path for path in folder.parents if path.exists()))
        return
    if not folder.is_dir():
        yield Diagnosis(FAULT, SUBJECT, f"{folder} is a file, not a folder", f"mv {word} {word}.old")
        return
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            text = f"the disk of {folder} is read-only: mount it to be written, or name another folder with --data"
            yield Diagnosis(FAULT, SUBJECT, text, f"df {word}")
            return
        is_yours = folder.stat().st_uid == os.geteuid()
        command = f"chmod u+rwx {word}" if is_yours else f'sudo chown -R "$(id -un)" {word}'
        yield Diagnosis(FAULT, SUBJECT, f"you may not write into {folder}", command)
        return
    if folder.stat().st_mode & stat.S_IRWXO:
        yield Diagnosis(WARN, SUBJECT, f"all users of this machine can read {folder}", f"chmod -R o= {word}")
    else:
        yield Diagnosis(OK, SUBJECT, f"{folder}: yours, and closed to others")
    yield from _disk(folder)


def _disk(folder: Path) -> Iterator[Diagnosis]:
    free = shutil.disk_usage(folder).free
    text = f"{free // 2**20:,} MiB free"
    if free < NEEDED:
        yield Diagnosis(
            WARN, "disk", f"{text}: a crawl needs {NEEDED // 2**20} MiB", f"df -h {shlex.quote(str(folder))}"
        )
    else:
        yield Diagnosis(OK, "disk", text)


def check_crawl(place: Installation) -> Iterator[Diagnosis]:
    """Open each crawl database of the folder for reading."""
    if not os.access(place.data_dir, os.R_OK | os.X_OK) or not place.data_dir.is_dir():
        return  # said before
    from crawldb.database import (
        CrawlDatabase,
        DatabaseError,
        ForeignIndexError,
        MissingPartError,
        NoCrawlError,
        OldSchemaError,
        newest_schema,
    )
    from crawldb.databases import folders_of

    try:
        for folder in folders_of(place.data_dir):
            with CrawlDatabase(folder, readonly=True) as database:
                yield from _of_part(database, place)
        yield Diagnosis(OK, "crawl", f"schema version {newest_schema()}, as this Breadcrumb has it")
    except NoCrawlError:
        yield Diagnosis(WARN, "crawl", "the folder holds no crawl yet", FIRST_CRAWL + place.option)
    except MissingPartError as error:
        yield Diagnosis(FAULT, "crawl", str(error), f"./breadcrumb farm SEEDS{place.option}")
    except ForeignIndexError as error:
        yield Diagnosis(OK, "crawl", str(error))
    except OldSchemaError as error:
        yield Diagnosis(WARN, "crawl", str(error), f"./breadcrumb report{place.option}")
    except DatabaseError as error:
        yield Diagnosis(FAULT, "crawl", str(error), f"./breadcrumb check{place.option}")


def _of_part(database: CrawlDatabase, place: Installation) -> Iterator[Diagnosis]:
    from crawldb.figures.totals import faults
    from crawldb.lock import holder, is_held
    from crawldb.tables.runs import BY_ITSELF, newest_run_record
    from reports.wording import ending_in_words

    folder = database.path.parent
    run = newest_run_record(database)
    is_whole = folder == place.data_dir
    again = f"./breadcrumb crawl site{place.option}" if is_whole else f"./breadcrumb farm{place.option}"
    if is_held(folder):
        yield Diagnosis(OK, "crawl", f"{holder(folder)} crawls now")
    elif run is not None and run.ending != BY_ITSELF:
        yield Diagnosis(WARN, "last crawl", f"run {run.run} did not finish ({ending_in_words(run.ending)})", again)
    for url, reason in faults(database, 1).items():
        yield Diagnosis(WARN, "last fault", f"{url}: {reason}", f"./breadcrumb why {shlex.quote(url)}{place.option}")
    if not (folder / "index").is_dir():
        yield Diagnosis(WARN, "index", f"{folder} has no index", f"./breadcrumb index{place.option}")


def check_log(place: Installation) -> Iterator[Diagnosis]:
    """Show the end of the log of the newest crawl over HTTP, if that failed."""
    if not os.access(place.data_dir, os.R_OK | os.X_OK):
        return  # said before
    folders = [path for path in (place.data_dir / "api_crawls").glob("[0-9]*") if (path / "exit_code").exists()]
    newest = max(folders, key=lambda path: int(path.name), default=None)
    if newest is not None and (newest / "exit_code").read_text().strip() not in {"0", "130"}:
        log = newest / "log"
        lines = log.read_text("utf-8", "replace").splitlines()[-LINES:]
        yield Diagnosis(WARN, "last log", f"{log}: {' / '.join(lines)}", f"tail {shlex.quote(str(log))}")
