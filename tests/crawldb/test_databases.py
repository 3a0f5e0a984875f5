"""The partitions of a crawl together: the owner of a URL, copies, and numbers that add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError
from crawldb.databases import Parts, folders_of, open_whole
from crawldb.parts.division import check_divides, claim_folder, folder_of, parts_in
from crawldb.parts.partition import WHOLE, Partition
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import forget
from reports.numbers import divided_report, report_of
from tests.samples import a_page, accounting, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd
from urls.rules import Rule
from urls.site_options import ChosenOption, SiteOption

if TYPE_CHECKING:
    from pathlib import Path

PARTS = tuple(Partition(number, 2) for number in (1, 2))
ONE, TWO = (next(f"{letter}.example" for letter in "abcdefgh" if part.owns(f"{letter}.example")) for part in PARTS)
TWIN = next(f"www.{name}.example" for name in "abcdefghijkl" if PARTS[0].owns(f"www.{name}.example")
            and PARTS[1].owns(f"{name}.example"))  # fmt: skip


def part(folder: Path, number: int, *seeds: str, **plan: object) -> Session:
    told = CrawlJob(tuple(canonicalize(seed) for seed in seeds), partition=Partition(number, 2), **plan)  # type: ignore[arg-type]  # a dict of several types
    return Session(folder_of(folder, told.partition), told)


def crawl(session: Session, texts: dict[str, str]) -> list[str]:
    """Store a page for everything that is due, and return what that was."""
    asked = []
    while leased := lease_all(session):
        asked += leased
        for url in leased:
            session.store.page(a_page(url, texts.get(url, "")))
    return asked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two parts, each with the home page of one site and a copy of a page of the other."""
    for number, host in ((1, ONE), (2, TWO)):
        session = part(
            tmp_path, number, f"http://{ONE}/", f"http://{TWO}/", f"http://{host}/copy", f"http://{host}/gone"
        )
        for url in lease_all(session):
            if url.endswith("gone"):
                session.store.outcome(an_outcome(url, LeaseEnd.GONE, Rule.GONE))
            else:
                session.store.page(a_page(url, "the same words" if url.endswith("copy") else url[7:]))
        session.close("finished")
    return tmp_path


def test_a_folder_says_by_its_parts_that_its_crawl_is_divided(folder: Path) -> None:
    assert parts_in(folder) == PARTS
    assert parts_in(folder / "part-1") == ()
    (folder / "part-2" / FILE_NAME).unlink()
    (folder / "part-2" / f"{FILE_NAME}-wal").unlink(missing_ok=True)
    assert parts_in(folder) == PARTS, "the other one knows"
    with pytest.raises(DatabaseError, match=r"part 2/2 .* is missing"):
        folders_of(folder)


def test_a_whole_crawl_is_none_of_parts_whatever_lies_beside_it(tmp_path: Path) -> None:
    Session(tmp_path / "part-1", CrawlJob((canonicalize("http://a.example/"),))).close("finished")
    assert parts_in(tmp_path) == ()
    CrawlDatabase(tmp_path).close()
    (tmp_path / "part-3").mkdir()
    assert parts_in(tmp_path) == ()


def test_no_whole_crawl_is_begun_in_the_folder_of_a_divided_one(folder: Path) -> None:
    for readonly in (True, False):
        with pytest.raises(DatabaseError, match=r"holds a crawl in 2 parts: ./breadcrumb farm"):
            open_whole(folder, readonly=readonly)
    assert not (folder / FILE_NAME).exists()


def test_a_divided_crawl_is_not_begun_beside_a_whole_one_nor_in_another_number(folder: Path, tmp_path: Path) -> None:
    check_divides(folder, 2)
    with pytest.raises(DatabaseError, match="continue with -n 2"):
        check_divides(folder, 3)
    with CrawlDatabase(folder / "part-3") as third, pytest.raises(DatabaseError, match="continue with -n 2"):
        claim_folder(third, Partition(3, 3))
    CrawlDatabase(tmp_path / "whole").close()
    with pytest.raises(DatabaseError, match="holds a whole crawl"):
        check_divides(tmp_path / "whole", 2)


