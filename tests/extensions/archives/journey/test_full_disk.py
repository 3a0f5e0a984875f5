"""A full disk: the archive keeps whole records, an import continues later, and an export leaves nothing half."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from extensions.archives.files import FOLDER
from tests.extensions.archives.archived import read_folder
from tests.extensions.archives.durability import faults_of_the_archive, faults_of_the_files
from tests.extensions.archives.made_archives import http, packed, page, response
from tests.journey.conftest import Folder, Site, html

NOT_KEPT = {"Content-Type": "text/html", "X-Robots-Tag": "noindex"}  # of such a page the database keeps no body


@pytest.mark.slow
@pytest.mark.parametrize("small_disk", [f"data/{FOLDER}"], indirect=True)  # the archive's own: the database has room
def test_an_archive_on_a_full_disk_ends_the_crawl_with_whole_records_and_the_next_one_goes_on(
    small_disk: Path, site: Site
) -> None:
    pages = [f"/{number}" for number in range(20)]
    site.pages = {"/": html("home", *pages)}
    site.pages |= {path: (200, NOT_KEPT, os.urandom(1_000_000)) for path in pages}
    folder = Folder(small_disk.parent)
    settings = {"INDEX_FOLLOW": 0, "WARC": "yes", "PROBE_AFTER": 0}
    full = folder.crawl(f"{site.url}/", **settings)
    assert full.returncode == 1
    assert "The archive can't be written: " in full.stderr
    assert "No space left on device. What was committed is safe; make room (df shows which disk)" in full.stderr
    assert "Traceback" not in full.stderr
    assert list(faults_of_the_archive(folder.path)) == []
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert folder.crawl(**settings).returncode == 0
    assert [*faults_of_the_archive(folder.path), *faults_of_the_files(folder.path)] == []
    asked = {f"{site.url}{path}" for path in site.asked()}
    assert {
        one.headers["WARC-Target-URI"] for one in read_folder(folder.path / FOLDER) if one.kind == "request"
    } == asked


@pytest.mark.slow
def test_an_import_and_an_export_that_fill_a_disk_are_told_and_the_same_import_goes_on(
    small_disk: Path, tmp_path: Path
) -> None:
    urls = [f"http://a.example/{number}" for number in range(120)]
    archive = tmp_path / "site.warc.gz"
    archive.write_bytes(packed(response(url, http(page(url, text=os.urandom(6000).hex()))) for url in urls))
    folder = Folder(small_disk / "data")
    full = folder.run("import", str(archive))
    assert full.returncode == 2
    assert "disk is full" in full.stderr
    assert "Traceback" not in full.stderr
    before = folder.report()["pages"]["stored"]
    assert before < 120
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    done = folder.run("import", str(archive))
    assert done.returncode == 0, done.stderr
    assert "120  pages are stored" in done.stdout
    assert folder.report()["pages"]["stored"] == 120
    with suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    export = folder.run("export", "--warc", str(small_disk / "out"))
    assert export.returncode == 2
    assert "No space left" in export.stderr
    assert not (small_disk / "out").exists()
