"""Does the lint tell the owner of a site what no robot reads in a line, and what its path gives away?"""

from __future__ import annotations

import pytest

from robots import Dialect, lint, parse
from robots.lint import MAX_SHOWN

ALL = b"User-agent: *\n"


def found(body: bytes) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in lint(body)]


@pytest.mark.parametrize(
    ("lines", "findings"),
    [
        pytest.param(b"User-agent: *\nDisalow: /a\nAllow: /\n", [(2, "misspelt")], id="95 a slip that Google forgives"),
        pytest.param(
            b"User-agent: *\nDisallwo: /a\nAllow: /\n", [(2, "misspelt")], id="95 a slip that nobody forgives"
        ),
        pytest.param(b"User-agent: *\nCrawl delay: 3\nAllow: /\n", [(2, "misspelt")], id="a blank for a hyphen"),
        pytest.param(b"User-agent: *\nFlour: rye\nAllow: /\n", [(2, "not-understood")], id="a field of nobody"),
        pytest.param(b"User-agent: *\nDisallow /a\nAllow: /\n", [(2, "no-colon")], id="no colon"),
        pytest.param(b"// Robots\nUser-agent: *\nAllow: /\n", [(1, "comment")], id="a comment of programs"),
        pytest.param(b"User-agent: *\nkeep out\nAllow: /\n", [(2, "no-colon")], id="prose"),
        pytest.param(b"User-agent: *\nNoindex: /a\nAllow: /\n", [(2, "noindex")], id="noindex belongs into pages"),
        pytest.param(b"Host: h.test\n", [(1, "host")], id="75 Host"),
        pytest.param(b"ACAP-crawler: *\n", [(1, "acap")], id="82 ACAP"),
        pytest.param(b"Clean-param: ref /\n", [(1, "extension")], id="a field of one engine"),
        pytest.param(b"User-agent:\nAllow: /\n", [(1, "nobody")], id="nobody is named"),
        pytest.param(b"Sitemap: /map.xml\n", [(1, "sitemap")], id="74 a sitemap without its host"),
        pytest.param(ALL + b"Crawl-delay: soon\nAllow: /\n", [(2, "crawl-delay")], id="72 no number"),
        pytest.param(ALL + b"Crawl-delay: -1\nAllow: /\n", [(2, "crawl-delay")], id="72 less than nothing"),
        pytest.param(ALL + b"Crawl-delay: 86400\nAllow: /\n", [], id="72 a day"),
        pytest.param(ALL + b"Request-rate: soon\nAllow: /\n", [(2, "request-rate")], id="no rate"),
        pytest.param(ALL + b"Request-rate: 1/9\nAllow: /\n", [(2, "extension")], id="a field that few learnt"),
        pytest.param(ALL + b"Visit-time: 0900-1700\nAllow: /\n", [(2, "extension")], id="a field that nobody learnt"),
        pytest.param(ALL + b"Crawl-delay: 86401\nAllow: /\n", [(2, "crawl-delay")], id="72 over a day"),
    ],
)
def test_a_line_that_says_nothing_or_not_what_it_seems_to_is_named(
    lines: bytes, findings: list[tuple[int, str]]
) -> None:
    assert found(lines) == findings


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        pytest.param(b"Disallow:", ["empty-disallow"], id="39 an empty Disallow"),
        pytest.param(b"Allow:", ["empty-allow"], id="98 an empty Allow"),
        pytest.param(b"Disallow: cellar/", ["no-slash"], id="98 no slash"),
        pytest.param(b"Disallow: https://h.test/cellar/", ["no-slash"], id="98 a whole address"),
        pytest.param(b"Disallow: /a /b", ["blank"], id="two paths on a line"),
        pytest.param(b"Disallow: /a/   // all of it", ["comment"], id="a comment that is none"),
        pytest.param(b"Disallow: // all", ["comment"], id="and no path before it"),
        pytest.param(b"Disallow: //a", [], id="a path that begins with two slashes"),
        pytest.param(b"Disallow: /robots.txt", ["robots-txt"], id="38 robots.txt itself"),
        pytest.param(b"Disallow: /*.pdf", ["wildcard"], id="76 a star"),
        pytest.param(b"Disallow: /a$", ["wildcard"], id="76 an end"),
        pytest.param(b"Disallow: /a*", ["wildcard"], id="76 a star that adds nothing"),
        pytest.param(b"Disallow: /a$b", [], id="a dollar within is plain to all"),
    ],
)
def test_a_path_that_robots_read_differently_is_named(rule: bytes, names: list[str]) -> None:
    assert found(ALL + rule + b"\n") == [(2, name) for name in names]


@pytest.mark.parametrize(
    "path",
    ["/admin", "/wp-admin/", "/Private/", "/my_secrets/", "/user/login", "/backup-2019/", "/.git/", "/.env", "/passwd"],
)
def test_69_a_path_that_looks_private_tells_where_to_look(path: str) -> None:
    disallowed = ALL + f"Disallow: {path}\n".encode()
    (finding,) = lint(disallowed)
    assert (finding.line, finding.rule) == (2, "tells-where")
    assert "protects nothing" in finding.sentence
    assert lint(disallowed.replace(b"Disallow", b"Allow")) == [], "what is allowed is not hidden"


def test_a_sentence_repeats_no_line_of_500_kib() -> None:
    for line in (b"Disallow: " + b"a" * 500_000, b"b" * 500_000 + b": c", b"Crawl-delay: " + b"x" * 500_000):
        assert all(len(finding.sentence) < 200 + MAX_SHOWN for finding in lint(ALL + line))


def test_a_misspelt_field_says_which_reading_forgives_it() -> None:
    forgiven, unforgiven = lint(b"Disalow: /a\nDisallwo: /a\n")
    assert "Google's parser takes the line for 'Disallow: /a'" in forgiven.sentence
    assert "is Disallow meant?" in unforgiven.sentence


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_rule_with_a_comment_of_programs_is_open_in_every_reading(dialect: Dialect) -> None:
    body = b"User-agent: *               // for all\nDisallow: /cellar/     // keep out\n"
    assert parse(body, dialect).decide("Breadcrumb", "http://h.test/cellar/wine").allowed
    assert [finding.rule for finding in lint(body)] == ["comment"]
