"""A word in a template finds pages only if no page has it in its own text, and is never in a snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

FOOT = "Seedville, a town for robots"


def test_a_word_in_every_footer_brings_up_only_the_pages_that_say_it(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    others = [page(f"p{number}", "bread and butter", template_text=FOOT) for number in range(20)]
    searcher = index(*others, page("rules", "what robots may fetch", template_text=FOOT))
    assert found(searcher, "robots") == ["rules"]
    assert found(searcher, '"robots may"') == ["rules"]
    assert len(found(searcher, "bread -robots")) == len(others)


def test_a_word_that_no_page_says_is_found_in_templates(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    searcher = index(page("a", "bread", template_text=FOOT), page("b", "butter"))
    assert found(searcher, "seedville") == ["a"]


def test_a_template_adds_a_little_and_the_explanation_says_so(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(page("a", "bread", template_text="more bread"), page("b", "bread cake cake"), page("c", "cake"))
    first, second = searcher.search("bread").hits
    assert [hit.url[-1] for hit in (first, second)] == ["a", "b"]
    parts = {part.field: part for part in first.explain().parts}
    assert set(parts) == {"body", "template"}
    assert "bread in template (menus, header, footer): 1 x 0.5 in 2 words" in str(parts["template"])
    assert 0 < parts["template"].value < parts["body"].value


def test_a_template_is_never_in_a_snippet(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    searcher = index(page("a", "Bread is baked at night.", template_text="Home Bread Cake"))
    (hit,) = searcher.search("bread cake").hits
    assert hit.snippet.text == "Bread is baked at night."
