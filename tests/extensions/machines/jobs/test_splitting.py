"""A crawl in a store is split in its middle, by a process that is killed at each step: it ends as the unsplit one."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from crawldb.parts.division import folder_of, parts_in
from crawldb.parts.mailbox import MAILBOX
from extensions.machines.jobs.copies import join_copies
from extensions.machines.jobs.fetching import fetch_all
from extensions.machines.jobs.pagerank import rank_all
from extensions.machines.jobs.splitting import split_all
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.messages import read_messages
from extensions.machines.tasks.part_change import PartsInStore
from extensions.machines.tasks.places import PartsInFolder
from frontier.job import CrawlJob
from frontier.session import Session
from indexer import open_index
from reports.numbers import report_of
from tests.child import end_of_own_fork
from tests.extensions.machines.jobs.divided import (
    HOSTS,
    PARTS,
    SEEDS,
    a_web,
    crawl,
    goes_on,
    index,
    put_into_store,
    text_of,
)
from tests.extensions.machines.standalone import needs_spark
from urls.canonical import site_of
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from crawldb.parts.partition import Partition
    from extensions.machines.engines.spark import SparkTasks

INTO = 5
LEASE = 30.0
BEHIND, RESTS = 5_000.0, 100_000.0  # seconds: of the clock that the crawl had, and how long its hosts rest
WEB, LATER = a_web(1), a_web(2)  # other links between the same pages
# Texts that are so unlike that none is near another: what is a copy may be one in a part, and none in two parts.
TEXTS = {url: text_of(url) for url in WEB}
LINKS = (
    "SELECT coalesce(source.url, foreign_page.url), target.url, text FROM link "
    "JOIN url AS target ON target.id = target JOIN anchor ON anchor.id = anchor "
    "LEFT JOIN url AS source ON source.id = source "
    "LEFT JOIN foreign_page ON foreign_page.id = -source"
)
Rows = list[tuple[Any, ...]]


class Asked(dict[str, Any]):
    """A web that counts how often each of its pages is asked for."""

    def __init__(self, web: Mapping[str, Any]) -> None:
        super().__init__(web)
        self.times = Counter[str]()

    def __getitem__(self, url: str) -> Any:
        self.times[url] += 1
        return super().__getitem__(url)


def rows(data_dir: Path, sql: str) -> Rows:
    found: Rows = []
    for part in parts_in(data_dir):
        with CrawlDatabase(folder_of(data_dir, part), readonly=True) as database:
            found += database.connection.execute(sql).fetchall()
    return sorted(found)


def sessions_of(data_dir: Path, parts: Sequence[Partition]) -> list[Session]:
    return [Session(folder_of(data_dir, part), CrawlJob(SEEDS, partition=part)) for part in parts]


def close(data_dir: Path, sessions: Sequence[Session], parts: Sequence[Partition], ending: str) -> None:
    for session, part in zip(sessions, parts, strict=True):
        session.close(ending)
        index(folder_of(data_dir, part))


def crawl_on(data_dir: Path, web: Mapping[str, Any]) -> None:
    """Crawl to the end of the round, or a round if none is open, and do what `farm` does then."""
    parts = parts_in(data_dir)
    sessions = sessions_of(data_dir, parts)
    while any(goes_on(session, web, TEXTS) for session in sessions):
        pass
    close(data_dir, sessions, parts, "finished")


def over_all(data_dir: Path) -> tuple[object, list[tuple[str, float]]]:
    """Do the jobs over all parts; return what they count, and the answers to a question."""
    place = PartsInFolder(data_dir)
    told = join_copies(place), rank_all(place)
    hits = open_index(data_dir).search("home", limit=100).hits
    return told[1], sorted((hit.url, round(hit.score, 9)) for hit in hits)


@dataclass
class Story:
    """Where the crawl lies: as it was, as it went on unsplit, and split; `kills` is how often the split was killed."""

    store: str
    middle: Path
    unsplit: Path
    split: Path
    kills: int
    told: list[str]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("split")
    unsplit, middle, split = folder / "unsplit", folder / "middle", folder / "split"
    sessions = sessions_of(unsplit, PARTS)
    for session in (*sessions, *sessions[:2]):  # the first two hear of the others, and nobody hears what they say then
        goes_on(session, WEB, TEXTS)
    close(unsplit, sessions, PARTS, "shutdown")
    shutil.copytree(unsplit, middle)
    for part in PARTS:
        with CrawlDatabase(folder_of(middle, part)) as database, database.transaction() as connection:
            rests = [(host, time.time() - BEHIND + RESTS) for host in HOSTS if part.owns(host)]
            connection.executemany("INSERT OR REPLACE INTO host (name, rests_until) VALUES (?, ?)", rests)
    store = put_into_store(str(folder / "store"), middle, PARTS, "bounded", BEHIND).objects.uri
    place = PartsInStore(store, Versions.here(), LEASE, str(folder / "scratch"))
    kills = next(at - 1 for at in count(1) if ended_by_itself(place, at))
    told: list[str] = []
    fetch_all(place, split, told.append)
    return Story(store, middle, unsplit, split, kills, told)


def ended_by_itself(place: PartsInStore, at: int) -> bool:
    """Split the store in a process that is killed when it gives a name for the `at`th time; say whether it was not."""
    names = count(1)

    def kill(event: str, _: object) -> None:
        if event == "os.link" and next(names) == at:
            os._exit(9)

    def split_and_die() -> None:
        sys.addaudithook(kill)
        split_all(place, INTO, "", None, bool)

    code = end_of_own_fork(split_and_die)
    assert code in {0, 9}
    store = SharedStore.open(place.store, to_split=True)
    for terms in (store.drivers, *map(store.terms, range(1, INTO + 1))):
        if terms.unended():
            terms.abandon(terms.newest(), "as who has waited for a lease does; the test need not wait")
    return code == 0


@pytest.mark.slow
def test_all_is_there_once_wherever_the_split_was_killed(story: Story) -> None:
    assert story.kills >= 2 * INTO
    assert len(story.told) == len(parts_in(story.split)) == INTO
    for sql in (
        "SELECT url.url, site.name, state, seed, depth, found_by, rule FROM url JOIN site ON site.id = site",
        "SELECT url.url, title, size, fetched_at FROM page JOIN url ON url.id = page.url",
        "SELECT url.url, data FROM body JOIN url ON url.id = body.url WHERE same_as IS NULL AND data = ''",
        "SELECT url.url, at, status, size FROM fetch LEFT JOIN url ON url.id = fetch.url",
        "SELECT name, delay FROM host",
        "SELECT url.url, visits, seen_at FROM visit JOIN url ON url.id = visit.url",
        f"SELECT DISTINCT * FROM ({LINKS})",
    ):
        assert rows(story.split, sql) == rows(story.middle, sql), sql
    with Parts.in_folder(story.middle) as before, Parts.in_folder(story.split) as after:
        told, now = report_of(before), report_of(after)
    for name in ("urls", "requests", "bytes", "seconds"):
        assert now[name] == told[name], name
    assert (now["pages"]["stored"], now["harms"]) == (told["pages"]["stored"], told["harms"])


def test_each_host_rests_as_long_as_it_still_had_to(story: Story) -> None:
    rests = rows(story.split, "SELECT rests_until FROM host")
    assert len(rests) == len(HOSTS)
    assert all(0 <= time.time() + RESTS - until < BEHIND / 2 for (until,) in rests)


@pytest.mark.slow
def test_each_part_has_its_own_hosts_and_knows_it(story: Story) -> None:
    for part in parts_in(story.split):
        assert part.earlier == (3,)
        with CrawlDatabase(folder_of(story.split, part), readonly=True) as database:
            urls = [url for (url,) in database.connection.execute("SELECT url FROM url")]
        assert all(part.owns(site_of(url)) for url in urls)


def test_a_page_is_found_by_every_word_that_led_to_it_before_anything_is_crawled(story: Story) -> None:
    found = [
        {hit.url for hit in open_index(folder).search("home", limit=100).hits} for folder in (story.middle, story.split)
    ]
    assert found[0] == found[1]
    assert len(found[0]) > len(PARTS)
    for part in parts_in(story.split):
        hits = open_index(folder_of(story.split, part)).search("home", limit=100).hits
        assert all(part.owns(site_of(CanonicalUrl(hit.url))) for hit in hits)


@pytest.mark.slow
def test_the_crawl_goes_on_and_ends_as_it_would_have_unsplit(story: Story, tmp_path: Path) -> None:
    split = tmp_path / "split"
    shutil.copytree(story.split, split)
    for part in parts_in(split):
        (folder_of(split, part) / MAILBOX).unlink()  # side by side, they read each other's outbox
    had = {url for (url,) in rows(split, "SELECT url.url FROM page JOIN url ON url.id = page.url")}
    asked = Asked(WEB)
    crawl_on(split, asked)
    assert set(asked.times.values()) == {1}
    assert asked.times.keys() == set(WEB) - had
    crawl_on(story.unsplit, WEB)
    assert rows(split, LINKS) == rows(story.unsplit, LINKS)
    assert over_all(split) == over_all(story.unsplit)
    for folder in (split, story.unsplit):
        crawl_on(folder, LATER)
    assert rows(split, LINKS) == rows(story.unsplit, LINKS), "what links say now has taken the place of what they said"
    assert over_all(split) == over_all(story.unsplit)


def test_no_number_of_a_letter_is_given_twice_where_a_part_is_split_off_again(story: Story) -> None:
    store = SharedStore.open(story.store)
    tries = []
    for part in range(len(PARTS) + 1, INTO + 1):
        files = [outcome.letters for outcome in store.committed(part)]
        numbers = [letter.seq for file in files for letter in read_messages(store.objects, file)]
        assert len(set(numbers)) == len(numbers) > 0
        tries.append(len(files))
    assert max(tries) > 1


@pytest.mark.long
@needs_spark
def test_spark_splits_the_parts_side_by_side(tmp_path: Path, spark_here: SparkTasks) -> None:
    crawl(tmp_path / "made", PARTS, WEB)
    put_into_store(str(tmp_path / "store"), tmp_path / "made", PARTS)
    place = PartsInStore(str(tmp_path / "store"), Versions.here(), LEASE, str(tmp_path / "scratch"))
    told: list[str] = []
    assert split_all(place, 6, "", spark_here, told.append) == 3
    assert min(told) == "part 1/3: it became 1/6 and 4/6"
    fetch_all(place, tmp_path / "split", told.append)
    sql = "SELECT url.url FROM page JOIN url ON url.id = page.url"
    assert rows(tmp_path / "split", sql) == rows(tmp_path / "made", sql)


def test_what_was_stored_before_the_split_is_cut_where_it_is_all_that_is_left(story: Story, tmp_path: Path) -> None:
    """The newest folder of a part is damaged: the one before it is of the earlier division."""
    store = tmp_path / "store"
    shutil.copytree(story.store, store)
    newest = SharedStore.open(str(store)).newest()[1]
    (store / newest.files["crawl.sqlite3"].name).write_bytes(b"rotten")
    place = PartsInStore(str(store), Versions.here(), LEASE)
    told: list[str] = []
    fetch_all(place, tmp_path / "again", told.append)
    sql = "SELECT url.url FROM page JOIN url ON url.id = page.url"
    assert rows(tmp_path / "again", sql) == rows(story.split, sql)
