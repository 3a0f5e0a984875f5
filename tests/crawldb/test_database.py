"""The database: transactions, versions, and messages for what a newcomer meets."""

import os
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

import crawldb.database
from crawldb.database import CrawlDatabase, DatabaseError, OldSchemaError, StorageError
from crawldb.folders import make_folder
from crawldb.lock import LOCKS, CrawlLock, FolderInUse, holder, is_held, noted_ending
from crawldb.tables.blocks import blacklist
from frontier.job import CrawlJob
from frontier.session import NoSeedsError, Session
from urls.canonical import canonicalize


def test_what_is_committed_is_written_through(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        assert database.value("PRAGMA journal_mode") == "wal"
        assert database.value("PRAGMA synchronous") == 2  # FULL


def test_a_new_folder_is_found_after_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    plain = os.fsync

    def sync(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        plain(handle)

    monkeypatch.setattr(os, "fsync", sync)
    make_folder(tmp_path / "new" / "data")
    assert synced == [tmp_path.stat().st_ino, (tmp_path / "new").stat().st_ino]
    make_folder(tmp_path / "new" / "data")
    assert len(synced) == 2, "what is there already costs nothing"


def test_a_transaction_that_fails_leaves_nothing(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        with pytest.raises(sqlite3.IntegrityError), database.transaction() as connection:
            connection.executemany("INSERT INTO site (name) VALUES (?)", [("a.example",), ("a.example",)])
        assert database.count("SELECT count(*) FROM site") == 0


def test_reading_where_nothing_was_crawled_says_what_would_work(data_dir: Path) -> None:
    with pytest.raises(DatabaseError, match=r"holds no crawl yet: \./breadcrumb crawl site"):
        CrawlDatabase(data_dir, readonly=True)
    assert not data_dir.exists()


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(DatabaseError, match="DATA_DIR must be a writable folder"):
        CrawlDatabase(tmp_path / "data")


def test_a_database_of_a_newer_version_is_refused(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        database.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(DatabaseError, match="schema version 99"):
        CrawlDatabase(data_dir)


def test_a_database_of_before_the_oldest_known_version_is_refused(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        database.connection.execute("PRAGMA user_version = 3")
    with pytest.raises(DatabaseError, match=r"schema version 3, and the oldest .* crawl again into another folder"):
        CrawlDatabase(data_dir)


def test_an_older_database_is_brought_up_to_date_with_its_rows(data_dir: Path, request: pytest.FixtureRequest) -> None:
    with CrawlDatabase(data_dir) as database:
        database.connection.execute("INSERT INTO site (name) VALUES ('a.example')")
    version = request.getfixturevalue("next_version")
    with pytest.raises(OldSchemaError, match=rf"needs {version}: \./breadcrumb report brings it there"):
        CrawlDatabase(data_dir, readonly=True)
    with CrawlDatabase(data_dir) as database:
        assert database.connection.execute("SELECT name, mood FROM site").fetchall() == [("a.example", "new")]
        assert database.value("PRAGMA user_version") == version
    with CrawlDatabase(data_dir, readonly=True) as database:
        assert database.value("PRAGMA integrity_check") == "ok"


def test_what_a_blocked_folder_kept_out_stays_out(data_dir: Path) -> None:
    with CrawlDatabase(data_dir) as database:
        database.connection.executemany(
            "INSERT INTO block (target, kind, reason, at, origin) VALUES (?, 'url', '', 0, 'person')",
            [("http://a.example/x/",), ("http://a.example/y",)],
        )
        database.connection.execute("DROP VIEW indexed_page")  # later steps make this view,
        database.connection.execute("DROP TABLE census")  # these tables, and these columns
        database.connection.execute("DROP TABLE stylesheet")
        database.connection.execute("ALTER TABLE judge_again DROP COLUMN whole")
        database.connection.execute("ALTER TABLE host DROP COLUMN public")
        database.connection.execute("PRAGMA user_version = 35")  # of when a slash at the end meant the folder
    with CrawlDatabase(data_dir) as database:
        refused = blacklist(database).refusal(canonicalize("http://a.example/x/deep"))
        assert refused is not None
        assert blacklist(database).refusal(canonicalize("http://a.example/y/deep")) is None


def objects(database: CrawlDatabase) -> dict[str, str]:
    """Return the SQL of each table, index, view and trigger by its name, without comments and white space."""
    rows = database.connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {name: re.sub(r"--[^\n]*|\s|\"", "", sql) for name, sql in rows}


def test_a_new_database_has_the_schema_to_which_the_migrations_lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CrawlDatabase(tmp_path / "new") as made:
        present, newest = objects(made), made.value("PRAGMA user_version")
        first_rows = {name: made.count(f"SELECT count(*) FROM {name}") for name in ("identity", "link_change")}
    monkeypatch.setattr("crawldb.database.SCHEMA", tmp_path / "nothing.sql")
    (tmp_path / "nothing.sql").write_text("")
    with CrawlDatabase(tmp_path / "migrated") as migrated:
        assert objects(migrated) == present
        assert migrated.value("PRAGMA user_version") == newest == crawldb.database.newest_schema()
        assert first_rows == {name: migrated.count(f"SELECT count(*) FROM {name}") for name in first_rows}


def test_a_step_that_fails_leaves_the_version_of_before(data_dir: Path, request: pytest.FixtureRequest) -> None:
    CrawlDatabase(data_dir).close()
    version = request.getfixturevalue("next_version")
    broken = next(crawldb.database.MIGRATIONS.glob(f"{version:04}*"))
    broken.write_text(f"{broken.read_text()}\nINSERT INTO nowhere VALUES (1);")
    with pytest.raises(DatabaseError, match="no such table: nowhere"):
        CrawlDatabase(data_dir)
    with sqlite3.connect(data_dir / "crawl.sqlite3") as left:
        assert left.execute("PRAGMA user_version").fetchone() == (version - 1,)
        assert "mood" not in {name for _, name, *_ in left.execute("PRAGMA table_info(site)")}


def test_a_file_that_is_no_database_is_refused(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "crawl.sqlite3").write_text("this is no database, and long enough to show it" * 100)
    with pytest.raises(DatabaseError, match="not a database"):
        CrawlDatabase(data_dir)


def test_a_reader_cannot_write(data_dir: Path) -> None:
    CrawlDatabase(data_dir).close()
    with CrawlDatabase(data_dir, readonly=True) as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.connection.execute("INSERT INTO site (name) VALUES ('a.example')")


def test_the_second_crawl_on_a_folder_is_refused_with_the_process_of_the_first(data_dir: Path) -> None:
    lock = CrawlLock(data_dir)
    with pytest.raises(FolderInUse, match=f"process {os.getpid()}"):
        CrawlLock(data_dir)
    lock.release()
    CrawlLock(data_dir).release()


def test_whether_a_folder_is_held_can_be_seen_without_touching_its_lock(data_dir: Path, tmp_path: Path) -> None:
    if not LOCKS.exists():
        pytest.skip("this system has no list of its locks")
    assert not is_held(data_dir)
    lock = CrawlLock(data_dir)
    if str((data_dir / "crawl.lock").stat().st_ino) not in LOCKS.read_text():
        pytest.skip("the list has no locks of this file system")
    assert is_held(data_dir)
    assert not is_held(data_dir, tmp_path / "no such list")
    other = tmp_path / "other"
    CrawlLock(other).release()
    assert not is_held(other)
    lock.release()
    assert not is_held(data_dir)


def test_a_lock_without_a_number_names_nobody(data_dir: Path) -> None:
    lock = CrawlLock(data_dir)
    (data_dir / "crawl.lock").write_text("")  # as in the moment in which it is taken
    with pytest.raises(FolderInUse, match=r"it has only just begun\): wait for it, end it with Ctrl-C, or"):
        CrawlLock(data_dir)
    lock.release()


def test_a_lock_keeps_how_a_run_ended_that_could_not_be_written_for_that_run_alone(data_dir: Path) -> None:
    CrawlLock(data_dir).release(1, "disk full")
    CrawlLock(data_dir).release()  # another command
    assert noted_ending(data_dir, 1, os.getpid()) == "disk full"
    assert noted_ending(data_dir, 1, os.getpid() + 1) is None, "a run 1 of another database"
    assert noted_ending(data_dir, 11, os.getpid()) is None
    assert holder(data_dir) == f"process {os.getpid()}"
    CrawlLock(data_dir).release(2, "storage")
    assert noted_ending(data_dir, 1, os.getpid()) is None


def test_a_crawl_without_seeds_says_how_to_give_them_and_frees_the_folder(data_dir: Path) -> None:
    with pytest.raises(NoSeedsError, match="-a seeds=URL"):
        Session(data_dir, CrawlJob())
    CrawlLock(data_dir).release()


@pytest.mark.parametrize("instead", ["nothing", "another"])
def test_nothing_is_written_into_a_file_that_has_lost_its_name(data_dir: Path, instead: str) -> None:
    with CrawlDatabase(data_dir) as database:
        shutil.rmtree(data_dir)
        if instead == "another":
            CrawlDatabase(data_dir).close()
        with pytest.raises(StorageError, match="was deleted, moved or replaced"):
            database.transaction().__enter__()
    assert data_dir.exists() == (instead == "another")
