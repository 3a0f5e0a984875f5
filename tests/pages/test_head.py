"""Canonical addresses that a server names in a Link header."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.links import BaseUrl
from pages.metadata import canonical_targets
from urls.records import CanonicalUrl, Page

URL = CanonicalUrl("https://site.example/dir/page.html")
THERE = "https://site.example/there"


def targets(*lines: str) -> set[str]:
    return canonical_targets([("Link", line) for line in lines], BaseUrl.of(URL))


def read(html: str, *links: str, content_type: str = "text/html") -> Page:
    headers = [("Content-Type", content_type), *(("link", link) for link in links)]
    return parse_page(FetchedBody(html.encode(), URL, headers))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(f'<{THERE}>; rel="canonical"', {THERE}, id="RFC 6596, section 3"),
        pytest.param(f"<{THERE}>;rel=canonical", {THERE}, id="no quotes, no blank"),
        pytest.param(f'<{THERE}>; title="a; b, c"; REL="next Canonical"', {THERE}, id="several relations, letter case"),
        pytest.param(f'</style.css>; rel="preload", <{THERE}>; rel="canonical"', {THERE}, id="the second of two links"),
        pytest.param('</there>; rel="canonical"', {THERE}, id="relative to the page"),
        pytest.param('<../there>; rel="canonical"', {THERE}, id="relative to the page's folder"),
        pytest.param('</a,b;c>; rel="canonical"', {"https://site.example/a,b;c"}, id="a comma in the address"),
        pytest.param(f'<{THERE}>; rel="next"; rel="canonical"', set(), id="RFC 8288, 3.3: the first rel counts"),
        pytest.param(f'<{THERE}>; rel="canonical"; anchor="/other"', set(), id="RFC 8288, 3.2: about another page"),
        pytest.param(f'<{THERE}>; rel="alternate"', set(), id="another relation"),
        pytest.param('<>; rel="canonical"', set(), id="nothing"),
        pytest.param('<mailto:a@b.example>; rel="canonical"', set(), id="another scheme"),
        pytest.param(f"{THERE}; rel=canonical", set(), id="no brackets"),
    ],
)
def test_a_link_header_names_the_canonical_address(line: str, expected: set[str]) -> None:
    assert targets(line) == expected


def test_a_link_header_of_many_brackets_is_read_once() -> None:
    begin = process_time()
    assert targets(*["<" * 8_000] * 30) == set()
    assert process_time() - begin < 1  # seconds; looking from each bracket for its end took six


def test_a_file_of_another_type_has_its_canonical_address_in_the_header_alone() -> None:
    assert read("%PDF-1.4", f'<{THERE}>; rel="canonical"', content_type="application/pdf").canonical == THERE
    assert read("words", f'<{THERE}>; rel="canonical"', content_type="text/plain").canonical == THERE


def test_header_and_element_that_agree_are_one_and_two_that_differ_are_none() -> None:
    html = f'<head><link rel="canonical" href="{THERE}"></head><p>words'
    assert read(html, f'<{THERE}>; rel="canonical"').canonical == THERE
    torn = read(html, '</elsewhere>; rel="canonical"')
    assert torn.canonical is None
    assert torn.warnings == ("2 different canonical addresses: none is believed",)


def test_a_header_is_relative_to_the_page_whatever_its_base_says() -> None:
    html = "<head><base href='/other/'></head><p>words"
    assert read(html, '<there>; rel="canonical"').canonical == "https://site.example/dir/there"


@given(st.text() | st.lists(st.sampled_from(["<", ">", ";", ",", '"', "rel=", "canonical", " ", "/a"])).map("".join))
def test_any_header_line_is_read(line: str) -> None:
    assert all(target.startswith(("http://", "https://")) for target in targets(line))


@pytest.mark.parametrize("line", ["<" * 9000, '<>;"' * 3000, "<a>" + "; x" * 3000, '<a>; rel="' + '"' * 9000])
def test_hostile_lines_name_nothing(line: str) -> None:
    assert targets(line) <= {"https://site.example/dir/a"}
