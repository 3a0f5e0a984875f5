"""`block` with patterns, and the hint where nothing is known of what was meant."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from frontier.submission import propose_block
from urls.rules import Rule

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"


def test_a_pattern_blocks_what_it_fits_and_is_lifted_again(bakery: Breadcrumb) -> None:
    done = bakery.run("block", f"{HOST}/*bread*", f"{HOST}/r*", "--anyway", "--yes", "--json")
    assert done.code == 0
    [none, rye] = json.loads(done.out)["blocked"]
    assert (none["kind"], rye["kind"], rye["pages"]) == ("pattern", "pattern", 1)
    assert "rye.html" not in bakery.run("search", "rye", "-n", "30").out
    assert "blacklist" in bakery.run("why", f"{HOST}/rye.html").out
    assert json.loads(bakery.run("block", "--lift", f"{HOST}/r*", "--json").out)["lifted"][0]["urls"] == 1


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("bakery.localhost:8500", "the site bakery.localhost:8500; did you mean bakery.localhost:8400?"),
        ("bakery.localhost", "did you mean bakery.localhost:8400?"),
        (f"{HOST}/ry.html", f"does not know {HOST}/ry.html; did you mean {HOST}/rye.html"),
        ("http://bakrey.localhost:8400/", "did you mean bakery.localhost:8400?"),
        ("127.0.0.77:8607", "does not know the site 127.0.0.77:8607. "),
        (f"{HOST}/mill*", f"does not know what fits {HOST}/mill*"),
    ],
)
def test_what_nobody_has_met_is_refused_unless_it_is_meant(crawled: Breadcrumb, target: str, hint: str) -> None:
    done = crawled.run("block", f"{HOST}/rye.html", target, "--reason", "a letter")
    assert (done.code, done.out) == (2, "")
    assert f"nothing was blocked: the crawl in {crawled.data} does not know" in done.err
    assert hint in done.err
    again = shlex.split(done.err.rpartition("anyway: ./breadcrumb ")[2])
    assert "Nothing is blocked" in crawled.run("block").out, "one that is refused leaves all as they were"
    done = crawled.run_as_it_stands(*again)
    assert (done.code, done.err) == (0, "")
    assert [block["target"] for block in json.loads(crawled.run("block", "--json").out)["blocks"]] == [
        f"{HOST}/rye.html",
        target,
    ]


def test_no_url_that_was_generated_to_learn_about_a_site_is_meant(crawled: Breadcrumb) -> None:
    with CrawlDatabase(crawled.data) as database, database.transaction() as connection:
        connection.execute("UPDATE url SET rule = ? WHERE url = ?", (Rule.PROBE, f"{HOST}/rye.html"))
    assert "rye.html" not in crawled.run("block", f"{HOST}/ry.html").err.replace(f"{HOST}/ry.html", "")


def test_the_list_says_why_and_by_whom(bakery: Breadcrumb) -> None:
    bakery.run("block", "bakery.localhost:8400", "--yes", "--reason", "its owner asked")
    line = bakery.run("block", "--list").out
    assert re.fullmatch(r"the site bakery.localhost:8400: its owner asked \(by block, 20[\d :-]+ UTC\)\n", line)


def test_before_the_first_crawl_nothing_is_made_unless_it_is_meant(empty: Breadcrumb) -> None:
    done = empty.run("block", "bakery.localhost:8400")
    assert done.code == 2
    assert f"./breadcrumb block --data {empty.data} --anyway bakery.localhost:8400" in done.err
    assert not empty.data.exists()
    assert empty.run("block").code == 2


def test_a_missing_scheme_is_told_with_what_was_meant(crawled: Breadcrumb) -> None:
    done = crawled.run("block", "bakery.localhost:8400/rye.html")
    assert done.code == 2
    assert "did you mean http://bakery.localhost:8400/rye.html?" in done.err
    done = crawled.run("submit", "bakery.localhost:8400/rye.html")
    assert "did you mean http://bakery.localhost:8400/rye.html?" in done.out


def test_what_a_visitor_wants_blocked_is_listed_and_declined_once(bakery: Breadcrumb) -> None:
    with Parts.in_folder(bakery.data) as parts:
        propose_block(parts, f"{HOST}/rye.html", "try ./breadcrumb forget all", "me@example.org", 5)
    told = " ".join(bakery.run("block").out.split())
    assert f"A visitor asks to block {HOST}/rye.html" in told
    assert "The visitor writes (unchecked): try breadcrumb forget all (me@example.org)" in told, "no command but ours"
    assert f"--decline {HOST}/rye.html" in told
    assert json.loads(bakery.run("block", "--json").out)["proposed"][0]["target"] == f"{HOST}/rye.html"
    assert "complaints" in bakery.run("report").out
    done = bakery.run("block", "--decline", f"{HOST}/rye.html")
    assert (done.code, done.out) == (0, f"{HOST}/rye.html: request declined.\n")
    done = bakery.run("block", "--decline", f"{HOST}/rye.html")
    assert (done.code, "no visitor requested that" in done.err) == (2, True)
    assert "complaints" not in bakery.run("report").out


@pytest.mark.parametrize("name", ["block", "forget"])
def test_a_url_that_was_a_result_by_its_links_alone_leaves_the_index_with_the_command(
    bakery: Breadcrumb, name: str
) -> None:
    bakery.run(name, f"{HOST}/ovens/")
    assert "The index lacks" not in bakery.run("search", "rye").err
    assert "ovens" not in bakery.run("search", "ovens", "-s", "LINK_ONLY_RESULTS=yes").out.partition("\n")[2]
