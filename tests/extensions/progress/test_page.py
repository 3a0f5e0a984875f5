"""The view of the crawl: waiting URLs, resting hosts, the plan next to the result, rounds; foreign words as text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commands import COMMANDS
from crawldb.database import FILE_NAME
from crawldb.tables.runs import write_plan
from frontier.job import CrawlJob
from frontier.session import Session
from reports.actual import FIGURES
from tests.gateway.conftest import EVIL, PAGES, SITE, gateway
from tests.gateway.test_served_crawl import farm
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Link, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

__all__ = ["farm"]  # a fixture
HOST = "bakery.localhost"


@pytest.fixture
def crawled(tmp_path: Path) -> Session:
    """A crawl that has fetched its seed and leads to two pages more; it has not ended."""
    session = Session(tmp_path, CrawlJob((PAGES[0].url,)))
    session.frontier.lease(1, lambda _: 1)
    session.store.page(replace(PAGES[0], links=tuple(Link(page.url, "a link") for page in PAGES[1:3])))
    return session


def the_page(session: Session, ending: str = "stopped") -> str:
    if ending:
        session.close(ending)
    return gateway(session.database.path.parent).get("/inside/crawl").text


def test_a_host_that_rests_is_told_with_its_reason_and_what_waits_for_it(crawled: Session) -> None:
    host = replace(crawled.store.hosts.of(HOST), rests_until=1e11, rest_reason="it answered 429", delay=60.0)
    crawled.store.hosts.put_to_rest(host, crawled.store.journal, None)
    page = the_page(crawled)
    assert "bakery.localhost until 5138-11-16 09:46 UTC, 2 URLs queued: it answered 429" in page
    assert "bakery.localhost:8400 takes longest: 2 URLs, 60 s apart, need at least 2 min 00 s." in page


def test_the_plan_stands_beside_what_it_came_to(crawled: Session) -> None:
    write_plan(crawled.database, crawled.run.id, {name: {"lower": 10, "upper": 20} for name in FIGURES})
    page = the_page(crawled)
    assert '<tr><th scope="row">pages</th><td>10 to 20</td><td>1</td></tr>' in page
    assert ">so far</th>" in page
    assert "There is no plan" not in page


def test_the_command_is_named_where_that_extension_is_there(crawled: Session) -> None:
    assert ("./breadcrumb plan SEEDS" in the_page(crawled)) is ("plan" in COMMANDS)


def test_rounds_are_drawn_once_there_are_two(crawled: Session) -> None:
    with crawled.database.transaction() as connection:
        connection.execute("UPDATE round SET closed_at = opened_at")
    assert "Pages, by round" not in (page := the_page(crawled))
    assert "<td>open</td>" not in page
    data_dir = crawled.database.path.parent
    Session(data_dir, CrawlJob((PAGES[0].url,))).close("finished")
    page = gateway(data_dir).get("/inside/crawl").text
    assert "Pages, by round" in page
    assert "<td>open</td>" in page


def test_what_strangers_wrote_is_text(crawled: Session) -> None:
    evil = canonicalize(f"{SITE}/{EVIL}")
    crawled.store.page(replace(PAGES[1], links=(Link(evil, EVIL),)))
    crawled.frontier.lease(1000, lambda _: 1000)
    crawled.store.outcome(Outcome(evil, LeaseEnd.FAILED, Rule.SERVER_ERROR, f"said {EVIL}", status=500, fetched_at=1.0))
    page = the_page(crawled)
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize("every", ["-1", "0.5x", "3601", "1e9", "x" * 100_000])
def test_what_is_no_number_of_seconds_is_refused(client: FlaskClient, every: str) -> None:
    answer = client.get(f"/inside/crawl?every={every}")
    assert (answer.status_code, "give a number from 0 to 3600" in answer.text) == (400, True)


def test_a_folder_without_a_crawl_and_one_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/inside/crawl")
    assert (answer.status_code, "holds no crawl yet" in answer.text) == (503, True)
    (tmp_path / "crawl.sqlite3").write_bytes(b"no database")
    answer = gateway(tmp_path).get("/inside/crawl")
    assert (answer.status_code, "The crawl can&#39;t be used" in answer.text) == (503, True)


def test_it_is_of_all_parts_and_says_which_it_lacks(farm: Path) -> None:
    crawl = gateway(farm).get("/inside/crawl").text
    assert "<dt>discovered</dt><dd>4</dd>" in crawl
    assert all(f"Part {part}: run number 1" in crawl for part in ("1/2", "2/2"))
    assert "A crawl in parts has no plan." in crawl
    assert "Each part has its own rounds; they are not shown here." in crawl
    (farm / "part-1" / FILE_NAME).write_bytes(b"no database")
    assert "Part 1/2 can't be read. These numbers are without it" in gateway(farm).get("/inside/crawl").text
