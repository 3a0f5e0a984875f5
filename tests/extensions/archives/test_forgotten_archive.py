"""Which archive records remain of a page that a person takes out during its fetch?"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from extensions.archives.copies import exchanges_of
from extensions.archives.files import FOLDER, WarcFiles
from extensions.archives.records import group
from extensions.archives.tables import ArchivedPlace, ArchivedPlaces, archived_places
from frontier.session import Session
from frontier.takedown import block, forget
from tests.extensions.archives.archived import read_folder
from tests.extensions.archives.test_records import EXCHANGE
from tests.samples import SEED, a_page, lease_all
from urls.blacklist import target_of


@pytest.fixture
def archive(session: Session) -> Path:
    """An archive with the answer of the seed, whose place the next transaction writes."""
    folder = session.database.path.parent / FOLDER
    files = WarcFiles(folder, 10**9, [("software", "Breadcrumb/0.1")])
    made = group(replace(EXCHANGE, url=SEED), [("via", "x")])
    name, start = files.append(made.data)
    files.close()
    places = ArchivedPlaces(session.database)
    session.store.writer.recorded.append(places)
    leases = (start, start + len(made.data), start + made.offset, made.length)
    place = ArchivedPlace(name, *leases, SEED, EXCHANGE.at, made.kind, made.status, made.payload, made.record)
    places.note(place)
    return folder


def told_of(archive: Path) -> list[str]:
    """The addresses of which the archive says anything."""
    return [url for record in read_folder(archive) if (url := record.headers.get("WARC-Target-URI"))]


@pytest.mark.parametrize(
    "take_out", [lambda database: block(database, "a.example", ""), lambda database: forget(database, SEED)]
)
def test_what_came_meanwhile_leaves_the_archive_at_the_end_of_the_run(
    session: Session, archive: Path, take_out: Callable[[CrawlDatabase], object]
) -> None:
    lease_all(session)
    take_out(session.database)
    session.store.page(a_page(SEED))
    assert archived_places(session.database, SEED) == []
    assert set(told_of(archive)) == {SEED}
    session.close("finished")
    assert told_of(archive) == []


def test_a_page_that_stays_stays_in_the_archive(session: Session, archive: Path) -> None:
    lease_all(session)
    session.store.page(a_page(SEED))
    assert len(exchanges_of(session.database, target_of(SEED))) == 1
    session.close("finished")
    assert set(told_of(archive)) == {SEED}


def test_a_place_whose_transaction_came_to_nothing_is_written_with_the_next_one(
    session: Session, archive: Path
) -> None:
    lease_all(session)
    with suppress(LookupError), session.store.together():
        session.store.page(a_page(SEED))
        raise LookupError
    assert archived_places(session.database, SEED) == []
    session.store.page(a_page(SEED))
    (place,) = archived_places(session.database, SEED)
    assert (archive / place.file).exists()
