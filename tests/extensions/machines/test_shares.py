"""Copies, names and paths within a partition cross partitions after a split, or are complete in one of them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.exchange import ForeignLinks
from crawldb.pages.bodies import Bodies
from crawldb.parts.division import claim_folder, folder_of, held_by, parts_in
from crawldb.parts.mailbox import Outbox
from crawldb.parts.partition import Partition, winner
from crawldb.tables.journal import Journal
from crawldb.tables.links import path_to
from crawldb.visited import find
from extensions.machines.tables import gone_from_index, keep_share, named_elsewhere
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import forget
from robots import origin_of
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize, site_of
from urls.records import FoundBy, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

OLD, OTHER = Partition(1, 2), Partition(2, 2)
ONE, THREE = Partition(1, 3, (2,)), Partition(3, 3, (2,))
HOSTS = [f"host{number}.example" for number in range(40)]
STAYS = next(host for host in HOSTS if winner(host, 2, 3) == 1)
MOVES = next(host for host in HOSTS if winner(host, 2, 3) == 3)
ELSEWHERE = next(host for host in HOSTS if winner(host, 2, 3) == 2)
A, B = (canonicalize(f"http://{host}/") for host in (STAYS, MOVES))
SEEDS = (A, B, canonicalize(f"http://{ELSEWHERE}/"))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """One part with two hosts: each leads to the other, one of them says what the other says; and what it becomes."""
    old, new = folder_of(tmp_path, ONE), folder_of(tmp_path, THREE)
    session = Session(old, CrawlJob(SEEDS, partition=OLD))
    lease_all(session)
    copy = Refusal(Rule.DUPLICATE, f"it says the same as {A}")
    session.store.page(a_page(A, "alike", (B, f"{B}only", f"http://{ELSEWHERE}/x"), fetched_at=1.0))
    session.store.page(a_page(B, "alike", (A,), duplicate_of=A, refusals=(copy,), fetched_at=2.0))
    lease_all(session)
    named = f"{B}only"
    aside = Refusal(Rule.CANONICAL, f"it names {A} as its canonical address")
    session.store.page(replace(a_page(named, "another", (f"{A}x",)), canonical=A, refusals=(aside,)))
    session.close("shutdown")
    with CrawlDatabase(old) as database, database.transaction() as connection:
        connection.execute(
            "INSERT INTO robots (origin, fetched_at, expires_at, state, body, reason) "
            "VALUES (?, 1, 2, 'OPEN', x'', '')",
            (origin_of(B),),
        )
        connection.execute("INSERT INTO archive_file VALUES (1, 'one.warc.gz')")
        connection.execute(
            "INSERT INTO archived (file, start, stop, offset, length, address, at, kind, record) "
            "VALUES (1, 0, 9, 0, 0, ?, 1, 'response', ?)",
            (f"{B}only", bytes(16)),
        )
        Journal(database).write(find(database.connection, A), Rule.OFF_SITE, "of the one", [B])
    shutil.copytree(old, new)
    for folder, part in ((new, THREE), (old, ONE)):
        with CrawlDatabase(folder) as database:
            keep_share(database, part)
    return old, new


def test_each_side_keeps_its_hosts_and_knows_what_it_is(folders: tuple[Path, Path]) -> None:
    for folder, part, host in zip(folders, (ONE, THREE), (STAYS, MOVES), strict=True):
        with CrawlDatabase(folder) as database:
            assert (held_by(database), held_by(database).counts) == (part, (2, 3))
            assert {site_of(url) for (url,) in database.connection.execute("SELECT url FROM url")} == {host}
            assert database.value("PRAGMA integrity_check") == "ok"
    assert [part.counts for part in parts_in(folders[0].parent)] == [(2, 3)] * 3, "also of the part that is not here"


def test_a_copy_whose_original_is_elsewhere_stands_by_itself_with_its_body(folders: tuple[Path, Path]) -> None:
    with CrawlDatabase(folders[1]) as new:
        copy = find(new.connection, B) or 0
        found = new.connection.execute("SELECT refusals, duplicate_of FROM page WHERE url = ?", (copy,)).fetchall()
        assert found == [("[]", None)]
        assert Bodies(new).data(copy) == b"alike"
        assert new.value("SELECT 1 FROM change WHERE url = ?", copy) == 1


def test_a_page_that_stands_aside_for_one_that_is_elsewhere_now_goes_on_to_do_so(folders: tuple[Path, Path]) -> None:
    with CrawlDatabase(folders[1]) as new:
        named = find(new.connection, f"{B}only") or 0
        assert named_elsewhere(new) == {named: (A, True)}
        assert str(new.value("SELECT refusals FROM page WHERE url = ?", named)).startswith(f'[["{Rule.CANONICAL}"')
        assert new.value("SELECT count(*) FROM page WHERE canonical IS NOT NULL") == 0


def test_a_way_leads_from_part_to_part(folders: tuple[Path, Path]) -> None:
    with CrawlDatabase(folders[1]) as new:
        found = new.connection.execute(
            "SELECT url.url, page, text FROM foreign_source JOIN url ON id = foreign_source.url"
        ).fetchall()
        assert found == [(f"{B}only", A, "a link")]
        assert new.value("SELECT count(*) FROM url WHERE found_on IS NOT NULL") == 0
    with CrawlDatabase(folders[0]) as old, CrawlDatabase(folders[1]) as new:
        way = path_to(lambda url: new if site_of(canonicalize(url)) == MOVES else old, f"{A}x")
        assert [step.url for step in way.steps] == [A, f"{B}only", f"{A}x"]
        assert old.connection.execute("SELECT page FROM foreign_source").fetchall() == [(f"{B}only",)]


def test_the_words_of_links_are_in_both_forms(folders: tuple[Path, Path]) -> None:
    with CrawlDatabase(folders[0]) as old, CrawlDatabase(folders[1]) as new:
        crossing = new.connection.execute(
            "SELECT foreign_page.url, url.url FROM link JOIN foreign_page ON foreign_page.id = -source "
            "JOIN url ON url.id = target"
        ).fetchall()
        assert set(crossing) == {(A, B), (A, f"{B}only")}
        said = [delivery for delivery in Outbox(new, THREE).waiting() if delivery.sender == 1]
        [links] = [delivery.links for delivery in said]
        assert links == (ForeignLinks(A, 3, 1, ((B, "a link"), (f"{B}only", "a link"))),)
        assert {url.url for delivery in said for url in delivery.urls} == {B}, "the seed is known as one"
        [back] = [delivery for delivery in Outbox(old, ONE).waiting() if delivery.sender == 3]
        assert [(page.page, page.links) for page in back.links] == [(f"{B}only", ((f"{A}x", "a link"),))]


def test_what_a_host_is_known_by_goes_with_it(folders: tuple[Path, Path]) -> None:
    with CrawlDatabase(folders[0]) as old, CrawlDatabase(folders[1]) as new:
        assert old.value("SELECT count(*) FROM robots") == 0
        assert new.value("SELECT origin FROM robots") == origin_of(B)
        assert old.value("SELECT count(*) FROM journal WHERE reason = 'of the one'") == 1
        assert new.value("SELECT count(*) FROM journal WHERE reason = 'of the one'") == 0


def test_letters_of_before_the_split_are_left_aside(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """They were written to the part as it was, or by the part as it was: both are said anew."""
    outbox = "INSERT INTO outbox (url, part, depth, found_by, found_on, links) VALUES (?, 1, 1, ?, '', ?)"
    with CrawlDatabase(folder_of(tmp_path, OTHER)) as other, other.transaction() as connection:
        connection.execute(outbox, (SEEDS[2], FoundBy.LINK, f'[["{A}", ""], ["{B}", ""]]'))
        connection.execute(outbox, (f"{B}stale", FoundBy.LINK, f'[["{A}", ""]]'))
        connection.execute(outbox, (f"{B}url", FoundBy.LINK, None))
    with CrawlDatabase(folders[0]) as old:
        [delivery] = [each for each in Outbox(old, held_by(old)).waiting() if each.sender == 2]
    assert (delivery.urls, delivery.receipt) == ((), 3)
    assert delivery.links == (ForeignLinks(SEEDS[2], 1, 1, ((A, ""),)),)


def test_what_is_gone_from_an_index_is_asked_without_a_change(tmp_path: Path) -> None:
    session = Session(folder_of(tmp_path, OLD), CrawlJob((A, B), partition=OLD))
    lease_all(session)
    for url in (A, B):
        session.store.page(a_page(url))
    session.close("finished")
    with CrawlDatabase(folder_of(tmp_path, OLD), readonly=True) as database:
        assert list(gone_from_index(database, ONE)) == [B]
        assert list(gone_from_index(database, THREE)) == [A]


def test_each_new_part_is_told_of_each_page_that_had_told_the_old_one(tmp_path: Path) -> None:
    """A list that takes links back may be on its way to the old part, and the new one began before it came."""

    def led(*urls: str) -> str:
        return json.dumps([[url, "words"] for url in sorted(urls)])

    outbox = "INSERT INTO outbox (url, part, depth, found_by, found_on, links) VALUES (?, 1, 1, ?, '', ?)"
    with CrawlDatabase(folder_of(tmp_path, OTHER)) as other:
        claim_folder(other, OTHER)
        with other.transaction() as connection:
            for name, links in (("one", led(A)), ("both", led(A, B)), ("none", "[]"), ("new", led(B))):
                connection.execute(outbox, (f"{SEEDS[2]}{name}", FoundBy.LINK, links))
            connection.execute(outbox, (f"{B}url", FoundBy.LINK, None))
        keep_share(other, Partition(2, 3, (2,)))
        found = other.connection.execute("SELECT url, part, links, seq > 5 FROM outbox").fetchall()
    assert {(url.removeprefix(SEEDS[2]), *row) for url, *row in found} == {
        ("one", 1, led(A), 0),
        ("one", 3, "[]", 1),
        ("both", 1, led(A), 1),
        ("both", 3, led(B), 1),
        ("none", 1, "[]", 0),
        ("none", 3, "[]", 1),
        ("new", 1, "[]", 1),
        ("new", 3, led(B), 1),
        (f"{B}url", 3, None, 1),
    }


def test_an_archive_stays_with_the_old_part_and_forgets_what_is_of_other_parts_now(folders: tuple[Path, Path]) -> None:
    archives = pytest.importorskip("extensions.archives.tables", reason="the extension that keeps archives is left out")
    with CrawlDatabase(folders[0]) as old, CrawlDatabase(folders[1]) as new:
        assert [archives.holds_any(database) for database in (old, new)] == [True, False]
        forget(old, MOVES)
        assert not archives.holds_any(old)
