"""Does the archive hold what was sent and received? Two crawls of a small site, read by an independent reader."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from extensions.archives.files import FOLDER
from extensions.archives.tables import archived_places
from tests.extensions.archives.archived import read_folder
from tests.journey.conftest import Answer, Folder, Site, html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.extensions.archives.archived import ReadRecord

SECRET = "session=abc123"
IMPORTED = """
import sys, commands.__main__
try:
    commands.__main__.main(sys.argv[1:])
finally:
    print([name for name in sys.modules if "warcio" in name or name.startswith("spiders.archive")])
"""
SAME = html("the same", text="A text that two addresses have, word by word, and that is long enough to be kept.")
CLOSING = {"Content-Type": "text/html", "Connection": "close"}
LARGE = 900_000  # bytes, with DOWNLOAD_MAXSIZE at a third of it
SETTINGS = {"INDEX_FOLLOW": 0, "PROBE_AFTER": 0, "WARC": "yes", "RETRY_ATTEMPTS": 1, "DOWNLOAD_MAXSIZE": LARGE // 3}


class Archived(NamedTuple):
    site: Site
    folder: Folder
    first: list[ReadRecord]
    second: list[ReadRecord]

    def of(self, path: str, kind: str, *, again: bool = False) -> list[ReadRecord]:
        """Return the records of one crawl for a path."""
        url = f"{self.site.url}{path}"
        records = self.second if again else self.first
        return [one for one in records if (one.kind, one.headers.get("WARC-Target-URI")) == (kind, url)]


def tagged(headers: dict[str, str]) -> Answer:
    if headers.get("If-None-Match") == '"one"':
        return 304, {"ETag": '"one"'}, b""
    status, own, body = html("tagged", head='<meta name="robots" content="nofollow">')
    return status, own | {"ETag": '"one"', "Set-Cookie": SECRET}, body


def pages(url: str) -> dict[str, object]:
    found = [
        "/packed",
        "/chunks",
        "/same-1",
        "/same-2",
        "/kept-back",
        "/moved",
        "/gone",
        "/large",
        "/torn",
        "/tagged",
        "/refused",
    ]
    packed = gzip.compress(html("packed")[2])
    chunks = b"5\r\n<p>It\r\n9\r\n has come\r\n0\r\n\r\n"
    return {
        "/robots.txt": (200, {}, f"User-agent: *\nDisallow: /refused\nSitemap: {url}/map.xml\n".encode()),
        "/map.xml": (200, {}, f"<urlset><url><loc>{url}/</loc></url></urlset>".encode()),
        "/": html("home", *found),
        "/packed": (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, packed),
        "/chunks": (200, {"Content-Type": "text/html", "Transfer-Encoding": "chunked", "Content-Length": "x"}, chunks),
        "/same-1": SAME,
        "/same-2": SAME,
        "/kept-back": html("private", head="<meta name=robots content=noarchive>"),
        "/moved": (301, {"Location": "/same-1"}, b"moved"),
        "/large": (200, CLOSING | {"Content-Length": str(LARGE)}, b"x" * LARGE),
        "/torn": (200, CLOSING | {"Content-Length": "9000"}, b"<p>torn"),
        "/tagged": tagged,
    }  # fmt: skip


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory, _forks: None) -> Iterator[Archived]:
    with served_site() as site:
        folder = Folder(tmp_path_factory.mktemp("archived") / "data")
        site.pages = pages(site.url)  # type: ignore[assignment]  # answers and functions
        del site.pages["/chunks"][1]["Content-Length"]  # type: ignore[index]  # an answer
        crawls = []
        for seeds in ([f"{site.url}/"], []):
            done = folder.crawl(*seeds, CONTACT="owner@example.org", **SETTINGS)
            assert done.returncode == 0, done.stderr
            crawls.append(read_folder(folder.path / FOLDER))
        yield Archived(site, folder, crawls[0], crawls[1][len(crawls[0]) :])


def test_every_request_that_the_site_got_is_there_with_its_answer(archived: Archived) -> None:
    both = [*archived.first, *archived.second]
    asked = Counter(one.headers["WARC-Target-URI"] for one in both if one.kind == "request")
    answered = Counter(one.headers["WARC-Target-URI"] for one in both if one.kind in {"response", "revisit"})
    assert asked == answered == Counter(f"{archived.site.url}{path}" for path in archived.site.asked())
    assert not archived.of("/refused", "request")


def test_a_request_is_what_was_sent_byte_by_byte(archived: Archived) -> None:
    (request,) = archived.of("/same-1", "request")
    sent = next(headers for path, headers in archived.site.log if path == "/same-1")
    assert request.block.startswith(b"GET /same-1 HTTP/1.1\r\n")
    assert request.head == sent
    assert request.head["Referer"] == f"{archived.site.url}/"


def test_a_response_is_what_came(archived: Archived) -> None:
    (packed,), (chunks,), (moved,) = (archived.of(path, "response") for path in ("/packed", "/chunks", "/moved"))
    sent = archived.site.pages["/packed"][2]  # type: ignore[index]  # an answer
    assert (packed.head["Content-Encoding"], packed.payload) == ("gzip", sent)
    assert (chunks.head["X-Crawler-Transfer-Encoding"], chunks.payload) == ("chunked", b"<p>It has come")
    assert moved.block.startswith(b"HTTP/1.1 301 Moved Permanently\r\n")
    assert (moved.head["Location"], moved.payload) == ("/same-1", b"moved")
    assert packed.headers["WARC-IP-Address"] == "127.0.0.1"


def test_robots_txt_and_sitemaps_are_there(archived: Archived) -> None:
    (robots,), (sitemap,) = archived.of("/robots.txt", "response"), archived.of("/map.xml", "response")
    assert robots.payload.startswith(b"User-agent: *\nDisallow: /refused")
    assert sitemap.payload.startswith(b"<urlset>")
    assert b"verdict: sitemap" in archived.of("/map.xml", "metadata")[0].block


def test_what_was_decided_stands_beside_it(archived: Archived) -> None:
    home = archived.of("/", "metadata")[0].block.decode()
    assert "seed: yes\r\n" in home
    assert "verdict: page\r\n" in home
    assert f"outlink: {archived.site.url}/refused L a/@href\r\n" in home
    page = archived.of("/same-1", "metadata")[0].block.decode()
    assert f"via: {archived.site.url}/\r\n" in page
    assert "depth: 1\r\n" in page
    gone = archived.of("/gone", "metadata")[0].block.decode()
    assert "verdict: gone\r\n" in gone
    assert "reason: the server says that it is gone (404)" in gone


def test_a_second_address_with_the_same_payload_is_a_revisit_of_the_first(archived: Archived) -> None:
    records = [*archived.of("/same-1", "response"), *archived.of("/same-2", "response")]
    revisits = [*archived.of("/same-1", "revisit"), *archived.of("/same-2", "revisit")]
    assert (len(records), len(revisits)) == (1, 1)
    assert revisits[0].headers["WARC-Refers-To"] == records[0].headers["WARC-Record-ID"]
    assert revisits[0].headers["WARC-Payload-Digest"] == records[0].headers["WARC-Payload-Digest"]


def test_a_304_is_a_revisit_of_the_page_of_the_crawl_before(archived: Archived) -> None:
    (page,) = archived.of("/tagged", "response")
    (revisit,) = archived.of("/tagged", "revisit", again=True)
    assert revisit.headers["WARC-Profile"].endswith("/server-not-modified")
    assert revisit.headers["WARC-Refers-To"] == page.headers["WARC-Record-ID"]
    assert revisit.headers["WARC-Refers-To-Date"] == page.headers["WARC-Date"]


def test_what_our_limits_or_the_server_cut_says_so(archived: Archived) -> None:
    (large,), (torn,) = archived.of("/large", "response"), archived.of("/torn", "response")
    assert large.headers["WARC-Truncated"] == "length"
    assert (torn.headers["WARC-Truncated"], torn.payload) == ("disconnect", b"<p>torn")
    assert not any(one.headers.get("WARC-Truncated") for one in archived.of("/packed", "response"))


def test_no_cookie_is_written_and_its_absence_is_told(archived: Archived) -> None:
    assert not [one for one in archived.first if SECRET.encode() in one.block]
    assert b"left-out: set-cookie" in archived.of("/tagged", "metadata")[0].block


def test_a_page_that_asks_for_it_is_not_archived(archived: Archived) -> None:
    (response,) = archived.of("/kept-back", "response")
    assert (response.payload, response.headers["WARC-Truncated"]) == (b"", "unspecified")
    assert b"left-out: the body, since the page asks for it (" in archived.of("/kept-back", "metadata")[0].block


def test_each_file_begins_with_who_crawled_and_how(archived: Archived) -> None:
    first = archived.first[0]
    assert first.kind == "warcinfo"
    lines = first.block.decode().splitlines()
    assert "robots: obey" in lines
    assert "operator: owner@example.org" in lines
    assert len(list((archived.folder.path / FOLDER).glob("*.warc.gz"))) == 2


def test_why_says_where_each_copy_stands(archived: Archived) -> None:
    told = json.loads(archived.folder.run("why", f"{archived.site.url}/tagged", "--json").stdout)["archived"]
    assert [(copy["kind"], copy["status"], copy["has_body"]) for copy in told] == [
        ("revisit", 304, True),
        ("response", 200, True),
    ]
    (page,) = archived.of("/tagged", "response")
    data = (archived.folder.path / FOLDER / told[1]["file"]).read_bytes()
    member = gzip.decompress(data[told[1]["offset"] :][: told[1]["length"]])
    assert page.headers["WARC-Record-ID"].encode() in member
    said = archived.folder.run("why", f"{archived.site.url}/kept-back").stdout
    assert "200, without a whole body" in " ".join(said.split())


@pytest.mark.slow
def test_without_the_setting_nothing_is_written_and_the_library_is_not_even_imported(
    site: Site, folder: Folder
) -> None:
    site.pages = {"/": html("home")}
    words = folder.command("crawl", "site", "-a", f"seeds={site.url}/", "-s", "INDEX_FOLLOW=0")
    done = subprocess.run([words[0], "-c", IMPORTED, *words[2:]], capture_output=True, text=True, check=False)
    assert "1 page fetched" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert not (folder.path / FOLDER).exists()


def test_of_a_site_that_is_forgotten_no_file_of_the_archive_says_anything(archived: Archived, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data")
    shutil.copytree(archived.folder.path, folder.path)
    done = folder.run("forget", archived.site.url.removeprefix("http://"), "--yes", "--json")
    told = json.loads(done.stdout)
    records = read_folder(folder.path / FOLDER)
    assert {record.kind for record in records} == {"warcinfo", "metadata"}
    assert told["archived"] == len([record for record in records if record.block.startswith(b"forgotten: ")])
    assert str(archived.site.port).encode() not in b"".join(record.block for record in records)


def test_what_is_forgotten_is_gone_from_the_archive_too(archived: Archived, tmp_path: Path) -> None:
    folder, url = Folder(tmp_path / "data"), f"{archived.site.url}/tagged"
    shutil.copytree(archived.folder.path, folder.path)
    done = folder.run("forget", url)
    assert done.returncode == 0, done.stderr
    records = read_folder(folder.path / FOLDER)
    assert not [one for one in records if one.headers.get("WARC-Target-URI") == url]
    assert len([one for one in records if one.block.startswith(b"forgotten: ")]) == 2
    with folder.database() as database:
        assert archived_places(database, url) == []
        assert archived_places(database, f"{archived.site.url}/packed")


def test_a_revisit_whose_body_was_forgotten_claims_none(archived: Archived, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data")
    shutil.copytree(archived.folder.path, folder.path)
    holder, other = (archived.of("/same-1", kind) for kind in ("response", "revisit"))
    paths = ("/same-1", "/same-2") if holder else ("/same-2", "/same-1")
    assert bool(holder) != bool(other)
    told = json.loads(folder.run("why", "--json", f"{archived.site.url}{paths[1]}").stdout)["archived"]
    assert told[0]["has_body"]
    done = folder.run("forget", f"{archived.site.url}{paths[0]}")
    assert "of other addresses had no other copy." in done.stdout
    why = folder.run("why", f"{archived.site.url}{paths[1]}").stdout
    assert "its body went with what was forgotten" in why
    told = json.loads(folder.run("why", "--json", f"{archived.site.url}{paths[1]}").stdout)["archived"]
    assert told
    assert {(one["has_body"], one["body_forgotten"]) for one in told} == {(False, True)}


def test_what_a_crawl_has_archived_is_imported_as_the_crawl_has_judged_it(archived: Archived, tmp_path: Path) -> None:
    other = Folder(tmp_path / "other")
    done = other.run("import", *map(str, sorted((archived.folder.path / FOLDER).glob("*.warc.gz"))))
    assert done.returncode == 0, done.stderr
    was, now = archived.folder.rules(), other.rules()
    assert indexed(other) == indexed(archived.folder) - {"/kept-back"}  # of which there is no copy
    assert {now[path] for path in indexed(other)} <= {"fetched", "not-modified"}  # a visit that found the same bytes
    assert (now["/moved"], now["/gone"], now["/torn"]) == (was["/moved"], was["/gone"], was["/torn"])
    assert "/refused" not in now or now["/refused"] is None  # nobody has asked for it


def indexed(folder: Folder) -> set[str]:
    with folder.database() as database:
        rows = database.connection.execute(
            "SELECT url.url FROM page JOIN url ON url.id = page.url WHERE refusals = '[]'"
        ).fetchall()
    return {f"/{url.split('/', 3)[3]}" for (url,) in rows}