def test_a_url_is_asked_of_the_part_that_has_its_host(folder: Path) -> None:
    with Parts(folder, PARTS) as parts:
        assert parts.home(f"HTTP://{ONE.upper()}/x?#y").path.parent == folder / "part-1"
        assert parts.home(f"http://{TWO}/").path.parent == folder / "part-2"
        assert parts.home("no address").path.parent == folder / "part-1"


def test_pages_of_other_parts_that_say_the_same_are_known_until_they_go(folder: Path) -> None:
    one, two = f"http://{ONE}/copy", f"http://{TWO}/copy"
    with Parts(folder, PARTS) as parts:
        assert (parts.copies(one), parts.copies(two), parts.copies(f"http://{ONE}/")) == ((two,), (one,), ())
        with CrawlDatabase(folder / "part-2") as database:
            forget(database, two)
        assert (parts.copies(one), parts.is_hidden(one), parts.is_hidden(two)) == ((), False, True)


def test_a_part_that_is_missing_has_no_copies_and_hides_nothing(folder: Path) -> None:
    (folder / "part-2" / FILE_NAME).write_bytes(b"no database")
    with Parts(folder, PARTS) as parts:
        assert parts.copies(f"http://{ONE}/copy") == ()
        with pytest.raises(DatabaseError):
            parts.is_hidden(f"http://{TWO}/copy")
    (folder / "part-2" / FILE_NAME).unlink()
    with Parts(folder, PARTS) as parts:
        assert not parts.is_hidden(f"http://{TWO}/copy"), "an index answers alone"


def test_a_whole_crawl_is_a_crawl_of_one_part(tmp_path: Path) -> None:
    with Parts.in_folder(tmp_path) as parts:
        assert (parts.parts, parts.divided) == ((WHOLE,), False)
        assert not parts.is_hidden(f"http://{ONE}/"), "an index answers alone"
        for ask in (parts.home, parts.home_to_write):
            with pytest.raises(DatabaseError, match="holds no crawl yet"):
                ask(f"http://{ONE}/")
    assert not list(tmp_path.iterdir()), "and nothing is made by asking"
    session = Session(tmp_path, CrawlJob((canonicalize(f"http://{ONE}/"), canonicalize(f"http://{ONE}/copy"))))
    crawl(session, {})
    forget(session.database, f"http://{ONE}/copy")
    session.close("finished")
    with Parts.in_folder(tmp_path) as parts:
        homes = {parts.home(url).path for url in (f"http://{ONE}/", f"http://{TWO}/", "no address")}
        assert homes == {tmp_path / FILE_NAME}
        assert (parts.is_hidden(f"http://{ONE}/"), parts.is_hidden(f"http://{ONE}/copy")) == (False, True)
        assert parts.copies(f"http://{ONE}/") == (), "within a part that was judged when they were stored"
        assert report_of(parts)["urls"]["discovered"] == 2
        with parts.home_to_write(f"http://{ONE}/") as database, database.transaction():
            pass  # which a connection that only reads refuses


def test_the_parts_of_a_divided_crawl_are_found_in_its_folder(folder: Path) -> None:
    with Parts.in_folder(folder) as parts:
        assert (parts.parts, parts.divided) == (PARTS, True)
        assert report_of(parts)["urls"]["discovered"] == 6


def test_the_numbers_of_all_parts_add_up(folder: Path) -> None:
    with Parts(folder, PARTS) as parts:
        told = divided_report(parts)
    urls = told["urls"]
    assert urls == {"discovered": 6, "queued": 0, "leased": 0, "done": 4, "failed": 2, "suppressed": 0}
    assert urls["discovered"] == sum(each["urls"]["discovered"] for each in told["parts"])
    assert (told["pages"]["stored"], told["requests"], told["failed"]) == (4, 6, {"gone": 2})
    assert told["sites"] == {ONE: 2, TWO: 2}
    assert told["last_run"] is None
    assert [each["last_run"]["ending"] for each in told["parts"]] == ["finished", "finished"]


