"""The store: what one ended lease leaves behind, in one transaction."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from frontier.session import Session
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.records import CanonicalUrl, LeaseEnd, Link, Page, Refusal
from urls.rules import Rule


def feed(session: Session, after: int = 0) -> dict[str, bool]:
    """What the index has to look at: URL, and whether it is to be there."""
    return {change.url: change.page is not None for change in Feed(session.database).after(after, 1000)}


def rules(session: Session, url: str) -> list[str]:
    identity = session.database.count("SELECT id FROM url WHERE url = ?", url)
    return [entry.rule for entry in session.store.journal.about(identity)]


def crawl(session: Session, *pages: Page) -> None:
    lease_all(session)
    for page in pages:
        session.store.page(page)


def test_a_page_ends_its_lease_and_brings_its_links_into_the_frontier(session: Session) -> None:
    crawl(session, a_page(SEED, links=("http://a.example/x", "http://a.example/y#part", "http://b.example/")))
    assert accounting(session)["done"] == 1
    assert lease_all(session) == ["http://a.example/x", "http://a.example/y"]
    stored = Pages(session.database).get(SEED)
    assert stored is not None
    assert (stored.title, stored.text) == (f"Title of {SEED}", f"This is what {SEED} says.")
    assert Pages(session.database).body(SEED) == f"This is what {SEED} says.".encode()


def test_off_site_links_are_counted_and_neither_followed_nor_discovered(session: Session) -> None:
    crawl(session, a_page(SEED, links=("http://b.example/", "http://c.example/")))
    assert accounting(session)["discovered"] == 1
    assert session.database.value("SELECT off_site FROM page") == 2


def test_refusals_of_one_rule_on_one_page_share_a_row_with_ten_samples(session: Session) -> None:
    loops = tuple(f"http://a.example/x{number}/x/x/x/" for number in range(12))
    crawl(session, a_page(SEED, links=loops))
    assert accounting(session)["suppressed"] == 12
    [entry] = session.store.journal.latest(rule="repeated-path")
    assert (entry.count, len(entry.samples), entry.url) == (12, 10, SEED)
    assert rules(session, loops[0]) == ["repeated-path"]


def test_a_refused_url_of_seventy_kilobytes_is_not_copied(session: Session) -> None:
    crawl(session, a_page(SEED, links=("http://a.example/" + "x" * 70_000,)))
    assert accounting(session)["suppressed"] == 1
    assert session.database.count("SELECT max(length(url)) FROM url") < 300
    [entry] = session.store.journal.latest(rule="url-length")
    assert len(entry.samples[0]) <= 200


def test_a_nofollow_link_is_journaled_and_not_discovered(session: Session) -> None:
    page = replace(a_page(SEED), links=(Link("http://a.example/x", "x", nofollow=True),))
    crawl(session, page)
    assert accounting(session)["discovered"] == 1
    assert rules(session, SEED) == ["nofollow"]


def test_the_links_of_known_content_are_not_followed(session: Session) -> None:
    copy = a_page(
        "http://a.example/copy", links=("http://a.example/more",), refusals=(Refusal(Rule.DUPLICATE, "of /"),)
    )
    crawl(session, a_page(SEED, links=("http://a.example/copy",)))
    crawl(session, replace(copy, duplicate_of=SEED))
    assert lease_all(session) == []
    assert rules(session, "http://a.example/copy") == ["links-not-followed", "duplicate"]


def test_a_stored_page_is_in_the_feed_once_under_its_newest_number(session: Session) -> None:
    crawl(session, a_page(SEED, "one"))
    first = Feed(session.database).last()
    session.store.page(a_page(SEED, "two"))
    assert feed(session) == {SEED: True}
    assert Feed(session.database).last() > first


def test_a_page_that_says_the_same_as_before_is_not_in_the_feed_again(session: Session) -> None:
    crawl(session, a_page(SEED))
    last = Feed(session.database).last()
    session.store.page(a_page(SEED, fetched_at=2.0))
    assert feed(session, last) == {}


def test_a_noindex_page_keeps_no_text_and_leaves_the_index(session: Session) -> None:
    crawl(session, a_page(SEED))
    last = Feed(session.database).last()
    session.store.page(a_page(SEED, "a secret", refusals=(Refusal(Rule.NOINDEX, "it says so"),)))
    stored = Pages(session.database).get(SEED)
    assert stored is not None
    assert (stored.text, Pages(session.database).body(SEED)) == ("", None)
    assert feed(session, last) == {SEED: False}


def test_new_anchor_texts_bring_a_page_into_the_feed_and_known_ones_do_not(session: Session) -> None:
    crawl(session, a_page(SEED, links=("http://a.example/x", "http://a.example/y")))
    crawl(session, a_page("http://a.example/x"))
    last = Feed(session.database).last()
    session.store.page(a_page("http://a.example/y", links=("http://a.example/x",)))
    assert "http://a.example/x" not in feed(session, last)
    session.store.page(replace(a_page("http://a.example/y", "2"), links=(Link("http://a.example/x", "new words"),)))
    changes = {str(change.url): change.page for change in Feed(session.database).after(last, 10)}
    page = changes["http://a.example/x"]
    assert page is not None
    assert set(page.anchors) == {"a link", "new words"}


def test_a_gone_page_leaves_the_store_and_the_index(session: Session) -> None:
    crawl(session, a_page(SEED))
    last = Feed(session.database).last()
    session.store.outcome(an_outcome(SEED, LeaseEnd.GONE, Rule.GONE, status=404))
    assert Pages(session.database).get(SEED) is None
    assert feed(session, last) == {SEED: False}
    assert accounting(session)["failed"] == 1


def test_a_server_error_keeps_the_old_copy(session: Session) -> None:
    crawl(session, a_page(SEED))
    last = Feed(session.database).last()
    session.store.outcome(an_outcome(SEED, LeaseEnd.FAILED, Rule.SERVER_ERROR, status=500))
    assert Pages(session.database).get(SEED) is not None
    assert feed(session, last) == {}


def test_the_oldest_copy_takes_the_place_of_a_page_that_went(session: Session) -> None:
    crawl(session, a_page(SEED, "same", links=("http://a.example/copy",)))
    copy = a_page("http://a.example/copy", "same", etag='"1"', refusals=(Refusal(Rule.DUPLICATE, "of /"),))
    session.store.page(replace(copy, duplicate_of=SEED))
    last = Feed(session.database).last()
    session.store.outcome(an_outcome(SEED, LeaseEnd.GONE, Rule.GONE, status=410))
    assert feed(session, last) == {SEED: False, "http://a.example/copy": True}
    heir = Pages(session.database).get("http://a.example/copy")
    assert heir is not None
    assert (heir.refusals, heir.duplicate_of, heir.etag) == ((), None, "")


def test_a_redirect_puts_its_target_into_the_frontier_at_the_same_depth(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=301, target="http://a.example/new"))
    assert session.database.connection.execute("SELECT depth, hops FROM url WHERE url LIKE '%new'").fetchone() == (0, 1)
    assert accounting(session)["done"] == 1


def test_a_redirect_off_site_ends_there_and_says_so(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=301, target="http://b.example/"))
    assert rules(session, SEED) == ["off-site"]
    assert accounting(session)["discovered"] == 1


def test_redirects_in_a_circle_end_as_a_loop(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=302, target="http://a.example/b"))
    lease_all(session)
    session.store.outcome(an_outcome("http://a.example/b", LeaseEnd.MOVED, Rule.MOVED, status=302, target=SEED))
    assert rules(session, "http://a.example/b") == ["redirect-loop"]
    assert lease_all(session) == []


def test_an_endless_chain_of_redirects_ends_after_ten(session: Session) -> None:
    url, followed = SEED, 0
    while lease_all(session) == [url]:
        target = CanonicalUrl(f"http://a.example/{followed}")
        session.store.outcome(an_outcome(url, LeaseEnd.MOVED, Rule.MOVED, status=302, target=target))
        url, followed = target, followed + 1
    assert followed == 11
    assert accounting(session)["failed"] == 1


def test_a_deferred_url_waits_and_a_closed_origin_holds_all_of_its_urls(session: Session) -> None:
    crawl(session, a_page(SEED, links=("http://a.example/x", "http://a.example/y", "https://a.example/z")))
    lease = session.frontier.lease(1, lambda _: 1)[0]
    outcome = an_outcome(
        lease.url, LeaseEnd.DEFERRED, Rule.ROBOTS_CLOSED, retry_after=1e10, requested=False, whole_origin=True
    )
    session.store.outcome(outcome)
    assert lease_all(session) == ["https://a.example/z"]
    assert accounting(session)["queued"] == 2


@pytest.mark.parametrize("fate", list(LeaseEnd))
def test_every_fate_keeps_the_accounting(session: Session, fate: LeaseEnd) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, fate, target="http://a.example/t", retry_after=1.0))
    assert accounting(session)["leased"] == 0


def test_what_fails_half_way_leaves_nothing_behind(open_session: Callable[..., Session]) -> None:
    session = open_session()
    lease_all(session)
    broken = replace(a_page(SEED, links=("http://a.example/x",)), description=object())  # type: ignore[arg-type]  # what can't be stored
    with pytest.raises(Exception, match="type 'object' is not supported"):
        session.store.page(broken)
    assert accounting(session)["discovered"] == 1
    session.store.page(a_page(SEED, links=("http://a.example/x",)))
    assert lease_all(session) == ["http://a.example/x"]


@pytest.mark.parametrize(
    ("days", "waited"),
    [pytest.param(2.0, 2.0, id="by that date"), pytest.param(0.1, 20 / 24, id="not sooner than MIN_REVISIT")],
)
def test_108_a_page_that_says_until_when_it_stays_is_due_by_then(session: Session, days: float, waited: float) -> None:
    crawl(session, a_page(SEED, fetched_at=1e9))
    crawl(session, a_page(SEED, fetched_at=1e9 + 90 * 86400, outdated_at=1e9 + (90 + days) * 86400))
    assert session.database.value("SELECT next_at FROM url") == 1e9 + (90 + waited) * 86400
