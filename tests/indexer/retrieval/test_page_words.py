"""Which words tell a page from others: rare ones before common ones, stop words last, each with its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer import open_index, open_writer
from indexer.retrieval.page_terms import page_terms
from tests.samples import a_page
from urls.canonical import canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.retrieval.page_terms import PageTerm

RYE = canonicalize("http://a.example/bread/rye.html")
TEXT = "the the the the the oven and the bread and the sourdough sourdough and the oven"


def words_of(data_dir: Path, url: str = RYE) -> tuple[PageTerm, ...]:
    return page_terms(open_index(data_dir).snapshot, url)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a page on rye, and of three others, all with an oven."""
    data_dir = tmp_path_factory.mktemp("words")
    rye = Page(RYE, "Rye bread", TEXT, template_text="Menu rye oven", anchors=("our rye",), language="en")
    text, menu = "an oven bakes bread", "sourdough"
    others = [a_page(f"http://a.example/{number}", text, language="en", template_text=menu) for number in range(3)]
    with open_writer(data_dir) as writer:
        for page in (rye, *others):
            writer.put(page)
        writer.commit()
    return data_dir


def test_words_that_few_pages_have_come_first_and_stop_words_last(indexed: Path) -> None:
    told = [word.word for word in words_of(indexed)]
    assert told[:2] == ["rye", "sourdough"]
    assert set(told[-2:]) == {"the", "and"}, "though they stand most often"
    assert told.index("sourdough") < told.index("oven")


def test_each_word_has_its_fields_and_the_pages_that_have_it_outside_their_template(indexed: Path) -> None:
    found = {word.word: word for word in words_of(indexed)}
    assert dict(found["rye"].fields) == {"title": 1, "anchors": 1, "url_words": 1, "template": 1}
    assert (found["rye"].frequency, found["rye"].pages) == (3, 1)
    assert found["sourdough"].pages == 1, "others have it in their menus"
    assert (found["oven"].frequency, found["oven"].pages) == (2, 4)
    assert found["sourdough"].fields_in_words == "body 2"
    assert "menu" not in found, "a word of the template alone tells nothing"


def test_the_weight_is_the_one_of_the_textbook(indexed: Path) -> None:
    found = {word.word: word.weight for word in words_of(indexed)}
    # N = 4, n = 1: idf = ln(1 + 3.5 / 1.5); tf = 2 and 3
    assert found["sourdough"] == pytest.approx((1 + 0.6931) * 1.20397, abs=1e-3)
    assert found["rye"] == pytest.approx((1 + 1.0986) * 1.20397, abs=1e-3)


def test_a_page_that_the_index_has_not_has_no_words(indexed: Path) -> None:
    assert words_of(indexed, "http://a.example/unknown") == ()
