"""Only the owner of a data folder reads it, or the group with which the owner shares it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from crawldb.folders import make_private


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("before", "folder", "file", "told"),
    [
        pytest.param(0o755, 0o700, 0o600, "only its owner can read it", id="as an earlier version made it"),
        pytest.param(0o775, 0o700, 0o600, "only its owner can read it", id="made under umask 002"),
        pytest.param(0o700, 0o700, 0o600, "", id="private"),
        pytest.param(0o750, 0o750, 0o640, "", id="closed to others by the operator"),
        pytest.param(0o2770, 0o2770, 0o660, "", id="shared with a group"),
        pytest.param(0o2775, 0o2770, 0o660, "its owner and its group", id="shared with a group, and open to all"),
    ],
)
def test_others_lose_their_rights_and_a_group_keeps_what_it_was_given(
    tmp_path: Path, before: int, folder: int, file: int, told: str
) -> None:
    data = tmp_path / "data"
    CrawlDatabase(data).close()
    data.chmod(before)
    (data / "crawl.sqlite3").chmod(0o666 & before)
    said = make_private(data)
    assert told in said
    assert bool(told) == bool(said)
    assert (mode(data), mode(data / "crawl.sqlite3")) == (folder, file)
    (data / "new").touch()
    assert mode(data / "new") == file


def test_a_folder_without_a_crawl_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letter").touch()
    assert make_private(tmp_path) == ""
    assert (mode(tmp_path), mode(tmp_path / "letter")) == (0o755, 0o644)
