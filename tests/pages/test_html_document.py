"""The elements and texts of a document."""

from time import process_time

import pytest

from pages.html_document import MAX_TITLE_CHARS, HtmlDocument, read_html
from pages.links import BaseUrl
from pages.metadata import MANY_METAS

ADDRESS = BaseUrl.of("https://site.example/dir/page.html")


def read(markup: str) -> HtmlDocument:
    return read_html(markup, ADDRESS)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        pytest.param("<p>one</p><p>two</p>", "one\ntwo", id="a line a block"),
        pytest.param("a <b>b</b>c<br>d", "a bc\nd", id="inline elements do not part words"),
        pytest.param("<table><tr><td>1<td>2<tr><td>3</table>", "1 2\n3", id="a row is a line"),
        pytest.param("x<script>1</script><style>2</style><template>3</template>y", "xy", id="code is not text"),
        pytest.param("x<noscript>for others</noscript>", "x", id="noscript is for others"),
        pytest.param("x<p hidden>secret</p>", "x", id="hidden"),
        pytest.param("x<!-- note -->y", "xy", id="comments are not text"),
        pytest.param("<p>before<script>var x='</p>", "before", id="a script that never ends"),
        pytest.param("&lt;b&gt; &amp; &#0;&#99999999;", "<b> & \ufffd\ufffd", id="character references"),
        pytest.param("<svg><title>icon</title></svg>text", "text", id="titles of drawings are not text"),
        pytest.param("a&nbsp;&nbsp;b \n\t c", "a b c", id="one blank between words"),
    ],
)
def test_the_text_is_what_a_reader_sees(markup: str, text: str) -> None:
    assert read(markup).text == text


def test_links_headings_and_text_of_nested_blocks_keep_their_words_apart() -> None:
    paper = read("<h2>A<br>B</h2><a href=x><div>one</div><div>two</div></a><a href=y><img alt='a picture'></a>")
    assert paper.headings == ("A B",)
    assert [anchor.text for anchor in paper.anchors] == ["one two", "a picture"]


def test_links_of_areas_and_of_what_is_hidden_are_found() -> None:
    paper = read(
        "<map><area href=a alt=north></map><div hidden><a href=b>x</a></div><noscript><a href=c>y</a></noscript>"
    )
    assert [(anchor.href, anchor.text) for anchor in paper.anchors] == [("a", "north"), ("b", "x"), ("c", "y")]


def test_the_title_is_the_documents_first_and_is_cut() -> None:
    assert read("<svg><title>icon</title></svg><title> a  title </title>").title == "a title"
    assert len(read(f"<title>{'t' * 100_000}</title>").title) == MAX_TITLE_CHARS


def test_description_and_keywords_are_read_and_keywords_split_at_commas() -> None:
    paper = read(
        "<meta name=Description content='About  ants'><meta name=KEYWORDS content='antiques, mary,restoration,,mary'>"
    )
    assert paper.description == "About ants"
    assert paper.keywords == ("antiques", "mary", "restoration")


def test_metas_count_in_the_body_but_not_in_comments_scripts_and_templates() -> None:
    meta = "<meta name=robots content={}>"
    shown, unseen = meta.format(1), meta.format(2)
    markup = f"<p>{shown}<!--{unseen}--><script>'{unseen}'</script><template>{unseen}</template>"
    assert read(markup).metas == (("robots", "1"),)


@pytest.mark.parametrize(
    ("markup", "base"),
    [
        ("<base href=/a/><base href=/b/>", "https://site.example/a/"),
        ("<a href=x>1</a><base href=/late/>", "https://site.example/late/"),
        ("<base target=x><base href=/b/>", "https://site.example/b/"),
        ("<base href=javascript:><base href=/b/>", ADDRESS.url),
        ("<base href=''><base href=/b/>", ADDRESS.url),
        ("<base href=file:///etc/>", ADDRESS.url),
        (f"<base href='/{'a' * 5000}'>", ADDRESS.url),
    ],
    ids=["the first", "late", "the first with an address", "javascript", "empty", "file", "too long"],
)
def test_the_first_base_holds_for_the_whole_document_or_none_does(markup: str, base: str) -> None:
    assert read(markup).base.url == base


