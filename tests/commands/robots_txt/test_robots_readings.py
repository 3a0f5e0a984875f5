"""Are the four readings next to each other, with the rule on which they differ, and the delay as engines read it?

Crawl-delay as three engines read it, Request-rate as its text has it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands.answering import server
from tests.commands.conftest import PLAIN_ROBOTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def told(out: str) -> str:
    """What stands before the file, in one line."""
    return " ".join(out.partition("\n\n")[0].split())


def test_a_reading_can_be_chosen(empty: Breadcrumb, file: Path) -> None:
    assert empty.run("robots", str(file), "/ovens/", "--dialect", "1996").code == 0
    assert empty.run("robots", str(file), "/ovens/", "--dialect", "google").code == 1


def test_a_reading_that_is_none_is_answered_with_those_there_are(empty: Breadcrumb, file: Path) -> None:
    done = empty.run("robots", str(file), "/", "--dialect", "2009")
    assert done.code == 2
    assert "--dialect 2009: choose rfc9309, google, 1996, book or all" in done.err


def test_four_readings_stand_side_by_side_and_name_the_rule_on_which_they_part(empty: Breadcrumb, file: Path) -> None:
    done = empty.run("robots", str(file), "--dialect", "all", "/ovens/")
    assert done.code == 1, "the default reading decides about the exit code"
    assert told(done.out) == (
        "/ovens/ "
        "rfc9309 disallowed line 3, Disallow: /ovens/ (the longest rule that matches) "
        "google disallowed line 3, Disallow: /ovens/ (the longest rule that matches) "
        "1996 allowed line 2, Allow: / (the first rule that matches) "
        "book allowed line 2, Allow: / (the first rule that matches) "
        "1996 and book part from rfc9309 on which rule wins "
        "(the first that matches; rfc9309: the one with most octets, Allow on a tie)."
    )
    assert max(map(len, done.out.partition("\n\n")[0].splitlines())) <= 80
    assert {"> 2  Allow: /", "> 3  Disallow: /ovens/"} <= set(done.out.splitlines())


def test_a_misspelt_field_is_the_rule_on_which_google_parts(empty: Breadcrumb, mixed: Path) -> None:
    done = empty.run("robots", str(mixed), "--dialect", "all", "/mill/", "--agent", "Rye")
    assert done.code == 0
    assert told(done.out).endswith("google parts from rfc9309 on misspelt fields (count; rfc9309: are passed over).")


def test_readings_that_agree_say_so(empty: Breadcrumb, file: Path) -> None:
    assert "  All four dialects agree." in empty.run("robots", str(file), "--dialect", "all", "/bread").out


def test_json_has_the_readings_and_where_they_part(empty: Breadcrumb, file: Path) -> None:
    (one,) = json.loads(empty.run("robots", str(file), "/ovens/", "--dialect", "all", "--json").out)["verdicts"]
    assert (one["allowed"], one["line"]) == (False, 3)
    lines = {name: verdict["line"] for name, verdict in one["readings"].items()}
    assert lines == {"rfc9309": 3, "google": 3, "1996": 2, "book": 2}
    assert [(found["dialect"], found["differences"][0]["choice"]) for found in one["partings"]] == [
        ("1996", "longest_rule_wins"),
        ("book", "longest_rule_wins"),
    ]


@pytest.mark.parametrize("status", [401, 403])
def test_35_a_denied_file_closes_the_site_in_the_old_readings(empty: Breadcrumb, status: int) -> None:
    with server(("/robots.txt", (status, {}, b""))) as (address, _):
        done = empty.run("robots", f"{address}/", "--dialect", "all", "/bread")
        assert empty.run("robots", f"{address}/", "--dialect", "book", "/bread").code == 1
    assert done.code == 0
    words = [
        line.split()[1]
        for line in done.out.splitlines()
        if line.startswith(("  rfc", "  google", "  1996 ", "  book "))
    ]
    assert words[:4] == ["allowed", "allowed", "disallowed", "disallowed"]
    assert "1996 and book part from rfc9309 on 401 and 403 for robots.txt" in told(done.out)


def test_72_crawl_delay_is_told_as_three_engines_read_it(empty: Breadcrumb, mixed: Path) -> None:
    out = " ".join(empty.run("robots", str(mixed), "/", "--agent", "Rye").out.split())
    assert "Crawl-delay: 10 for Rye, as three engines read it" in out
    assert "Yandex at least 10 s between two requests: at most 8,640 visits a day" in out
    assert "Bing time is cut into windows of 10 s with one visit in each" in out
    assert "Google the line is ignored" in out


def test_72_a_robot_with_a_group_of_its_own_inherits_no_delay(empty: Breadcrumb, mixed: Path) -> None:
    out = " ".join(empty.run("robots", str(mixed), "/", "--agent", "Crumb").out.split())
    assert "Crawl-delay: 10 is not for Crumb: a robot with its own group inherits nothing" in out
    mixed.write_text("User-agent: *\nCrawl-delay: 0\nAllow: /\n")
    assert "no limit" in empty.run("robots", str(mixed), "/").out


def test_a_request_rate_is_told_for_whom_it_is(empty: Breadcrumb, file: Path) -> None:
    file.write_text("User-agent: *\nRequest-rate: 30/5m 0900-1700\nAllow: /\n\nUser-agent: Crumb\nAllow: /\n")
    out = " ".join(empty.run("robots", str(file), "/", "--agent", "Rye").out.split())
    assert (
        "Request-rate for Rye: at most 30 pages in 300 s, at any hour; evenly spaced, 10 s between two requests" in out
    )
    out = " ".join(empty.run("robots", str(file), "/", "--agent", "Crumb").out.split())
    assert "Request-rate is not for Crumb: a robot with its own group inherits nothing" in out


def test_a_request_rate_is_in_json(empty: Breadcrumb, file: Path) -> None:
    file.write_text("User-agent: *\nRequest-rate: 1/10\nAllow: /\n")
    told = json.loads(empty.run("robots", str(file), "/", "--json").out)
    assert told["request_rate"] == {"requests": 1, "seconds": 10.0, "seconds_per_request": 10.0}
    file.write_bytes(PLAIN_ROBOTS)
    assert json.loads(empty.run("robots", str(file), "/", "--json").out)["request_rate"] is None
