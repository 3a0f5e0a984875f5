"""Which part of a title is the site's name? A stated or learnt one, and never the title itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.content.site_template import MIN_TITLES, SiteName, learnt_name, without_name

BREADS = ["Rye bread", "Wheat bread", "Spelt bread", "Rolls", "Croissants", "Pretzels", "Baguettes", "Ciabatta"]


@pytest.mark.parametrize(
    ("title", "name", "left"),
    [
        pytest.param("Rye bread | The Bakery", "The Bakery", "Rye bread", id="behind a bar"),
        pytest.param("Rye bread - the bakery", "The Bakery", "Rye bread", id="in any case"),
        pytest.param("glob \u2014 Paths \u2014 Python 3.11", "Python 3.11", "glob \u2014 Paths", id="behind a dash"),
        pytest.param("The Bakery :: Rye bread", "The Bakery", "Rye bread", id="before it"),
        pytest.param("\u30d1\u30f3\uff5c\u5e97", "\u5e97", "\u30d1\u30f3", id="a full-width bar"),
        pytest.param("The Bakery", "The Bakery", "The Bakery", id="the entrance keeps its title"),
        pytest.param("The Bakery - The Bakery", "The Bakery", "The Bakery", id="and says it once"),
        pytest.param("Rye bread of The Bakery", "The Bakery", "Rye bread of The Bakery", id="no part of its own"),
        pytest.param("Rye-bread", "bread", "Rye-bread", id="a hyphen is no separator"),
        pytest.param("Release notes - 3.8", "Release notes", "Release notes - 3.8", id="a number is no title"),
        pytest.param("404 | The Bakery", "The Bakery", "404 | The Bakery", id="nor is a code"),
        pytest.param("Rye bread | The Bakery", "", "Rye bread | The Bakery", id="no name"),
    ],
)
def test_a_name_is_cut_where_a_title_is_left(title: str, name: str, left: str) -> None:
    assert without_name(title, name) == left


def test_a_name_is_learnt_from_what_titles_share() -> None:
    assert learnt_name([f"{bread} | The Bakery" for bread in BREADS]) == SiteName("The Bakery", 8, 8)


def test_the_longest_part_that_as_many_titles_share_is_the_name() -> None:
    assert learnt_name([f"{bread} - Docs - Bakery" for bread in BREADS]) == SiteName("Docs - Bakery", 8, 8)
    mixed = [f"{bread} - {'Docs' if at % 2 else 'Blog'} - Bakery" for at, bread in enumerate(BREADS)]
    assert learnt_name(mixed) == SiteName("Bakery", 8, 8)


def test_some_titles_may_lack_it() -> None:
    titles = [f"{bread} | The Bakery" for bread in BREADS] + ["The Bakery", "About us"]
    assert learnt_name(titles) == SiteName("The Bakery", 8, 10)


@pytest.mark.parametrize(
    "titles",
    [
        pytest.param([f"{bread} | The Bakery" for bread in BREADS[: MIN_TITLES - 1]], id="too few"),
        pytest.param(["Rye | The Bakery"] * 50, id="one title many times"),
        pytest.param([f"{bread} of the bakery" for bread in BREADS], id="no separator"),
        pytest.param([f"{bread} | {bread} house" for bread in BREADS], id="nothing in common"),
        pytest.param([f"{bread} | Ant | Bee" for bread in BREADS[:4]] + BREADS[4:], id="only half of them"),
    ],
)
def test_nothing_is_learnt_where_little_speaks_for_it(titles: list[str]) -> None:
    assert learnt_name(titles) is None


@given(st.text(), st.text())
def test_no_title_is_emptied(title: str, name: str) -> None:
    left = without_name(title, name)
    assert left in title
    assert bool(left) is bool(title)


@given(st.lists(st.text(max_size=20).map("{} | x".format)))
def test_a_learnt_name_is_part_of_the_titles_it_was_learnt_from(titles: list[str]) -> None:
    found = learnt_name(titles)
    assert found is None or sum(found.name in title for title in set(titles)) >= found.shown_by