@pytest.mark.parametrize(
    ("content", "refresh"),
    [
        pytest.param("1; URL=index.html", (1, "https://site.example/dir/index.html"), id="the book's example"),
        pytest.param("0;url='/q'", (0, "https://site.example/q"), id="quotes"),
        pytest.param("5.5 , /n", (5, "https://site.example/n"), id="no url="),
        pytest.param("30", None, id="reloads itself"),
        pytest.param("soon; url=/x", None, id="no number"),
        pytest.param("0;url=file:///etc/hostname", None, id="a file"),
        pytest.param("0;url=data:text/html,x", None, id="data"),
        pytest.param(".5;url=/x", (0, "https://site.example/x"), id="half a second"),
        pytest.param(".;url=/x", (0, "https://site.example/x"), id="a point alone"),
        pytest.param("99999999999;url=/x", (2**31 - 1, "https://site.example/x"), id="3,000 years"),
        pytest.param(";url=/x", None, id="nothing before the semicolon"),
    ],
)
def test_http_equiv_refresh_is_read_even_outside_the_head(content: str, refresh: tuple[int, str] | None) -> None:
    assert read(f'<body><p>x<META HTTP-EQUIV="Refresh" content="{content}">').refresh == refresh


def test_a_refresh_after_many_digits_is_read_once() -> None:
    begin = process_time()
    assert read(f'<meta http-equiv=refresh content="{"0" * 65_000}">' * 20 + "<p>x").refresh is None
    assert process_time() - begin < 2  # seconds; dividing the digits in every way took twelve


def test_two_different_canonicals_say_nothing_and_one_in_the_body_neither() -> None:
    assert read("<link rel=canonical href=/c><link rel=canonical href=/d>").canonical is None
    assert read("<link rel='x Canonical' href=/c><link rel=canonical href=/c>").canonical == "https://site.example/c"
    assert read("<p>x<link rel=canonical href=/c>").canonical is None


@pytest.mark.parametrize("annotation", ["hreflang=de", "lang=de", "media=print", "type=application/rss+xml"])
def test_an_annotated_canonical_speaks_of_another_version(annotation: str) -> None:
    assert read(f"<link rel=canonical {annotation} href=/c>").canonical is None


def test_an_iframe_of_the_same_site_is_a_link_and_no_other_is() -> None:
    paper = read(
        "<p>Here</p><iframe src=/inner title=Inner>no frames</iframe><iframe src=http://ads.example/x></iframe>"
        "<iframe src=about:blank></iframe><iframe></iframe><iframe src=//site.example.evil.example/></iframe>"
    )
    assert [(anchor.href, anchor.text) for anchor in paper.anchors] == [("/inner", "Inner")]
    assert paper.text == "Here"


def test_a_frameset_is_read_through_its_frames_and_its_noframes_text() -> None:
    paper = read("<frameset><frame src=/menu title=Menu><noframes><p>Old <a href=/ok>way</a><NOFRAMES>x</noframes>")
    assert paper.text == "Old way\nx"
    assert [(anchor.href, anchor.text) for anchor in paper.anchors] == [("/menu", "Menu"), ("/ok", "way")]


def test_nosnippet_hides_words_from_snippets_only() -> None:
    paper = read("<p>seen <span DATA-NOSNIPPET>kept back</span> end</p><p data-nosnippet>not here</p>")
    assert paper.text == "seen kept back end\nnot here"
    assert paper.lines.snippet_text == "seen end\nnot here"
    assert read("<p>seen</p>").lines.snippet_text is None


def test_what_a_page_says_a_thousand_times_is_told_once_and_what_it_says_twice_as_it_stands() -> None:
    assert read("<meta name=a content=b>" * 2).metas == (("a", "b"),) * 2
    many = "".join(f"<meta name=a content={number % 3}>" for number in range(MANY_METAS + 1))
    assert read(many + "<meta name=robots content=noindex>").metas == (
        ("a", "0"), ("a", "1"), ("a", "2"), ("robots", "noindex"),
    )  # fmt: skip
