"""What does one file say? A verdict for any octets, the same one each time."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import robots
from robots import Dialect
from robots.dialect import CHOICES
from robots.file import parse_meant
from tests.robots.oracle import judged

WORDS = st.sampled_from(
    [b"User-agent", b"Allow", b"Disallow", b"Crawl-delay", b"Sitemap", b":", b" ", b"\n", b"\r", b"#", b"*", b"$", b"%",
     b"/", b"/a", b"%2F", b"%7e", b"x", b"breadcrumb", b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\xe9", b"5", b"http://h/"]
)  # fmt: skip
FILES = st.one_of(st.binary(max_size=200), st.lists(WORDS, max_size=60).map(b"".join))


@given(FILES, st.sampled_from(Dialect), st.text(max_size=10), st.text(max_size=30))
def test_any_octets_any_robot_and_any_url_have_an_answer(body: bytes, dialect: Dialect, agent: str, url: str) -> None:
    file = robots.parse(body, dialect)
    verdict = file.decide(agent, url)
    assert verdict == file.decide(agent, url) == robots.parse(body, dialect).decide(agent, url)
    assert 0 <= verdict.line <= body.count(b"\n") + body.count(b"\r") + 1
    assert verdict.allowed or verdict.line  # nothing is forbidden without a line that says so
    assert (file.delay(agent) or 0.0) >= 0.0
    assert all(sitemap.isascii() for sitemap in file.sitemaps)


@given(FILES, st.sampled_from(Dialect), st.sampled_from(["x", "breadcrumb"]), st.text("/ax~%2Ff?*$", max_size=9))
def test_the_answer_is_that_of_a_plain_reading(body: bytes, dialect: Dialect, agent: str, path: str) -> None:
    verdict = robots.parse(body, dialect).decide(agent, f"http://h/{path}")
    assert (verdict.allowed, verdict.line) == judged(body, CHOICES[dialect], agent, f"http://h/{path}")


@given(FILES, st.text(max_size=10))
def test_what_is_stored_never_outgrows_the_file(body: bytes, agent: str) -> None:
    file = robots.parse(body)
    file.decide(agent, "http://h.test/")
    rules = [rule for group in file.groups for rule in group.rules]
    assert len(rules) <= body.count(b"\n") + body.count(b"\r") + 1
    assert sum(map(len, file._rule_set(agent).index.patterns)) <= 3 * len(body)  # an octet becomes %XX at most


@pytest.mark.parametrize("dialect", [Dialect.RFC9309, Dialect.TEXT_1996, Dialect.BOOK])
def test_robots_txt_itself_may_always_be_fetched(dialect: Dialect) -> None:
    file = robots.parse(b"User-agent: *\nDisallow: /\n", dialect)
    verdict = file.decide("x", "http://h.test/robots.txt")
    assert (verdict.allowed, verdict.line) == (True, 0)
    assert not file.decide("x", "http://h.test/sub/robots.txt").allowed  # a page like any other
    assert not file.decide("x", "http://h.test/ROBOTS.TXT").allowed
    assert not file.decide("x", "http://h.test/robots.txt?page=2").allowed


def test_sitemaps_belong_to_no_group_and_may_be_on_any_host() -> None:
    file = robots.parse(
        b"Sitemap: https://other.test/s.xml\nUser-agent: a\nSITEMAP : http://h.test/\xc3\xa9.xml\nDisallow: /x\n"
        b"Sitemap: /relative.xml\nSitemap: ftp://h.test/s.xml\nSitemap: https://other.test/s.xml #\nDisallow: /y\n"
    )
    assert file.sitemaps == ("https://other.test/s.xml", "http://h.test/%C3%A9.xml")
    assert (file.decide("a", "http://h/x").line, file.decide("a", "http://h/y").line) == (4, 8)


def test_a_preferred_host_changes_no_verdict() -> None:
    rules = b"User-agent: *\nDisallow: /a\n"
    file = robots.parse(rules + b"Host: www.h.test\n" + b"Disallow: /b\n")
    assert (file.decide("x", "http://h.test/a").line, file.decide("x", "http://h.test/b").line) == (2, 4)


@pytest.mark.parametrize(
    ("url", "line"),
    [
        pytest.param("http://h.test", 2, id="no path"),
        pytest.param("http://h.test?q", 3, id="a query and no path"),
        pytest.param("http://h.test/#top", 2, id="the fragment is dropped"),
        pytest.param("http://user:secret@h.test:8080/?q", 3, id="what stands before the path is no path"),
        pytest.param("/?q", 3, id="a path alone"),
    ],
)
def test_rules_are_compared_with_path_and_query(url: str, line: int) -> None:
    assert robots.parse(b"User-agent: *\nDisallow: /$\nDisallow: /?q\n").decide("x", url).line == line


def test_verdicts_say_who_was_meant() -> None:
    file = robots.parse(b"User-agent: other\nDisallow: /\n")
    assert str(file.decide("Breadcrumb", "http://h/x")) == "allowed: no group is for Breadcrumb or for everybody"


def test_an_empty_disallow_is_shown_as_the_line_that_allows() -> None:
    verdict = robots.parse(b"User-agent: *\nDisallow:\n").decide("x", "http://h/x")
    assert (str(verdict), verdict.rule) == ("allowed by line 2", "Disallow:")
    assert verdict.reason == "a Disallow without a path forbids nothing"


@pytest.mark.parametrize(
    ("body", "line", "meant"),
    [
        pytest.param(b"Useragent: *\nDissallow: /a\n", "line 1 (Useragent: *)", False, id="both are misspelt"),
        pytest.param(b"User-agent: *\nDisalow: /a\n", "line 2 (Disalow: /a)", False, id="the rule is"),
        pytest.param(b"Useragent: *\nDisallow: /a\n", "line 1 (Useragent: *)", False, id="the name is"),
        pytest.param(b"User-agent: *\nDisalow: /a\nDisallow: /b\n", "", True, id="one rule is understood"),
        pytest.param(b"User-agent: *\nDisalow\n", "", True, id="nothing is named"),
        pytest.param(b"<p>Disalow: /a\n", "", True, id="a page"),
    ],
)
def test_misspelt_lines_are_named_and_read_as_meant_where_no_rule_is_understood(
    body: bytes, line: str, meant: bool
) -> None:
    file = robots.parse(body)
    assert any(note.startswith(line) for note in file.notes if "misspelt" in note) is bool(line)
    assert file.decide("x", "http://h.test/a").allowed
    assert parse_meant(body).decide("x", "http://h.test/a").allowed is meant


@example(lines=[b"User-agent: x", b"Disalow: /a", b"Useragent: *", b"Crawl-delay: 3"])
@given(
    st.lists(
        st.sampled_from(
            [b"Useragent: *", b"User-agent: x", b"Disalow: /a", b"Allow: /", b"Disallow", b"", b"Crawl-delay: 3"]
        )
    )
)
def test_what_is_understood_is_never_read_otherwise(lines: list[bytes]) -> None:
    body = b"\n".join(lines)
    file, meant = robots.parse(body), parse_meant(body)
    if any(group.rules for group in file.groups):
        assert meant == file
    if b"Useragent: *" not in lines:  # behind that name, a delay is meant for those whom it names
        assert meant.delay("x") == file.delay("x")
