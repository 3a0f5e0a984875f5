"""Can a page's lines be had again in their order, with what each is?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pages.text.layout import LineKind, TextLines, text_lines, with_lines
from urls.canonical import canonicalize
from urls.records import Page

PAGE = Page(canonicalize("http://a.example/"), "", "")
LINES = st.lists(st.tuples(st.text(st.characters(exclude_characters="\n"), min_size=1), st.sampled_from(LineKind)))


@given(LINES, st.data())
def test_the_order_of_the_lines_is_kept(lines: list[tuple[str, LineKind]], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.sampled_from(range(len(lines))), unique=True)) if lines else []
    withheld = tuple((number, "") for number in sorted(numbers))
    text = TextLines(tuple(line for line, _ in lines), "".join(kind for _, kind in lines), withheld)
    page = with_lines(PAGE, text)
    assert text_lines(page) == text
    assert sorted(page.visible_text.split("\n")) == sorted(line for line, _ in lines) or not lines
    assert (page.snippet_text is None) == (not withheld)


def test_a_page_that_was_stored_before_there_were_layouts_is_all_content() -> None:
    page = Page(PAGE.url, "", "one\ntwo")
    assert text_lines(page) == TextLines(("one", "two"), "tt")


def test_two_texts_are_put_below_each_other() -> None:
    both = TextLines(("a", "b"), "ts", ((1, ""),)) + TextLines(("c",), "t", ((0, "d"),))
    assert (both.text, both.template_text, both.snippet_text) == ("a\nc", "b", "a\nd")
