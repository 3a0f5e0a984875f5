"""Which links, under which words."""

from hypothesis import given
from hypothesis import strategies as st

from pages import links
from pages.links import Anchor, BaseUrl
from urls.records import Link

BASE = BaseUrl.of("https://site.example/dir/page")


def test_rel_is_a_list_of_tokens_in_any_case() -> None:
    rels = ["nofollow", "UGC NoFollow", "ugc sponsored", "nofollowing", "noopener", ""]
    found = links.collect_links([Anchor(f"/{number}", rel=rel) for number, rel in enumerate(rels)], BASE)
    assert [link.nofollow for link in found.links] == [True, True, False, False, False, False]


def test_a_page_that_says_nofollow_says_it_of_all_its_links() -> None:
    found = links.collect_links([Anchor("a"), Anchor("b", rel="nofollow")], BASE, follow=False)
    assert all(link.nofollow for link in found.links)


def test_links_beyond_the_limit_are_counted_and_not_kept() -> None:
    found = links.collect_links((Anchor(f"/{number}") for number in range(links.MAX_LINKS + 7)), BASE, cut=3)
    assert (len(found.links), found.cut) == (links.MAX_LINKS, 10)
    assert found.warnings == ("more than 5000 links: 10 were counted and not kept",)


def test_the_same_link_under_the_same_words_counts_once() -> None:
    found = links.collect_links([Anchor("a", "one"), Anchor("a", "one"), Anchor("a", "two")], BASE)
    assert [link.text for link in found.links] == ["one", "two"]


def test_links_that_lead_nowhere_are_counted_by_kind() -> None:
    found = links.collect_links(map(Anchor, ["mailto:a@b", "javascript:x", "http://[::1", "ok"]), BASE)
    assert found.links == (Link("https://site.example/dir/ok"),)
    assert sorted(found.warnings) == [
        "1 link leads nowhere: not a URL",
        "2 links lead nowhere: another scheme than http or https",
        "the link http://[::1 leads nowhere: not a URL",
    ]


def test_references_that_are_no_urls_are_named_once_up_to_a_limit() -> None:
    many = [Anchor(f"http://[{number}") for number in range(links.MAX_BROKEN + 3)]
    found = links.collect_links([*many, *many], BASE)
    assert links.broken_references(found.warnings) == [anchor.href for anchor in many[: links.MAX_BROKEN]]
    assert found.warnings[0] == f"{2 * len(many)} links lead nowhere: not a URL"


@given(st.lists(st.text(min_size=1).map("http://[".__add__), max_size=links.MAX_BROKEN))
def test_the_references_that_warnings_name_are_read_from_them_as_they_were(texts: list[str]) -> None:
    found = links.collect_links(map(Anchor, texts), BASE)
    shown = [
        " ".join(text.split())[: links.MAX_ANCHOR_CHARS] for text in texts if not isinstance(BASE.resolve(text), str)
    ]
    assert links.broken_references(found.warnings) == list(dict.fromkeys(shown))


def test_a_place_on_the_page_itself_is_no_link_unless_a_base_moves_it() -> None:
    assert links.collect_links([Anchor("#top")], BASE).links == ()
    moved = BaseUrl.of("https://site.example/other", is_page=False)
    assert [link.url for link in links.collect_links([Anchor("#top")], moved).links] == ["https://site.example/other"]


def test_anchor_text_is_trimmed_and_capped() -> None:
    found = links.collect_links([Anchor("a", "  many\n words " + "x" * 500)], BASE)
    assert found.links[0].text.startswith("many words x")
    assert len(found.links[0].text) == links.MAX_ANCHOR_CHARS


def test_the_places_of_one_page_count_as_one_link_towards_the_limit() -> None:
    places = [Anchor(f"/page#{number}", f"place {number}") for number in range(links.MAX_LINKS + 7)]
    found = links.collect_links([*places, Anchor("/last")], BASE)
    assert found.cut == 0
    assert found.links[-1].url.endswith("/last")
    assert {link.url for link in found.links} == {f"{BASE.resolve('/page')}", f"{BASE.resolve('/last')}"}
