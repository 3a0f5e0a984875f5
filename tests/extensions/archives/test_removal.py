"""How does the archive forget? In place: the bytes go, every other record stays where it is."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.journal import Journal
from extensions.archives.copies import ArchiveCopies, blank_member, remove_forgotten
from extensions.archives.files import FOLDER, WarcFiles
from extensions.archives.records import group
from extensions.archives.tables import ArchivedPlace, archived_places, flag_forgotten, write_places
from tests.extensions.archives.archived import read_folder, read_records
from tests.extensions.archives.test_records import EXCHANGE
from urls.blacklist import Target, TargetKind

URLS = ("http://a.localhost/1", "http://a.localhost/2", "http://a.localhost/3")
SHORTEST = 250  # bytes: no record of ours is as short when it is packed


@given(st.integers(SHORTEST, 300_000))
def test_a_blank_member_of_any_length_is_a_record_that_says_so(length: int) -> None:
    data = blank_member(length)
    assert len(data) == length
    (record,) = read_records(data)
    assert record.kind == "metadata"
    assert record.block.startswith(b"forgotten: what")


@pytest.mark.parametrize("length", [65535, 65540, 65553, 65558, 65559, 131098])
def test_a_blank_member_is_whole_where_its_blocks_are_full(length: int) -> None:
    assert len(gzip.decompress(blank_member(length))) < len(blank_member(length)) == length


def archived(folder: Path) -> CrawlDatabase:
    """A database, and an archive of three exchanges, the second of them with a large body."""
    database = CrawlDatabase(folder)
    files = WarcFiles(folder / FOLDER, 10**9, [("software", "Breadcrumb/0.1")])
    for number, url in enumerate(URLS):
        answer = EXCHANGE.answer + f"page {number}".encode() * (30_000 if number == 1 else 1)
        made = group(replace(EXCHANGE, url=url, answer=answer), [("via", "x")])
        name, start = files.append(made.data)
        leases = (start, start + len(made.data), start + made.offset, made.length)
        place = ArchivedPlace(name, *leases, url, EXCHANGE.at, made.kind, made.status, made.payload, made.record)
        with database.transaction():
            write_places(database, [place])
    files.close()
    return database


def test_what_is_forgotten_is_overwritten_and_the_others_stay_where_they_are(tmp_path: Path) -> None:
    with archived(tmp_path) as database:
        before = [archived_places(database, url) for url in URLS]
        with database.transaction():
            flag_forgotten(database, [URLS[1]])
        assert remove_forgotten(database) == 1
        assert [archived_places(database, url) for url in URLS] == [before[0], [], before[2]]
        (entry,) = Journal(database).latest(rule="forgotten")
    (file,) = (tmp_path / FOLDER).iterdir()
    assert entry.reason == f"in the archive: 1 exchange overwritten in {file.name}"
    data = file.read_bytes()
    assert b"page 1" not in gzip.decompress(data)
    records = read_folder(tmp_path / FOLDER)
    assert [record.headers.get("WARC-Target-URI") for record in records] == [
        None, *[URLS[0]] * 3, None, *[URLS[2]] * 3,
    ]  # fmt: skip
    for (place,), body in ((before[0], b"page 0"), (before[2], b"page 2")):
        (record,) = read_records(data[place.offset : place.offset + place.length])
        assert body in record.payload


def test_a_kill_between_the_note_and_the_bytes_is_made_good(tmp_path: Path) -> None:
    with archived(tmp_path) as database, database.transaction():
        flag_forgotten(database, [URLS[0]])
    with CrawlDatabase(tmp_path) as database:
        assert remove_forgotten(database) == 1
        assert remove_forgotten(database) == 0


def test_a_file_that_its_operator_has_taken_away_is_no_hindrance(tmp_path: Path) -> None:
    with archived(tmp_path) as database:
        (file,) = (tmp_path / FOLDER).iterdir()
        file.unlink()
        removed = ArchiveCopies().count([database], [Target(TargetKind.URL, URLS[0])])
        with database.transaction():
            flag_forgotten(database, URLS)
        assert remove_forgotten(database) == len(URLS)
        (entry,) = Journal(database).latest(rule="forgotten")
        told = removed().sentence
    lost = f"not overwritten, since the files are not there: {file.name}"
    assert entry.reason == f"in the archive: 3 exchanges {lost}"
    assert told == f"In the archive: 1 exchange {lost}."
