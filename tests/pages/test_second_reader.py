"""The tolerant reader is the oracle of the fast one: on markup that is well formed both read the same.

Where markup is broken they may differ, in the ways that are stated here.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.html_document import HtmlDocument, made_safe, read_html
from pages.links import BaseUrl
from pages.tolerant_parser import (
    MAX_SOUP_CHARS,
    MAX_SOUP_TAG_CHARS,
    MAX_SOUP_TAGS,
    TAGS_ALONE,
    burden,
    parse_tolerantly,
    stored_markup,
)

ADDRESS = BaseUrl.of("http://site.example/dir/page.html")
WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1, max_size=12)
TEXT = WORDS.map(escape)
INLINE = st.recursive(
    TEXT,
    lambda inner: st.one_of(
        st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["b", "i", "em", "code", "span", "small"]), inner),
        st.builds("<span hidden>{}</span>".format, inner),
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
    ),
    max_leaves=4,
)
LINK = st.builds(
    '<a href="{}" rel="{}">{}</a>'.format,
    WORDS.map(lambda word: escape(word.strip())),
    st.sampled_from(["", "nofollow"]),
    TEXT,
)
BLOCK = st.recursive(
    st.one_of(
        st.builds("<p>{} {}</p>".format, INLINE, LINK),
        st.builds("<h{0}>{1}</h{0}>".format, st.integers(1, 6), TEXT),
        st.builds("<table><tr><th>{}</th><td>{}</td></tr></table>".format, TEXT, TEXT),
        st.builds("<!-- {} --><pre>{}</pre>".format, st.just("a < b > c"), TEXT),
        st.builds(
            "<script>{}</script><style>p {{ }}</style><noscript><p>{}</p></noscript>".format,
            st.just("if (a < b) c()"),
            TEXT,
        ),
        st.builds('<img src="x" alt="{}"><br>'.format, TEXT),
    ),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format,
        st.sampled_from(["div", "section", "article", "main", "blockquote"]),
        st.lists(inner, max_size=3).map("\n".join),
    ),
    max_leaves=6,
)
PAGE = st.builds(
    '<!DOCTYPE html>\n<html lang="{}"><head><meta charset="utf-8"><title>{}</title><meta name="description" '
    'content="{}"><meta name="robots" content="noarchive"><link rel="canonical" href="{}"></head>\n<body>\n{}\n'
    "</body></html>".format,
    st.sampled_from(["en", "de", "ko"]), TEXT, TEXT, st.sampled_from(["/x", "other.html", "http://b.example/"]),
    st.lists(BLOCK, max_size=5).map("\n".join),
)  # fmt: skip


def both(markup: str) -> tuple[HtmlDocument, HtmlDocument]:
    fast = read_html(made_safe(markup)[0], ADDRESS)
    # What stands around a link is the fast reader's alone.
    fast = replace(fast, anchors=tuple(anchor._replace(around="") for anchor in fast.anchors))
    return fast, parse_tolerantly(markup, ADDRESS)


def shown(document: HtmlDocument, field: str) -> object:
    return document.lines.lines if field == "text" else getattr(document, field)


FIELDS = ("title", "text", "headings", "anchors", "description", "language", "canonical", "refresh", "metas", "base")


@given(PAGE)
def test_both_readers_read_the_same_where_the_markup_is_well_formed(markup: str) -> None:
    fast, tolerant = both(markup)
    for field in FIELDS:
        assert shown(tolerant, field) == shown(fast, field), field


WORDS_AND_LINK = "<p>Words that matter</p><a href=/x>link</a>"


@pytest.mark.parametrize(
    ("markup", "field"),
    [
        pytest.param(f"<title/>{WORDS_AND_LINK}", "title", id="an element of XHTML closed in its start tag: the title"),
        pytest.param(
            f"<script src=x />{WORDS_AND_LINK}", "text", id="… a script: Lexbor and browsers take all for code"
        ),
        pytest.param(f"<iframe src=x />{WORDS_AND_LINK}", "text", id="… a frame"),
        pytest.param(
            f"<textarea/>{WORDS_AND_LINK}", "text", id="… a text area: Lexbor and browsers take tags for text"
        ),
        pytest.param(
            "<h1>one<h2>two</h2></h1>", "headings", id="a heading in a heading: its end comes later for libxml2"
        ),
        pytest.param(
            "<div hidden><a href=/x>x</a></div>", "anchors", id="a link in what is hidden: Lexbor's reader has it"
        ),
        pytest.param("<noframes><p>for old browsers</noframes>", "text", id="a page for browsers without frames"),
        pytest.param(f"<![CDATA[{WORDS_AND_LINK}]]>", "text", id="CDATA, which HTML does not have"),
        pytest.param(
            "<head><noscript><p>no scripts</noscript>", "text", id="a paragraph in a noscript of the head ends both"
        ),
    ],
)
def test_where_markup_is_broken_they_differ_as_stated(markup: str, field: str) -> None:
    fast, tolerant = both(markup)
    assert shown(fast, field) != shown(tolerant, field)


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<p>" + "x" * MAX_SOUP_CHARS, id="characters"),
        pytest.param("<b>" * (MAX_SOUP_TAGS + 1), id="tags"),
        pytest.param("<p " + "a=1 " * MAX_SOUP_TAG_CHARS + ">", id="attributes"),
        pytest.param('<!-- <a x=" --><b ' + 'x="<a>" ' * MAX_SOUP_TAG_CHARS + ">", id="attributes that look like tags"),
        pytest.param("<script>'<a b=\"'</script><b " + "a " * MAX_SOUP_TAG_CHARS + ">", id="behind a script"),
        pytest.param(("<p " + "a=1 " * 1000 + ">") * 30, id="many long tags"),
    ],
)
def test_what_would_take_too_long_is_told_before_it_is_read(markup: str) -> None:
    assert burden(markup)


@given(
    st.text()
    | st.lists(st.sampled_from(["<a href=x>", "<p", "<!--", "-->", "<script>", "</", "<h1>", "<td>", "x\0"])).map(
        "".join
    )
)
def test_any_markup_is_read(markup: str) -> None:
    if not burden(markup):
        assert parse_tolerantly(markup, ADDRESS).base == ADDRESS


@given(st.binary(max_size=200), st.sampled_from(["utf-8", "euc-kr", "utf-16le", "windows-1252", "", "no-such-charset"]))
def test_any_stored_body_is_text_again(body: bytes, encoding: str) -> None:
    assert "\0" not in stored_markup(body, encoding)


TAGS = st.sampled_from(
    ["<p>", "<a href=x>", "</p>", "<x-y z='1'>", " ", "\n", "<!DOCTYPE html>", "<br/>", "<meta a=b>"]
)
ODD = st.sampled_from(["words", "<![CDATA[x]]>", "<!-- x -->", "<a b='>'>", "<", ">", "<?x?>", "<1>"])


@given(st.lists(TAGS | ODD, max_size=12).map("".join))
def test_where_nothing_stands_between_the_tags_this_reader_finds_nothing_either(markup: str) -> None:
    if TAGS_ALONE.fullmatch(markup):
        assert not parse_tolerantly(markup, ADDRESS).text


def test_tags_alone_are_told_from_words() -> None:
    assert TAGS_ALONE.fullmatch("<!DOCTYPE html><p> <a href=x></a>\n</p>")
    assert not any(map(TAGS_ALONE.fullmatch, ("<p>x", "<![CDATA[x]]>", "<!-- x -->", "<a b='>'>")))
