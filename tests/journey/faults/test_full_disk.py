"""A disk that is full, or turns read-only: the messages, the parts that still work, and that nothing is lost."""

import math
import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase, StorageError
from crawldb.lock import CrawlLock
from crawldb.seal import damage, is_sealed, log_of
from crawldb.tables.runs import newest_run_record
from frontier.job import CrawlJob
from frontier.session import Session
from tests.advice import commands_in
from tests.child import PATIENCE
from tests.forks import forked
from tests.journey.conftest import Answer, Folder, Site, html
from urls.canonical import canonicalize

SMALL = "2m"
NOT_KEPT = {"Content-Type": "text/html", "X-Robots-Tag": "noindex"}  # of such a page the database keeps no body


def fill(file: Path) -> None:
    """Leave no room on the disk of the file."""
    with suppress(OSError), file.open("wb", buffering=0) as filler:
        while filler.write(bytes(4096)):
            pass


@pytest.mark.slow
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
    assert damage(folder.path / FILE_NAME, math.inf) == ""
    stored = folder.report()["pages"]["stored"]
    assert 0 < stored < 200
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    assert folder.report()["pages"]["stored"] == 201, folder.report()
    assert folder.report()["urls"]["leased"] == 0


def test_a_run_that_another_program_leaves_no_room_to_write_its_end_was_not_killed(
    small_disk: Path, site: Site
) -> None:
    site.pages = {"/": html("home")}
    folder, seeds = Folder(small_disk / "data"), CrawlJob((canonicalize(f"{site.url}/"),))
    session = Session(folder.path, seeds)
    fill(small_disk / "filler")
    session.close("finished")
    assert "disk is full" in session.trouble
    assert "disk full: 0 requests" in folder.run("report").stdout
    assert "last crawl: run 1 did not finish (disk full)" in folder.run("doctor").stdout
    CrawlLock(folder.path).release()  # another command was tried
    assert "disk full: 0 requests" in folder.run("report").stdout
    (small_disk / "filler").unlink()
    assert folder.crawl().returncode == 0
    with CrawlDatabase(folder.path, readonly=True) as database:
        runs = [newest_run_record(database, run) for run in (1, 2)]
    assert [run.ending for run in runs if run] == ["disk full", "finished"]


def test_where_only_the_checksums_have_no_room_all_is_written_and_nothing_counts_as_damaged(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawldb.database.LOG_FRAMES", 10)
    path = small_disk / FILE_NAME

    def write(database: CrawlDatabase, number: int) -> None:
        with database.transaction() as connection:
            connection.execute("UPDATE plan SET estimate = ?", (f"{number:09}",))

    with CrawlDatabase(small_disk) as database:
        with database.transaction() as connection:
            connection.execute("INSERT INTO plan (at, run, estimate) VALUES (1, 1, '000000000')")
        for number in range(20):  # the log has its room
            write(database, number)
        fill(small_disk / "filler")
        for number in range(1000):
            write(database, number)
            assert damage(path, math.inf) == ""
        assert not is_sealed(path)
        assert log_of(path).stat().st_size < 20 * 4200
    assert damage(path, math.inf) == ""
    (small_disk / "filler").unlink()
    with CrawlDatabase(small_disk) as database:
        assert database.value("SELECT estimate FROM plan") == "000000999"
        database.check()
    assert is_sealed(path)


def test_a_disk_that_is_full_at_the_start_is_told(small_disk: Path, site: Site) -> None:
    folder = Folder(small_disk / "data")
    folder.path.mkdir()
    fill(small_disk / "filler")
    full = folder.crawl(f"{site.url}/")
    assert full.returncode == 2
    assert "No space left on device. Make room (df shows which disk)" in full.stderr
    assert "Traceback" not in full.stderr


def test_what_was_crawled_is_found_and_told_on_a_full_disk_and_on_one_that_may_not_be_written(
    small_disk: Path, site: Site
) -> None:
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    site.pages = {"/": html("home", text="An apple.")}
    folder = Folder(small_disk / "data")
    assert folder.crawl(f"{site.url}/").returncode == 0
    assert not any(log.stat().st_size for log in folder.path.glob("*-wal")), "all is in the database itself"
    fill(small_disk / "filler")
    for turned in ([], ["mount", "-o", "remount,ro", str(small_disk)]):
        subprocess.run(turned or ["true"], check=True)
        assert folder.search("apple") == ["/"]
        for words in (["report"], ["why", f"{site.url}/"]):
            done = folder.run(*words)
            assert (done.returncode, done.stderr) == (0, "")
        assert folder.run("submit", f"{site.url}/new").returncode == 2


@pytest.mark.slow
def test_a_summary_that_can_not_be_written_is_told_and_the_crawl_has_done_its_work(tmp_path: Path, site: Site) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    site.pages = {"/": html("home")}
    folder = Folder(tmp_path / "data")
    words = folder.command("crawl", "site", "-a", f"seeds={site.url}/", "-s", "INDEX_FOLLOW=0")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE)
    trouble = "crawl: standard output can't be written: No space left on device"
    advice = f"To print the summary: ./breadcrumb report --data {folder.path}"
    assert (done.returncode, done.stderr) == (0, f"{trouble}. {advice}\n")
    [report] = commands_in(done.stderr)
    assert "1 stored" in forked(folder.forks, *report).stdout


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
    fill(filler)
    filler.write_bytes(bytes(max(0, filler.stat().st_size - 60_000)))  # room to begin, and not to end
    full = folder.run("index")
    assert full.returncode == 2
    assert "No space left" in full.stderr
    assert "Traceback" not in full.stderr
    assert folder.search("apple") == ["/"]
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert folder.run("index").returncode == 0
    assert folder.search("pear") == ["/"]


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
