"""Which known URL did a person mean? Common typing errors, and texts that are no URL."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from reports.why import url_record
from reports.why.gather import nearest_known_urls, similar_texts
from tests.samples import a_page, lease_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from frontier.session import Session

HOST = "http://bakery.localhost:8400"
PATHS = ("/breads/rye.html", "/breads/sourdough.html", "/orders?bread=rye&loaves=2", "/x", "/Prices.HTML", "/shop/")


@pytest.fixture
def crawl(open_session: Callable[..., Session]) -> Session:
    """A bakery with six pages behind its front door."""
    session = open_session(f"{HOST}/", "https://www.mill.example/")
    links = tuple(HOST + path for path in PATHS)
    for url in lease_all(session):
        session.store.page(a_page(url, links=links if url == f"{HOST}/" else ()))
    for url in lease_all(session):
        session.store.page(a_page(url))
    return session


@pytest.mark.parametrize(
    ("text", "known"),
    [
        pytest.param(f"{HOST}/breads/ry.html", "/breads/rye.html", id="a letter"),
        pytest.param(f"{HOST}/bread/sourdough.html", "/breads/sourdough.html", id="a letter of the folder"),
        pytest.param("http://bakery.localhost/breads/rye.html", "/breads/rye.html", id="no port"),
        pytest.param("https://bakery.localhost:8400/x", "/x", id="another scheme"),
        pytest.param("http://bakry.localhost:8400/x", "/x", id="a letter of the host"),
        pytest.param("bakery.localhost:8400/x", "/x", id="no scheme"),
        pytest.param("bakery.localhost", "/", id="a host alone"),
        pytest.param("HTTP://BAKERY.LOCALHOST:8400/BREADS/RYE.HTML", "/breads/rye.html", id="upper case"),
        pytest.param("http://bakery.localhost/BREADS/RYE.HTML", "/breads/rye.html", id="upper case, no port"),
        pytest.param(f"{HOST}/prices.html", "/Prices.HTML", id="lower case"),
        pytest.param(f"{HOST}/breads/rye.html/", "/breads/rye.html", id="a slash too many"),
        pytest.param("http://bakery.localhost/shop", "/shop/", id="no slash, no port"),
        pytest.param("http://www.bakery.localhost:8400/x", "/x", id="a www too many"),
        pytest.param("www.bakery.localhost/breads/rye.html", "/breads/rye.html", id="no scheme, no port, a www"),
        pytest.param("breads/sour", "/breads/sourdough.html", id="a part of the path"),
        pytest.param("PRICES", "/Prices.HTML", id="a word of the path"),
        pytest.param(" rye.html ", "/breads/rye.html", id="blanks around"),
        pytest.param(f"{HOST}/orders?bread=rye", "/orders?bread=rye&loaves=2", id="what a shell left of it"),
    ],
)
def test_a_slip_leads_to_the_page_that_was_meant(crawl: Session, text: str, known: str) -> None:
    found = url_record(crawl.database, text)
    assert found.meant == HOST + known
    assert not found.discovered
    assert found.advice.startswith(f"Did you mean {HOST}{known}?")
    assert ("quote it" in found.advice) == ("&" in known)


def test_a_part_that_several_addresses_have_brings_up_all_of_them_the_shortest_first(crawl: Session) -> None:
    found = url_record(crawl.database, "breads/")
    assert found.candidates == (f"{HOST}/breads/rye.html", f"{HOST}/breads/sourdough.html")
    assert (
        f"Did you mean {HOST}/breads/rye.html, or {HOST}/breads/sourdough.html? The crawl knows those." in found.advice
    )
    assert found.as_dict()["candidates"] == found.candidates


@pytest.mark.parametrize("text", ["100%", "r_e", "a\\b", "%", "breads rye"])
def test_signs_of_a_pattern_stand_for_themselves(crawl: Session, text: str) -> None:
    assert nearest_known_urls([crawl.database], text) == ()


def test_all_parts_of_a_crawl_are_asked(crawl: Session, tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "another") as another:
        assert (
            url_record(another, "http://bakery.localhost/x", everywhere=(another, crawl.database)).meant == f"{HOST}/x"
        )


def test_the_pages_of_a_site_are_read_once(crawl: Session) -> None:
    asked: list[str] = []
    crawl.database.connection.set_trace_callback(asked.append)
    assert nearest_known_urls([crawl.database], "bakery.localhost/nothing/like/it") == ()
    crawl.database.connection.set_trace_callback(None)
    assert len([sql for sql in asked if "FROM page" in sql]) == 1


def test_the_host_without_www_leads_to_the_one_with_it(crawl: Session) -> None:
    assert nearest_known_urls([crawl.database], "http://mill.example/") == ("https://www.mill.example/",)


@pytest.mark.parametrize(
    "text", [f"{HOST}/y", f"{HOST}/prices/", "http://castle.example/x", "mailto:baker@bakery.localhost", "", "/x", "x"]
)
def test_what_resembles_nothing_leads_nowhere(crawl: Session, text: str) -> None:
    assert nearest_known_urls([crawl.database], text) == ()


def test_a_known_address_is_meant_itself(crawl: Session) -> None:
    assert url_record(crawl.database, f"{HOST}/x").meant == ""


def test_paths_of_two_letters_are_not_all_compared() -> None:
    draw = Random(1)
    paths = ["".join(draw.choices("ab", k=190)) for _ in range(6_000)]
    start = process_time()
    assert similar_texts(f"b{paths[0][1:]}", paths, 1) == [paths[0]]
    assert process_time() - start < 5  # 15 and more if they are
