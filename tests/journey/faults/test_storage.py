"""Storage: the messages if disk or file fail or another process holds them, and that nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase, StorageError
from indexer import open_index
from indexer.segments.generation import index_folder, read_generation
from tests.child import PATIENCE, without_progress
from tests.journey.conftest import Answer, Folder, Site, html


@pytest.fixture
def closed_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that nobody may write, root included."""
    place = tmp_path / "closed"
    place.mkdir()
    if os.geteuid() != 0:
        place.chmod(0o500)
        yield place
        place.chmod(0o700)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk that can't be written can't be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("command", [["crawl", "site", "-a", "seeds=http://127.0.0.1:9/"], ["index"]], ids=" ".join)
def test_a_folder_that_may_not_be_written_is_told_at_the_start(closed_disk: Path, command: list[str]) -> None:
    done = Folder(closed_disk / "data").run(*command)
    assert done.returncode == 2
    assert str(closed_disk / "data") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_deleted_in_the_midst_of_a_crawl_ends_it_and_is_not_made_again(
    tmp_path: Path, site: Site
) -> None:
    folder = Folder(tmp_path / "data")
    site.pages = {"/": html("home", *(f"/{number}" for number in range(12)))}
    site.pages |= {f"/{number}": html(f"/{number}") for number in range(12)}

    def delete(_: dict[str, str]) -> Answer:
        shutil.rmtree(folder.path, ignore_errors=True)
        return html("/5")

    site.pages["/5"] = delete
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert (done.returncode, done.stdout) == (1, "")
    assert "was deleted, moved or replaced while it was in use" in done.stderr
    assert "Traceback" not in done.stderr
    assert not folder.path.exists()


def test_a_folder_that_is_none_is_told(tmp_path: Path, site: Site) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    done = Folder(tmp_path / "data").crawl(f"{site.url}/")
    assert done.returncode == 2
    assert str(tmp_path / "data") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_crawl_waits_for_a_backup_that_holds_the_database_and_loses_nothing(tmp_path: Path, site: Site) -> None:
    folder = Folder(tmp_path / "data")
    pages = [f"/{number}" for number in range(10)]
    site.pages = {"/": html("home", *pages)}
    site.pages |= {path: html(path) for path in pages}
    site.pages["/"] = html("home")
    assert folder.crawl(f"{site.url}/").returncode == 0
    site.pages["/"] = html("home", *pages)
    with closing(sqlite3.connect(folder.path / "crawl.sqlite3", isolation_level=None)) as backup:
        backup.execute("BEGIN IMMEDIATE")
        with folder.start("crawl", "site") as process:
            time.sleep(2)  # by now it wants to write, as a rule
            assert process.poll() is None
            backup.execute("ROLLBACK")
            complaints = process.communicate(timeout=PATIENCE)[1]
    assert (process.returncode, without_progress(complaints)) == (0, "")
    assert folder.report()["pages"]["stored"] == 11


def test_a_copy_made_while_the_crawl_runs_is_whole_and_goes_on_by_itself(tmp_path: Path, site: Site) -> None:
    folder, copy = Folder(tmp_path / "data"), Folder(tmp_path / "copy")
    site.pages = {"/": html("home", *(f"/{number}" for number in range(10)))}
    site.pages |= {f"/{number}": html(f"/{number}") for number in range(10)}
    assert folder.crawl(f"{site.url}/", pages=4).returncode == 0
    copy.path.mkdir()
    with (
        CrawlDatabase(folder.path) as database,
        closing(sqlite3.connect(folder.path / "crawl.sqlite3")) as source,
        closing(sqlite3.connect(copy.path / "crawl.sqlite3")) as target,
        database.transaction(),  # as a crawl that is writing
    ):
        source.backup(target)
    assert copy.crawl().returncode == 0
    assert copy.report()["pages"]["stored"] == open_index(copy.path).documents == 11


@pytest.mark.parametrize("follow", [0, 1])
def test_an_index_that_is_ahead_of_a_database_that_was_put_back_lacks_nothing_at_the_end(
    tmp_path: Path, site: Site, follow: int
) -> None:
    folder = Folder(tmp_path / "data")
    site.pages = {"/": html("home", *(f"/{number}" for number in range(10)))}
    site.pages |= {f"/{number}": html(f"/{number}", text=f"Only here: word{number}.") for number in range(10)}
    assert folder.crawl(f"{site.url}/", pages=3).returncode == 0
    backup = (folder.path / "crawl.sqlite3").read_bytes()
    assert folder.crawl().returncode == 0
    (folder.path / "crawl.sqlite3").write_bytes(backup)
    site.pages |= {f"/{number}": html(f"/{number}", text=f"Only here: changed{number}.") for number in range(10)}
    again = folder.crawl(INDEX_FOLLOW=follow)
    assert again.stderr == "crawl: the index is newer than the crawl database and is rebuilt\n"
    assert folder.run("index").returncode == 0
    with folder.database() as database:
        stored = database.count("SELECT count(*) FROM page")
    index = open_index(folder.path)
    assert index.documents == stored == 11
    found = {
        number: index.search(f"word{number}").total + index.search(f"changed{number}").total for number in range(10)
    }
    assert set(found.values()) == {1}, found


