"""What a person asks: forget, block, and how a target is written."""

import pytest

from crawldb import UnusableUrl
from crawldb.feed import Feed
from crawldb.requests import Target, block, forget, is_blocked_or_gone, target_of
from crawldb.rounds import blacklist
from crawldb.session import Session
from tests.crawldb.samples import SEED, a_page, accounting, lease_all


@pytest.fixture
def crawled(session: Session) -> Session:
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x/1", "http://a.example/x/2", "http://a.example/y")))
    lease_all(session)
    session.store.page(a_page("http://a.example/x/1"))
    session.store.page(a_page("http://a.example/y"))
    return session


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("http://A.example:80/x", Target("url", "http://a.example/x")),
        ("A.example", Target("site", "a.example")),
        ("a.example:8080", Target("site", "a.example:8080")),
        ("a.example/", Target("site", "a.example")),
    ],
)
def test_a_target_is_a_site_or_a_url(text: str, target: Target) -> None:
    assert target_of(text) == target


@pytest.mark.parametrize("text", ["", "two words", "ftp://a.example/", "a.example:port"])
def test_what_is_neither_is_told(text: str) -> None:
    with pytest.raises(UnusableUrl):
        target_of(text)


def test_a_forgotten_page_is_gone_at_once_and_may_come_back(crawled: Session) -> None:
    last = Feed(crawled.database).last()
    assert forget(crawled.database, "http://a.example/y") == (Target("url", "http://a.example/y"), 1)
    assert is_blocked_or_gone(crawled.database, "http://a.example/y")
    assert not is_blocked_or_gone(crawled.database, SEED)
    assert [(change.url, change.page) for change in Feed(crawled.database).after(last, 9)] == [
        ("http://a.example/y", None)
    ]
    assert crawled.policy.judge("http://a.example/y").refusal is None


def test_a_blocked_folder_is_gone_suppressed_and_stays_so(crawled: Session) -> None:
    target, pages = block(crawled.database, "http://a.example/x/", "its owner asked")
    assert (str(target), pages) == ("http://a.example/x/", 1)
    assert accounting(crawled)["suppressed"] == 2
    assert blacklist(crawled.database).urls == {"http://a.example/x/": "its owner asked"}


def test_a_blocked_site_is_gone_as_a_whole(crawled: Session) -> None:
    assert block(crawled.database, "a.example", "")[1] == 3
    assert accounting(crawled)["suppressed"] == 4
    assert lease_all(crawled) == []
    assert crawled.database.count("SELECT count(*) FROM page") == 0
