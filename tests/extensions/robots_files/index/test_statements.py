"""Each line of a robots.txt is shown with its group; the groups are those of the parser, whatever the octets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extensions.robots_files.index.tables import NO_GROUP, statements_of
from robots import parse
from robots.lines import Field

FILE = b"""\
# For everybody
User-agent: Googlebot/2.1
user-AGENT: bingbot
Crawl-delay: 10 # seconds
Disallow: /private # not yours

Sitemap: https://a.example/s.xml
Dissallow: /typo
Host: a.example
Allow: /private/open
just words
User-agent: *
Disallow:
"""
LINES = st.sampled_from(
    rb"""User-agent: a|User-Agent: *|user-agent:|Disallow: /x|allow: /y|Crawl-delay: 3|#c||Sitemap: http://s.example/"""
    rb"""|request-rate: 1/5|nonsense|Host: h|Disallow|Dissallow: /z| User-agent : b # c""".split(b"|")
)
FILES = st.binary(max_size=200) | st.builds(
    lambda lines, end: end.join(lines), st.lists(LINES, max_size=20), st.sampled_from([b"\n", b"\r\n", b"\r"])
)


def test_each_line_says_what_the_parser_reads_in_it() -> None:
    assert [tuple(one[:5]) for one in statements_of(FILE)] == [
        (1, "", "", 0, "For everybody"),
        (2, "user-agent", "googlebot", 1, ""),
        (3, "user-agent", "bingbot", 1, ""),
        (4, "crawl-delay", "10", 1, "seconds"),
        (5, "disallow", "/private", 1, "not yours"),
        (7, "sitemap", "https://a.example/s.xml", 0, ""),
        (8, "dissallow", "/typo", 0, ""),
        (9, "host", "a.example", 0, ""),
        (10, "allow", "/private/open", 1, ""),
        (11, "", "just words", 0, ""),
        (12, "user-agent", "*", 2, ""),
        (13, "disallow", "", 2, ""),
    ]
    assert statements_of(FILE)[3].text == "Crawl-delay: 10 # seconds"


@given(FILES)
def test_the_groups_are_those_of_the_parser(body: bytes) -> None:
    found = statements_of(body)
    assert [one.number for one in found] == sorted({one.number for one in found})
    for place, group in enumerate(parse(body).groups, start=1):
        here = [one for one in found if one.group == place]
        names = [one.value for one in here if one.field == Field.USER_AGENT.value.lower()]
        assert len(names) == sum(len(block.names) for block in group.blocks)
        rules = {one.number for one in here if one.field in {"allow", "disallow"}}
        assert rules == {number for number, *_ in group.rules}
    assert all(one.group <= len(parse(body).groups) for one in found)
    assert all(one.group == NO_GROUP for one in found if one.field == "sitemap")


def test_what_is_no_utf_8_is_written_as_escapes() -> None:
    assert statements_of(b"Disallow: /caf\xe9")[0].value == "/caf\\xe9"
