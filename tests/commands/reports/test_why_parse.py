"""`why URL --parse`: both readers on the stored body, or why there is none to read."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from frontier.job import CrawlJob
from frontier.session import Session
from robots import PageControls
from tests.commands.conftest import HOST, Breadcrumb
from urls.canonical import canonicalize
from urls.records import Link, Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

MARKUP = b"<html lang=en><title>Rye</title><p>Rye bread keeps for a week. <iframe src=/x /> hidden from one reader"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Breadcrumb:
    """A crawl of a page of each kind."""
    folder: Path = tmp_path_factory.mktemp("shelf")
    session = Session(folder / "data", CrawlJob([canonicalize(f"{HOST}/")]))
    kinds: dict[str, dict[str, object]] = {
        "/": {"body": MARKUP},
        "/notes.txt": {"body": b"plain", "content_type": "text/plain"},
        "/noarchive.html": {"controls": PageControls(archive=False)},
        "/refused.html": {"refusals": (Refusal(Rule.NOINDEX, "a meta says noindex"),)},
        "/soft.html": {"refusals": (Refusal(Rule.SOFT_404, "it says that there is nothing"),)},
        "/long.html": {"body": b"<p>" * 50_000},
    }
    links = tuple(Link(HOST + path, "link") for path in kinds)
    for path, fields in kinds.items():
        session.frontier.lease(10, lambda _: 10)
        made = {"content_type": "text/html", "body": b"<p>x", "fingerprint": path.encode(), "fetched_at": time.time()}
        session.store.page(Page(canonicalize(HOST + path), "T", path, links=links, **(made | fields)))  # type: ignore[arg-type]  # a dict of several types
    session.close("finished")
    return Breadcrumb(folder / "data", folder)


def test_where_the_readers_differ_is_told(shelf: Breadcrumb) -> None:
    done = shelf.run("why", f"{HOST}/", "--parse")
    assert done.code == 0
    told = " ".join(done.out.split())
    assert "parse Read twice: by Lexbor in " in told
    assert "words: 6 in both; 4 only by BeautifulSoup over lxml (“hidden”, “from”, “one”, “reader”)." in told
    found = json.loads(shelf.run("why", f"{HOST}/", "--parse", "--json").out)["parse"]
    assert found["same"] is False
    assert next(field for field in found["fields"] if field["field"] == "words")["only_tolerant"] == 4
    assert "parse" not in json.loads(shelf.run("why", f"{HOST}/", "--json").out)


def test_a_page_that_was_refused_for_what_it_says_is_read_again_too(shelf: Breadcrumb) -> None:
    assert "Read twice" in shelf.run("why", f"{HOST}/soft.html", "--parse").out


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("/notes.txt", "It is text/plain: only markup is parsed by both parsers.", id="plain text"),
        pytest.param("/noarchive.html", "its body is not stored, because it has noarchive.", id="noarchive"),
        pytest.param("/refused.html", "because it is rejected (noindex): a meta says noindex.", id="noindex"),
        pytest.param("/long.html", "It is not parsed twice: it has more than 40000 tags", id="too many tags"),
        pytest.param("/never", "It can't be parsed again: no page is stored.", id="never fetched"),
    ],
)
def test_where_nothing_can_be_read_again_it_says_why(shelf: Breadcrumb, path: str, reason: str) -> None:
    told = " ".join(shelf.run("why", HOST + path, "--parse").out.split())
    assert reason in told
    assert reason in json.loads(shelf.run("why", HOST + path, "--parse", "--json").out)["parse"]["reason"]
