"""Generated URLs: of the same form as the pages of a pattern, and of no page written by a person."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.canonical import UnusableUrl, canonicalize
from urls.generated_urls import NOTHING_NEW, Authorship, authorship, random_url
from urls.traps import Pattern, patterns_of, trees_of


def made(path: str, pattern: Pattern | None = None, attempt: int = 0) -> str | None:
    url = canonicalize(f"http://a.example{path}")
    return random_url(url, pattern or patterns_of(url)[0], attempt)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        pytest.param("/page/17", r"/page/[0-9]{8}", id="a counter: far beyond its end"),
        pytest.param("/2026/11/21/", r"/9[0-9]{3}/11/21/", id="a date in parts: another year"),
        pytest.param("/day/2026-11-21", r"/day/9[0-9]{3}-11-21", id="a date in one"),
        pytest.param("/cal?y=2026&m=7", r"/cal\?y=9[0-9]{3}&m=7", id="a date in a query"),
        pytest.param("/topic.php?t=2003", r"/topic\.php\?t=[0-9]{8}", id="2003 alone is the number of a topic"),
        pytest.param("/forum/2003/500", r"/forum/[0-9]{8}/[0-9]{8}", id="and so it is before 500"),
        pytest.param("/item/00c0ffee", r"/item/[0-9a-f]{8}", id="a token of the same length"),
        pytest.param("/s?q=jam&lang=en", r"/s\?q=jam&lang=[^aeiou]{9}", id="a query of words"),
        pytest.param("/random?4711", r"/random\?[0-9]{8}", id="a key alone"),
        pytest.param("/list?page=3&lang=en", r"/list\?page=[0-9]{8}&lang=en", id="the number, and not the language"),
    ],
)
def test_another_number_date_token_or_value_is_put_in(path: str, form: str) -> None:
    found = made(path)
    assert found is not None
    assert re.fullmatch(f"http://a.example{form}", found)


@pytest.mark.parametrize(
    ("path", "forms"),
    [
        pytest.param("/w/b.html", [r"/w/[^aeiou]{9}\.html", r"/[^aeiou]{9}/[^aeiou]{9}\.html"],
                     id="below its first folder, and on the whole site"),
        pytest.param("/x/y/", [r"/x/[^aeiou]{9}/", r"/[^aeiou]{9}/[^aeiou]{9}/"], id="a folder"),
        pytest.param("/about", [r"/[^aeiou]{9}"], id="at the root there is only the site"),
    ],
)  # fmt: skip
def test_in_a_tree_every_name_below_its_folder_is_another(path: str, forms: list[str]) -> None:
    found = [made(path, tree) for tree in trees_of(canonicalize(f"http://a.example{path}"))]
    assert len(found) == len(forms)
    for one, form in zip(found, forms, strict=True):
        assert one is not None
        assert re.fullmatch(f"http://a.example{form}", one)


def test_a_pattern_in_which_nothing_can_be_varied_gets_none() -> None:
    assert made("/m?x=") is None


@given(st.text(min_size=1, max_size=60))
def test_whatever_is_made_up_is_a_url_of_the_same_site_and_the_same_each_time(path: str) -> None:
    try:
        url = canonicalize(f"http://a.example/{path}")
    except UnusableUrl:
        return
    for pattern in (*patterns_of(url)[:1], *trees_of(url)):
        found = random_url(url, pattern, 0)
        assert found == random_url(url, pattern, 0)
        assert found is None or canonicalize(found).startswith("http://a.example/")


@pytest.mark.parametrize(
    ("news", "bare", "verdict"),
    [
        pytest.param([NOTHING_NEW, NOTHING_NEW], 15, Authorship.MADE_UP, id="what it says everywhere, of anything"),
        pytest.param([NOTHING_NEW, NOTHING_NEW], 5, Authorship.ASKED, id="where most pages have a text of their own"),
        pytest.param([60, NOTHING_NEW], 15, Authorship.WRITTEN, id="an apology, on a site of lists"),
        pytest.param([NOTHING_NEW, 0], 15, Authorship.WRITTEN, id="no such page"),
    ],
)
def test_a_page_like_all_the_others_was_made_up_where_those_only_name_links(
    news: list[int], bare: int, verdict: Authorship
) -> None:
    assert authorship(news, 1000, bare) is verdict


@pytest.mark.parametrize(
    ("news", "verdict"),
    [
        pytest.param([], Authorship.ASKED, id="no answer yet"),
        pytest.param([900], Authorship.ASKED, id="an apology is new the first time: one page tells nothing"),
        pytest.param([0], Authorship.WRITTEN, id="no such page"),
        pytest.param([900, 0], Authorship.WRITTEN, id="a page, and none"),
        pytest.param([900, 40], Authorship.WRITTEN, id="the same apology with other tips"),
        pytest.param([900, 240], Authorship.WRITTEN, id="less than a quarter of what a page says"),
        pytest.param([900, 800], Authorship.MADE_UP, id="much to say about anything"),
    ],
)
def test_a_site_makes_pages_up_where_both_answers_have_much_of_their_own(news: list[int], verdict: Authorship) -> None:
    assert authorship(news, 1000) is verdict
