"""JSON-LD about its page, in the forms of schema.org's own examples; and bombs do no harm."""

import json
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.structured_data import (
    MAX_BLOCK_CHARS,
    MAX_BLOCKS,
    MAX_CRUMBS,
    NOTHING,
    StatedDate,
    StructuredData,
    read_structured_data,
)


def read(*blocks: object) -> StructuredData:
    scripts = (f'<script type="application/ld+json">{json.dumps(block)}</script>' for block in blocks)
    return read_structured_data("<html><head>" + "".join(scripts) + "</head>")


ARTICLE = {
    "@context": "https://schema.org", "@type": "NewsArticle", "headline": "Rye bread", "datePublished": "2024-05-03",
    "dateModified": "2024-05-04T10:00:00Z", "author": {"@type": "Person", "name": "Ann", "datePublished": "1999-01-01"},
    "comment": [{"@type": "Comment", "datePublished": "1998-01-01"}],
}  # fmt: skip
TRAIL = {
    "@type": "BreadcrumbList",
    "itemListElement": [
        {"@type": "ListItem", "position": 2, "item": {"@id": "/b", "name": "Breads"}},
        {"@type": "ListItem", "position": 1, "name": "Home", "item": "/"},
        {"@type": "ListItem", "position": 3, "name": "Rye"},
    ],
}


def test_an_article_tells_its_headline_and_dates_and_not_those_of_others() -> None:
    found = read(ARTICLE)
    assert (found.types, found.headline) == (("NewsArticle",), "Rye bread")
    assert found.published == (StatedDate("2024-05-03", "JSON-LD datePublished"),)
    assert found.modified == (StatedDate("2024-05-04T10:00:00Z", "JSON-LD dateModified"),)


def test_a_trail_is_in_the_order_of_its_positions() -> None:
    assert read(TRAIL).breadcrumbs == ("Home", "Breads", "Rye")


def test_a_graph_holds_several_things() -> None:
    site = {"@type": ["WebSite", "Thing"], "name": "The Bakery", "datePublished": "1990-05-05"}
    found = read({"@context": "https://schema.org", "@graph": [site, ARTICLE, TRAIL]})
    assert (found.site_name, found.headline, found.breadcrumbs[0]) == ("The Bakery", "Rye bread", "Home")
    assert found.published[0].text == "2024-05-03"  # of the article, and not of the site
    assert found.types == ("WebSite", "Thing", "NewsArticle", "BreadcrumbList")


def test_the_articles_of_a_list_are_not_the_page() -> None:
    assert read({"@type": "ItemList", "itemListElement": [ARTICLE]}).published == ()


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param("<script>{}</script> ld+json", id="a script of another type"),
        pytest.param('<!-- <script type="application/ld+json">{"headline": "x"}</script> -->', id="in a comment"),
        pytest.param("<script type=application/ld+json></script>", id="empty"),
        pytest.param("<p>application/ld+json</p>", id="only the word"),
    ],
)
def test_what_is_none_says_nothing(markup: str) -> None:
    found = read_structured_data(markup)
    assert (found.types, found.headline) == ((), "")


@pytest.mark.parametrize(
    "script",
    [
        "<script type=application/ld+json>",
        "<SCRIPT TYPE='Application/ld+json' async>",
        '<script id="a>b" type="application/ld+json">',
    ],
)
def test_a_block_is_found_however_its_tag_is_written(script: str) -> None:
    assert read_structured_data(f'<script>"<!--"</script>{script}{{"headline": "x"}}</script>').headline == "x"


@pytest.mark.parametrize("cut", ["\ud83d", "\0"])
def test_half_a_character_and_a_nul_are_replaced_because_they_cant_be_stored(cut: str) -> None:
    site = {"@type": ["WebSite", f"T{cut}"], "name": f"The {cut}"}
    found = read(site, ARTICLE | {"headline": f"Rye {cut}"}, TRAIL | {"itemListElement": [{"name": f"a{cut}"}]})
    assert (found.headline, found.site_name, found.breadcrumbs) == ("Rye \ufffd", "The \ufffd", ("a\ufffd",))
    assert found.types[1] == "T\ufffd"


@pytest.mark.parametrize(
    ("block", "warning"),
    [
        pytest.param("{broken", "1 block of JSON-LD can't be read: left aside", id="broken"),
        pytest.param("[" * 200_000, "1 block of JSON-LD can't be read: left aside", id="a bomb of brackets"),
        pytest.param('{"a":' * 30_000, "1 block of JSON-LD can't be read: left aside", id="a bomb of objects"),
        pytest.param("9" * 100_000, "1 block of JSON-LD can't be read: left aside", id="a number of 100,000 digits"),
        pytest.param('"' + "x" * MAX_BLOCK_CHARS + '"', "its JSON-LD has more than", id="a long one"),
    ],
)
def test_bombs_are_left_aside_and_told(block: str, warning: str) -> None:
    found = read_structured_data(f"<script type=application/ld+json>{block}</script>")
    assert found.warnings[0].startswith(warning)
    assert (found.headline, found.types) == ("", ())


def test_a_deep_but_readable_block_is_walked_without_recursion_and_each_object_once() -> None:
    depth = 900
    text = '{"x":' * depth + '{"headline": "deep"}' + "}" * depth
    before = thread_time()
    assert read_structured_data(f"<script type=application/ld+json>{text}</script>").headline == "deep"
    assert thread_time() - before < 1  # seconds; comparing the objects with each other took five


def test_more_blocks_and_steps_than_anybody_needs_are_cut() -> None:
    found = read(*[{"@type": f"T{number}"} for number in range(2 * MAX_BLOCKS)])
    assert found.warnings
    steps = [{"name": str(number)} for number in range(1000)]
    assert len(read({"@type": "BreadcrumbList", "itemListElement": steps}).breadcrumbs) == MAX_CRUMBS


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["WebSite", "BreadcrumbList"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from("@type @graph name headline datePublished itemListElement position item".split()),  # noqa: SIM905
        inner, max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_any_json_is_read(value: object) -> None:
    found = read(value)
    assert all(isinstance(text, str) for text in (*found.types, *found.breadcrumbs, found.headline, found.site_name))


@given(
    st.lists(
        st.sampled_from(
            ["<script ", "type=", "application/ld+json", ">", "</script>", "<!--", "-->", '"', "'", "{}", "[", "x"]
        )
    )
)
def test_any_markup_is_read(pieces: list[str]) -> None:
    assert read_structured_data("".join(pieces)).breadcrumbs == NOTHING.breadcrumbs
