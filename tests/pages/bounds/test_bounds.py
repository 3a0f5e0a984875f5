"""No input may take unbounded time or memory, or hide a tag from the count."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pages import html_document as bounds
from pages.bounds import flat

DEEP = 6000  # nested tags: over MAX_DEPTH, and quick to count
FLAT = 12  # levels: html, body, and one of each kind that a flat page has


def depth(markup: str) -> int:
    deepest, row = 0, [LexborHTMLParser(markup).root]
    while row := [child for node in row if node is not None for child in _children(node)]:
        deepest += 1
    return deepest


def _children(node: LexborNode) -> list[LexborNode]:
    return list(node.iter(include_text=False))


def test_an_ordinary_page_is_handed_on_untouched() -> None:
    markup = '<!doctype html><title>t</title><p class="a">x<!-- c --><script>if (a < b) {}</script>'
    assert bounds.made_safe(markup) == (markup, ())


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("<div>", id="nested div"),
        pytest.param("<table><tr><td>", id="nested tables"),
        pytest.param("<div><table><td></div></td></table>", id="end tags that a cell keeps from their element"),
        pytest.param("<div><!--</div>-->", id="end tags in comments"),
        pytest.param('<div title="</div>">', id="end tags in attributes"),
        pytest.param("<div></x>", id="end tags of nothing"),
        pytest.param("<div><td>", id="cells without a table"),
        pytest.param("<table><td><svg><td>", id="cells in a drawing"),
        pytest.param("<optgroup>", id="optgroup outside select"),
        pytest.param("<rt>", id="rt outside ruby"),
        pytest.param("<a href=x><div>", id="links around blocks"),
        pytest.param("<ul><li>", id="lists"),
        pytest.param("<div><form><div></form>", id="forms closed across"),
        pytest.param("<b><p>", id="formatting around paragraphs"),
        pytest.param("<svg><style><div></style>", id="markup in the style of a drawing"),
    ],
)
def test_no_pattern_nests_deeper_than_the_limit(unit: str) -> None:
    safe, _ = bounds.made_safe(unit * DEEP + "text")
    assert depth(safe) <= FLAT
    assert "text" in LexborHTMLParser(safe).text()


NAMES = ["div", "p", "a", "td", "tr", "table", "caption", "select", "option", "button", "svg", "math", "template", "li",
         "ul", "h1", "rt", "ruby", "form", "object", "tbody", "style", "dt", "b", "title", "noscript",
         "html"]  # fmt: skip
UNITS = st.lists(st.sampled_from([f"<{name}>" for name in NAMES] + [f"</{name}>" for name in NAMES]), max_size=8)


@pytest.mark.slow
@settings(max_examples=50)
@given(UNITS.map("".join))
def test_no_repeated_sequence_of_tags_nests_deeper_than_the_limit(unit: str) -> None:
    safe, _ = bounds.made_safe(unit * DEEP)
    assert depth(safe) <= FLAT


def test_deep_nesting_keeps_every_word_and_is_told() -> None:
    safe, warnings = bounds.made_safe("<div>" * DEEP + "needle" + "</div>" * DEEP)
    assert "needle" in safe
    assert warnings == ("about 6000 elements stand inside each other: read without its nesting",)


def test_too_many_tags_keep_their_text_and_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "MAX_TAGS", 2000)
    safe, warnings = bounds.made_safe("<p>x" * DEEP + "<script>x</script><!-- x -->x<style>x")
    assert safe.count("x") == DEEP + 1
    assert warnings == ("more than 2000 tags: of the last 16037 characters, only the text was kept",)


@pytest.mark.parametrize("page", ["{}", "<textarea>{}</textarea>"])
def test_too_many_signs_that_begin_no_tag_are_left_out_and_it_is_told(
    monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setattr(flat, "MAX_SIGNS", 30)
    deep = "<div>" * DEEP
    assert "1 <2" in bounds.made_safe(page.format("1 <2 " * 30) + deep)[0]
    safe, warnings = bounds.made_safe(page.format("1 <2 " * 31) + deep)
    assert safe.count("1  2") == 31
    assert "more than 30 `<` that begin no tag: they were left out" in warnings


def test_unclosed_formatting_is_not_multiplied() -> None:
    unclosed = "".join(f"<b id={number}>" for number in range(1000))
    safe, _ = bounds.made_safe(f"<div>{unclosed}</div>" + "<p>x" * 1000)
    assert len(LexborHTMLParser(safe).css("*")) < 1100  # a million in the parser without bounds


@pytest.mark.parametrize("value", ["1", '">"', "'>'"])
def test_a_tag_with_too_many_attributes_keeps_those_that_are_read(value: str) -> None:
    attributes = " ".join(f"a{number}={value}" for number in range(5000))
    safe, warnings = bounds.made_safe(f"<p>before<a {attributes} href=/ok>x</a>")
    node = LexborHTMLParser(safe).css_first("a")
    assert node is not None
    assert node.attributes == {"href": "/ok"}
    assert "256 attributes" in warnings[0]


def test_a_robots_meta_of_any_length_is_still_read() -> None:
    safe, warnings = bounds.made_safe(f"<meta name=robots content='noindex, {'x' * 100_000}'><p>after" + "<div>" * DEEP)
    meta = LexborHTMLParser(safe).css_first("meta")
    assert meta is not None
    assert (meta.attributes["content"] or "").startswith("noindex,")
    assert warnings


def test_what_is_left_out_cannot_complete_a_tag() -> None:
    safe, _ = bounds.made_safe("<<b>div id=made>" + "<i>" * 2000)
    assert LexborHTMLParser(safe).css_first("#made") is None


def test_code_and_comments_go_and_shown_raw_text_stays() -> None:
    tail = "<p>" * 2000
    safe, _ = bounds.made_safe(f"<title>a <b> c</title><script>gone</script><!-- gone --><xmp><p>raw</xmp>end{tail}")
    tree = LexborHTMLParser(safe)
    assert "gone" not in safe
    title = tree.css_first("title")
    assert title is not None
    assert title.text() == "a <b> c"
    assert "<p>raw" in tree.text()


def test_a_long_document_is_cut_and_it_is_told() -> None:
    body, warnings = bounds.truncated(b"x" * (bounds.MAX_DOCUMENT_BYTES + 1))
    assert len(body) == bounds.MAX_DOCUMENT_BYTES
    assert warnings == ("10485761 bytes long: only the first 10485760 were read",)


@pytest.mark.parametrize("before", ["", "<frameset></frameset>"])
def test_formatting_brings_no_attributes_back_into_each_paragraph(before: str) -> None:
    formatting = "".join(f"<b id={tag} {' '.join(f'a{number}' for number in range(100))}>" for tag in range(20))
    safe, _ = bounds.made_safe(before + formatting + "<p>x" * 1000)
    assert sum(len(node.attributes) for node in LexborHTMLParser(safe).css("*")) < 10_000  # two million without bounds
