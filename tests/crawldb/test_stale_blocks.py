"""Is a block seen that a disk returns as it was before the last write? Also after a kill, and without false alarms."""

from __future__ import annotations

import math
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import pytest

from crawldb import database as opened
from crawldb import seal
from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.seal import (
    SUFFIX,
    damage,
    has_frame,
    has_log,
    is_sealed,
    log_of,
    read_frames,
)
from tests.child import end_of_own_fork, own_fork

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = math.inf  # seconds
BLOCK = 4096
LOG = "-wal"


def write(database: CrawlDatabase, dice: random.Random) -> None:
    """Write some rows, sometimes many, in one transaction."""
    with database.transaction() as connection:
        for _ in range(dice.choice((1, 3, 30))):
            name = f"{dice.randrange(300)}.example"
            connection.execute("INSERT OR IGNORE INTO site (name) VALUES (?)", (name,))
            connection.execute(
                "INSERT OR REPLACE INTO plan (at, run, estimate) VALUES (?, 1, ?)",
                (dice.random(), name * dice.choice((1, 900))),
            )
            connection.execute("DELETE FROM plan WHERE at > ?", (dice.uniform(0.5, 2),))


def write_frames(database: CrawlDatabase, count: int) -> None:
    """Write the same row so many times."""
    for number in range(count):
        with database.transaction() as connection:
            connection.execute("UPDATE plan SET at = ?", (number,))


def open_write_and_close(folder: Path, seed: int, frames: int) -> NoReturn:
    """Do it again and again, until this process is killed."""
    opened.LOG_FRAMES = frames
    dice = random.Random(seed)
    while True:
        with CrawlDatabase(folder) as database:
            for _ in range(dice.randrange(60)):
                write(database, dice)
            if dice.random() < 0.2:
                database.seal()


