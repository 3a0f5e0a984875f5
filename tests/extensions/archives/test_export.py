"""`export` writes the stored crawl database as WARC 1.1, and another program can read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from fastwarc.warc import ArchiveIterator

from crawldb.database import CrawlDatabase
from tests.commands.conftest import HOST
from tests.extensions.archives.importing.folder import ROBOTS, A, imported, put
from tests.extensions.archives.made_archives import of_wget, page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

Record = tuple[str, str, str, bytes]  # its type, URL and date, and its block


def exported(at: Breadcrumb, folder: Path) -> list[Record]:
    """Export a crawl; return its records as another reader reads them, which finds each digest right."""
    done = at.run("export", "--warc", str(folder))
    assert done.code == 0, done.err
    found: list[Record] = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            for each in ArchiveIterator(file, parse_http=False):
                assert each.verify_block_digest()
                assert each.headers["WARC-Type"] == "warcinfo" or each.headers["WARC-Warcinfo-ID"]
                url, date = each.headers.get("WARC-Target-URI") or "", each.headers["WARC-Date"]
                found.append((each.headers["WARC-Type"], url.removeprefix(HOST), date, each.reader.read()))
    return found


def of(records: list[Record], kind: str) -> dict[str, bytes]:
    return {url: block for type_, url, _, block in records if type_ == kind}


@pytest.fixture
def visited(bakery: Breadcrumb) -> Breadcrumb:
    """One page was found to be as it was, one has no body, one is blocked, and one is forgotten."""
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        rye, pan = (
            database.count("SELECT id FROM url WHERE url = ?", f"{HOST}{name}") for name in ("/rye.html", "/pan.html")
        )
        later = "SELECT run, url, at + 60, seconds, 304, 0, 'not-modified' FROM fetch WHERE url = ? LIMIT 1"
        connection.execute(f"INSERT INTO fetch (run, url, at, seconds, status, size, rule) {later}", (rye,))
        connection.execute("UPDATE page SET fetched_at = fetched_at + 60 WHERE url = ?", (rye,))
        connection.execute("DELETE FROM body WHERE url = ?", (pan,))
    bakery.run("block", f"{HOST}/brot.html")
    bakery.run("forget", f"{HOST}/sourdough.html")
    return bakery


def test_what_is_stored_is_in_the_archive_and_what_is_not_is_said(visited: Breadcrumb, tmp_path: Path) -> None:
    records = exported(visited, tmp_path / "out")
    answers, said = of(records, "response"), of(records, "metadata")
    assert records[0][0] == "warcinfo"
    assert b"software: Breadcrumb" in records[0][3]
    assert answers["/robots.txt"].startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Disallow: /ovens/" in answers["/robots.txt"]
    assert answers["/old.html"].startswith(f"HTTP/1.1 301 Moved Permanently\r\nlocation: {HOST}/rye.html\r\n".encode())
    assert answers["/gone.html"].startswith(b"HTTP/1.1 404 Not Found\r\n")
    assert b"Rye" in answers["/rye.html"].partition(b"\r\n\r\n")[2]
    assert not {"/secret.html", "/pan.html", "/brot.html", "/ovens/"} & set(answers)
    assert b"noindex" in said["/secret.html"]
    assert b"not-kept: the request; the answer" in said["/pan.html"]
    assert b"the request" in said["/rye.html"]
    assert not {"/brot.html", "/sourdough.html"} & {url for _, url, _, _ in records}  # a person wants nothing of it
    assert not of(records, "request")
    ((_, url, date, block),) = [each for each in records if each[0] == "revisit"]
    assert (url, block) == ("/rye.html", b"HTTP/1.1 304 Not Modified\r\n\r\n")
    assert date > next(each[2] for each in records if each[:2] == ("response", "/rye.html"))


def test_an_export_can_be_imported_and_made_again_with_the_same_records(visited: Breadcrumb, tmp_path: Path) -> None:
    first, second = exported(visited, tmp_path / "one"), exported(visited, tmp_path / "two")
    assert first[1:] == second[1:]
    before = (visited.data / "crawl.sqlite3").read_bytes()
    assert exported(visited, tmp_path / "three")[1:] == first[1:]
    assert (visited.data / "crawl.sqlite3").read_bytes() == before  # it only reads
    other = type(visited)(tmp_path / "back", visited.folder)
    (told,) = imported(other, *map(str, (tmp_path / "one").iterdir()))
    assert told["account"]["renewed"] == 1
    assert told["account"]["ended: moved"] == 1
    hits = json.loads(other.run("search", "--json", "rye").out)["hits"]
    assert f"{HOST}/rye.html" in {hit["url"] for hit in hits}


def test_a_folder_in_use_and_an_empty_crawl_are_told(bakery: Breadcrumb, empty: Breadcrumb, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "note.txt").write_text("mine")
    done = bakery.run("export", "--warc", str(tmp_path / "kept"))
    assert done.code == 2
    assert "there is something already; give a folder that is empty or not there" in done.err
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["note.txt"]
    below_a_file = bakery.run("export", "--warc", str(tmp_path / "kept" / "note.txt" / "out"))
    assert below_a_file.code == 2
    assert "give one where you may write" in below_a_file.err
    assert "--data" not in below_a_file.err
    nothing = type(empty)(tmp_path / "nothing", empty.folder).run("export", "--warc", str(tmp_path / "out"))
    assert nothing.code == 2
    assert "holds no crawl yet" in nothing.err
    assert not (tmp_path / "out").exists()


def test_what_robots_txt_has_kept_out_of_an_import_is_not_exported_either(empty: Breadcrumb, tmp_path: Path) -> None:
    pages = [(A, page("Home")), (f"{A}secret/oven", page("Oven"))]
    imported(empty, put(tmp_path, of_wget(pages, ROBOTS)))
    urls = {url for _, url, _, _ in exported(empty, tmp_path / "out")}
    assert urls == {"", A, f"{A}robots.txt"}
    with CrawlDatabase(empty.data) as database:
        database.check()  # it is sealed, and whole


def test_what_is_damaged_is_told_and_all_else_is_written(bakery: Breadcrumb, tmp_path: Path) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        pan = database.count("SELECT id FROM url WHERE url = ?", f"{HOST}/pan.html")
        connection.execute("UPDATE body SET data = x'00' WHERE url = ?", (pan,))
    done = bakery.run("export", "--warc", str(tmp_path / "out"), "--json")
    assert done.code == 1
    assert json.loads(done.out)["written"]["damaged"] == 1


def test_what_has_expired_since_has_no_copy(bakery: Breadcrumb, tmp_path: Path) -> None:
    with CrawlDatabase(bakery.data) as database, database.transaction() as connection:
        rye = database.count("SELECT id FROM url WHERE url = ?", f"{HOST}/rye.html")
        line = '[["x-robots-tag", "unavailable_after: 2020-01-01"]]'
        connection.execute("UPDATE body SET headers = ? WHERE url = ?", (line, rye))
    assert bakery.run("reparse").code == 0
    assert "/rye.html" not in of(exported(bakery, tmp_path / "out"), "response")
