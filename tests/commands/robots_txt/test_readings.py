"""Do the four readings stand side by side, with the rule on which they part?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands.answering import server

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
    assert "'rfc9309', 'google', '1996', 'book', 'all'" in done.err


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
    assert "  The four readings agree." in empty.run("robots", str(file), "--dialect", "all", "/bread").out


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
