"""`audit`: what a person and a program get to see, and the four exit codes."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.commands.frame.test_mistyped import check_mistyped
from tests.extensions.audit.planted import EPOCH, ROBOTS, RULES, Asked, write_log

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

POLITE = (Asked(0, ROBOTS), Asked(5, "/"), Asked(10, "/a"))


@pytest.fixture
def folder(empty: Breadcrumb) -> Breadcrumb:
    """A folder without a crawl, with a robots.txt and some logs."""
    (empty.folder / "robots.txt").write_bytes(RULES)
    (empty.folder / "empty.log").write_text("")
    (empty.folder / "notes.txt").write_text("buy bread\n")
    write_log(empty.folder / "polite.log", "json", POLITE)
    write_log(empty.folder / "rude.log", "combined", (Asked(0, "/private/x"), Asked(0.1, "/"), *POLITE))
    return empty


def test_the_own_log_of_a_crawl_is_audited_without_a_word(crawled: Breadcrumb) -> None:
    done = crawled.run("audit")
    assert (done.code, done.err) == (0, "")
    assert "Breadcrumb's own fetch log" in " ".join(done.out.split())
    assert "proved        robots.txt first: 1 origin requested it" in done.out
    assert "not asked     gaps between requests: the smallest is" in done.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["polite.log", "--robots", "robots.txt", "--delay", "5", "--ceiling", "3"], 0, id="0 proved"),
        pytest.param(["polite.log", "--robots", "robots.txt", "--delay", "6"], 1, id="1 violated"),
        pytest.param(["polite.log"], 3, id="3 not provable: no robots.txt is known"),
        pytest.param(["empty.log", "--robots", "robots.txt"], 3, id="3 not provable: an empty log"),
        pytest.param(["polite.log", "--agent", "Googlebot", "--robots", "robots.txt"], 3, id="3: none of that agent"),
        pytest.param(["rude.log", "--robots", "robots.txt"], 1, id="1 although more is not provable"),
        pytest.param(["notes.txt"], 2, id="2 no log"),
        pytest.param(["missing.log"], 2, id="2 no file"),
        pytest.param(["."], 2, id="2 a folder"),
        pytest.param(["polite.log", "--robots", "missing.txt"], 2, id="2 no robots.txt"),
        pytest.param([], 2, id="2 no crawl"),
        pytest.param(["polite.log", "--delay", "nan"], 2, id="2 no number"),
        pytest.param(["polite.log", "--delay", "-1"], 2, id="2 a negative number"),
        pytest.param(["polite.log", "--ceiling", "0"], 2, id="2 nothing allowed at all"),
        pytest.param(["polite.log", "--agent", "Googlebot/2.1"], 2, id="2 no product token"),
    ],
)
def test_the_exit_code_says_how_it_ended(folder: Breadcrumb, words: list[str], code: int) -> None:
    done = folder.run("audit", *words)
    assert done.code == code
    assert bool(done.err) == (code == 2)
    assert "Traceback" not in done.err
    assert not folder.data.exists()


def test_a_violation_is_shown_with_its_line_time_url_and_what_is_wrong(folder: Breadcrumb) -> None:
    out = " ".join(folder.run("audit", "rude.log", "--robots", "robots.txt").out.split())
    assert "violated no disallowed URL: 1 violation." in out
    assert "line 1, 2026-11-21 06:00:00.000 UTC, /private/x: disallowed by line 2 (Disallow: /private/)" in out
    assert "violated robots.txt first: 1 violation." in out
    assert "line 4, 2026-11-21 06:00:05.000 UTC, /: requested before, by line 3" in out


def test_json_has_all_of_it(folder: Breadcrumb) -> None:
    with (folder.folder / "rude.log").open("a") as log:
        log.write("half a li\n" + "x" * 20)
    found = json.loads(folder.run("audit", "rude.log", "--robots", "robots.txt", "--json").out)
    assert (found["log"], found["form"], found["agent"]) == ("rude.log", "combined log", "Breadcrumb")
    assert (found["requests"], found["others"], found["unreadable"], found["proof"]) == (5, 0, 2, "violated")
    assert found["doubts"] == ["2 lines can't be read, the first is line 6"]
    claims = {claim["name"]: claim for claim in found["claims"]}
    assert set(claims) == {"robots-first", "allowed", "delay", "once", "ceiling"}
    assert claims["once"]["samples"][0]["place"] == 4
    assert claims["delay"]["proof"] == "not asked"


def test_other_visitors_are_skipped_and_counted(folder: Breadcrumb) -> None:
    visitors = (*POLITE, Asked(1, "/private/", agent="Mozilla/5.0"), Asked(2, "/x", agent="curl/8.5"))
    write_log(folder.folder / "mixed.log", "vhost", visitors)
    done = folder.run("audit", "mixed.log", "--robots", "robots.txt")
    assert done.code == 0
    assert "2 requests of other agents skipped." in done.out


def test_a_log_that_begins_after_robots_txt_was_asked_for_accuses_nobody(crawled: Breadcrumb) -> None:
    later = round(time.time() - EPOCH) + 60
    write_log(crawled.folder / "later.log", "json", [Asked(later, "/rye.html", host="bakery.localhost:8400")])
    done = crawled.run("audit", "later.log")
    assert done.code == 3
    assert "the log starts after the crawl" in " ".join(done.out.split())
    assert "proved        no disallowed URL" in done.out


def test_an_escape_sequence_in_a_log_stays_in_the_log(folder: Breadcrumb) -> None:
    write_log(folder.folder / "evil.log", "json", [Asked(0, "/\x1b[2J\u202e")])
    out = folder.run("audit", "evil.log").out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_it_starts_without_scrapy(folder: Breadcrumb) -> None:
    name, *rest = folder.command("audit", "polite.log", "--robots", "robots.txt")
    done = subprocess.run(
        [name, "-X", "importtime", *rest], cwd=folder.folder, capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "argparse" in imported
    assert imported.isdisjoint({"scrapy", "twisted", "flask", "rich", "tldextract", "py3langid", "whoosh"})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("audit --delay 1m", "--delay: 1m: give a number of seconds, such as 0.5.", id="seconds"),
        pytest.param("audit --ceiling 1.5", "--ceiling: 1.5: give a number of requests", id="requests"),
    ],
)
def test_a_mistyped_word_is_told_with_what_would_work(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_mistyped(line, said, capsys)
