"""A robots.txt with its line numbers: those that the parser counts, and each finding of a lint under its line.

A lint prints not more than a person reads.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.frame.terminal import Style
from commands.robots import marked_file
from reports.robots_verdicts import lines_of
from robots import parse
from tests.commands.answering import server
from tests.commands.conftest import PLAIN_ROBOTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


PLAIN = Style(colours=False)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_line_ends_as_rfc_9309_says(end: bytes) -> None:
    assert lines_of(end.join([b"a", b"", b"b\xc2\x85c", b""])) == ["a", "", "b\x85c"]


@given(st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"x", b"Disallow: /a", b"User-agent: *", b"\xe2\x80\xa8"])))
def test_the_numbers_are_those_of_the_verdicts(pieces: list[bytes]) -> None:
    body = b"User-agent: *\n" + b"".join(pieces) + b"\nUser-agent: *\nDisallow: /bread\n"
    verdict = parse(body).decide("Breadcrumb", "/bread")
    shown = list(marked_file(body, {verdict.line}, PLAIN))
    marked = [line for line in shown if line.startswith(">")]
    assert [int(number) for line in marked for number in re.findall(r"^> +(\d+)", line)] == [verdict.line]
    assert marked[0].endswith("Disallow: /bread")


def test_an_empty_file_is_told() -> None:
    assert list(marked_file(b"", set(), PLAIN)) == ["  (the file is empty)"]


def test_a_long_line_is_cut() -> None:
    assert len(next(iter(marked_file(b"x" * 1000, set(), PLAIN)))) < 250


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
    assert (done.code, done.out) == (0, "standard input: no findings.\n")


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
        pytest.param("Disalow: /mill/\n", "1 line is invalid; --lint shows it", id="a slip"),
        pytest.param("Disalow: /a\nkeep out\nHost: h.test\n", "2 lines are invalid; --lint shows them", id="two"),
    ],
)
def test_without_a_lint_lines_that_mean_nothing_are_counted(empty: Breadcrumb, extra: str, note: str) -> None:
    done = empty.run("robots", "-", "/", given=PLAIN_ROBOTS.decode() + extra)
    assert done.err == (f"breadcrumb robots: {note}\n" if note else "")
    assert "not understood" not in empty.run("robots", "-", "/", "--lint", given=PLAIN_ROBOTS.decode() + extra).err
