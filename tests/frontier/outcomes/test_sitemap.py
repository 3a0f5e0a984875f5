"""How does a sitemap change the frontier? By the pages that it may list, the sites that name it, and its dates."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.pages.pages import Pages
from crawldb.tables.sitemaps import SitemapRules
from frontier.outcomes.sitemap import SLICE
from frontier.session import Session
from frontier.takedown import block
from tests.frontier.outcomes.listed import DAY, MAP, journal, listed, named, next_round, state
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule


def test_a_sitemap_goes_before_the_pages_of_its_site(session: Session) -> None:
    named(session)
    assert lease_all(session) == [MAP, SEED]
    session.store.sitemap(listed(f"{SEED}x", f"{SEED}y", "http://b.example/"))
    assert lease_all(session) == [f"{SEED}x", f"{SEED}y"]
    assert accounting(session)["done"] == 1
    assert session.database.connection.execute("SELECT entries, accepted, new FROM sitemap").fetchone() == (3, 2, 2)


def test_a_sitemap_keeps_its_validators_for_the_next_time(
    session: Session, open_session: Callable[..., Session]
) -> None:
    named(session)
    lease_all(session)
    session.store.sitemap(replace(listed(), etag='"1"', last_modified="yesterday"))
    session = next_round(session, open_session)
    lease = session.frontier.lease(1, lambda _: 1)[0]
    assert (lease.url, lease.etag, lease.last_modified) == (MAP, '"1"', "yesterday")


@pytest.mark.parametrize(
    ("entry", "counts"),
    [
        pytest.param("http://a.example/x", True, id="its own site"),
        pytest.param("https://a.example/x", True, id="its own site over TLS"),
        pytest.param("http://c.example/x", True, id="a site whose robots.txt names it"),
        pytest.param("http://b.example/x", False, id="a site that is crawled, and does not name it"),
        pytest.param("http://evil.invalid/", False, id="sitemap-009 another site"),
    ],
)
def test_a_sitemap_may_list_its_own_site_and_those_that_name_it(
    open_session: Callable[..., Session], entry: str, *, counts: bool
) -> None:
    session = open_session(SEED, "http://b.example/", "http://c.example/")
    named(session)
    named(session, origin="http://c.example:80")
    lease_all(session)
    session.store.sitemap(listed(entry))
    assert lease_all(session) == ([entry] if counts else [])
    assert journal(session, "sitemap-foreign") == ([] if counts else [(1, (entry,))])


def test_sitemap_009_other_schemes_are_refused_by_their_own_rule(session: Session) -> None:
    named(session)
    lease_all(session)
    session.store.sitemap(listed("file:///etc/passwd", "javascript:1"))
    assert journal(session, "scheme") == [(1, ("javascript:1",)), (1, ("file:///etc/passwd",))]
    assert accounting(session)["discovered"] == 2


def test_a_sitemap_may_be_anywhere_but_at_a_port_of_nobody_or_on_the_blacklist(session: Session) -> None:
    block(session.database, "http://a.example/hidden.xml", "no")
    named(session, "http://elsewhere.invalid/map.xml.gz", "http://a.example:25/map", f"{SEED}hidden.xml", "/map")
    assert lease_all(session) == [SEED, "http://elsewhere.invalid/map.xml.gz"]
    assert [journal(session, rule)[0][0] for rule in ("port", "blocked", "scheme")] == [1, 1, 1]


def test_only_a_site_that_is_crawled_names_sitemaps(session: Session) -> None:
    named(session, origin="http://elsewhere.invalid:80")
    assert lease_all(session) == [SEED]


def test_sitemap_007_an_index_in_an_index_is_not_followed(session: Session) -> None:
    named(session)
    lease_all(session)
    session.store.sitemap(listed(f"{SEED}one.xml", MAP, form="index"))
    assert lease_all(session) == [f"{SEED}one.xml"]
    session.store.sitemap(listed(f"{SEED}two.xml", f"{SEED}three.xml", of=f"{SEED}one.xml", form="index"))
    assert lease_all(session) == []
    assert journal(session, "sitemap-depth") == [(2, (f"{SEED}two.xml", f"{SEED}three.xml"))]


def test_what_an_index_lists_speaks_for_those_who_name_the_index(open_session: Callable[..., Session]) -> None:
    session = open_session(SEED, "http://c.example/")
    named(session)
    named(session, origin="http://c.example:80")
    lease_all(session)
    session.store.sitemap(listed(f"{SEED}one.xml", "http://evil.invalid/two.xml", form="index"))
    assert lease_all(session) == [f"{SEED}one.xml"]
    session.store.sitemap(listed("http://c.example/x", of=f"{SEED}one.xml"))
    assert lease_all(session) == ["http://c.example/x"]


def test_a_site_has_so_many_sitemaps_and_the_rest_is_journaled(open_session: Callable[..., Session]) -> None:
    session = open_session(sitemaps=SitemapRules(files=3))
    named(session)
    lease_all(session)
    session.store.sitemap(listed(*(f"{SEED}{number}.xml" for number in range(60)), form="index"))
    assert lease_all(session) == [f"{SEED}0.xml", f"{SEED}1.xml"]
    assert [count for count, _ in journal(session, "sitemap-budget")] == [58]
    named(session, *(f"{SEED}line/{number}.xml" for number in range(5)))
    assert len(lease_all(session)) == 3
    assert [count for count, _ in journal(session, "sitemap-budget")] == [2, 58]


def test_a_sitemap_that_nobody_names_any_longer_is_let_go_with_those_that_it_lists(
    session: Session, open_session: Callable[..., Session]
) -> None:
    named(session)
    lease_all(session)
    session.store.sitemap(listed(f"{SEED}one.xml", form="index"))
    named(session, f"{SEED}other.xml")
    assert state(session, f"{SEED}one.xml") == (1, "sitemap-unnamed")
    assert lease_all(session) == [f"{SEED}other.xml"]
    session = next_round(session, open_session)
    assert set(lease_all(session)) == {SEED, f"{SEED}other.xml"}
    named(session, MAP)
    assert lease_all(session) == [MAP]


def test_a_sitemap_that_was_disallowed_is_asked_for_again_while_it_is_named(
    session: Session, open_session: Callable[..., Session]
) -> None:
    named(session, MAP, f"{SEED}b.xml")
    lease_all(session)
    for url in (MAP, f"{SEED}b.xml"):
        session.store.outcome(an_outcome(url, LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    named(session, MAP)
    session = next_round(session, open_session)
    assert lease_all(session) == [MAP, SEED]
    assert accounting(session)["suppressed"] == 1


def test_a_page_that_is_named_as_a_sitemap_leaves_the_results_and_is_read_as_one(
    session: Session, open_session: Callable[..., Session]
) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(MAP,)))
    lease_all(session)
    session.store.page(a_page(MAP))
    named(session)
    assert Pages(session.database).get(MAP) is None
    assert lease_all(session) == []
    assert lease_all(next_round(session, open_session)) == [MAP, SEED]


def test_what_is_no_sitemap_is_a_page_where_anything_else_leads_to_it(session: Session) -> None:
    named(session, f"{SEED}x", f"{SEED}y")
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{SEED}x",)))
    session.store.sitemap(listed(of=f"{SEED}x", form=""))
    session.store.sitemap(listed(of=f"{SEED}y", form=""))
    assert lease_all(session) == [f"{SEED}x"]
    session.store.page(a_page(f"{SEED}x", links=(f"{SEED}y",)))
    assert lease_all(session) == [f"{SEED}y"]
    assert accounting(session)["leased"] == 1


def test_a_redirect_of_a_sitemap_to_a_page_leaves_the_page_alone(session: Session) -> None:
    named(session)
    lease_all(session)
    session.store.outcome(an_outcome(MAP, LeaseEnd.MOVED, Rule.MOVED, status=302, target=SEED))
    assert state(session, MAP) == (1, "no-sitemap")
    assert state(session, SEED) == (0, "")


def test_redirects_of_sitemaps_in_a_circle_end(session: Session) -> None:
    named(session)
    lease_all(session)
    session.store.outcome(an_outcome(MAP, LeaseEnd.MOVED, Rule.MOVED, status=302, target=f"{SEED}b.xml"))
    lease_all(session)
    session.store.outcome(an_outcome(f"{SEED}b.xml", LeaseEnd.MOVED, Rule.MOVED, status=302, target=MAP))
    assert state(session, f"{SEED}b.xml") == (1, "redirect-loop")
    assert lease_all(session) == []


@pytest.mark.parametrize("fate", list(LeaseEnd))
def test_every_fate_of_a_sitemap_keeps_the_accounting(session: Session, fate: LeaseEnd) -> None:
    named(session)
    lease_all(session)
    session.store.outcome(an_outcome(MAP, fate, target=f"{SEED}t", retry_after=1.0))
    assert accounting(session)["leased"] == 1


def test_a_sitemap_that_a_person_blocked_meanwhile_lists_nothing(session: Session) -> None:
    named(session)
    lease_all(session)
    block(session.database, MAP, "no")
    session.store.sitemap(listed(f"{SEED}x"))
    assert state(session, MAP) == (1, "blocked")
    assert lease_all(session) == []


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
            ended = (
                (LeaseEnd.GONE, Rule.GONE) if url.endswith(("x", "y")) else (LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED)
            )
            session.store.outcome(an_outcome(url, *ended))
        session = next_round(session, open_session)
    assert set(lease_all(session)) == {MAP, SEED}
    session.store.sitemap(listed(x=2 * DAY, y=0.5))
    assert lease_all(session) == [f"{SEED}x"]
    assert journal(session, "second-chance") == [(1, (f"{SEED}x",))]


def test_a_large_file_is_stored_in_slices_and_its_refusals_share_a_row_a_reason(
    session: Session, open_session: Callable[..., Session]
) -> None:
    entries = [f"{SEED}page{number}" for number in range(2 * SLICE)]
    refused = [f"http://{place}.example/{number}" for number in range(SLICE) for place in ("b", "c")]
    mixed = [url for pair in zip(entries, refused, strict=True) for url in pair]
    named(session)
    lease_all(session)
    slices = session.store.sitemap_in_slices(listed(*mixed))
    first = next(slices)
    assert (len(first.ids), accounting(session)["leased"]) == (SLICE // 2, 2)
    session.close("killed in the midst of it")
    again = open_session()
    assert MAP in lease_all(again), "its lease was given back"
    *_, last = again.store.sitemap_in_slices(listed(*mixed))
    assert len(last.ids) == 2 * SLICE
    counts = [entry.count for entry in again.store.journal.latest(rule=Rule.SITEMAP_FOREIGN)]
    assert counts == [2 * SLICE, SLICE // 2]
    assert again.database.value("SELECT accepted FROM sitemap") == 2 * SLICE


def test_a_file_that_is_blocked_while_it_is_stored_ends_there(session: Session) -> None:
    named(session)
    lease_all(session)
    slices = session.store.sitemap_in_slices(listed(*(f"{SEED}page{number}" for number in range(3 * SLICE))))
    next(slices)
    block(session.database, MAP, "its owner asked for it")
    assert len(list(slices)) == 1
    assert session.database.value("SELECT rule FROM url WHERE url = ?", MAP) == Rule.BLOCKED
