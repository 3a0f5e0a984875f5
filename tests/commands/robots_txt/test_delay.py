"""Is Crawl-delay told as three engines read it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

MIXED = b"""\
User-agent: *
Allow: /
Disallow: /ovens/
Disalow: /mill/
Crawl-delay: 10

User-agent: Crumb
Disallow: /admin/
"""
TEXT = b"User-agent: *\nAllow: /\nDisallow: /ovens/\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(TEXT)
    return path


def test_72_crawl_delay_is_told_as_three_engines_read_it(empty: Breadcrumb, file: Path) -> None:
    file.write_bytes(MIXED)
    out = " ".join(empty.run("robots", str(file), "/", "--agent", "Rye").out.split())
    assert "Crawl-delay: 10 for Rye has three readings" in out
    assert "Yandex at least 10 s from one visit to the next: at most 8,640 visits a day" in out
    assert "Bing time is cut into windows of 10 s with one visit in each" in out
    assert "Google no part of the file" in out


def test_72_a_robot_with_a_group_of_its_own_inherits_no_delay(empty: Breadcrumb, file: Path) -> None:
    file.write_bytes(MIXED)
    out = " ".join(empty.run("robots", str(file), "/", "--agent", "Crumb").out.split())
    assert "Crawl-delay: 10 is not for Crumb: a robot with a group of its own inherits nothing" in out
    file.write_text("User-agent: *\nCrawl-delay: 0\nAllow: /\n")
    assert "no limit" in empty.run("robots", str(file), "/").out
