"""SQLite keeps its locks on a file that we look at: else a second writer deletes the log of the first."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.seal import opened_beside_sqlite

ANOTHER_WRITER = """
import sys
from pathlib import Path
from crawldb.database import CrawlDatabase
with CrawlDatabase(Path(sys.argv[1])) as database, database.transaction() as connection:
    connection.execute("INSERT INTO site (name) VALUES ('other.example')")
"""


def write_elsewhere(data: Path) -> None:
    """Let another process write a site, and close the database."""
    subprocess.run([sys.executable, "-c", ANOTHER_WRITER, str(data)], check=True)


def handles_on(path: Path) -> int:
    """How many open files of this process are that one."""
    mine = (each for each in Path("/proc/self/fd").iterdir() if each.exists())
    return sum(each.samefile(path) for each in mine)


@pytest.mark.parametrize("look", ["check", "another connection", "another thread"])
def test_what_is_committed_after_another_writer_has_closed_is_kept(tmp_path: Path, look: str) -> None:
    CrawlDatabase(tmp_path).close()
    with CrawlDatabase(tmp_path) as database:
        if look == "check":
            database.check()
        elif look == "another connection":
            CrawlDatabase(tmp_path, readonly=True).close()
        else:
            thread = threading.Thread(target=lambda: CrawlDatabase(tmp_path, readonly=True).close())
            thread.start()
            thread.join()
        write_elsewhere(tmp_path)
        with database.transaction() as connection:
            connection.execute("INSERT INTO site (name) VALUES ('first.example')")
        names = "import sys; from pathlib import Path; from crawldb.database import CrawlDatabase\n"
        names += "rows = CrawlDatabase(Path(sys.argv[1]), readonly=True).connection.execute('SELECT name FROM site')\n"
        names += "print(*sorted(name for (name,) in rows))"
        done = subprocess.run([sys.executable, "-c", names, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["first.example", "other.example"]


def test_a_handle_is_closed_with_the_last_connection(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    CrawlDatabase(tmp_path).close()
    assert handles_on(path) == 0
    first, second = CrawlDatabase(tmp_path), CrawlDatabase(tmp_path)
    before = handles_on(path)
    for _ in range(3):
        with opened_beside_sqlite(path) as handle:
            assert os.pread(handle, 6, 0) == b"SQLite"
    assert handles_on(path) <= before + 1, "one handle waits, and is taken again"
    first.close()
    assert handles_on(path) >= 2
    second.close()
    assert handles_on(path) == 0
