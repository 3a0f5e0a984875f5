"""`robots`: which line decides, of a file, of standard input, or of a server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.commands.answering import server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.answering import Answer
    from tests.commands.conftest import Breadcrumb

TEXT = (
    b"User-agent: *\r\nAllow: /\r\nDisallow: /ovens/\r\nCrawl-delay: 2\r\nSitemap: http://bakery.localhost/map.xml\r\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(TEXT)
    return path


def test_the_deciding_lines_are_named_and_marked(empty: Breadcrumb, file: Path) -> None:
    done = empty.run("robots", str(file), "/ovens/1", "/bread")
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[0] == "disallowed  /ovens/1  (the longest rule that matches, line 3)"
    assert lines[1] == "allowed     /bread  (the longest rule that matches, line 2)"
    assert "> 3  Disallow: /ovens/" in lines
    assert "  1  User-agent: *" in lines


def test_all_allowed_is_exit_code_0(empty: Breadcrumb, file: Path) -> None:
    assert empty.run("robots", str(file), "/bread", "http://bakery.localhost/rye").code == 0


def test_options_may_stand_between_the_words(empty: Breadcrumb, file: Path) -> None:
    file.write_text("User-agent: Crumb\nDisallow: /\n")
    assert empty.run("robots", str(file), "/a", "--agent", "Crumb", "/b").code == 1
    assert empty.run("robots", str(file), "/a", "--agent", "Other", "/b").code == 0


def test_105_a_whole_user_agent_string_is_cut_to_its_product_token_and_that_is_said(
    empty: Breadcrumb, file: Path
) -> None:
    file.write_text("User-agent: Crumb\nDisallow: /\n")
    whole = "Mozilla/5.0 (compatible; Crumb/2.1; +http://crumb.test/bot)"
    done = empty.run("robots", str(file), "/a", "--agent", whole)
    assert done.code == 1
    assert done.err == f"breadcrumb robots: the product token of '{whole}' is Crumb\n"
    assert f"{file} for Crumb:" in done.out


def test_standard_input_is_a_source(empty: Breadcrumb) -> None:
    assert empty.run("robots", "-", "/ovens/", given=TEXT.decode()).code == 1


def test_json_has_each_verdict_and_what_else_the_file_asks(empty: Breadcrumb, file: Path) -> None:
    found = json.loads(empty.run("robots", str(file), "/ovens/", "--json").out)
    verdict = {"url": "/ovens/", "allowed": False, "line": 3, "rule": "Disallow: /ovens/"}
    assert verdict.items() <= found["verdicts"][0].items()
    assert found["delay"] == 2
    assert found["sitemaps"] == ["http://bakery.localhost/map.xml"]


def test_a_long_file_is_shown_around_the_lines_that_decide(empty: Breadcrumb, file: Path) -> None:
    file.write_text("User-agent: *\n" + "".join(f"Disallow: /{number}/\n" for number in range(5000)))
    out = empty.run("robots", str(file), "/2500/").out.splitlines()
    assert len(out) < 20
    assert "> 2502  Disallow: /2500/" in out


def test_a_file_s_control_characters_steer_no_terminal(empty: Breadcrumb, file: Path) -> None:
    file.write_bytes(b"User-agent: *\nDisallow: /\x1b[2J\n")
    assert "\x1b" not in empty.run("robots", str(file), "/").out


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("missing.txt", "No such file"),
        (".", "Is a directory"),
        ("http://127.0.0.1:9/", "can't be read"),
        ("ftp://bakery.localhost/robots.txt", "give an http:// or https:// URL"),
        ("http://", "give an http:// or https:// URL"),
        ("http://name.that.is.invalid/", "no such host"),
        ("127.0.0.1:8400", "did you mean http://127.0.0.1:8400?"),
        ("www.bakery.example/robots", "did you mean http://www.bakery.example/robots?"),
        ("no-robots.txt", "give a file, an http(s) URL, or -"),
    ],
)
def test_a_source_that_can_t_be_read_is_exit_code_2(empty: Breadcrumb, source: str, words: str) -> None:
    done = empty.run("robots", source, "/")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_server_is_asked_for_its_own_robots_txt_by_name(empty: Breadcrumb) -> None:
    with server(("/robots.txt", (200, {}, TEXT))) as (address, asked):
        done = empty.run("robots", f"{address}/", f"{address}/ovens/", "-s", "CONTACT=a@bakery.example")
    assert done.code == 1
    assert [request["path"] for request in asked] == ["/robots.txt"]
    assert asked[0]["user-agent"].startswith("Breadcrumb/")
    assert asked[0]["from"] == "a@bakery.example"


def test_a_redirect_is_followed(empty: Breadcrumb) -> None:
    answers: tuple[tuple[str, Answer], ...] = (
        ("/robots.txt", (301, {"Location": "/real.txt"}, b"")),
        ("/real.txt", (200, {}, TEXT)),
    )
    with server(*answers) as (address, asked):
        assert empty.run("robots", f"{address}/", "/ovens/").code == 1
    assert len(asked) == 2


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/robots.txt", "gopher://127.0.0.1/"])
def test_a_redirect_to_another_scheme_is_not_followed(empty: Breadcrumb, target: str) -> None:
    with server(("/robots.txt", (302, {"Location": target}, b""))) as (address, asked):
        done = empty.run("robots", f"{address}/", "/ovens/")
    assert "root:" not in done.out
    assert "Traceback" not in done.err
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("status", "code"),
    [pytest.param(404, 0, id="2.3.1.3 no file: allowed"), pytest.param(503, 1, id="2.3.1.4 in trouble: disallowed")],
)
def test_an_answer_without_a_file_decides_too(empty: Breadcrumb, status: int, code: int) -> None:
    with server(("/robots.txt", (status, {}, TEXT))) as (address, _):
        done = empty.run("robots", f"{address}/", "/ovens/")
    assert done.code == code
    assert str(status) in done.out


def test_endless_bytes_are_read_to_the_limit(empty: Breadcrumb) -> None:
    body = TEXT + b"# padding\n" * 200_000
    with server(("/robots.txt", (200, {}, body))) as (address, _):
        done = empty.run("robots", f"{address}/", "/ovens/")
    assert done.code == 1
    assert "the rest is not read" in done.err


def test_a_coding_that_was_not_asked_for_is_told(empty: Breadcrumb) -> None:
    with server(("/robots.txt", (200, {"Content-Encoding": "br"}, b"???"))) as (address, _):
        assert "'br'" in empty.run("robots", f"{address}/", "/").err


def test_a_url_of_another_origin_is_noted(empty: Breadcrumb) -> None:
    with server(("/robots.txt", (200, {}, TEXT))) as (address, _):
        done = empty.run("robots", f"{address}/", "http://elsewhere.localhost/bread")
    assert "does not apply to it" in done.err


def test_without_a_url_and_without_lint_there_is_nothing_to_do(empty: Breadcrumb, file: Path) -> None:
    done = empty.run("robots", str(file))
    assert (done.code, done.out) == (2, "")
    assert "--lint" in done.err