def test_a_part_that_cannot_be_counted_is_named(folder: Path) -> None:
    (folder / "part-1" / FILE_NAME).write_bytes(b"no database" * 10)
    with Parts(folder, PARTS) as parts:
        told = divided_report(parts)
    assert told["urls"]["discovered"] == 3
    assert "can't be opened" in told["parts"][0]["fault"]
    assert told["parts"][1]["fault"] is None


def test_a_redirect_to_a_host_of_another_part_is_no_failure(tmp_path: Path) -> None:
    session = part(tmp_path, 1, f"http://{ONE}/", f"http://{TWO}/")
    lease_all(session)
    target = f"http://{TWO}/new"
    session.store.outcome(an_outcome(f"http://{ONE}/", LeaseEnd.MOVED, Rule.MOVED, target=target))
    assert session.database.value("SELECT url FROM outbox WHERE found_by = 'redirect'") == target
    assert session.database.connection.execute("SELECT state, rule FROM url").fetchall() == [(2, "moved")]
    assert "another part of the crawl has its host" in str(session.database.value("SELECT reason FROM journal"))
    session.close("finished")


def test_a_canonical_address_in_another_part_is_handed_over_and_told(tmp_path: Path) -> None:
    session = part(tmp_path, 1, f"http://{ONE}/", f"http://{TWO}/")
    lease_all(session)
    session.store.page(a_page(f"http://{ONE}/", canonical=canonicalize(f"http://{TWO}/real")))
    assert session.database.value("SELECT 1 FROM outbox WHERE url = ?", f"http://{TWO}/real") == 1
    assert session.database.value("SELECT refusals FROM page") == "[]"
    assert "is in another part" in str(session.database.value("SELECT reason FROM journal WHERE rule = 'warning'"))
    session.close("finished")


def test_with_and_without_www_is_one_site_though_two_parts_have_the_names(tmp_path: Path) -> None:
    plain = TWIN.removeprefix("www.")
    www = {TWIN: (ChosenOption(SiteOption.WWW),)}
    seeds = (f"http://{TWIN}/", f"http://{TWIN}/a")
    first = part(tmp_path, 1, *seeds, options=www)
    assert (crawl(first, {}), accounting(first)["discovered"]) == ([], 0)
    second = part(tmp_path, 2, *seeds, options=www)
    second.receive()
    assert sorted(crawl(second, {})) == [f"http://{plain}/", f"http://{plain}/a"]
    first.close("finished")
    second.close("finished")
    with Parts(tmp_path, PARTS) as parts:
        assert parts.home(f"http://{TWIN}/a").path.parent == tmp_path / "part-2", "under the name that it is known by"


def test_aliases_in_another_part_are_handed_over_when_the_option_is_switched_on(tmp_path: Path) -> None:
    plain = TWIN.removeprefix("www.")
    seeds = (f"http://{TWIN}/", f"http://{TWIN}/a", f"http://{plain}/")
    for number, asked in ((1, [f"http://{TWIN}/", f"http://{TWIN}/a"]), (2, [f"http://{plain}/"])):
        session = part(tmp_path, number, *seeds)
        assert crawl(session, {}) == asked
        session.close("finished")
    www = {TWIN: (ChosenOption(SiteOption.WWW),)}
    first, second = (part(tmp_path, number, options=www) for number in (1, 2))
    assert crawl(first, {}) == []
    assert accounting(first)["suppressed"] == 2
    assert first.database.count("SELECT count(*) FROM page") == 0
    second.receive()
    assert sorted(crawl(second, {})) == [f"http://{plain}/", f"http://{plain}/a"], "each once in this round"
    first.close("finished")
    second.close("finished")
