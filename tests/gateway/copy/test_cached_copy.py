"""A copy is written again: whatever the markup, it has nothing that acts or loads, and keeps the text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cached_copy import MAX_COPY_DEPTH, copy_of
from gateway.copy_page import with_marks
from indexer.snippets.highlighter import QueryHighlighter
from pages.links import BaseUrl

ADDRESS = BaseUrl.of("http://site.example/dir/page.html")
ALLOWED = {"id", "title", "lang", "dir", "scope", "align", "valign", "colspan", "rowspan", "span", "start", "value"}
ACTING = {"script", "style", "iframe", "object", "embed", "form", "input", "button", "img", "svg", "math", "link"}


def written(markup: str) -> str:
    return str(copy_of(markup, ADDRESS))


class Tags(HTMLParser):
    """What a browser's tokenizer finds in a copy."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.ended: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.ended.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def tags_of(markup: str) -> Tags:
    tags = Tags()
    tags.feed(written(markup))
    tags.close()
    return tags


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        pytest.param("<h2>Rye</h2><p>A <b>bold</b> loaf", "<h2>Rye</h2><p>A <b>bold</b> loaf", id="looks"),
        pytest.param("<ul><li>one<li>two</ul>", "<ul><li>one</li><li>two</li></ul>", id="lists"),
        pytest.param("<table><tr><td colspan=2>x</table>", '<td colspan="2">x</td>', id="tables"),
        pytest.param("<pre>a\n  b</pre>", "<pre>a\n  b</pre>", id="preformatted"),
        pytest.param("<p>1 &lt; 2 &amp; <i>x</i>", "1 &lt; 2 &amp; <i>x</i>", id="escaped text stays escaped"),
        pytest.param('<img src=x alt="A loaf">', '<span class="picture">A loaf</span>', id="pictures by their words"),
        pytest.param("<iframe src=/f>x</iframe>", '<a href="http://site.example/f"', id="frames are links"),
        pytest.param("<p hidden>x", "<p hidden>x</p>", id="hidden stays hidden"),
        pytest.param("<p style='color:red; DISPLAY :none'>x", "<p hidden>x</p>", id="hidden by its style"),
        pytest.param("<font color=red>x</font>", "<p>x", id="what is only style goes, its words stay"),
    ],
)
def test_what_a_page_looked_like_is_kept(markup: str, kept: str) -> None:
    assert kept in written(f"<body><p>{markup}" if markup.startswith("<font") else f"<body>{markup}")


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        pytest.param("other.html", "http://site.example/dir/other.html", id="relative"),
        pytest.param("//cdn.example/x", "http://cdn.example/x", id="without a scheme"),
        pytest.param("#part", "#copy-part", id="a place on the page"),
        pytest.param("page.html#part", "#copy-part", id="a place on the page, by its name"),
        pytest.param("/a?b=1&c=2", "http://site.example/a?b=1&amp;c=2", id="escaped"),
    ],
)
def test_links_are_absolute(reference: str, target: str) -> None:
    assert f'href="{target}"' in written(f'<a href="{reference}">x</a>')


def test_links_are_relative_to_the_base_of_the_page() -> None:
    assert 'href="http://other.example/y/z"' in written("<base href='http://other.example/y/'><a href=z>x</a>")


@pytest.mark.parametrize(
    "reference", ["javascript:alert(1)", "data:text/html,x", "java\nscript:alert(1)", "file:///x", ""]
)
def test_what_leads_nowhere_is_no_link(reference: str) -> None:
    assert written(f'<a href="{reference}">words</a>').strip() == "<a>words</a>"


