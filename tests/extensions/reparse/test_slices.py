"""All stored pages are read again: in slices, with an end that can wait, and a trial that leaves no trace."""

from __future__ import annotations

import itertools
import os
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.pages import Pages
from crawldb.tables.journal import Journal
from crawldb.tables.runs import latest_run
from extensions.reparse.readers import CHUNK, Readers
from extensions.reparse.slices import Chosen, ReparseRun
from extensions.reparse.tables import Rereading, reasons_without_body
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from frontier.store import LeaseWriter
from frontier.writer import CrawlWriter
from pages import parse_page
from pipelines.filters import FilterSettings, PageFilters
from pipelines.review import PageReview
from tests.aged import OLD_TITLE, age_title, age_verdict, crawl_bodies, everything, html
from tests.pipelines.dying_reader import read_or_die, read_or_raise
from tests.samples import SEED
from urls.canonical import canonicalize
from urls.records import Link
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extensions.reparse.slices import ReparseTally
    from extensions.reparse.tables import Place
    from frontier.session import Session
    from urls.records import Page

COUNT = 7
URLS = [SEED, *(canonicalize(f"http://a.example/{number}") for number in range(1, COUNT))]
ALL = Chosen("one version")
read = partial(parse_page, agent="Breadcrumb")


@pytest.fixture
def folder(session: Session, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("extensions.reparse.slices.SLICE", 2)
    crawl_bodies(session, {url: html(f"page {url}", *URLS) for url in URLS})
    session.close("finished")
    return data_dir


@pytest.fixture
def database(folder: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(folder) as opened:
        yield opened


def run(database: CrawlDatabase) -> ReparseRun:
    return run_with(database, PageFilters(database, FilterSettings()))


def run_with(database: CrawlDatabase, filters: PageFilters) -> ReparseRun:
    newest = latest_run(database)
    leases = LeaseWriter(database, newest, Journal(database, newest.id))
    writer = CrawlWriter(database, policy_in(database), CrawlJob(), leases)
    return ReparseRun(writer, PageReview(writer, filters, read))


def readers(how: Callable[..., Page] = read, processes: int = 0) -> Readers:
    """With processes, to be made while no database is open here."""
    return Readers(how, FilterSettings(), processes)


def always(_: ReparseTally) -> bool:
    return True


def never(_: ReparseTally) -> bool:
    return False


def titles(database: CrawlDatabase) -> list[str]:
    return [title for (title,) in database.connection.execute("SELECT title FROM page ORDER BY url")]


def test_what_says_the_same_is_left_as_it_was(database: CrawlDatabase) -> None:
    before = everything(database)
    tally = run(database).apply(ALL, readers(), always)
    assert (tally.total, tally.read, tally.changed, tally.others, tally.complete) == (COUNT, COUNT, 0, 0, True)
    assert everything(database) == before


def test_every_record_is_put_right_and_counted_by_kind(database: CrawlDatabase) -> None:
    right = titles(database)
    age_title(database, URLS[:3])
    age_verdict(database, URLS[2:4])
    tally = run(database).apply(ALL, readers(), always)
    assert titles(database) == right
    assert (tally.changed, tally.kinds) == (4, {"title": 3, "verdict": 2})
    assert tally.examples["title"][0] == (SEED, OLD_TITLE, f"page {SEED}")
    assert tally.examples["verdict"][0] == (URLS[2], "refused (frames): an older rule said so", "in the index")


def test_a_trial_tells_what_applying_does_and_leaves_no_trace(database: CrawlDatabase) -> None:
    age_title(database, URLS[:3])
    before = everything(database)
    tried = run(database).try_out(ALL, readers(), always)
    assert everything(database) == before
    assert tried == run(database).apply(ALL, readers(), always)
    assert tried.changed == 3


def test_a_run_that_was_stopped_goes_on_where_it_ended(database: CrawlDatabase) -> None:
    age_title(database, URLS)
    first = run(database).apply(ALL, readers(), never)
    assert (first.read, first.complete) == (2, False)
    assert titles(database).count(OLD_TITLE) == COUNT - 2
    second = run(database).apply(ALL, readers(), always)
    assert (second.before, second.read, second.changed, second.complete) == (2, COUNT - 2, COUNT, True)
    assert OLD_TITLE not in titles(database)
    assert Rereading(database).counts == (0, 0, 0)


def test_a_trial_after_a_stop_reads_all_and_leaves_the_list_as_it_was(database: CrawlDatabase) -> None:
    run(database).apply(ALL, readers(), never)
    before = everything(database)
    assert run(database).try_out(ALL, readers(), always).read == COUNT
    assert everything(database) == before


@pytest.mark.parametrize(
    "other",
    [Chosen("another version"), Chosen("one version, few pages", pages=[1, 2, 3])],
    ids=["other rules", "another choice"],
)
def test_under_another_version_it_begins_anew(database: CrawlDatabase, other: Chosen) -> None:
    run(database).apply(ALL, readers(), never)
    tally = run(database).apply(other, readers(), always)
    assert (tally.before, tally.read) == (0, len(other.pages or URLS))


def test_a_fault_of_ours_in_the_middle_leaves_whole_slices(database: CrawlDatabase) -> None:
    age_title(database, URLS)
    before = titles(database)
    slices = itertools.count()

    def break_down(_: ReparseTally) -> bool:
        if next(slices) == 1:
            raise ZeroDivisionError
        return True

    with pytest.raises(ZeroDivisionError):
        run(database).apply(ALL, readers(), break_down)
    assert Rereading(database).counts == (COUNT, COUNT - 4, 4)
    assert titles(database) != before
    assert run(database).apply(ALL, readers(), always).complete
    assert OLD_TITLE not in titles(database)


def test_a_sample_is_always_the_same_and_spread_by_the_addresses(database: CrawlDatabase) -> None:
    age_title(database, URLS)
    sampled = replace(ALL, version="sampled", sample=3)
    told = [run(database).try_out(sampled, readers(), always).examples["title"] for _ in range(2)]
    assert told[0] == told[1]
    assert len(told[0]) == 3


def test_only_the_chosen_pages_are_read(database: CrawlDatabase) -> None:
    age_title(database, URLS)
    run(database).apply(replace(ALL, pages=[1, 3]), readers(), always)
    assert [number for number, title in enumerate(titles(database), 1) if title != OLD_TITLE] == [1, 3]


def test_a_page_that_cannot_be_read_stays_as_it_was_and_the_journal_says_why(session: Session, data_dir: Path) -> None:
    faulty = canonicalize("http://a.example/faulty")
    crawl_bodies(session, {SEED: html("home", faulty), faulty: html("faulty")})
    session.close("finished")
    with CrawlDatabase(data_dir) as database:
        age_title(database, [SEED, faulty])
        tally = run(database).apply(ALL, readers(read_or_raise), always)
        assert tally.faults == [(faulty, "ZeroDivisionError: the moon is out")]
        assert titles(database) == ["home", OLD_TITLE]
        assert "stays as it was" in str(database.value("SELECT reason FROM journal WHERE rule = ?", Rule.FAULT))


def test_a_page_that_a_judge_fails_over_stays_as_it_was(database: CrawlDatabase) -> None:
    class Failing(PageFilters):
        def apply(self, page: Page) -> Page:
            if page.url == URLS[1]:
                raise ZeroDivisionError("the moon is out")
            return super().apply(page)

    age_title(database, URLS[:3])
    tally = run_with(database, Failing(database, FilterSettings())).apply(ALL, readers(), always)
    assert (tally.changed, tally.faults) == (2, [(URLS[1], "ZeroDivisionError: the moon is out")])
    assert titles(database)[1] == OLD_TITLE


def test_a_fault_while_a_page_is_stored_leaves_all_of_it_as_it_was(database: CrawlDatabase) -> None:
    class Failing(PageFilters):
        def apply(self, page: Page) -> Page:
            links = (Link("http://a.example/new", "new"),)
            return replace(super().apply(page), links=links, warnings=(object(),)) if page.url == URLS[1] else page  # type: ignore[arg-type]  # no text

    before = everything(database)["link"]
    tally = run_with(database, Failing(database, FilterSettings())).apply(replace(ALL, pages=[2]), readers(), always)
    assert [url for url, _ in tally.faults] == [URLS[1]]
    assert everything(database)["link"] == before
    assert database.count("SELECT count(*) FROM url") == COUNT


def test_a_copy_that_was_met_before_its_original_stays_a_copy(session: Session, data_dir: Path) -> None:
    one, two = (canonicalize(f"http://a.example/{name}") for name in ("one", "two"))
    crawl_bodies(session, {SEED: html("home", one, two), one: html("bread"), two: html("bread")})
    session.close("finished")
    with CrawlDatabase(data_dir) as database:
        swap = "UPDATE page SET refusals = ?, duplicate_of = ?, fingerprint = x'00' WHERE url = ?"
        database.connection.executemany(swap, [('[["duplicate", "it says the same"]]', 3, 2), ("[]", None, 3)])
        run(database).apply(ALL, readers(), always)
        kept = [Pages(database).get(url) for url in (one, two)]
    assert [page.duplicate_of for page in kept if page] == [two, None]


def test_a_copy_without_a_body_is_let_go_when_its_original_says_something_else(
    session: Session, data_dir: Path
) -> None:
    one, two = (canonicalize(f"http://a.example/{name}") for name in ("one", "two"))
    crawl_bodies(session, {SEED: html("home", one, two), one: html("bread"), two: html("bread")})
    session.close("finished")
    with CrawlDatabase(data_dir) as database:
        database.connection.execute("DELETE FROM body WHERE url = 3")
        database.connection.execute("UPDATE page SET fingerprint = x'00' WHERE url IN (2, 3)")
        tally = run(database).apply(ALL, readers(), always)
        copy = Pages(database).get(two)
        assert copy is not None
        assert (copy.refusals, copy.duplicate_of, tally.others) == ((), None, 1)


def test_why_pages_have_no_body_is_told(session: Session) -> None:
    names = ("noindex", "noarchive", "picture", "earlier")
    noindex, noarchive, picture, earlier = (canonicalize(f"http://a.example/{name}") for name in names)
    pages = {
        SEED: html("home", noindex, noarchive, picture, earlier),
        noindex: html("noindex", head='<meta name="robots" content="noindex">'),
        noarchive: html("noarchive", head='<meta name="robots" content="noarchive">'),
        picture: b"\x89PNG\r\n\x1a\n" + bytes(100),
        earlier: html("earlier"),
    }
    crawl_bodies(session, pages)
    session.database.connection.execute("DELETE FROM body WHERE url = (SELECT id FROM url WHERE url = ?)", (earlier,))
    told = {"noindex": 1, "noarchive": 1, "no-text": 1, "earlier": 1}
    assert reasons_without_body(session.database) == told


@pytest.fixture
def places(folder: Path) -> list[Place]:
    with CrawlDatabase(folder) as database, database.transaction():
        Rereading(database).begin("v", None)
        return Rereading(database).after(0)


def test_processes_read_what_one_process_reads_in_the_same_order(folder: Path, places: list[Place]) -> None:
    def measured(how: Readers) -> list[Any]:
        with how:
            return list(how.read(folder, places))

    assert measured(readers(processes=2)) == measured(readers())


def test_readers_go_from_one_folder_to_the_next(folder: Path, places: list[Place], tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    with CrawlDatabase(other) as database:
        database.connection.execute("DELETE FROM body WHERE url = (SELECT min(url) FROM body)")
    with readers(processes=1) as reading:
        found = [[read.page is None for read in reading.read(each, places)] for each in (folder, other, folder)]
    assert [pages.count(True) for pages in found] == [0, 1, 0]


def test_no_process_outlives_its_readers(folder: Path, places: list[Place]) -> None:
    before = children()
    with readers(processes=2) as reading:
        list(reading.read(folder, places))
        assert len(children() - before) == 2
    assert not children() - before


def children() -> set[str]:
    """The processes that this one has started."""
    return set(Path("/proc/self/task", str(os.getpid()), "children").read_text().split())


@pytest.mark.slow
def test_a_page_that_kills_its_reader_costs_that_page_alone(session: Session, data_dir: Path) -> None:
    deadly = canonicalize("http://a.example/deadly")
    others = [canonicalize(f"http://a.example/{number}") for number in range(2 * CHUNK)]
    crawl_bodies(session, {SEED: html("home", deadly, *others)} | {url: html(url) for url in (deadly, *others)})
    session.close("finished")
    with readers(read_or_die, processes=1) as reading, CrawlDatabase(data_dir) as database:
        tally = run(database).apply(ALL, reading, always)
    assert tally.faults == [(deadly, "the process that read it died")]
    assert (tally.read, tally.complete) == (len(others) + 2, True)
