"""`import` filters and stores the archives of other programs like a crawl's pages, and fetches nothing."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.lock import CrawlLock
from extensions.archives.importing.run import NOT_HERE
from tests.child import PATIENCE, wait_until
from tests.extensions.archives.importing.folder import ROBOTS, A, imported, journal, put, rules
from tests.extensions.archives.made_archives import (
    http,
    of_wget,
    packed,
    page,
    record,
    request,
    response,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

LATER = {"date": "2024-07-01T00:00:00Z"}
EARLIER = {"date": "2024-01-01T00:00:00Z"}


# One archive that has a record of every kind.
MANY_KINDS = [
    record("warcinfo", b"software: hand\r\n", Content_Type="application/warc-fields"),
    response(A, http(page("Home", f"{A}bread", f"{A}secret/oven", f"{A}never"))),
    response(f"{A}secret/oven", http(page("Oven"))),
    response(f"{A}bread", http(page("Bread"), "200 OK", "text/html", "X-Robots-Tag: noindex"), **EARLIER),
    response(f"{A}bread", http(page("Rye bread"))),
    response(f"{A}bread", http(page("Wheat bread")), date="2024-02-01T00:00:00Z"),
    response(f"{A}hush", http(page("Hush", head='<meta name="robots" content="noindex">'))),
    response(f"{A}away", http("", "301 Moved", "text/html", f"Location: {A}bread")),
    response(f"{A}gone", http("", "404 Not Found")),
    response(f"{A}busy", http("", "503 Busy")),
    response(
        f"{A}packed", http(gzip.compress(page("Packed").encode()), "200 OK", "text/html", "Content-Encoding: gzip")
    ),
    response(f"{A}cut", http(page("Cut")), WARC_Truncated="length"),
    response(f"{A}bomb", http(gzip.compress(bytes(20_000_000)), "200 OK", "text/html", "Content-Encoding: gzip")),
    response(f"{A}form", http(page("Thanks"))),
    request(f"{A}form", "POST", WARC_Concurrent_To="<urn:uuid:response-http://a.example/form-2024-05-06T07:08:09Z>"),
    response(f"{A}robots.txt", http(ROBOTS, content_type="text/plain")),
    record("response", b"an address", "dns:a.example"),
    record("conversion", b"text", A, Content_Type="text/plain"),
    response("http://[::bad/", http(page("No address"))),
]
ACCOUNT = {
    "stored": 3, "older": 1, "robots.txt": 1, "refused: noindex": 2, "refused: robots": 1, "ended: moved": 1,
    "ended: gone": 1, "ended: server-error": 1, "ended: broken-off": 1, "ended: size": 1,
    "not a page: answer to another method, or to a made-up address": 1, "not a page: request": 1,
    "not a page: warcinfo": 1, "not a page: conversion": 1, "not a page: response dns": 1, "unread: no address": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("imported")


@pytest.fixture
def many(empty: Breadcrumb, kept: Path) -> Breadcrumb:
    """The folder into which an archive with every kind of record was imported, once for all tests."""
    file = put(kept, packed(MANY_KINDS))
    if not (kept / "data").exists():
        (told,) = imported(empty, file)
        assert told["account"] == ACCOUNT
        shutil.copytree(empty.data, kept / "data")
    shutil.copytree(kept / "data", empty.data, dirs_exist_ok=True)
    return empty


def test_every_record_comes_to_one_end_and_a_second_import_adds_nothing(many: Breadcrumb, kept: Path) -> None:
    before = rules(many)
    (told,) = imported(many, str(kept / "site.warc.gz"))
    assert told["imported_before"]
    assert told["records"] == len(MANY_KINDS) == sum(ACCOUNT.values())
    assert told["account"] == ACCOUNT
    words = many.run("import", str(kept / "site.warc.gz")).out
    assert "       1  not a page: response to another method, or to a generated URL\n" in words
    again = put(kept, packed([*MANY_KINDS[:8], response(f"{A}new", http(page("New")))]), "again.warc.gz")
    (told,) = imported(many, again)
    assert told["account"] == {"known": 7, "stored": 1, "not a page: warcinfo": 1}
    assert rules(many) == before | {"new": "fetched"}


@pytest.mark.parametrize(("sites", "seeds"), [(2, "seeds=http://10.0.0.0/,http://10.0.0.1/"), (12, "seeds=FILE")])
def test_many_sites_that_need_a_seed_are_not_named_in_one_line(
    empty: Breadcrumb, tmp_path: Path, sites: int, seeds: str
) -> None:
    urls = [f"http://10.0.0.{number}/" for number in range(sites)]
    file = put(tmp_path, packed([response(url, http(page(f"Page {url}"))) for url in urls]))
    told = empty.run("import", file).out
    assert f"To continue from here: ./breadcrumb crawl site -a {seeds}" in told
    assert ("with 12 URLs in FILE, one a line. The same import with --json lists" in told) == (sites > 10)
    assert sorted(json.loads(empty.run("import", file, "--json").out)["private"]) == sorted(urls)


def test_an_import_into_a_database_that_was_put_back_leaves_no_page_out_of_the_index(
    empty: Breadcrumb, tmp_path: Path
) -> None:
    first, lost, new = (
        put(tmp_path, packed([response(f"{A}{name}{n}", http(page(f"{name} {n}"))) for n in range(count)]), name)
        for name, count in (("first", 2), ("lost", 4), ("new", 8))
    )
    imported(empty, first)
    copy = (empty.data / "crawl.sqlite3").read_bytes()
    imported(empty, lost)
    for path in empty.data.glob("crawl.sqlite3*"):
        path.unlink()
    (empty.data / "crawl.sqlite3").write_bytes(copy)
    imported(empty, new)
    assert json.loads(empty.run("search", "--json", "new").out)["total"] == 8


def test_what_is_stored_is_judged_as_a_crawl_would_and_told_by_why_report_and_search(many: Breadcrumb) -> None:
    assert rules(many) == {
        "": "fetched", "bread": "fetched", "packed": "fetched", "secret/oven": "robots", "hush": "noindex",
        "away": "moved", "gone": "gone", "busy": "server-error", "cut": "broken-off", "bomb": "size",
    }  # fmt: skip
    told = many.run("search", "rye").out
    assert f"{A}bread" in told
    assert not json.loads(many.run("search", "--json", "wheat").out)["hits"]  # an older answer
    assert "An archive that was imported holds it" in " ".join(many.run("why", f"{A}packed").out.split())
    why = " ".join(many.run("why", f"{A}bread").out.split())
    assert "2024-05-06 07:08 UTC by hand: 200 (fetched)" in why
    assert "from the archive site.warc.gz at offset " in why
    oven = " ".join(many.run("why", f"{A}secret/oven").out.split())
    assert "disallowed by line 2" in oven
    # The home page links to it.
    assert "Yes, it is in the index only by the text of links, because robots.txt disallows it" in oven
    report = json.loads(many.run("report", "--json").out)
    assert report["pages"]["indexed"] == ACCOUNT["stored"]
    assert report["requests"] == 0
    urls = report["urls"]
    assert urls["discovered"] == sum(count for state, count in urls.items() if state != "discovered")
    assert urls["queued"] == 1  # the link that the archive has no answer for: a crawl of this folder would ask for it


def test_what_is_no_page_is_told(many: Breadcrumb) -> None:
    told = journal(many)
    assert "it holds a response to another method than GET, or to a URL that a robot generated: no page" in told
    assert "it holds a response dns, which is no answer of a web server" in told
    assert "it holds an answer under what is no address" in told
    assert "broken-off: the archive holds only its beginning (WARC-Truncated: length)" in told
    assert "robots: robots.txt: disallowed by line 2" in told
    assert "site.warc.gz was imported: 3 stored" in told


@pytest.mark.slow
def test_a_stop_and_a_kill_lose_a_slice_and_the_same_command_goes_on(empty: Breadcrumb, tmp_path: Path) -> None:
    pages = [(f"{A}{number}", page(f"Page {number} of {number * number}")) for number in range(210)]
    file = put(tmp_path, of_wget(pages, ROBOTS))
    ended = dict[int, int]()
    for number, least in ((signal.SIGINT, 40), (signal.SIGKILL, 90)):
        with empty.start("import", file) as child:
            wait_until(lambda least=least: stored(empty) >= least)  # type: ignore[misc]  # mypy sees no default
            child.send_signal(number)
            _, said = child.communicate(timeout=PATIENCE)
            ended[number] = child.returncode
        assert ("import: stopping after the records under way" in said) is (number == signal.SIGINT)
    assert ended == {signal.SIGINT: 1, signal.SIGKILL: -signal.SIGKILL}
    assert 90 <= stored(empty) < 210
    (told,) = imported(empty, file)
    assert told["complete"]
    assert told["account"]["stored"] == stored(empty) == 210
    assert "known" not in told["account"]
    assert told["records"] == sum(told["account"].values()) == 2 * 211 + 3


def stored(at: Breadcrumb) -> int:
    try:
        with CrawlDatabase(at.data, readonly=True) as database:
            return database.count("SELECT count(*) FROM page")
    except DatabaseError:  # it is just being made
        return 0


def test_a_damaged_archive_is_read_behind_the_damage_which_is_told(empty: Breadcrumb, tmp_path: Path) -> None:
    first, second, third = (packed([response(f"{A}{name}", http(page(name)))]) for name in ("one", "two", "three"))
    file = put(tmp_path, first + second[:-40] + third)
    (told,) = imported(empty, file, code=1)
    assert told["account"] == {"stored": 2, "damaged": 1}
    assert f"offset {len(first):,}: what is packed is damaged" in journal(empty)
    assert f"read on at offset {len(first + second) - 40:,}" in journal(empty)


def test_an_archive_can_not_fill_the_account_with_types_of_its_own(empty: Breadcrumb, tmp_path: Path) -> None:
    (told,) = imported(empty, put(tmp_path, b"".join(record(f"type-{number}") for number in range(300)), "t.warc"))
    assert len(told["account"]) <= 101
    assert told["account"]["not a page: yet another type"] == 200
    assert told["records"] == 300


def test_the_newest_robots_txt_rules_wherever_it_stands_and_closed_sites_stay_out(
    empty: Breadcrumb, tmp_path: Path
) -> None:
    opened = response(f"{A}robots.txt", http("User-agent: *\nAllow: /", content_type="text/plain"), **LATER)
    pages = [response(f"{A}secret/one", http(page("One"))), response("http://shut.example/", http(page("Shut")))]
    shut = response("http://shut.example/robots.txt", http("", "503 Busy"))
    moved = response("http://m.example/robots.txt", http("", "301 Moved", "text/plain", "Location: http://m.example/r"))
    target = response("http://m.example/r", http("User-agent: *\nDisallow: /", content_type="text/plain"))
    closed = response("http://m.example/", http(page("Moved robots")))
    first = put(tmp_path, packed([*pages, moved, closed, target, opened]), "pages.warc.gz")
    second = put(tmp_path, packed([response(f"{A}robots.txt", http(ROBOTS, content_type="text/plain")), shut]), "r.gz")
    imported(empty, first, second)
    with CrawlDatabase(empty.data, readonly=True) as database:
        found = dict(database.connection.execute("SELECT url, rule FROM url").fetchall())
    assert found[f"{A}secret/one"] == "fetched"
    assert found["http://shut.example/"] == "robots"
    assert found["http://m.example/"] == "robots"
    assert "http://m.example/r" not in found  # it is the file, and no page


def test_what_a_person_has_blocked_or_made_forgotten_stays_out(many: Breadcrumb, kept: Path) -> None:
    many.run("forget", f"{A}bread")
    many.run("block", "--anyway", f"{A}blocked")
    more = [response(f"{A}bread", http(page("Rye bread")), date="2024-05-07T00:00:00Z")]
    more.append(response(f"{A}blocked", http(page("Blocked"))))
    (told,) = imported(many, put(kept, packed(more), "more.warc.gz"))
    assert told["account"] == {"refused: forgotten": 1, "refused: blocked": 1}
    assert not json.loads(many.run("search", "--json", "rye").out)["hits"]


def test_revisit_records_renew_or_bring_what_another_url_said(empty: Breadcrumb, tmp_path: Path) -> None:
    digest = {"WARC_Payload_Digest": "sha1:AAAA"}
    same = {"WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", **digest}
    same["WARC_Refers_To_Target_URI"] = A
    unchanged = {"WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/server-not-modified", **LATER}
    hidden = http("", "304 Not Modified", "text/html", "X-Robots-Tag: noindex")
    archive = [
        response(A, http(page("Home")), **digest),
        record("revisit", http(), f"{A}index.html", **same),
        record("revisit", b"", f"{A}unknown", **(same | {"WARC_Payload_Digest": "sha1:BBBB"})),
        record("revisit", hidden, A, **unchanged),
    ]
    (told,) = imported(empty, put(tmp_path, packed(archive)))
    assert told["account"] == {"stored": 1, "refused: duplicate": 1, NOT_HERE: 1, "renewed": 1}
    assert "noindex" in journal(empty)
    hits = json.loads(empty.run("search", "--json", "home").out)["hits"]
    assert [hit["url"] for hit in hits] == [f"{A}index.html"]  # the copy takes the place of what is hidden since


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        pytest.param("empty.warc", b"", "is empty", id="an empty file"),
        pytest.param("page.html", page("A page").encode(), "does not begin with a record", id="no archive"),
        pytest.param("page.html.gz", gzip.compress(b"<html>"), "does not begin with a record", id="something packed"),
    ],
)
def test_what_is_no_archive_is_refused(empty: Breadcrumb, tmp_path: Path, name: str, data: bytes, told: str) -> None:
    done = empty.run("import", put(tmp_path, data, name))
    assert done.code == 2
    assert told in done.err
    assert ".warc.gz" in done.err
    assert not (empty.data / "crawl.sqlite3").exists()


def test_a_folder_a_missing_file_and_a_busy_crawl_are_told(empty: Breadcrumb, tmp_path: Path) -> None:
    file = put(tmp_path, packed(MANY_KINDS))
    assert "is a folder: give the files in it" in empty.run("import", str(tmp_path)).err
    assert "No such file" in empty.run("import", str(tmp_path / "none.warc")).err
    os.mkfifo(tmp_path / "pipe")
    assert "save it as a file first" in empty.run("import", str(tmp_path / "pipe")).err
    lock = CrawlLock(empty.data)
    try:
        busy = empty.run("import", file)
    finally:
        lock.release()
    assert busy.code == 2
    assert "is in use by a crawl" in busy.err
