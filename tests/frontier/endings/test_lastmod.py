"""The dates of a sitemap: what they put first, what they bring back, and what they keep from being asked for."""

from collections.abc import Callable

from crawldb.tables.sitemaps import SitemapRules
from frontier.session import Session
from tests.frontier.endings.listed import DAY, MAP, journal, listed, named, next_round, state
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.records import Fate


def test_a_page_that_changed_goes_before_the_others_of_its_site(
    session: Session, open_session: Callable[..., Session]
) -> None:
    named(session)
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{SEED}x", f"{SEED}y")))
    session.store.sitemap(listed())
    for url in lease_all(session):
        session.store.page(a_page(url, fetched_at=5 * DAY))
    session = next_round(session, open_session)
    assert session.frontier.lease(1, lambda _: 1)[0].url == MAP
    session.store.sitemap(listed(x=4 * DAY, y=6 * DAY))
    session.frontier.look_again()
    assert lease_all(session) == [f"{SEED}y", SEED, f"{SEED}x"]


def test_only_where_dates_are_trusted_a_page_that_has_not_changed_is_left_alone(
    session: Session, open_session: Callable[..., Session]
) -> None:
    named(session)
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{SEED}x", f"{SEED}y")))
    session.store.sitemap(listed())
    for url in lease_all(session):
        session.store.page(a_page(url, fetched_at=5 * DAY))
    session = next_round(session, open_session, sitemaps=SitemapRules(trust_lastmod=True))
    session.frontier.lease(1, lambda _: 1)
    session.store.sitemap(listed(x=4 * DAY, y=6 * DAY, z=1 * DAY))
    session.frontier.look_again()
    assert lease_all(session) == [f"{SEED}y", SEED, f"{SEED}z"]
    assert state(session, f"{SEED}x") == (0, "lastmod")
    assert journal(session, "lastmod") == [(1, (f"{SEED}x",))]
    assert accounting(session)["queued"] == 0


def test_what_was_given_up_as_gone_is_asked_for_once_more_when_a_sitemap_says_that_it_changed(
    session: Session, open_session: Callable[..., Session]
) -> None:
    named(session)
    lease_all(session)
    session.store.sitemap(listed(f"{SEED}x", f"{SEED}y"))
    for _ in range(3):
        for url in lease_all(session):
            gone = url.endswith(("x", "y"))
            session.store.outcome(an_outcome(url, Fate.GONE if gone else Fate.NOT_MODIFIED, "gone" if gone else "same"))
        session = next_round(session, open_session)
    assert set(lease_all(session)) == {MAP, SEED}
    session.store.sitemap(listed(x=2 * DAY, y=0.5))
    assert lease_all(session) == [f"{SEED}x"]
    assert journal(session, "second-chance") == [(1, (f"{SEED}x",))]
