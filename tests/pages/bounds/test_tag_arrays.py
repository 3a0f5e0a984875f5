"""Are the tags found as arrays those that a reader finds who goes through the page one by one?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.bounds import tag_arrays
from pages.bounds.flat import ATTRIBUTE, MARKUP, TAG, after_declaration, closing
from pages.bounds.tag_arrays import NUMBERS, OTHER, RAW, read_tags

WORDS = {number: name for name, number in NUMBERS.items()}


def one_by_one(markup: str) -> list[tuple[str, bool, int]]:
    """Name, kind and number of attributes of each tag, read in one loop from left to right."""
    found, place = [], 0
    while begin := MARKUP.search(markup, place):
        tag = TAG.match(markup, begin.start())
        if tag is None:
            place = after_declaration(markup, begin.start())
            continue
        place = tag.end()
        if not tag[4]:
            continue
        name = tag[2].lower()
        attributes = sum(1 for _ in ATTRIBUTE.finditer(tag[3]))
        found.append((name if name in NUMBERS else "", bool(tag[1]), attributes))
        if not tag[1] and name in RAW:
            place = len(markup) if name == "plaintext" else closing(markup, name, place)
    return found


def as_arrays(markup: str) -> list[tuple[str, bool]]:
    tags = read_tags(markup)
    assert tags is not None
    return [
        (WORDS.get(name, ""), is_end) for name, is_end in zip(tags.name.tolist(), tags.is_end.tolist(), strict=True)
    ]


PIECES = [
    "<", ">", "</", "<!", "<?", "<!--", "-->", "--!>", "<!-->", "<![CDATA[", "]]>", '"', "'", "=", " ", "/", "\n", "a",
    "é", "\N{GRINNING FACE}", "<p>", "</p>", "<DIV", "<div class=x", "<a href='", '<a href="', 'x="', "x='", "/>",
    "<script>", "</script>", "<title>", "</title >", "<textarea/", "</Style", "<blockquote>", "<blockquote2>",
    "<foreignObject>", "<lineargradientxyz>", "<x-y>", "<plaintext>", "<style",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(SOUP)
def test_all_at_once_finds_the_same_tags_as_one_by_one(markup: str) -> None:
    assert as_arrays(markup) == [(name, is_end) for name, is_end, _ in one_by_one(markup)]


@pytest.mark.parametrize(
    ("markup", "tags"),
    [
        pytest.param('<a title="1 > 0">x</a>', 2, id="a > in quotes"),
        pytest.param("<a title='</a><b>'>x</a>", 2, id="tags in quotes"),
        pytest.param('<a x=1" y=">"><b>', 2, id="a quote inside an unquoted value opens nothing"),
        pytest.param("<img src=data:x,y==><b>", 2, id="a value that ends in ="),
        pytest.param('<img src="data:x,y=="><b>', 2, id="a quoted value that ends in ="),
        pytest.param("<!--><b>--><i>", 2, id="a comment that ends at once"),
        pytest.param("<!-- <b> --!><i>", 1, id="a comment that ends oddly"),
        pytest.param("<script>if (a<b) '</p>'</script>", 2, id="code"),
        pytest.param("<script></scripty><b></script>", 2, id="an end tag that only begins like the right one"),
        pytest.param("<b\fid=1></B\t>", 2, id="blanks of all kinds"),
        pytest.param("a <b", 0, id="a tag that the file cuts off"),
        pytest.param("</><b>", 1, id="an end tag of nothing"),
        pytest.param("</3><b>", 1, id="an end tag without a letter is a comment"),
        pytest.param("<é><b>", 1, id="a letter that begins no tag"),
    ],
)
def test_how_many_tags_there_are(markup: str, tags: int) -> None:
    assert len(as_arrays(markup)) == tags


def test_a_name_is_known_in_any_case_and_whole() -> None:
    assert as_arrays("<DIV><Div2></FIGCAPTION><figcaptions><figcaptio>") == [
        ("div", False), ("", False), ("figcaption", True), ("", False), ("", False),
    ]  # fmt: skip


@given(st.sampled_from(sorted(NUMBERS)), st.sampled_from(["", "s", "-x", ":y", "é", "1", "abcdefghijklmnop"]))
def test_every_listed_name_has_its_number_and_no_other_has_it(name: str, more: str) -> None:
    tags = read_tags(f"<{name}{more}>")
    assert tags is not None
    assert tags.name.tolist() == [NUMBERS.get(name + more, OTHER)]


@given(SOUP)
def test_there_are_never_more_attributes_than_told(markup: str) -> None:
    tags = read_tags(markup)
    assert tags is not None
    assert sum(attributes for _, _, attributes in one_by_one(markup)) <= tags.attributes.sum()


@pytest.mark.parametrize("few", [0, 300_000])
def test_attributes_are_counted_in_short_and_in_long_tags(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_arrays, "FEW_ATTRIBUTES", few)
    for attributes in (["a"] * 20, ['x="1"'] * 20, ["a=/b/"] * 300):
        markup = f"<p {' '.join(attributes)}><br/>"
        tags = read_tags(markup)
        assert tags is not None
        assert len(attributes) <= tags.attributes.sum() <= len(markup) // 2
