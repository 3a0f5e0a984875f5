"""How do records reach the disk? In sequence, with a report when they are there; each failure reaches its waiters."""

import errno
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase, StorageError
from extensions.archives.files import FOLDER, WarcFiles
from extensions.archives.recording.writer import ArchiveWriter
from extensions.archives.tables import ArchivedPlace, flag_forgotten, write_places
from tests.extensions.archives.archived import read_folder
from tests.extensions.archives.test_records import ANSWER, EXCHANGE, REQUEST

SECONDS = 30  # for which a test waits at most
CONDITIONAL = REQUEST.replace(b"\r\n\r\n", b"\r\nIf-None-Match: x\r\n\r\n")
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\n\r\n"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path) as opened:
        yield opened


def a_writer(folder: Path) -> ArchiveWriter:
    return ArchiveWriter(folder, WarcFiles(folder / FOLDER, 10**9, [("software", "Breadcrumb/0.1")]))


def written(writer: ArchiveWriter, url: str, answer: bytes = ANSWER, request: bytes = REQUEST) -> ArchivedPlace:
    made = replace(EXCHANGE, url=f"http://a.localhost{url}", answer=answer, request=request)
    return writer.put(made).result(SECONDS)


@pytest.mark.usefixtures("database")
def test_what_is_done_is_in_the_file_and_in_order(tmp_path: Path) -> None:
    writer = a_writer(tmp_path)
    places = [writer.put(replace(EXCHANGE, url=f"http://a.localhost/{n}", answer=ANSWER + b"%d" % n)) for n in range(9)]
    done = [place.result(SECONDS) for place in places]
    assert [place.address[-1] for place in sorted(done, key=lambda place: place.start)] == list("012345678")
    writer.close()
    kinds = [record.kind for record in read_folder(tmp_path / FOLDER)]
    assert kinds == ["warcinfo", *["request", "response"] * 9]


@pytest.mark.parametrize("is_known", [True, False], ids=["committed", "not yet committed"])
def test_the_same_payload_and_a_304_refer_to_the_first_response(
    database: CrawlDatabase, tmp_path: Path, is_known: bool
) -> None:
    writer = a_writer(tmp_path)
    first = written(writer, "/1")
    if is_known:
        with database.transaction():
            write_places(database, [first])
    second = written(writer, "/2")
    again = [written(writer, url, UNCHANGED, CONDITIONAL) for url in ("/1", "/2", "/3")]
    writer.close()
    assert [place.kind for place in (first, second, *again)] == ["response", *["revisit"] * 3, "response"]
    records = read_folder(tmp_path / FOLDER)
    referred = {one.headers["WARC-Refers-To"] for one in records if one.kind == "revisit"}
    assert referred == {f"<{first.record.urn}>"}, "no revisit refers to another revisit"


@pytest.mark.usefixtures("database")
def test_a_304_that_nobody_asked_for_is_no_revisit(tmp_path: Path) -> None:
    writer = a_writer(tmp_path)
    written(writer, "/1")
    assert written(writer, "/1", UNCHANGED).kind == "response"
    writer.close()


def test_nothing_refers_to_what_was_forgotten(database: CrawlDatabase, tmp_path: Path) -> None:
    writer = a_writer(tmp_path)
    first = written(writer, "/1")
    with database.transaction():
        write_places(database, [first])
        flag_forgotten(database, [first.address])
    assert written(writer, "/2").kind == "response"
    writer.close()


@pytest.mark.usefixtures("database")
def test_a_disk_that_takes_no_more_is_told_to_everybody_and_its_file_left_for_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = a_writer(tmp_path)
    written(writer, "/1")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(StorageError, match="No space left"):
        written(writer, "/2")
    monkeypatch.undo()
    with pytest.raises(StorageError, match="No space left"):
        written(writer, "/3")
    with pytest.raises(StorageError, match="make room"):
        writer.close()
    assert [path.name.endswith(".open") for path in (tmp_path / FOLDER).iterdir()] == [True]
    assert len(read_folder(tmp_path / FOLDER)) == 3


@pytest.mark.usefixtures("database")
def test_one_exchange_that_can_not_be_written_is_no_hindrance_for_others(tmp_path: Path) -> None:
    writer = a_writer(tmp_path)
    broken = writer.put(replace(EXCHANGE, at=float("nan")))
    assert written(writer, "/1").start > 0
    with pytest.raises(ValueError, match="NaN"):
        broken.result(SECONDS)
    writer.close()


def test_nobody_waits_for_ever_where_the_crawl_database_can_not_be_read(tmp_path: Path) -> None:
    writer = a_writer(tmp_path)  # in a folder without one
    with pytest.raises(StorageError, match="holds no crawl yet"):
        written(writer, "/1")
    with pytest.raises(StorageError):
        writer.close()


@pytest.mark.usefixtures("database")
def test_who_no_longer_waits_changes_nothing(tmp_path: Path) -> None:
    writer = a_writer(tmp_path)
    assert not writer.put(EXCHANGE).cancel()
    written(writer, "/1")
    writer.close()
    assert len([one for one in read_folder(tmp_path / FOLDER) if one.kind == "request"]) == 2
