"""Does each command open a data folder of an earlier version, and none change one of a newer version?"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import LIGHT
from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from crawldb.database import CrawlDatabase, newest_schema
from crawldb.lock import CrawlLock, is_held
from tests.commands.conftest import Breadcrumb
from tests.commands.frame.test_command import as_nobody
from tests.forks import forked
from tests.old_folders import SITE, folders_with_an_index, unpack

if TYPE_CHECKING:
    from tests.forks import ForkServer

OLD = "32-a1c87d8e"  # of before the identity of a crawl, the list of stopped work, and tables of extensions
PAGE = f"{SITE}/rye.html"
READS = {  # exit code of each command that reads
    "why": ([PAGE], 0), "report": ([], 0), "check": ([], 2), "search": (["rye"], 2),
}  # fmt: skip
READS |= {"suggest": ([], 1)} if "suggest" in LIGHT else {}
READS |= {"export": (["--jsonl", "pages.jsonl"], 0)} if "mcp" in LIGHT else {}
WRITES = {"forget": [PAGE], "block": [PAGE], "submit": [f"{SITE}/new.html"], "index": []}


def schema_of(folder: Breadcrumb) -> int:
    with sqlite3.connect(folder.data / "crawl.sqlite3") as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("name", READS)
def test_a_command_that_reads_opens_a_folder_of_an_earlier_version(empty: Breadcrumb, name: str) -> None:
    unpack(OLD, empty.data)
    words, code = READS[name]
    done = empty.run(name, *words)
    assert schema_of(empty) == newest_schema()
    assert "schema" not in done.out + done.err
    if name in {"check", "search"}:  # an index was not kept with it, and the advice for that works
        assert "./breadcrumb index" in done.out + done.err
        assert empty.run("index").code == 0
        code = 0
        done = empty.run(name, *words)
    assert (done.code, done.err) == (code, "") or name == "export"


@pytest.mark.parametrize("name", folders_with_an_index())
def test_an_index_of_an_earlier_format_is_rebuilt_by_the_command_that_a_search_names(
    empty: Breadcrumb, name: str
) -> None:
    unpack(name, empty.data)
    refused = empty.run("search", "rye")
    assert refused.code == 2
    advised = re.search(r"\./breadcrumb (index --rebuild --data \S+)", refused.err)
    assert advised
    assert empty.run_as_it_stands(*advised[1].split()).code == 0
    assert PAGE in empty.run("search", "rye").out


def test_the_gateway_opens_a_folder_of_an_earlier_version_itself(empty: Breadcrumb) -> None:
    unpack(OLD, empty.data)
    client = gateway(empty.data, CommandSettings([f"DATA_DIR={empty.data}"])).test_client()
    assert client.get("/why", query_string={"url": PAGE}).status_code == 200
    assert "patience in the cool cellar" in client.get("/cached", query_string={"url": PAGE}).text
    assert schema_of(empty) == newest_schema()


def test_a_folder_is_left_as_it_is_while_a_crawl_of_the_earlier_version_runs(empty: Breadcrumb) -> None:
    unpack(OLD, empty.data)
    lock = CrawlLock(empty.data)
    try:
        if not is_held(empty.data):
            pytest.skip("this system has no list of its locks")
        for name, words in [*((name, words) for name, (words, _) in READS.items()), *WRITES.items()]:
            done = empty.run(name, *words)
            assert done.code == 2, name
            assert f"wait until the crawl of process {os.getpid()} has ended" in " ".join(done.err.split()), name
        assert schema_of(empty) == 32
    finally:
        lock.release()


@pytest.mark.slow
def test_an_old_folder_that_may_not_be_written_names_a_command_and_who_may_run_it(
    empty: Breadcrumb, forks: ForkServer
) -> None:
    if os.geteuid():
        pytest.skip("only root can become a user without rights")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to other users
        Path(folder).chmod(0o755)
        data = Path(folder) / "data"
        unpack(OLD, data)
        for path in (data, *data.rglob("*")):
            path.chmod(0o755)
        words = ("why", "-s", f"DATA_DIR={empty.data}", PAGE, "|", "why", "-s", f"DATA_DIR={data}", PAGE)
        done = forked(forks, *words, entry=f"{as_nobody.__module__}:{as_nobody.__name__}")
        assert done.returncode == 2
        said = f"./breadcrumb report --data {data} brings it there, for a user who may write {data}"
        assert said in " ".join(done.stderr.split())
        assert empty.run_as_it_stands("report", "--data", str(data)).code == 0
        assert schema_of(Breadcrumb(data, empty.folder)) == newest_schema()


@pytest.mark.parametrize("newer", ["schema", "extension"])
def test_a_folder_of_a_newer_version_is_refused_by_every_command_and_stays_as_it_is(
    empty: Breadcrumb, newer: str
) -> None:
    unpack(OLD, empty.data)
    if newer == "schema":
        CrawlDatabase(empty.data).close()
    with sqlite3.connect(empty.data / "crawl.sqlite3") as connection:
        if newer == "schema":
            connection.execute("PRAGMA user_version = 99")
        else:  # with a schema that could be brought up to date
            connection.execute("CREATE TABLE added_tables (name TEXT PRIMARY KEY, version INTEGER NOT NULL)")
            connection.execute("INSERT INTO added_tables VALUES ('tune', 99)")
    before = (empty.data / "crawl.sqlite3").read_bytes()
    for name, words in [*((name, words) for name, (words, _) in READS.items()), *WRITES.items()]:
        done = empty.run(name, *words)
        assert done.code == 2, name
        assert "99" in done.err, name
        assert "Nothing was changed" in " ".join(done.err.split()), name
    assert (empty.data / "crawl.sqlite3").read_bytes() == before