READERS_AND_WRITERS = (
    ["report"],
    ["index"],
    ["index", "--rebuild"],
    ["crawl", "site"],
    ["forget", "http://127.0.0.1:9/"],
    ["why", "http://127.0.0.1:9/"],
)


@pytest.fixture
def crawled(tmp_path: Path, site: Site) -> Folder:
    folder = Folder(tmp_path / "data")
    site.pages = {"/": html("home", "/1"), "/1": html("rye")}
    assert folder.crawl(f"{site.url}/").returncode == 0
    return folder


@pytest.mark.parametrize("sealed", [True, False], ids=["beside its seal", "that was never sealed"])
@pytest.mark.parametrize("lost", ["content", "name"])
def test_a_database_that_lost_its_content_or_name_is_told_and_the_index_keeps_its_pages(
    crawled: Folder, site: Site, lost: str, *, sealed: bool
) -> None:
    database = crawled.path / "crawl.sqlite3"
    database.unlink()
    if lost == "content":
        database.touch()
    if not sealed:
        (crawled.path / "crawl.sqlite3.seal").unlink()
    asked = len(site.log)
    for command in (*READERS_AND_WRITERS, ["crawl", "site", "-a", f"seeds={site.url}/"]):
        done = crawled.run(*command)
        assert done.returncode == 2, (command, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert open_index(crawled.path).documents == 2
    assert len(site.log) == asked


@pytest.mark.parametrize("sealed", [True, False], ids=["beside the old seal", "with the old seal taken away"])
def test_the_database_of_another_crawl_changes_no_index_until_a_person_asks_for_it(
    tmp_path: Path, crawled: Folder, site: Site, *, sealed: bool
) -> None:
    other = Folder(tmp_path / "other")
    site.pages["/"] = html("home")
    assert other.crawl(f"{site.url}/").returncode == 0
    shutil.copyfile(other.path / "crawl.sqlite3", crawled.path / "crawl.sqlite3")
    if not sealed:
        (crawled.path / "crawl.sqlite3.seal").unlink()
    for command in (["index"], ["crawl", "site"]):
        done = crawled.run(*command)
        assert done.returncode == 2
        assert "crawl" in done.stderr
        assert open_index(crawled.path).documents == 2
    done = crawled.run("index", "--rebuild")
    assert (done.returncode, open_index(crawled.path).documents) == ((2, 2) if sealed else (0, 1))


def test_an_index_of_an_earlier_version_takes_the_identity_of_its_crawl_with_its_next_commit(
    crawled: Folder, site: Site
) -> None:
    index = index_folder(crawled.path)
    unnamed = replace(read_generation(index), crawl="")
    (index / "current.json").write_bytes(replace(unnamed, seal=unnamed.digest()).dump())
    site.pages["/1"] = html("barley")
    assert crawled.crawl().returncode == 0
    with crawled.database() as database:
        assert read_generation(index).crawl == database.identity


def test_a_lock_that_is_held_too_long_is_told_with_what_to_do(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path) as holder, CrawlDatabase(tmp_path) as crawl:
        crawl.connection.execute("PRAGMA busy_timeout = 50")
        with holder.transaction(), pytest.raises(StorageError, match="another process has kept others from writing"):
            crawl.transaction().__enter__()
        with crawl.transaction():
            pass  # it is free again


def test_a_damaged_page_of_the_database_is_told_with_what_to_do(tmp_path: Path, site: Site) -> None:
    folder = Folder(tmp_path / "data")
    site.pages = {"/": html("home", *(f"/{number}" for number in range(60)))}
    site.pages |= {f"/{number}": html(f"/{number}") for number in range(60)}
    assert folder.crawl(f"{site.url}/").returncode == 0
    file = folder.path / "crawl.sqlite3"
    content = bytearray(file.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 2048] = os.urandom(2048)
    file.write_bytes(content)
    for command in (["crawl", "site"], ["report"], ["index", "--rebuild"]):
        done = folder.run(*command)
        assert done.returncode in {1, 2}, done.stdout
        assert "malformed" in done.stderr
        assert "put back a backup" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "statements", ["", "PRAGMA journal_mode = WAL"], ids=["an empty file", "a file without tables"]
)
def test_a_crawl_that_was_killed_before_it_made_its_tables_begins_again(
    tmp_path: Path, site: Site, statements: str
) -> None:
    folder = Folder(tmp_path / "data")
    folder.path.mkdir()
    (folder.path / "crawl.sqlite3").touch()
    with closing(sqlite3.connect(folder.path / "crawl.sqlite3")) as connection:
        connection.execute(statements)
    site.pages = {"/": html("home")}
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert (done.returncode, done.stderr) == (0, "")
    with CrawlDatabase(folder.path, readonly=True) as database:
        assert database.count("SELECT count(*) FROM page") == 1
