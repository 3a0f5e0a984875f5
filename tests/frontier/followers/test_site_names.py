"""A crawl learns a site's name from its titles, cuts it off when it reads them, and can drop it again."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.learnt import site_name
from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from frontier.followers.page_changes import REMEMBERED_TITLES, SiteNames
from frontier.session import Session
from pages.content.site_template import MIN_TITLES, SiteName
from tests.samples import SEED, a_page, lease_all

WORDS = ["rye", "oat", "corn", "malt", "bran", "yeast", "salt", "water", "flour", "butter", "honey", "milk"]


@pytest.fixture
def crawl(session: Session) -> Callable[[str], list[str]]:
    """Crawl the seed and a page a word, with titles made of the words; return the URLs of the change feed since."""
    urls = [f"http://a.example/{word}" for word in WORDS]

    def run(form: str) -> list[str]:
        lease_all(session)
        session.store.page(replace(a_page(SEED, links=tuple(urls)), title="The Bakery"))
        lease_all(session)
        for word, url in zip(WORDS[:-1], urls, strict=False):
            session.store.page(replace(a_page(url), title=form.format(word)))
        before = Feed(session.database).last()
        session.store.page(replace(a_page(urls[-1]), title=form.format(WORDS[-1])))
        return [change.url for change in Feed(session.database).after(before, 1000)]

    return run


def title(session: Session, word: str) -> str:
    page = Pages(session.database).get(f"http://a.example/{word}")
    assert page is not None
    return page.title


def test_a_name_that_titles_share_is_cut_off_them_all(session: Session, crawl: Callable[[str], list[str]]) -> None:
    crawl("Bread of {} | The Bakery")
    assert [title(session, word) for word in WORDS] == [f"Bread of {word}" for word in WORDS]
    home = Pages(session.database).get(SEED)
    assert home is not None
    assert home.title == "The Bakery"


def test_titles_without_one_stay_whole(session: Session, crawl: Callable[[str], list[str]]) -> None:
    crawl("Bread of {}")
    assert title(session, "rye") == "Bread of rye"


def test_the_index_looks_again_at_the_pages_whose_titles_change(session: Session) -> None:
    lease_all(session)
    urls = [f"http://a.example/{word}" for word in WORDS]
    session.store.page(replace(a_page(SEED, links=tuple(urls)), title="Start"))
    lease_all(session)
    for number, (word, url) in enumerate(zip(WORDS, urls, strict=True), start=2):
        before = Feed(session.database).last()
        session.store.page(replace(a_page(url), title=f"Bread of {word} | The Bakery"))
        announced = {change.url for change in Feed(session.database).after(before, 1000)}
        assert announced == ({*urls[: number - 1]} if number == MIN_TITLES else {url})


def test_a_site_that_is_called_otherwise_now_is_cut_otherwise(session: Session) -> None:
    with session.database.transaction():
        names = SiteNames(session.database)
        for number in range(REMEMBERED_TITLES):
            names.note(1, f"Bread {WORDS[number % 12]}{'x' * (number // 12)} | The Bakery")
        assert site_name(session.database, 1) == SiteName("The Bakery", REMEMBERED_TITLES, REMEMBERED_TITLES)
        for number in range(REMEMBERED_TITLES):
            names.note(1, f"Bread {WORDS[number % 12]}{'x' * (number // 12)} | The Mill")
        assert site_name(session.database, 1) == SiteName("The Mill", REMEMBERED_TITLES, REMEMBERED_TITLES)
        for number in range(REMEMBERED_TITLES):
            names.note(1, f"Bread {WORDS[number % 12]}{'x' * (number // 12)}")
        assert site_name(session.database, 1) is None