@pytest.mark.parametrize(
    "markup",
    [
        "<script>alert(1)</script>", "<p onclick=alert(1)>x", "<form action=//evil.example><input name=q>x</form>",
        "<meta http-equiv=refresh content='0; url=//evil.example'>", "<img src=//evil.example/x onerror=alert(1)>",
        "<link rel=stylesheet href=//evil.example>", "<style>*{background:url(//evil.example)}</style>",
        "<svg><script>alert(1)</script><a href=javascript:alert(1)>x</a></svg>",
        "<object data=//evil.example></object>",
        "<p style='background:url(//evil.example)'>x", "<body background=//evil.example onload=alert(1)>x",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<video src=//evil.example autoplay>",
        "<textarea></textarea><img src=x onerror=alert(1)>", "<template><img src=x onerror=alert(1)></template>",
        "<a href=x ping=//evil.example download>x</a>", "<xmp><script>alert(1)</script></xmp>",
        "<base href=//evil.example>",
        "<p id='\"><script>alert(1)</script>'>x", "<!--><script>alert(1)</script>-->",
        "<title><script>x</script></title>",
    ],
)  # fmt: skip
def test_nothing_in_a_copy_acts_or_loads(markup: str) -> None:
    tags = tags_of(markup)
    assert not {name for name, _ in tags.found} & ACTING
    assert {key for name, given in tags.found for key in given} <= ALLOWED | {"href", "rel", "hidden", "class"}
    assert not [given["href"] for _, given in tags.found if not re.match("https?://|#", given.get("href") or "#")]


NAMES = st.sampled_from(
    ["p", "b", "a", "div", "table", "td", "svg", "math", "style", "script", "title", "textarea", "noscript", "template",
     "iframe", "img", "plaintext", "frameset", "select", "mglyph", "xmp", "body", "html", "head", "li", "object"]
)  # fmt: skip
PIECES = st.one_of(
    NAMES.map("<{}>".format), NAMES.map("</{}>".format), st.text(max_size=8),
    st.sampled_from(["<!--", "-->", "--!>", "<![CDATA[", "]]>", '"', "'", "&lt;script&gt;",
                     "<img src=x onerror=alert(1)>",
                     "<a href='javascript:x'>", "<p title='<script>'>", "<p id='\"'>", "</", "<", ">", "\0",
                     "&#0;", "&#x3c;"]),
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_whatever_the_markup_is_the_copy_has_only_what_is_listed_and_closes_what_it_opens(markup: str) -> None:
    tags = tags_of(markup)
    assert not {name for name, _ in tags.found} & ACTING
    assert {key for _, given in tags.found for key in given} <= ALLOWED | {"href", "rel", "hidden", "class"}
    opened = [name for name, _ in tags.found if name not in {"br", "col", "hr", "wbr"}]
    assert sorted(opened) == sorted(tags.ended)


def test_depth_is_bounded_and_no_word_is_lost() -> None:
    tags = tags_of("<div>" * 5000 + "deep" + "</div>" * 5000 + "after")
    assert len(tags.found) <= MAX_COPY_DEPTH
    assert tags.text.split() == ["deepafter"] or tags.text.split() == ["deep", "after"]


def test_the_words_of_the_question_are_marked_as_the_index_knows_them() -> None:
    markup = "<p>Running shoes, <b>run</b> &amp; runs; <a href=run>x</a></p><p>走るのが好き"
    marker = QueryHighlighter("run", "en", markup)
    shown = str(copy_of(markup, ADDRESS, lambda piece: with_marks(piece, marker)))
    assert "<mark>Running</mark> shoes, <b><mark>run</mark></b> &amp; <mark>runs</mark>" in shown
    assert 'href="http://site.example/dir/run"' in shown


def test_no_place_of_a_page_is_one_of_ours() -> None:
    assert '<h1 id="copy-content">x</h1>' in written("<h1 id=content>x</h1>")
    assert '<a id="copy-content">x</a>' in written("<a name=content>x</a>")


def test_a_page_has_one_main_part_which_is_the_one_around_the_copy() -> None:
    assert written("<body><main><p>Rye</p></main></body>").replace("\n", "") == "<div><p>Rye</p></div>"
