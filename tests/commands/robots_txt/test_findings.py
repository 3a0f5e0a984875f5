"""Does a lint print each finding under its line, and not more than a person reads?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands.answering import server
from tests.commands.robots_txt.conftest import TEXT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def test_a_lint_needs_no_url_and_prints_each_line_with_what_to_know(empty: Breadcrumb, mixed: Path) -> None:
    done = empty.run("robots", str(mixed), "--lint")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0] == f"{mixed}: 3 findings"
    assert lines.index("  8  Disallow: /admin/") < next(i for i, line in enumerate(lines) if "tells-where: " in line)
    assert "     misspelt: 'Disalow' is no field: Google's parser takes the line for" in lines
    assert max(map(len, lines[1:])) <= 80


def test_a_file_without_findings_is_exit_code_0(empty: Breadcrumb) -> None:
    done = empty.run("robots", "-", "--lint", given="User-agent: *\nDisallow: /ovens/\n")
    assert (done.code, done.out) == (0, "standard input: nothing to say about it.\n")


def test_a_lint_and_verdicts_may_be_asked_together(empty: Breadcrumb) -> None:
    done = empty.run("robots", "-", "/bread", "--lint", "--json", given="User-agent: *\nDisallow: /admin/\n")
    found = json.loads(done.out)
    assert done.code == 1, "allowed, but there is a finding"
    assert found["verdicts"][0]["allowed"]
    assert [(finding["line"], finding["rule"]) for finding in found["findings"]] == [(2, "tells-where")]


def test_many_findings_of_a_kind_are_counted(empty: Breadcrumb) -> None:
    out = empty.run("robots", "-", "--lint", given="User-agent: *\n" + "Disallow: /admin/\n" * 5000).out.splitlines()
    assert out[-1] == "and 4,990 more of tells-where; --json has them all"
    assert len(out) < 50


def test_the_alphabet_is_judged_as_it_came(empty: Breadcrumb, file: Path) -> None:
    file.write_bytes("\ufeffUser-agent: *\nDisallow: /ovens/\n".encode("utf-16-le"))
    done = empty.run("robots", str(file), "--lint", "/ovens/")
    assert "utf-16: " in done.out
    assert "> 2  Disallow: /ovens/" in done.out


@pytest.mark.parametrize(
    ("status", "code"), [pytest.param(404, 0, id="no file: nothing to find"), pytest.param(503, 2, id="not known")]
)
def test_a_server_without_a_file_has_nothing_to_judge(empty: Breadcrumb, status: int, code: int) -> None:
    with server(("/robots.txt", (status, {}, b"Disallow: /admin"))) as (address, _):
        done = empty.run("robots", f"{address}/", "--lint")
    assert done.code == code
    assert str(status) in done.out + done.err


@pytest.mark.parametrize(
    ("extra", "note"),
    [
        pytest.param("", "", id="all is understood"),
        pytest.param("Disalow: /mill/\n", "1 line is not understood; --lint tells", id="a slip"),
        pytest.param("Disalow: /a\nkeep out\nHost: h.test\n", "2 lines are not understood; --lint tells", id="two"),
    ],
)
def test_without_a_lint_lines_that_mean_nothing_are_counted(empty: Breadcrumb, extra: str, note: str) -> None:
    done = empty.run("robots", "-", "/", given=TEXT.decode() + extra)
    assert done.err == (f"breadcrumb robots: {note}\n" if note else "")
    assert "not understood" not in empty.run("robots", "-", "/", "--lint", given=TEXT.decode() + extra).err
