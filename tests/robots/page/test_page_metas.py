"""Which markup is a meta, which only looks like one, and what does a hostile page cost?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import PageControls, page_controls
from robots.page_controls import _Reader, metas_of

NOINDEX = '<meta name="robots" content="noindex">'


def read(html: str) -> PageControls:
    return page_controls([], html.encode(), agent="Breadcrumb", url="https://seeds.example/")


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<!-- {NOINDEX} -->", id="in a comment"),
        pytest.param(f"<!-- -- > {NOINDEX}", id="in a comment without end"),
        pytest.param(f"<script>'{NOINDEX}'</script>", id="in a script"),
        pytest.param(f"<SCRIPT></scripts>{NOINDEX}</SCRIPT>", id="</scripts> ends no script"),
        pytest.param(f"<style>{NOINDEX}</style>", id="in a style"),
        pytest.param(f"<title>{NOINDEX}</title>", id="in a title"),
        pytest.param(f"<textarea>{NOINDEX}", id="in a form field without end"),
        pytest.param(f"<template><template></template>{NOINDEX}</template>", id="in a template with a template"),
        pytest.param(f"<a title='{NOINDEX}'>", id="in an attribute"),
        pytest.param(f"<a x=y title='{NOINDEX}", id="in an attribute without end"),
        pytest.param(f"<plaintext>{NOINDEX}", id="in plain text"),
        pytest.param(f"<? {NOINDEX}", id="in a processing instruction"),
        pytest.param(f"</ {NOINDEX}", id="behind a slash that ends nothing, which hides all up to the next >"),
        pytest.param('<meta name="robots" content="noindex"', id="a tag without end"),
        pytest.param('<metal name="robots" content="noindex">', id="another element"),
        pytest.param('<meta name="robots">noindex', id="no content"),
    ],
)
def test_markup_that_is_none(html: str) -> None:
    assert read(html).index


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<!-->{NOINDEX}", id="after an empty comment"),
        pytest.param(f"<!-- a --!>{NOINDEX}", id="after a comment that ends with --!>"),
        pytest.param(f"<script>1</script >{NOINDEX}", id="after a script"),
        pytest.param(f"<template></template x='>'>{NOINDEX}", id="after a template"),
        pytest.param(f"a < b <3 </> {NOINDEX}", id="after signs that are no tags"),
        pytest.param(f'<a b=\'x"y\' c=">" d = z e>{NOINDEX}', id="after quotes of both kinds"),
        pytest.param("<meta/name='robots'/content='noindex'/>", id="slashes between attributes"),
        pytest.param("<meta name = 'robots'\ncontent = noindex >", id="blanks and a line end"),
        pytest.param("<noscript>" + NOINDEX, id="in noscript: this robot runs no scripts"),
        pytest.param("<meta name=robots content='no&#105;ndex'>", id="a character reference"),
    ],
)
def test_markup_that_counts(html: str) -> None:
    assert not read(html).index


def test_a_page_in_utf16_is_read() -> None:
    assert not page_controls([], ("\ufeff" + NOINDEX).encode("utf-16-be"), agent="x", url="").index


MARKUP = st.sampled_from(
    ["<", ">", "<!--", "-->", "<meta", " name=robots", " content=", "'", '"', "noindex", "/", "<script>", "</script",
     "<template>", "=", " ", "&#", "x"]
)  # fmt: skip


@given(st.lists(MARKUP, max_size=40).map("".join))
def test_any_markup_is_read_to_its_end(html: str) -> None:
    assert all(name is not None and content is not None for name, content in metas_of(html.encode()))
    assert read(html).follow


@pytest.mark.parametrize(
    "start", ["<", "<a>", "<a ", '<a b="', "<a b='\"", "<!--", "<!---->", "<script>", "</", "<a =="]
)
def test_hostile_markup_is_searched_a_bounded_number_of_times(start: str) -> None:
    """Twice the page must not be four times the work: the tags that are read are counted, not the seconds."""

    def steps(size: int) -> int:
        reader = _Reader(start.encode() * size + b"<meta")
        searched = 0
        find = reader.lower.find

        class Counted(bytes):
            def find(self, *what: Any) -> int:
                nonlocal searched
                found = find(*what)
                searched += (len(self) if found < 0 else found) - what[1] + 1
                return found

        reader.lower = Counted(reader.lower)
        assert list(reader.metas()) == []
        return searched

    assert steps(2000) <= 2 * steps(1000) + 100


def test_what_stands_for_an_x_robots_tag_is_told_apart_from_a_name() -> None:
    page = b"<meta http-equiv=X-ROBOTS-Tag content='a: noindex'><meta http-equiv=refresh content=9>"
    assert metas_of(page) == (("http-equiv=x-robots-tag", "a: noindex"),)
