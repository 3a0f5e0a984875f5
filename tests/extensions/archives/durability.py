"""Does the archive hold what the crawl database says? Each stored page, whole, at its noted place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from extensions.archives.files import FOLDER, open_names, path_of_file
from extensions.archives.tables import archived_places
from tests.extensions.archives.archived import read_folder, read_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETTINGS = ("-s", "WARC=yes")
_PAGES = "SELECT url.url FROM page JOIN url ON url.id = page.url"


def faults_of_the_archive(data: Path) -> Iterator[str]:
    """Look up each stored page in the archive, as a kill has left it; nothing where no archive was ever written."""
    if not (data / FOLDER).exists():
        return
    with CrawlDatabase(data, readonly=True) as database:
        for (url,) in database.connection.execute(_PAGES).fetchall():
            places = archived_places(database, url)
            if not any(place.kind for place in places):
                yield f"{url} is stored, and the archive has no answer of it"
            for place in places:
                path = path_of_file(data / FOLDER, place.file)
                held = path.read_bytes()[place.start : place.stop] if path.exists() else b""
                try:
                    records = read_records(held)
                except Exception as error:  # noqa: BLE001 - whatever a reader says of a torn record
                    yield f"{url} can't be read at {place.file}, {place.start}: {error!r}"
                    continue
                if {record.headers["WARC-Target-URI"] for record in records} != {url}:
                    yield f"{url} is not what stands at {place.file}, {place.start}"


def faults_of_the_files(data: Path) -> Iterator[str]:
    """Read every record of every file, as the last run has left them, and ask whether each is of a finished file."""
    yield from (f"{name} was never finished" for name in open_names(data / FOLDER))
    records = read_folder(data / FOLDER)
    ids = {record.headers["WARC-Record-ID"] for record in records}
    for record in records:
        earlier = record.headers.get("WARC-Refers-To")
        if earlier is not None and earlier not in ids:
            yield f"a revisit of {record.headers['WARC-Target-URI']} refers to a record that no file has"


AFTER_A_KILL, AT_THE_END = faults_of_the_archive, faults_of_the_files
