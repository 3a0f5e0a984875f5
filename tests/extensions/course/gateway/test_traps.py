"""The view of traps: each verdict with its reason, examples and remedy; and any other parameter."""

from __future__ import annotations

import html
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from frontier.budgets import release_trap
from frontier.job import CrawlJob
from frontier.session import Session
from tests.gateway.conftest import PAGES, SITE, gateway
from tests.gateway.test_served_crawl import farm
from urls.canonical import canonicalize
from urls.records import Link

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

__all__ = ["farm"]  # a fixture
TRAP = canonicalize(f"{SITE}/stairs/stairs/stairs/stairs/")
EVIL = canonicalize(f"{SITE}/a/a/a/a/'+<script>alert(1)</script>")


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A crawl whose seed leads to addresses that repeat themselves."""
    session = Session(tmp_path, CrawlJob((PAGES[0].url,)))
    session.frontier.lease(1, lambda _: 1)
    session.store.page(replace(PAGES[0], links=(Link(TRAP, "down"), Link(EVIL, "down"))))
    session.close("finished")
    return tmp_path


def test_a_catch_is_told_with_an_example_and_the_command_that_undoes_it(trapped: Path) -> None:
    page = gateway(trapped).get("/inside/traps").text
    assert f'<a href="/why?url={quote(TRAP)}">{TRAP}</a>' in page
    assert "times in a row in its path" in page
    assert "<script>alert" not in page
    commands = [
        shlex.split(html.unescape(found)) for found in re.findall(r"To release the first: <code>(.*?)</code>", page)
    ]
    assert [command[:2] for command in commands] == [["./breadcrumb", "release"]]
    with CrawlDatabase(trapped) as database:
        assert release_trap(database, commands[0][2]).urls == 1
    page = gateway(trapped).get("/inside/traps").text
    assert "1 URL queued again" in page


def test_why_leads_from_a_url_that_a_rule_about_traps_holds_back_to_the_traps_of_its_site(trapped: Path) -> None:
    client = gateway(trapped)
    page = client.get(f"/why?url={quote(EVIL)}").text
    found = re.search(r'<a href="(/inside/traps\?[^"]+)">Traps of this site', page)
    assert found is not None
    assert "Traps of bakery.localhost:8400" in client.get(html.unescape(found[1])).text
    assert "Traps of" not in client.get(f"/why?url={quote(PAGES[0].url)}").text


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ("?site=bakery.localhost:8400", 200, "Traps of bakery.localhost:8400"),
        ("?site=http%3A//bakery.localhost:8400/x", 200, "Traps of bakery.localhost:8400"),
        ("?site=unknown.example", 200, "unknown.example has no URL patterns"),
        ("?site=%20%3A%3A", 400, "is no site"),
        ("?site=" + "x" * 100_000, 400, "100000 characters"),
    ],
)
def test_whatever_site_it_is_asked_for_it_says_what_is_the_case(
    client: FlaskClient, asked: str, status: int, told: str
) -> None:
    answer = client.get(f"/inside/traps{asked}")
    assert (answer.status_code, told in answer.text) == (status, True), answer.text[-1500:]


def test_without_a_crawl_it_says_what_to_run(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/inside/traps")
    assert answer.status_code == 503
    assert "holds no crawl yet" in answer.text


def test_traps_are_of_all_parts_that_can_be_read(farm: Path) -> None:
    assert "No trap rule suppresses any URL" in gateway(farm).get("/inside/traps").text
    (farm / "part-1" / FILE_NAME).write_bytes(b"no database")
    assert "Part 1/2 can't be read. These numbers are without it" in gateway(farm).get("/inside/traps").text
