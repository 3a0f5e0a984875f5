"""Which copy replaces a page that changes? The oldest copy of its former text, and none of its present text."""

from typing import Any

from frontier.session import Session
from tests.samples import SEED, a_page, lease_all
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule

COPY = "http://a.example/copy"
SAME = Refusal(Rule.DUPLICATE, "it says the same")


def store(session: Session, url: str, text: str, **fields: Any) -> None:
    session.store.page(a_page(url, text, **fields))


def in_the_index(session: Session) -> list[str]:
    sql = "SELECT url.url FROM page JOIN url ON url.id = page.url WHERE refusals = '[]' ORDER BY url.id"
    return [url for (url,) in session.database.connection.execute(sql)]


def begun(session: Session) -> None:
    lease_all(session)
    store(session, SEED, "The first edition", links=(COPY,))
    lease_all(session)


def test_a_copy_that_says_already_what_the_page_comes_to_say_stays_out_of_the_index(session: Session) -> None:
    begun(session)
    store(session, COPY, "second edition", refusals=(SAME,), duplicate_of=CanonicalUrl(SEED))
    store(session, SEED, "second edition")
    assert in_the_index(session) == [SEED]


def test_a_copy_of_what_the_page_said_before_stands_for_itself(session: Session) -> None:
    begun(session)
    store(session, COPY, "first edition", refusals=(SAME,), duplicate_of=CanonicalUrl(SEED))
    store(session, SEED, "second edition")
    assert in_the_index(session) == [SEED, COPY]


def test_when_a_page_is_refused_its_copy_follows_whatever_it_says(session: Session) -> None:
    begun(session)
    store(session, COPY, "second edition", refusals=(SAME,), duplicate_of=CanonicalUrl(SEED))
    store(session, SEED, "second edition", refusals=(Refusal(Rule.NOINDEX, "it says so"),))
    assert in_the_index(session) == [COPY]
