"""Does the lint tell the owner of a site what is wrong with the order of the lines, and with the file?"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import MAX_ROBOTS_BYTES, lint, parse
from robots.lint import FINDINGS, NEARLY_TOO_LONG

ALL = b"User-agent: *\n"
PIECES = [
    b"User-agent:", b"Disallow:", b"Allow:", b"Crawl-delay:", b"Sitemap:", b"Disalow:", b"Host:", b"noindex:",
    b"*", b"$", b"/", b"/a", b"admin", b" ", b":", b"#", b"\n", b"\r", b"\n\n", b"\0", b"\xff", b"%2F", b"7", b"<html>",
]  # fmt: skip


def found(body: bytes) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in lint(body)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="an empty file"),
        pytest.param(b"# nothing but a remark\n", id="a remark"),
        pytest.param(ALL + b"Disallow: /cellar/\n", id="one rule"),
        pytest.param(ALL + b"Allow: /cellar/wine/\r\nDisallow: /cellar/\r\n", id="Allow first"),
        pytest.param(ALL + b"Crawl-delay: 2.5\nAllow: /\nSitemap: https://h.test/map.xml\n", id="delay and sitemap"),
        pytest.param(
            b"User-agent: a\nUser-agent: b\n# both\nDisallow: /x\n\nUser-agent: *\nAllow: /\n", id="two groups"
        ),
        pytest.param(ALL + b"Disallow: /caf\xc3\xa9/\nDisallow: /r%C3%A9sum%C3%A9\n", id="UTF-8 and its escapes"),
        pytest.param(ALL + b"Disallow: /administrative-law/\nDisallow: /deprivation\n", id="words within words"),
        pytest.param(ALL + b"Disallow: /\nDisallow: /a\n", id="two rules that say the same"),
    ],
)
def test_a_good_file_is_left_in_peace(body: bytes) -> None:
    assert lint(body) == []


@pytest.mark.parametrize(
    ("rules", "findings"),
    [
        pytest.param(b"Disallow: /a\nAllow: /a/b\n", [(3, "hidden-allow")], id="73 Allow after Disallow"),
        pytest.param(b"Allow: /\nDisallow: /a\n", [(3, "hidden-disallow")], id="Disallow after an Allow of all"),
        pytest.param(b"Allow: /a/b\nDisallow: /a\nAllow: /a/b/c\n", [], id="the first that covers it agrees"),
        pytest.param(b"Disallow: /%61\nAllow: /a/b\n", [(3, "hidden-allow")], id="39 escapes are opened first"),
        pytest.param(b"Disallow: /a\nAllow: /b\n", [], id="apart"),
        pytest.param(b"Disallow: /a/b\nAllow: /a\n", [], id="73 the longer path first"),
    ],
)
def test_what_robots_of_the_first_match_never_reach_is_named(rules: bytes, findings: list[tuple[int, str]]) -> None:
    assert found(ALL + rules) == findings


@pytest.mark.parametrize(
    ("body", "findings"),
    [
        pytest.param(b"Disallow: /a\nUser-agent: *\nAllow: /\n", [(1, "no-agent")], id="a rule for nobody"),
        pytest.param(b"Crawl-delay: 3\nUser-agent: *\nAllow: /\n", [(1, "no-agent")], id="a delay for nobody"),
        pytest.param(ALL + b"Allow: /\nUser-agent: b\n", [(3, "no-rules")], id="96 a last group without rules"),
        pytest.param(b"User-agent: b\n\nUser-agent: *\nAllow: /\n", [(1, "no-rules")], id="joined with the next"),
        pytest.param(b"User-agent: b\nCrawl-delay: 3\nUser-agent: *\nAllow: /\n", [(1, "no-rules")], id="only a delay"),
        pytest.param(ALL + b"Allow: /b\n\nDisallow: /a\nDisallow: /c\n", [(4, "blank-line")], id="36 a blank line"),
        pytest.param(ALL + b"Disallow: /a\n\nAllow: /a/b\n", [(4, "blank-line")], id="36 and what is above is over"),
    ],
)
def test_a_rule_that_is_for_nobody_and_a_name_without_a_rule_are_named(
    body: bytes, findings: list[tuple[int, str]]
) -> None:
    assert found(body) == findings


@pytest.mark.parametrize(
    ("body", "findings"),
    [
        pytest.param(codecs.BOM_UTF8 + ALL + b"Allow: /\n", [(1, "byte-order-mark")], id="a byte order mark"),
        pytest.param("\ufeffUser-agent: *\nAllow: /\n".encode("utf-16-le"), [(1, "utf-16")], id="UTF-16"),
        pytest.param(ALL + b"Allow: /\n# \0\n", [(3, "no-text")], id="a NUL"),
        pytest.param(ALL + b"# Caf\xe9\nAllow: /\n", [(2, "no-utf-8")], id="Latin-1"),
        pytest.param(b"<html>\n<p>a: b\nnot found\n", [(1, "html")], id="93 an HTML page is one finding"),
        pytest.param(codecs.BOM_UTF8 + b"<html>", [(1, "byte-order-mark"), (1, "html")], id="a page with a mark"),
    ],
)
def test_what_is_no_plain_text_in_utf8_is_named(body: bytes, findings: list[tuple[int, str]]) -> None:
    assert found(body) == findings


@pytest.mark.parametrize(
    ("body", "findings"),
    [
        pytest.param(b"/* TEAM */\nBaker: Ada\nContact: a@h.test\n", [(1, "humans-txt")], id="80 a humans.txt"),
        pytest.param(
            b"# sellers\nads.test, 123, DIRECT, f08c47fec0942fa0\nb.test,9,reseller\n", [(2, "ads-txt")],
            id="81 an ads.txt",
        ),
        pytest.param(
            b"Contact: mailto:a@h.test\nExpires: 2030-01-01T00:00:00Z\n", [(1, "security-txt")], id="81 a security.txt"
        ),
        pytest.param(codecs.BOM_UTF8 + b"\n/* SITE */\n", [(1, "byte-order-mark"), (2, "humans-txt")], id="a mark"),
        pytest.param(ALL + b"Allow: /\n/* TEAM */\n", [(3, "no-colon")], id="80 a robots.txt with a line of another"),
        pytest.param(b"Contact: a@h.test\n", [(1, "not-understood")], id="81 a contact alone is none"),
    ],
)  # fmt: skip
def test_another_file_in_the_place_of_robots_txt_is_named_once(body: bytes, findings: list[tuple[int, str]]) -> None:
    assert found(body) == findings


@pytest.mark.parametrize(
    ("size", "findings"),
    [
        (NEARLY_TOO_LONG - 1, []),
        (NEARLY_TOO_LONG, [(0, "size")]),
        (MAX_ROBOTS_BYTES, [(0, "size")]),
        (MAX_ROBOTS_BYTES + 1, [(3, "size")]),
    ],
)
def test_94_a_file_near_or_over_500_kib_is_named(size: int, findings: list[tuple[int, str]]) -> None:
    head = ALL + b"Allow: /\n#"
    tail = b"\n#\n" if size <= MAX_ROBOTS_BYTES else b"\n#tail"
    assert found(head + b"x" * (size - len(head) - len(tail)) + tail) == findings


def test_lines_have_the_numbers_that_the_parser_gives_them() -> None:
    body = b"\xef\xbb\xbf# a\r\rUser-agent: *\x0b\r\n\nDisallow: /admin\n"
    (rule,) = parse(body).groups[0].rules
    assert (rule[0], "tells-where") in found(body)


@given(st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)))
def test_any_octets_are_judged_in_the_order_of_their_lines(body: bytes) -> None:
    findings = lint(body)
    assert [finding.line for finding in findings] == sorted(finding.line for finding in findings)
    assert all(0 <= finding.line <= len(body.splitlines()) for finding in findings)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), st.integers(1, 60))
def test_the_findings_grow_with_the_file_and_no_faster(piece: bytes, times: int) -> None:
    lines = len((piece * times).splitlines())
    assert len(lint(piece * times)) <= 6 * lines + 3  # a line has at most six, the file as a whole three


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([b"Disallow: /" + b"a" * n for n in range(690)], id="every path covers the next"),
        pytest.param([b"Disallow: /%x" % n for n in range(32_000)], id="as many rules as there is room for"),
        pytest.param([b"dis%05x:" % n for n in range(40_000)], id="as many slips"),
        pytest.param([b"User-agent: a", b""] * 16_000, id="as many names"),
        pytest.param([b""] * 400_000, id="as many blank lines"),
    ],
)
def test_the_largest_files_are_judged(lines: list[bytes]) -> None:
    body = ALL + b"\n".join(lines)
    assert len(body) <= MAX_ROBOTS_BYTES
    assert all(finding.line <= len(lines) + 1 for finding in lint(body))


def test_all_findings_are_known_by_name_and_documented() -> None:
    documented = Path("docs/robots.md").read_text().partition("## What the lint finds")[2].partition("## ")[0]
    names = re.findall(r"^\| (`.*?) \|", documented, re.MULTILINE)
    assert {name.strip("`") for row in names for name in row.split(", ")} == FINDINGS
    with_name = r"Finding\([^\"\n]*, \"([a-z0-9-]+)\""
    made = {name for path in Path("robots").glob("lint*.py") for name in re.findall(with_name, path.read_text())}
    assert made < FINDINGS
