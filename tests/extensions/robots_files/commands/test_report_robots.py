"""A summary of all robots.txt files of a crawl, in the terminal and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def test_robots_txt_files_are_reported(bakery: Breadcrumb) -> None:
    done = bakery.run("report", "robots")
    assert done.code == 0
    assert "The robots.txt files in" in done.out
    assert "1 with" in done.out
    found = json.loads(bakery.run("report", "robots", "--json").out)
    assert (found["files"], found["history"]["versions"], found["answers"]) == (1, 1, {"200": 1})
    assert found["universal"]["named"] == 1


def test_a_crawl_without_any_says_where_they_come_from(empty: Breadcrumb, tmp_path: Path) -> None:
    CrawlDatabase(tmp_path / "data").close()
    done = empty.run("report", "robots", "-s", f"DATA_DIR={tmp_path / 'data'}")
    assert done.code == 0
    words = " ".join(done.out.split())
    assert "none yet. A crawl keeps the robots.txt of each site that it visits" in words
    assert f"./breadcrumb robots --import FILES --data {tmp_path / 'data'}" in words
