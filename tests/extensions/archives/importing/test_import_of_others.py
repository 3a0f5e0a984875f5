"""Archives of other programs are imported: as their documentation shows them, and as wget writes them today."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from reports.numbers import url_counts
from tests.child import PATIENCE
from tests.extensions.archives.importing.folder import ROBOTS, A, imported, put
from tests.extensions.archives.made_archives import arc, chunked, of_browsertrix, of_heritrix, of_wget, page
from tests.serving import PatientServer, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def test_what_an_archive_says_of_itself_steers_no_terminal(empty: Breadcrumb, tmp_path: Path) -> None:
    written = gzip.decompress(of_wget([(A, page("Wget"))], ROBOTS)).replace(b"Wget/1.21.3", b"Wget\x1b[31m.3")
    done = empty.run("import", str(put(tmp_path, written, "site.warc")))
    assert "written by Wget\N{REPLACEMENT CHARACTER}[31m.3" in done.out
    assert "\x1b" not in done.out + done.err


def test_what_wget_heritrix_browsertrix_and_the_internet_archive_wrote_is_read(
    empty: Breadcrumb, tmp_path: Path
) -> None:
    files = [
        put(tmp_path, of_wget([(A, page("Wget", f"{A}two")), (f"{A}two", page("Two"))], ROBOTS), "wget.warc.gz"),
        put(tmp_path, of_heritrix("http://h.example/", page("Heritrix")), "heritrix.warc.gz"),
        put(tmp_path, of_browsertrix("http://b.example/", page("Browsertrix")), "browser.warc.gz"),
        put(tmp_path, arc("http://old.example/", page("Alexandria")), "old.arc"),
    ]
    wget, heritrix, browser, old = imported(empty, *files)
    assert (wget["software"], wget["account"]["stored"], wget["without_robots"]) == ("Wget/1.21.3 (linux-gnu)", 2, 0)
    assert (heritrix["account"]["stored"], heritrix["account"]["renewed"]) == (1, 1)
    assert (browser["account"]["stored"], browser["without_robots"]) == (1, 1)
    assert browser["account"]["not a page: answer to another method, or to a made-up address"] == 1
    assert old["account"]["stored"] == 1
    for word in ("Wget", "Heritrix", "Browsertrix", "Alexandria"):
        assert json.loads(empty.run("search", "--json", word).out)["total"] == 1
    with CrawlDatabase(empty.data, readonly=True) as database:
        dates = dict(database.connection.execute("SELECT url.url, fetched_at FROM page JOIN url ON url.id = page.url"))
    assert dates["http://h.example/"] == time_of("2024-06-06T07:08:09")  # its revisit
    assert dates["http://b.example/"] == pytest.approx(time_of("2024-05-06T07:08:09") + 0.123)
    assert dates["http://old.example/"] == time_of("2002-05-06T07:08:09")


def time_of(moment: str) -> float:
    return datetime.fromisoformat(f"{moment}+00:00").timestamp()


@pytest.mark.skipif(shutil.which("wget") is None, reason="no wget here")
def test_what_wget_archives_today_is_imported(empty: Breadcrumb, tmp_path: Path) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            files = {
                "/": ("text/html", page("Home", "/moved")),  # one way to the page: wget fetches it once
                "/robots.txt": ("text/plain", ROBOTS),
                "/bread": ("text/html", page("Bread by wget")),
            }
            kind, body = files.get(self.path, ("text/html", ""))
            self.send_response(200 if body else 302)
            self.send_header("Content-Type", kind)
            self.send_header("Location", "/bread") if not body else None
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(chunked(body.encode()))

        def log_message(self, *_: object) -> None:
            pass

    with serving(PatientServer(("127.0.0.1", 0), Handler)) as url:
        words = ["wget", "--quiet", "--recursive", "--delete-after", "--warc-file=wget", f"{url}/"]
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        subprocess.run(words, cwd=tmp_path, check=False, timeout=PATIENCE, env=environment)
    (told,) = imported(empty, str(tmp_path / "wget.warc.gz"))
    assert told["account"]["stored"] == 2
    assert told["account"]["ended: moved"] == 1
    assert told["account"]["robots.txt"] == 1
    assert told["software"].startswith("Wget/")
    assert json.loads(empty.run("search", "--json", "wget").out)["hits"][0]["url"] == f"{url}/bread"
    with CrawlDatabase(empty.data, readonly=True) as database:
        assert url_counts(database)["queued"] == 0
