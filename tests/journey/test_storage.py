"""Storage: what a person is told when disk or file fail or are held by another, and that nothing is lost."""

import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from crawldb import CrawlDatabase, StorageError
from indexer import open_index
from tests.journey.conftest import Answer, Folder, Site, html

SMALL = "1500k"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is soon full; mounting one takes rights that not every machine gives."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can't be mounted here: that takes root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_told_and_the_next_crawl_goes_on(small_disk: Path, site: Site) -> None:
    pages = [f"/{number}" for number in range(200)]
    site.pages = {"/": html("home", *pages)}
    site.pages |= {path: html(path, text=os.urandom(6000).hex()) for path in pages}
    folder = Folder(small_disk / "data")
    full = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert full.returncode == 1
    assert "disk is full" in full.stderr
    assert "What was committed is safe" in full.stderr
    assert "Traceback" not in full.stderr
    stored = folder.report()["pages"]["stored"]
    assert 0 < stored < 200
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    assert folder.report()["pages"]["stored"] == 201, folder.report()
    assert folder.report()["urls"]["leased"] == 0


def test_a_disk_that_fills_up_in_a_commit_of_the_index_leaves_the_old_one_and_the_next_commit_works(
    small_disk: Path, site: Site
) -> None:
    site.pages = {"/": html("home", "/a", text="An apple.")}
    folder = Folder(small_disk / "data")
    assert folder.crawl(f"{site.url}/").returncode == 0
    words = " ".join(os.urandom(4).hex() for _ in range(8000))
    site.pages = {"/": html("home", text=f"A pear. {words}")}
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    filler = small_disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    filler.write_bytes(bytes(max(0, filler.stat().st_size - 60_000)))  # room to begin, and not to end
    full = folder.run("index")
    assert full.returncode == 2
    assert "No space left" in full.stderr
    assert "Traceback" not in full.stderr
    assert open_index(folder.path).search("apple").total == 1
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert folder.run("index").returncode == 0
    assert open_index(folder.path).search("pear").total == 1


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


def test_a_disk_that_turns_read_only_in_the_midst_of_a_crawl_ends_it_and_nothing_is_lost(
    small_disk: Path, site: Site
) -> None:
    folder = Folder(small_disk / "data")
    pages = [f"/{number}" for number in range(12)]
    site.pages = {"/": html("home", *pages)}
    site.pages |= {path: html(path) for path in pages}

    def turn(_: dict[str, str]) -> Answer:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=False, capture_output=True)
        return html("/5")

    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    with CrawlDatabase(folder.path) as database:
        database.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StorageError, match=r"readonly database\. What was committed is safe; let the folder be"):
            database.transaction().__enter__()
    site.pages["/5"] = turn
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    site.pages["/5"] = html("/5")
    assert folder.crawl().returncode == 0
    assert folder.report()["pages"]["stored"] == 13


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
    words = folder.command("crawl", "site")
    with closing(sqlite3.connect(folder.path / "crawl.sqlite3", isolation_level=None)) as backup:
        backup.execute("BEGIN IMMEDIATE")
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(2)  # by now it wants to write
            assert process.poll() is None
            backup.execute("ROLLBACK")
            complaints = process.communicate(timeout=60)[1]
    assert (process.returncode, complaints) == (0, "")
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
