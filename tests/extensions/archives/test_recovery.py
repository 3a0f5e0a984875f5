"""What does a kill leave of a file, and what does the next start make of it? Whole records stay, a torn end goes."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.journal import Journal
from extensions.archives.copies import remove_forgotten
from extensions.archives.files import FOLDER, OPEN, WarcFiles, open_names, path_of_file
from extensions.archives.recording.writer import recover
from extensions.archives.records import Earlier, group
from extensions.archives.tables import ArchivedPlace, archived_places, flag_forgotten, write_places
from tests.extensions.archives.archived import read_folder, read_records
from tests.extensions.archives.test_records import EXCHANGE

URLS = tuple(f"http://a.localhost/{number}" for number in range(4))


def written(folder: Path) -> list[ArchivedPlace]:
    """A file that nobody has finished: a response, a revisit of it, a request without an answer, and a cut response."""
    files, places = WarcFiles(folder / FOLDER, 10**9, [("software", "Breadcrumb/0.1")]), []
    first = group(EXCHANGE)
    made = [
        group(replace(EXCHANGE, url=URLS[0]), [("via", "x")]),
        group(replace(EXCHANGE, url=URLS[1]), [("via", "x")], Earlier(URLS[0], 1.0, first.record, first.payload)),
        group(replace(EXCHANGE, url=URLS[2], answer=b""), [("via", "x")]),
        group(replace(EXCHANGE, url=URLS[3], truncated="time")),
    ]
    for url, one in zip(URLS, made, strict=True):
        name, start = files.append(one.data)
        leases = (start, start + len(one.data), start + one.offset if one.length else 0, one.length)
        places.append(ArchivedPlace(name, *leases, url, EXCHANGE.at, one.kind, one.status, one.payload, one.record))
    return places


@pytest.fixture(scope="module")
def left_open(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ArchivedPlace]]:
    folder = tmp_path_factory.mktemp("left")
    with CrawlDatabase(folder):
        return folder, written(folder)


def copied(left_open: tuple[Path, list[ArchivedPlace]], to: Path) -> tuple[Path, list[ArchivedPlace], Path]:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(left_open[0], to)
    return to, left_open[1], path_of_file(to / FOLDER, left_open[1][0].file)


def found(database: CrawlDatabase) -> list[ArchivedPlace]:
    return [place for url in URLS for place in archived_places(database, url)]


def test_whole_records_that_the_database_does_not_know_yet_are_told_to_it(
    left_open: tuple[Path, list[ArchivedPlace]], tmp_path: Path
) -> None:
    folder, places, _ = copied(left_open, tmp_path / "copy")
    with CrawlDatabase(folder) as database:
        assert recover(database) == 0
        assert found(database) == places
        (entry,) = Journal(database).latest(rule="archive-recovered")
    assert "4 exchanges that the crawl database did not know yet stayed, all records were whole" in entry.reason
    assert [path.name for path in (folder / FOLDER).iterdir()] == [places[0].file]


@given(cut=st.integers(0, 4_000), known=st.integers(0, 4), garbage=st.binary(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_wherever_a_file_breaks_off_every_record_that_is_left_is_whole_and_known(
    left_open: tuple[Path, list[ArchivedPlace]], tmp_path: Path, cut: int, known: int, garbage: bytes
) -> None:
    folder, places, file = copied(left_open, tmp_path / "copy")
    size = file.stat().st_size
    safe = places[known - 1].stop if known else 0
    end = max(safe, min(cut, size))
    with file.open("r+b") as open_file:
        open_file.truncate(end)
        open_file.seek(end)
        open_file.write(garbage)
    with CrawlDatabase(folder) as database:
        with database.transaction():
            write_places(database, places[:known])
        recover(database)
        rest, open_ones = found(database), open_names(folder / FOLDER)
    assert open_ones == []
    whole = [place for place in places if place.stop <= end]
    assert rest[: len(whole)] == whole
    for place in rest:
        data = path_of_file(folder / FOLDER, place.file).read_bytes()[place.start : place.stop]
        assert {one.headers["WARC-Target-URI"] for one in read_records(data)} == {place.address}
    read_folder(folder / FOLDER)


def test_what_was_cut_off_is_told(left_open: tuple[Path, list[ArchivedPlace]], tmp_path: Path) -> None:
    folder, places, file = copied(left_open, tmp_path / "copy")
    with file.open("r+b") as open_file:
        open_file.truncate(places[-1].stop - 1)
    with CrawlDatabase(folder) as database:
        with database.transaction():
            write_places(database, places[:-1])
        assert recover(database) > 0
        (entry,) = Journal(database).latest(rule="archive-recovered")
    assert "of a torn record at its end were cut off" in entry.reason


def test_a_file_without_a_whole_record_goes(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path) as database:
        (tmp_path / FOLDER).mkdir()
        (tmp_path / FOLDER / f"breadcrumb-20270115080000-00001.warc.gz{OPEN}").write_bytes(b"\x1f\x8b\x08torn")
        recover(database)
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_what_was_forgotten_in_a_file_that_was_left_open_is_no_exchange(
    left_open: tuple[Path, list[ArchivedPlace]], tmp_path: Path
) -> None:
    folder, places, _ = copied(left_open, tmp_path / "copy")
    with CrawlDatabase(folder) as database:
        with database.transaction():
            write_places(database, places)
            flag_forgotten(database, [URLS[1], URLS[3]])
        assert remove_forgotten(database) == 2
        assert recover(database) == 0
        assert found(database) == [places[0], places[2]]
        assert database.count("SELECT count(*) FROM archived") == 2
