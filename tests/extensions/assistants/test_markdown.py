"""The Markdown of a page shows its text, no more and no less, to an independent reader of CommonMark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from extensions.assistants.markdown import MAX_BLOCK, escape, sections_of
from pages.text.layout import DEFINITION, LineKind
from urls.canonical import canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMONMARK = MarkdownIt("commonmark")
SIGNS = "ab1 \\`*_[]()<>#+-.!|~=&;:/\"'@"
texts = st.text(st.sampled_from(SIGNS), min_size=1, max_size=30).map(lambda text: " ".join(text.split())).filter(bool)
lines = st.tuples(st.sampled_from((LineKind.TEXT, LineKind.LINKS, LineKind.HEADING, LineKind.CODE)), texts)


def page(of: Sequence[tuple[str, str]], **fields: object) -> Page:
    content = "\n".join(text for _, text in of)
    kinds = "".join(kind for kind, _ in of)
    return Page(canonicalize("http://a.example/"), "", content, layout=kinds, **fields)  # type: ignore[arg-type]  # of several types


def shown(markdown: str) -> list[str]:
    """The lines that a reader sees of Markdown."""
    seen: list[str] = []
    for token in COMMONMARK.parse(markdown):
        if token.type == "inline":
            seen.append("".join(child.content for child in token.children or ()))
        elif token.type in {"fence", "code_block", "html_block"}:
            seen += token.content.removesuffix("\n").split("\n")
    return seen


def markdown(of: Page) -> str:
    return "\n\n".join(block for section in sections_of(of) for block in section.blocks)


@given(texts)
def test_an_escaped_line_is_one_paragraph_that_shows_its_text(text: str) -> None:
    assert [token.type for token in COMMONMARK.parse(escape(text))] == ["paragraph_open", "inline", "paragraph_close"]
    assert shown(escape(text)) == [text]


@given(st.lists(lines, min_size=1, max_size=8))
def test_the_markdown_of_a_page_shows_its_lines(of: list[tuple[str, str]]) -> None:
    assert shown(markdown(page(of))) == [text for _, text in of]


def test_a_word_with_underscores_stays_as_it_is() -> None:
    assert escape("max_snippet of 2 - 1 (see #3)") == "max_snippet of 2 - 1 (see #3)"


def test_headings_have_the_levels_of_the_page_and_a_defined_name_is_bold() -> None:
    of = ((LineKind.HEADING, "Lists"), (LineKind.TEXT, "A list."), (LineKind.TEXT, "append(x)"), (LineKind.CODE, "a"))
    made = page(of, sections=((0, 3, "lists"), (2, DEFINITION, "list.append")))
    assert markdown(made) == "### Lists\n\nA list.\n\n**append(x)**\n\n```\na\n```"
    assert [(each.heading, each.level, each.id) for each in sections_of(made)] == [
        ("Lists", 3, "lists"),
        ("append(x)", DEFINITION, "list.append"),
    ]


def test_lines_of_code_are_one_block_whose_fence_is_longer_than_any_in_it() -> None:
    assert markdown(page(((LineKind.CODE, "a = ```"), (LineKind.CODE, "b")))) == "````\na = ```\nb\n````"


def test_what_data_nosnippet_hides_is_left_out_and_a_limit_cuts() -> None:
    of = page(((LineKind.TEXT, "one two"), (LineKind.TEXT, "three")), withheld=((0, "one"),))
    assert markdown(of) == "one\n\nthree"
    assert [section.blocks for section in sections_of(of, 5)] == [("one", "th")]


lengths = st.lists(st.one_of(st.integers(1, 400), st.integers(MAX_BLOCK - 2, 2 * MAX_BLOCK)), min_size=1, max_size=60)


@given(lengths, st.sampled_from((LineKind.TEXT, LineKind.CODE)))
def test_a_long_line_continues_in_more_blocks_with_all_its_words(words: list[int], kind: LineKind) -> None:
    text = " ".join((f"{number}w" * length)[:length] for number, length in enumerate(words))
    made = markdown(page(((kind, text),)))
    assert " ".join(shown(made)).replace(" ", "") == text.replace(" ", "")
    assert all(len(line) <= MAX_BLOCK for line in shown(made))


def test_markdown_has_no_sign_that_acts_on_a_terminal_or_on_the_text_beside_it() -> None:
    acting = "\x1b[31mred\x9b0m \u202eback \u2067right\u2069"
    lines = [(acting, LineKind.HEADING), (acting, LineKind.TEXT), (f"\t{acting}", LineKind.CODE)]
    assert not {"\x1b", "\x9b", "\u202e", "\u2067", "\u2069"} & set(markdown(page(lines)))
