"""`submit`: addresses into the root set, judged by the policy of the next crawl."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.seeds import seed_urls
from frontier.job import CrawlJob
from frontier.session import Session

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"


def test_a_submitted_url_is_queued_in_the_root_set(crawled: Breadcrumb) -> None:
    done = crawled.run("submit", f"{HOST}/new.html", "http://cellar.localhost:8400")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("accepted") == 2
    assert "./breadcrumb crawl site" in done.out
    with CrawlDatabase(crawled.data, readonly=True) as database:
        assert {f"{HOST}/new.html", "http://cellar.localhost:8400/"} <= set(seed_urls(database))
    assert json.loads(crawled.run("why", f"{HOST}/new.html", "--json").out)["found_by"] == "submit"


def test_the_first_submission_makes_the_data_folder(empty: Breadcrumb) -> None:
    assert empty.run("submit", f"{HOST}/").code == 0
    assert json.loads(empty.run("report", "--json").out)["urls"]["queued"] == 1


@pytest.mark.parametrize(
    ("url", "rule"),
    [("ftp://bakery.localhost/", "scheme"), ("bread", "scheme"), ("http://[/", "host"), ("http://x:99999/", "host"),
     (f"{HOST}/b/b/b/", "repeated-path"), (f"{HOST}/{'x' * 3000}", "url-length"), (f"{HOST}/a/a/a/", "repeated-path"),
     (f"{HOST}/ovens/", "robots")],
)  # fmt: skip
def test_what_is_refused_is_told_with_its_rule(crawled: Breadcrumb, url: str, rule: str) -> None:
    done = crawled.run("submit", url, f"{HOST}/new.html", "--json")
    assert done.code == 1
    refused, accepted = json.loads(done.out)["submitted"]
    assert (refused["accepted"], refused["rule"]) == (False, rule)
    assert accepted["accepted"]
    assert "refused" in crawled.run("submit", url).out


def test_what_is_blocked_stays_blocked(crawled: Breadcrumb) -> None:
    crawled.run("block", "bakery.localhost:8400", "--yes", "--reason", "its owner wrote to us")
    done = crawled.run("submit", f"{HOST}/new.html")
    assert done.code == 1
    assert "its owner wrote to us" in done.out


def test_it_works_while_a_crawl_runs_which_then_leases_it(crawled: Breadcrumb) -> None:
    session = Session(crawled.data, CrawlJob())
    try:
        done = crawled.run("submit", f"{HOST}/new.html")
        assert done.code == 0
        assert f"process {os.getpid()}" in done.out
        assert f"{HOST}/new.html" in {lease.url for lease in session.frontier.lease(100, lambda _site: 100)}
    finally:
        session.close("finished")