def killed_crawl(folder: Path, seed: int = 1, frames: int = 20) -> dict[int, bytes]:
    """Write with checkpoints, and die; return blocks of the database as they were before the last checkpoints."""
    before: dict[int, bytes] = {}

    def write_and_die() -> None:
        opened.LOG_FRAMES = frames
        dice, database = random.Random(seed), CrawlDatabase(folder)
        for number in range(100):
            write(database, dice)
            if number == 30:
                shutil.copyfile(folder / FILE_NAME, folder / "before")
        os.kill(os.getpid(), signal.SIGKILL)

    assert end_of_own_fork(write_and_die) == -signal.SIGKILL
    content, now = (folder / "before").read_bytes(), (folder / FILE_NAME).read_bytes()
    in_log = read_frames(folder / FILE_NAME).places
    for number in range(2, len(content) // BLOCK + 1):
        place = slice((number - 1) * BLOCK, number * BLOCK)
        if number not in in_log and content[place] != now[place]:
            before[number] = content[place]
    return before


def put(path: Path, number: int, content: bytes) -> bytes:
    """Write a block, and return what was there."""
    with path.open("r+b") as file:
        file.seek((number - 1) * BLOCK)
        now = file.read(BLOCK)
        file.seek((number - 1) * BLOCK)
        file.write(content)
    return now


def test_each_stale_block_is_named_after_a_kill(tmp_path: Path) -> None:
    before, path = killed_crawl(tmp_path), tmp_path / FILE_NAME
    assert before
    assert has_log(path)
    assert damage(path, WHOLE) == ""
    for number, content in before.items():
        now = put(path, number, content)
        assert f"block {number} of" in damage(path, WHOLE)
        put(path, number, now)
    assert damage(path, WHOLE) == ""
    put(path, number, content)
    told = subprocess.run(
        [sys.executable, "-m", "commands", "why", "http://bakery.example/", "-s", f"DATA_DIR={tmp_path}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, f"block {number} of" in told.stderr) == (2, True)


@pytest.mark.parametrize("writers", [1, 3])
def test_no_kill_leads_to_a_false_alarm(tmp_path: Path, writers: int) -> None:
    path, dice, sealed = tmp_path / FILE_NAME, random.Random(writers), 0
    CrawlDatabase(tmp_path).close()
    for trial in range(25):
        with ExitStack() as writing:
            children = []
            for _ in range(writers):
                work = partial(open_write_and_close, tmp_path, dice.randrange(1 << 30), dice.choice((5, 20, 60)))
                children.append(writing.enter_context(own_fork(work)))
            until = time.monotonic() + dice.uniform(0.02, 0.15)
            while time.monotonic() < until:
                assert damage(path, WHOLE) == "", "while they write"
            assert not any(os.waitpid(child, os.WNOHANG)[0] for child in children), "one ended before it was killed"
        assert damage(path, WHOLE) == ""
        sealed += is_sealed(path)
        if trial % 5 == 4:
            with closing(sqlite3.connect(path)) as other:  # its close makes a checkpoint
                assert other.execute("PRAGMA quick_check").fetchone() == ("ok",)
            assert not has_log(path)
            assert damage(path, WHOLE) == ""
            with CrawlDatabase(tmp_path) as database:
                database.check()
            assert is_sealed(path), "a crawl that begins makes the checksums again"
        with CrawlDatabase(tmp_path, readonly=True) as database:
            assert database.value("PRAGMA quick_check") == "ok"
    assert sealed >= 24


def test_the_log_may_be_deleted_while_somebody_looks_for_it(tmp_path: Path) -> None:
    log = log_of(tmp_path / FILE_NAME)

    def make_and_delete() -> NoReturn:
        while True:
            log.write_bytes(b"x")
            log.unlink()

    with own_fork(make_and_delete):
        assert {has_log(tmp_path / FILE_NAME) for _ in range(20_000)} == {True, False}


def test_a_checkpoint_of_another_program_is_no_damage(tmp_path: Path) -> None:
    path, dice = tmp_path / FILE_NAME, random.Random(3)
    with CrawlDatabase(tmp_path) as database:
        for number in range(200):
            write(database, dice)
            if number % 7 == 0:
                with closing(sqlite3.connect(path)) as other:
                    other.execute(f"PRAGMA wal_checkpoint({dice.choice(('PASSIVE', 'TRUNCATE', 'RESTART'))})")
            assert damage(path, WHOLE) == ""
            if number % 50 == 49:
                assert database.seal()
                assert is_sealed(path)
    assert damage(path, WHOLE) == ""


@pytest.mark.parametrize("history", [seal.MAX_HISTORY, -math.inf])
def test_a_reader_that_holds_the_log_lets_all_be_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, history: float
) -> None:
    monkeypatch.setattr(opened, "LOG_FRAMES", 10)
    monkeypatch.setattr(seal, "MAX_HISTORY", history)
    path, dice = tmp_path / FILE_NAME, random.Random(4)
    with CrawlDatabase(tmp_path) as database:
        for _ in range(10):
            with CrawlDatabase(tmp_path, readonly=True) as reader, reader.one_state():
                reader.count("SELECT count(*) FROM site")
                for _ in range(20):
                    write(database, dice)
                    assert damage(path, WHOLE) == ""
                    assert is_sealed(path)
                number = dice.choice(sorted({*range(2, path.stat().st_size // BLOCK)} - {*read_frames(path).places}))
                now = put(path, number, os.urandom(BLOCK))
                assert f"block {number} of" in damage(path, WHOLE)
                put(path, number, now)
            write(database, dice)
    assert damage(path, WHOLE) == ""
    assert is_sealed(path)


def test_when_a_reader_has_ended_the_log_becomes_short_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "LOG_FRAMES", 10)
    path = tmp_path / FILE_NAME

    with CrawlDatabase(tmp_path) as database:
        write(database, random.Random(9))
        with CrawlDatabase(tmp_path, readonly=True) as reader, reader.one_state():
            reader.count("SELECT count(*) FROM site")
            write_frames(database, 200)
            size = log_of(path).stat().st_size
        write_frames(database, 1000)
        assert log_of(path).stat().st_size < 2 * size
        assert not has_frame(path, 20)
    assert damage(path, WHOLE) == ""


def test_the_checksums_of_many_checkpoints_take_no_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "LOG_FRAMES", 10)
    monkeypatch.setattr(seal, "MAX_HISTORY", 0)
    path, dice = tmp_path / FILE_NAME, random.Random(12)
    with CrawlDatabase(tmp_path) as database:
        for _ in range(50):
            write(database, dice)
            assert damage(path, WHOLE) == ""
        before = path.with_name(f"{FILE_NAME}{SUFFIX}").stat().st_size
        write_frames(database, 1000)
        assert path.with_name(f"{FILE_NAME}{SUFFIX}").stat().st_size < 3 * before
        assert is_sealed(path)


@pytest.mark.parametrize("without", [(LOG,), (LOG, SUFFIX), (SUFFIX,), ()])
def test_a_copy_of_the_folder_is_not_damaged(tmp_path: Path, without: tuple[str, ...]) -> None:
    killed_crawl(tmp_path / "data")
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "data", copy)
    (copy / f"{FILE_NAME}-shm").unlink()
    for end in without:
        (copy / f"{FILE_NAME}{end}").unlink()
    assert damage(copy / FILE_NAME, WHOLE) == ""
    with CrawlDatabase(copy) as database:
        database.check()
        write(database, random.Random(5))
    assert damage(copy / FILE_NAME, WHOLE) == ""
    assert is_sealed(copy / FILE_NAME)


def test_a_bit_that_the_disk_turns_in_the_checksums_is_no_damage_of_the_database(tmp_path: Path) -> None:
    killed_crawl(tmp_path)
    path, kept = tmp_path / FILE_NAME, tmp_path / f"{FILE_NAME}{SUFFIX}"
    content, dice = kept.read_bytes(), random.Random(10)
    for _ in range(100):
        turned = bytearray(content)
        turned[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        kept.write_bytes(turned)
        assert damage(path, WHOLE) == ""
        CrawlDatabase(tmp_path, readonly=True).close()


@pytest.mark.parametrize("rest", [1, 30, -20])
def test_a_record_that_was_half_written_is_none(tmp_path: Path, rest: int) -> None:
    killed_crawl(tmp_path)
    path, kept = tmp_path / FILE_NAME, tmp_path / f"{FILE_NAME}{SUFFIX}"
    content = kept.read_bytes()
    kept.write_bytes(content[:rest] if rest < 0 else content + content[:rest])
    assert damage(path, WHOLE) == ""
    with CrawlDatabase(tmp_path) as database:
        write(database, random.Random(6))
        database.seal()
    assert damage(path, WHOLE) == ""
    assert is_sealed(path)


def test_where_no_checksums_can_be_written_the_log_stays_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "LOG_FRAMES", 10)
    CrawlDatabase(tmp_path).close()
    path, dice = tmp_path / FILE_NAME, random.Random(7)
    (tmp_path / f"{FILE_NAME}{SUFFIX}").unlink()
    (tmp_path / f"{FILE_NAME}{SUFFIX}.new").mkdir()
    with CrawlDatabase(tmp_path) as database:
        for _ in range(100):
            write(database, dice)
        assert not database.seal()
        assert len(read_frames(path).places) < 200
    assert (damage(path, WHOLE), is_sealed(path)) == ("", False)


def test_a_database_that_becomes_smaller_is_not_damaged(tmp_path: Path) -> None:
    path, dice = tmp_path / FILE_NAME, random.Random(8)
    with CrawlDatabase(tmp_path) as database:
        for _ in range(50):
            write(database, dice)
        database.seal()
        with database.transaction() as connection:
            connection.execute("DELETE FROM plan")
        database.connection.execute("VACUUM")
        assert damage(path, WHOLE) == ""
    assert damage(path, WHOLE) == ""
    assert is_sealed(path)


def test_a_database_that_another_program_makes_smaller_in_the_log_is_not_damaged(tmp_path: Path) -> None:
    path, dice = tmp_path / FILE_NAME, random.Random(11)
    with CrawlDatabase(tmp_path) as database:
        for _ in range(50):
            write(database, dice)
        assert database.seal()
        with CrawlDatabase(tmp_path, readonly=True) as reader, reader.one_state():
            reader.count("SELECT count(*) FROM site")
            write(database, dice)
            assert database.seal()
        size = path.stat().st_size
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_autocheckpoint = 0")
            other.execute("DELETE FROM plan")
            other.commit()
            other.execute("VACUUM")
            other.execute("PRAGMA wal_checkpoint(PASSIVE)")
            assert path.stat().st_size < size
            assert is_sealed(path)
            assert damage(path, WHOLE) == ""
