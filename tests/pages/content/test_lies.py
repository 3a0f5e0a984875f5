"""A soft 404 of a site is told apart from its pages by its text, and by nothing else."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.content.soft404 import (
    NotFoundProfile,
    missing_url,
    not_found_profile,
    numbered_lines,
    refusal_by_profile,
    url_place,
)
from pages.text.layout import LineKind, TextLines, with_lines
from urls.canonical import UnusableUrl, canonicalize
from urls.records import CanonicalUrl, Link, Page

SITE = "http://a.example"
MENU = ("Home", "Breads", "History", "Orders")
NEWS = "Our starter turned a hundred years old this spring, and the town came to see it."


def a_page(path: str, said: str, title: str = "Acme Bakery", names: tuple[str, ...] = ()) -> Page:
    links = tuple(Link(f"{SITE}/{name}", name) for name in MENU + names)
    text = "\n".join((*MENU, said, *names, "Open from 6 to 11.", "© 2026 Acme Bakery, 17 Mill Lane"))
    return Page(CanonicalUrl(SITE + path), title, text, links=links, content_type="text/html")


def an_article(number: int) -> Page:
    said = f"Recipe {number}: take {number} cups of rye and wait a night.\nThe crumb is dark, as loaf {number:b} is."
    return a_page(f"/recipes/{number}.html", said, title=f"Loaf {number:b} | Acme Bakery")


OTHERS = [an_article(number) for number in range(5)]
SAID = "Whoops, that crumb trail ends here. Nobody baked {}."
ANSWER = a_page("/recipes/qxzvbnmkl.html", SAID.format("/recipes/qxzvbnmkl.html"), names=("Rye", "Spelt"))


def learnt(answer: Page = ANSWER) -> NotFoundProfile:
    return not_found_profile(answer, [numbered_lines(page) for page in OTHERS])


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(a_page("/recipes/gone.html", SAID.format("/recipes/gone.html")), id="it repeats the address"),
        pytest.param(a_page("/old", SAID.format("/old"), names=("Barley", "Oat")), id="it suggests other pages"),
        pytest.param(a_page("/x?id=1", SAID.format("/x?id=1") + "\nTip: ask Ann."), id="with a tip of the day"),
        pytest.param(a_page("/yard", SAID.format("/yard") + "\n2026-11-22 10:03:11"), id="with the time"),
    ],
)
def test_a_page_that_says_the_same_is_the_lie(page: Page) -> None:
    refusal = refusal_by_profile(page, [learnt()])
    assert refusal is not None
    assert (refusal.rule, ANSWER.url in refusal.reason) == ("soft-404", True)


@pytest.mark.parametrize(
    "page",
    [
        *OTHERS[:2],
        pytest.param(a_page("/contact", "Write to us."), id="a short page in the same template"),
        pytest.param(a_page("/", SAID.format("/")), id="the root of the site, whatever it says"),
        pytest.param(a_page("/news", SAID.format("/news") + "\n" + NEWS), id="it says something else as well"),
        pytest.param(a_page("/empty", ""), id="nothing but the template"),
    ],
)
def test_a_page_with_something_of_its_own_is_none(page: Page) -> None:
    assert refusal_by_profile(page, [learnt()]) is None


def in_a_manual(path: str, said: str, trail: str, contents: tuple[str, ...]) -> Page:
    lines = (trail, *contents, "Languages: en | fr", "The manual of Acme Bakery", said)
    kinds = LineKind.SIGNED_LINKS * (2 + len(contents)) + LineKind.SIGNED + LineKind.TEXT
    return with_lines(Page(CanonicalUrl(SITE + path), "", ""), TextLines(lines, kinds))


def test_trails_rows_of_links_and_tables_of_contents_differ_from_lie_to_lie() -> None:
    others = [in_a_manual(f"/{loaf}", f"How to bake a {loaf}.", loaf, ()) for loaf in ("rye", "oat", "spelt")]
    made_up = in_a_manual("/a/qxz.html", SAID.format("/a/qxz.html"), "Acme > Manual > Loaves", ("Rye", "Oats and bran"))
    lie = not_found_profile(made_up, [numbered_lines(page) for page in others])
    contents = tuple(f"How it went on in chapter {number:b}" for number in range(200))
    told = in_a_manual("/b/old.html", SAID.format("/b/old.html"), "Acme > Manual > Ovens and their fires", contents)
    assert refusal_by_profile(told, [lie]) is not None
    assert (
        refusal_by_profile(in_a_manual("/b/new.html", NEWS, "Acme > Manual > Loaves", ("Rye", "Oats")), [lie]) is None
    )
    both = in_a_manual("/b/both.html", f"{SAID.format('/b/both.html')}\n{NEWS}", "Acme", ())
    assert refusal_by_profile(both, [lie]) is None


def test_a_lie_that_is_only_the_template_takes_no_page_but_such_as_say_nothing_more() -> None:
    empty = learnt(a_page("/qxz", ""))
    assert refusal_by_profile(a_page("/gone", ""), [empty]) is not None
    assert refusal_by_profile(a_page("/contact", "Write to us."), [empty]) is None
    assert refusal_by_profile(a_page("/list", "", names=("Rye",)), [empty]) is None, (
        "a list of links has something to read"
    )


def test_a_home_page_in_place_of_an_apology_takes_its_copies_alone() -> None:
    home = a_page("/qxz", NEWS, title="Acme Bakery since 1926")
    lie = not_found_profile(home, [numbered_lines(page) for page in OTHERS])
    assert refusal_by_profile(replace(home, url=CanonicalUrl(f"{SITE}/gone")), [lie]) is not None
    assert not [page for page in OTHERS if refusal_by_profile(page, [lie])]


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("http://a.example/", r"http://a\.example/[a-z]{9}"),
        ("http://a.example/a.html", r"http://a\.example/[a-z]{9}\.html"),
        ("http://a.example/a/b.html", r"http://a\.example/a/[a-z]{9}\.html"),
        ("http://a.example/a/b/", r"http://a\.example/a/[a-z]{9}/"),
        ("http://a.example/.hidden", r"http://a\.example/[a-z]{9}"),
        ("http://a.example/p?id=7&lang=en", r"http://a\.example/p\?id=7&lang=[a-z]{9}"),
        ("http://a.example/p?page", r"http://a\.example/p\?[a-z]{9}"),
    ],
)
def test_an_address_is_made_up_beside_the_page(url: str, form: str) -> None:
    made = missing_url(CanonicalUrl(url))
    assert made is not None
    assert re.fullmatch(form, made)
    assert not set("aeiou") & set(re.search("[a-z]{9}", made.removeprefix("http://a.example"))[0])  # type: ignore[index]  # the form has them


@given(st.text(alphabet="ab/.?&=#%20é"))
def test_whatever_the_address_another_of_its_place_is_made_up_and_always_the_same(path: str) -> None:
    try:
        url = canonicalize(f"{SITE}/{path}")
    except UnusableUrl:
        return
    made = missing_url(url)
    if made is not None:
        assert made == missing_url(url) != url
        assert url_place(canonicalize(made)) is url_place(url)


@given(st.text(), st.text(), st.lists(st.text()))
def test_any_page_can_be_compared(title: str, text: str, names: list[str]) -> None:
    page = Page(CanonicalUrl(f"{SITE}/x"), title, text, links=tuple(Link("", name) for name in names))
    assert not_found_profile(page, ()).matches(page) or not page.text.strip()
