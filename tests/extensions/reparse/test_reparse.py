"""`reparse` reads stored pages again without a fetch; a stop, a kill or a crawl at the same time does no harm."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.lock import CrawlLock
from crawldb.parts.partition import Partition
from extensions.reparse.tables import Rereading
from frontier.job import CrawlJob
from frontier.session import Session
from indexer import open_writer
from indexer.following import catch_up
from tests.advice import commands_in, state_of
from tests.aged import OLD_TITLE, age_title, age_verdict, crawl_bodies, everything, html
from tests.child import PATIENCE, POLL_SECONDS, wait_until
from tests.forks import fork
from urls.canonical import canonicalize
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.commands.conftest import Breadcrumb
    from tests.forks import ForkServer
    from urls.records import CanonicalUrl

HOME, BREAD, ROLLS = (canonicalize(f"http://a.example/{name}") for name in ("", "bread", "rolls"))
MANY = [
    canonicalize(f"http://a.example/{number}") for number in range(1000)
]  # five slices: one may end while another is waited for


def fill(folder: Path, urls: Sequence[CanonicalUrl], **job: object) -> None:
    session = Session(folder, CrawlJob((urls[0],), **job))  # type: ignore[arg-type]  # a dict of several types
    crawl_bodies(session, {url: html(f"page {url}", *urls[1:]) if url == urls[0] else html(url) for url in urls})
    session.close("finished")


def age(folder: Path, urls: Sequence[CanonicalUrl]) -> None:
    with CrawlDatabase(folder) as database:
        age_title(database, urls)


def old_titles(folder: Path) -> int:
    with CrawlDatabase(folder) as database:
        return database.count("SELECT count(*) FROM page WHERE title = ?", OLD_TITLE)


@pytest.fixture
def stored(empty: Breadcrumb) -> Breadcrumb:
    """Three pages are crawled and indexed, one of which an older rule has read."""
    fill(empty.data, [HOME, BREAD, ROLLS])
    age(empty.data, [BREAD])
    catch_up(empty.data)
    return empty


def test_what_is_read_otherwise_is_stored_and_found(stored: Breadcrumb) -> None:
    assert stored.run("search", "older rule").code == 0
    done = stored.run("reparse")
    assert (done.code, done.err) == (0, "")
    assert "3 pages read again without a fetch: 1 changed." in done.out
    assert f"title of {BREAD}\n  - {OLD_TITLE}\n  + {BREAD}" in done.out
    assert done.out.endswith("The index is up to date.\n")
    assert stored.run("search", "older rule").code == 1
    assert "each says what it said before." in stored.run("reparse").out


def test_it_is_not_done_as_long_as_the_index_lacks_its_changes(stored: Breadcrumb) -> None:
    for file in (stored.data / "index").rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged")
    done = stored.run("reparse")
    assert done.code == 1
    assert "but the index could not be updated: " in done.out
    assert f"./breadcrumb index --rebuild --data {stored.data}\n" in done.out


def test_it_learns_the_templates_of_the_sites(empty: Breadcrumb) -> None:
    slogan, session = "<p>Baked before you wake</p>", Session(empty.data, CrawlJob((HOME,)))
    urls = [canonicalize(f"http://a.example/{name}") for name in ("rye", "oats", "spelt", "wheat", "maize", "barley")]
    pages = {url: slogan.encode() + html(f"what {url} says") for url in urls}
    crawl_bodies(session, {HOME: html("home", *urls)} | pages)
    session.close("finished")
    catch_up(empty.data)
    assert "Baked before you wake" in empty.run("search", "baked").out
    done = empty.run("reparse")
    assert "6 other pages changed by that: " in done.out
    assert "Baked before you wake" not in empty.run("search", "baked").out


def test_a_diff_shows_what_would_change_and_changes_nothing(stored: Breadcrumb) -> None:
    with CrawlDatabase(stored.data) as database:
        before = everything(database)
    done = stored.run("reparse", "--diff")
    assert "1 would change." in done.out
    assert done.out.endswith("Nothing was changed. Without --diff the same command stores it.\n")
    with CrawlDatabase(stored.data) as database:
        assert everything(database) == before


def test_what_the_filter_of_an_extension_rejected_is_kept_by_the_command_that_why_names_once_it_is_gone(
    stored: Breadcrumb,
) -> None:
    with CrawlDatabase(stored.data) as database, database.transaction():
        age_verdict(database, [ROLLS], Rule.EXTENSION)
    before = state_of(stored.data)
    assert ROLLS not in before.results
    [command] = [words for words in commands_in(stored.run("why", ROLLS).out) if words[0] == "reparse"]
    assert stored.run_as_it_stands(*command).code == 0
    assert state_of(stored.data).results == {*before.results, ROLLS}


def test_json_has_counts_and_examples(stored: Breadcrumb) -> None:
    with CrawlDatabase(stored.data) as database:
        age_verdict(database, [ROLLS])
    told = json.loads(stored.run("reparse", "--json", "--diff").out)
    assert {name: told[name] for name in ("applied", "complete", "pages", "read", "changed", "kinds", "faults")} == {
        "applied": False,
        "complete": True,
        "pages": 3,
        "read": 3,
        "changed": 2,
        "kinds": {"title": 1, "verdict": 1},
        "faults": [],
    }
    assert told["examples"]["title"] == [{"url": BREAD, "before": OLD_TITLE, "after": BREAD}]


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ([BREAD], 1),
        (["--site", "a.example"], 3),
        (["http://a.example/r*", BREAD], 2),
        (["--sample", "2"], 2),
        (["http://a.example/nothing"], 0),
    ],
    ids=["a page", "a site", "a pattern and a page", "a sample", "nothing is stored of it"],
)
def test_only_what_is_named_is_read(stored: Breadcrumb, words: list[str], read: int) -> None:
    assert json.loads(stored.run("reparse", "--json", *words).out)["read"] == read


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sample", "0"], "--sample 0: give a number from 1 up"),
        (["--workers", "65"], "--workers 65: give a number from 1 up to 64"),
        (["--show", "-1"], "--show -1: give a number of examples from 0 up"),
        (["two words"], "two words"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_read(stored: Breadcrumb, words: list[str], message: str) -> None:
    done = stored.run("reparse", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert old_titles(stored.data) == 1


def test_without_a_crawl_there_is_nothing_to_read(empty: Breadcrumb) -> None:
    done = empty.run("reparse")
    assert done.code == 2
    assert "holds no crawl yet" in done.err


@pytest.mark.parametrize("words", [[], ["--diff"]], ids=["to store", "to show"])
def test_while_a_crawl_runs_it_waits_for_its_end(stored: Breadcrumb, words: list[str]) -> None:
    lock = CrawlLock(stored.data)
    try:
        done = stored.run("reparse", *words)
    finally:
        lock.release()
    assert done.code == 2
    assert "is in use by a crawl" in done.err
    assert old_titles(stored.data) == 1


def test_while_the_index_is_written_its_writer_takes_over_what_has_changed(stored: Breadcrumb) -> None:
    writer = open_writer(stored.data)
    try:
        done = stored.run("reparse")
    finally:
        writer.close()
    assert done.code == 0
    assert "is writing the index and includes the changes." in done.out


def test_each_part_of_a_divided_crawl_is_read(empty: Breadcrumb) -> None:
    for part in (Partition(1, 2), Partition(2, 2)):
        site = next(name for name in (f"{letter}.example" for letter in "abcdefgh") if part.owns(name))
        url, folder = canonicalize(f"http://{site}/"), empty.data / f"part-{part.number}"
        fill(folder, [url], partition=part)
        age(folder, [url])
    told = json.loads(empty.run("reparse", "--json").out)
    assert (told["read"], told["changed"], told["complete"]) == (2, 2, True)


HAS_PROC = Path("/proc/self/task").exists()  # only Linux lists the children of a process


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in text.split()]


def is_gone(process: int) -> bool:
    """Whether a process has ended; one that nobody has waited for is a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def stored_slice(folder: Path, left_before: int) -> int:
    """Wait until more of the pages are stored, and not all; return how many are left."""
    end = time.monotonic() + PATIENCE
    with CrawlDatabase(folder, readonly=True) as database:
        while time.monotonic() < end:
            _, left, _ = Rereading(database).counts
            if 0 < left < left_before:
                return left
            time.sleep(POLL_SECONDS)
    raise AssertionError("no slice was stored")


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a thousand pages that an older rule has read."""
    folder = tmp_path_factory.mktemp("aged") / "data"
    fill(folder, MANY)
    age(folder, MANY)
    return folder


def here(many: Breadcrumb) -> list[str]:
    """The words that name its folder."""
    return ["-s", f"DATA_DIR={many.data}"]


@pytest.fixture
def many(empty: Breadcrumb, aged: Path) -> Breadcrumb:
    """A copy of that folder."""
    shutil.copytree(aged, empty.data)
    return empty


@pytest.mark.slow
def test_stopped_after_a_slice_and_killed_at_any_moment_the_same_command_goes_on_where_it_ended(
    many: Breadcrumb, forks: ForkServer
) -> None:
    with fork(forks, "reparse", *here(many), "--workers", "1") as process:
        stored_slice(many.data, len(MANY))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in err) == (1, False)
    assert "reparse: stopping after the pages under way; Ctrl-C again stops at once\n" in err
    assert "left to read: the same command continues with them." in out
    left = old_titles(many.data)
    assert 0 < left < len(MANY)

    with fork(forks, "reparse", *here(many), "--workers", "2") as process:
        stored_slice(many.data, left)
        readers = children_of(process.pid) if HAS_PROC else None
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    if readers is not None:
        assert len(readers) >= 2
        wait_until(lambda: all(map(is_gone, readers)))
    before, left = left, old_titles(many.data)
    assert 0 < left < before

    told = json.loads(many.run("reparse", "--workers", "1", "--json").out)
    assert (told["read_before"], told["read"], told["changed"]) == (len(MANY) - left, left, len(MANY))
    assert old_titles(many.data) == 0


@pytest.mark.slow
@pytest.mark.skipif(not HAS_PROC, reason="only Linux lists the children of a process")
def test_a_diff_that_is_stopped_tells_what_it_has_found(many: Breadcrumb, forks: ForkServer) -> None:
    with fork(forks, "reparse", *here(many), "--workers", "1", "--diff", "-s", "NEAR_DUPLICATE_THRESHOLD=1") as process:
        while not children_of(process.pid):  # its readers: then it has heard of Ctrl-C
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "left to read: nothing was changed." in out
    assert old_titles(many.data) == len(MANY)
