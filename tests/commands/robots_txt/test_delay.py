"""Is Crawl-delay told as three engines read it, and Request-rate as its text has it?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.commands.robots_txt.conftest import TEXT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def test_72_crawl_delay_is_told_as_three_engines_read_it(empty: Breadcrumb, mixed: Path) -> None:
    out = " ".join(empty.run("robots", str(mixed), "/", "--agent", "Rye").out.split())
    assert "Crawl-delay: 10 for Rye has three readings" in out
    assert "Yandex at least 10 s from one visit to the next: at most 8,640 visits a day" in out
    assert "Bing time is cut into windows of 10 s with one visit in each" in out
    assert "Google no part of the file" in out


def test_72_a_robot_with_a_group_of_its_own_inherits_no_delay(empty: Breadcrumb, mixed: Path) -> None:
    out = " ".join(empty.run("robots", str(mixed), "/", "--agent", "Crumb").out.split())
    assert "Crawl-delay: 10 is not for Crumb: a robot with a group of its own inherits nothing" in out
    mixed.write_text("User-agent: *\nCrawl-delay: 0\nAllow: /\n")
    assert "no limit" in empty.run("robots", str(mixed), "/").out


def test_a_request_rate_is_told_for_whom_it_is(empty: Breadcrumb, file: Path) -> None:
    file.write_text("User-agent: *\nRequest-rate: 30/5m 0900-1700\nAllow: /\n\nUser-agent: Crumb\nAllow: /\n")
    out = " ".join(empty.run("robots", str(file), "/", "--agent", "Rye").out.split())
    assert "Request-rate for Rye: at most 30 pages in 300 s, at any hour; evenly spaced, 10 s from one visit" in out
    out = " ".join(empty.run("robots", str(file), "/", "--agent", "Crumb").out.split())
    assert "Request-rate is not for Crumb: a robot with a group of its own inherits nothing" in out


def test_a_request_rate_is_in_json(empty: Breadcrumb, file: Path) -> None:
    file.write_text("User-agent: *\nRequest-rate: 1/10\nAllow: /\n")
    told = json.loads(empty.run("robots", str(file), "/", "--json").out)
    assert told["request_rate"] == {"requests": 1, "seconds": 10.0, "seconds_per_request": 10.0}
    file.write_bytes(TEXT)
    assert json.loads(empty.run("robots", str(file), "/", "--json").out)["request_rate"] is None
