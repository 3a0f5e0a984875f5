"""`why`: everything known about one URL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"
SCREEN = 40  # lines


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        pytest.param("/rye.html", 0, "In the index. For its own title it is result 1", id="indexed"),
        pytest.param("/ovens/", 0, "by line 3, 'Disallow: /ovens/'", id="robots.txt"),
        pytest.param("/secret.html", 0, "its meta robots says noindex", id="noindex"),
        pytest.param("/copy.html", 0, f"(duplicate): its content is that of {HOST}/sourdough.html", id="duplicate"),
        pytest.param("/old.html", 0, f"It leads to {HOST}/rye.html", id="moved"),
        pytest.param("/gone.html", 0, "404 (gone)", id="gone"),
        pytest.param("/a/a/a/", 0, "Suppressed (repeated-path)", id="trap"),
        pytest.param("/nowhere.html", 1, "the crawl does not know this URL", id="never discovered"),
    ],
)
def test_the_account_says_what_was_decided(bakery: Breadcrumb, url: str, code: int, words: str) -> None:
    done = bakery.run("why", HOST + url)
    assert (done.code, done.err) == (code, "")
    assert words in " ".join(done.out.split())
    assert len(done.out.splitlines()) <= SCREEN


@pytest.mark.parametrize("text", ["http://cellar.localhost:8400/", "ftp://bakery.localhost/", "bread", ""])
def test_what_the_crawl_does_not_know_is_told_with_exit_code_1(bakery: Breadcrumb, text: str) -> None:
    done = bakery.run("why", text)
    assert (done.code, done.err) == (1, "")
    assert "next" in done.out


def test_json_has_the_names_of_the_design(bakery: Breadcrumb) -> None:
    found = json.loads(bakery.run("why", f"{HOST}/rye.html", "--json").out)
    promised = {"url", "canonical", "steps", "robots", "state", "journal", "page", "duplicate_of", "terms", "rank"}
    assert set(found) >= promised
    assert (found["rank"]["query"], found["rank"]["place"]) == ("Rye bread", 1)
    assert found["rank"]["explain"]["total"] == found["rank"]["score"]
    assert found["terms"]["rye"] >= 1
    assert (found["robots"]["allowed"], found["robots"]["line"], found["robots"]["rule"]) == (True, 2, "Allow: /")


def test_a_page_that_is_not_indexed_yet_is_told_so(crawled: Breadcrumb) -> None:
    done = crawled.run("why", f"{HOST}/rye.html")
    assert done.code == 0
    assert "there is no index yet" in " ".join(done.out.split())
    found = json.loads(crawled.run("why", f"{HOST}/rye.html", "--json").out)
    assert (found["terms"], found["rank"]) == (None, None)


def test_the_policy_is_that_of_the_settings(bakery: Breadcrumb) -> None:
    done = bakery.run("why", f"{HOST}/a-new-page.html?of=the-bakery", "-s", "SKIP_QUERIES=yes")
    assert "SKIP_QUERIES leaves those out" in " ".join(done.out.split())


def test_octets_that_are_no_text_get_an_account(bakery: Breadcrumb) -> None:
    assert bakery.run("why", "http://bakery.localhost:8400/\udcff").code == 1
    assert bakery.run("why", "--json", "\udcff").code == 1


def test_what_a_page_wrote_steers_no_terminal(bakery: Breadcrumb) -> None:
    with CrawlDatabase(bakery.data) as database:
        database.connection.execute("UPDATE page SET title = 'Rye\x1b[2J' || char(10) || '\u202ebread'")
    assert "Rye\N{REPLACEMENT CHARACTER}[2J bread" in bakery.run("why", f"{HOST}/rye.html").out
