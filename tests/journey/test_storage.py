"""Storage: what a person is told when the disk is full or the folder can't be written, and that nothing is lost."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journey.conftest import Folder, Site, html

SMALL = "1500k"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is soon full; mounting one takes rights that not every machine gives."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can't be mounted here: that takes root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_told_and_the_next_crawl_goes_on(small_disk: Path, site: Site) -> None:
    pages = [f"/{number}" for number in range(200)]
    site.pages = {"/": html("home", *pages)}
    site.pages |= {path: html(path, text=os.urandom(6000).hex()) for path in pages}
    folder = Folder(small_disk / "data")
    full = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert full.returncode == 1
    assert "disk is full" in full.stderr
    assert "What was committed is safe" in full.stderr
    assert "Traceback" not in full.stderr
    stored = folder.report()["pages"]["stored"]
    assert 0 < stored < 200
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    assert folder.report()["pages"]["stored"] == 201
    assert folder.report()["urls"]["leased"] == 0


def test_a_folder_that_is_none_is_told(tmp_path: Path, site: Site) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    done = Folder(tmp_path / "data").crawl(f"{site.url}/")
    assert done.returncode == 2
    assert str(tmp_path / "data") in done.stderr
    assert "Traceback" not in done.stderr
