"""The policy of a data folder: one for the crawl, the commands and the gateway."""

from collections.abc import Callable

from crawldb.database import CrawlDatabase
from crawldb.figures.totals import has_idle_site
from crawldb.learnt import Purpose, SiteProbes
from crawldb.pages.feed import Feed
from crawldb.tables.journal import Journal
from crawldb.tables.sites import enter_site, switch_on
from crawldb.tables.urls import NewUrl, Urls
from crawldb.visited import find
from frontier.budgets import release_trap
from frontier.policy_in_force import policy_in, renewed_policy
from frontier.session import Session
from frontier.submission import submit
from frontier.takedown import block
from tests.samples import SEED, a_page, accounting, lease_all
from urls.canonical import Breadth, canonicalize, site_of
from urls.policy import Ruling
from urls.records import FoundBy, LeaseEnd, Outcome
from urls.rules import Rule
from urls.site_options import chosen_option
from urls.traps import Limits

SITE = "http://a.example"  # of the samples' seed
ORG = canonicalize("http://example.org/")
LOOP = f"{SITE}/a/a/a/a/"
Sessions = Callable[..., Session]


def change_everything(database: CrawlDatabase) -> None:
    """Do what a person can do to a folder's policy with a command."""
    block(database, f"{SITE}/private/*", "its owner wrote to us")
    switch_on(database, "a.example", [chosen_option("sort-query")])
    release_trap(database, LOOP)
    submit(database, policy_in(database, sites=["another.example"]), ["http://another.example/"])


def test_a_folder_has_the_policy_that_its_crawl_had(open_session: Sessions) -> None:
    session = open_session(breadth=Breadth.DOMAIN, limits=Limits(max_depth=3), ports=frozenset({9000}))
    told = {"breadth": Breadth.DOMAIN, "limits": Limits(max_depth=3), "ports": frozenset({9000})}
    assert policy_in(session.database, **told) == session.policy  # type: ignore[arg-type]  # a dict of several types


def test_what_a_person_changed_holds_for_a_crawl_under_way_as_for_the_next(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(LOOP,)))
    assert session.policy.check(LOOP).ruling is Ruling.REFUSED
    change_everything(session.database)
    changed = policy_in(session.database)
    assert renewed_policy(session.policy, session.database) == changed
    assert changed.check(f"{SITE}/private/*").ruling is Ruling.REFUSED
    assert changed.check(LOOP).ruling is Ruling.ACCEPTED
    assert changed.check("http://another.example/").ruling is Ruling.ACCEPTED
    assert changed.check(f"{SITE}/?b=1&a=2").url == canonicalize(f"{SITE}/?a=2&b=1")


def test_sites_beside_the_root_set_are_covered(session: Session) -> None:
    assert policy_in(session.database).check("http://beside.example/").ruling is Ruling.OFF_SITE
    beside = policy_in(session.database, sites=["beside.example"])
    assert beside.check("http://beside.example/").ruling is Ruling.ACCEPTED


def test_they_are_queued_when_the_policy_no_longer_refuses_them(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(skip_queries=True))
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/list?page=2",)))
    assert accounting(session)["suppressed"] == 1
    session.close("finished")
    again = open_session()
    assert accounting(again)["suppressed"] == 0
    assert "http://a.example/list?page=2" in lease_all(again)


def test_queued_urls_that_a_narrower_policy_refuses_are_held_back_with_the_reason_and_stored_pages_stay(
    open_session: Callable[..., Session],
) -> None:
    session = open_session()
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/1",)))
    lease_all(session)
    session.store.page(a_page("http://a.example/1", links=("http://a.example/2", "http://a.example/deep/2")))
    session.close("shutdown")
    narrow = open_session(limits=Limits(max_depth=1))
    assert accounting(narrow) == {"discovered": 4, "queued": 0, "leased": 0, "done": 2, "failed": 0, "suppressed": 2}
    deep = find(narrow.database.connection, canonicalize("http://a.example/deep/2"))
    assert deep is not None
    [entry] = Journal(narrow.database).about(deep)
    assert (entry.rule, entry.reason) == (Rule.DEPTH, "it is 2 links from a seed; MAX_DEPTH is 1")
    narrow.close("finished")
    shallow = open_session(limits=Limits(max_depth=0))
    assert lease_all(shallow) == [SEED, "http://a.example/1"], "in each round, as it is stored"
    shallow.close("shutdown")
    assert accounting(open_session())["suppressed"] == 0


def test_a_narrower_scope_requests_no_page_of_other_sites_in_any_round_and_a_wider_one_all(
    open_session: Callable[..., Session],
) -> None:
    other, new = "http://news.example.org/", "http://news.example.org/new"
    session = open_session(ORG, breadth=Breadth.DOMAIN)
    lease_all(session)
    session.store.page(a_page(ORG, links=(other,)))
    session.frontier.look_again()
    lease_all(session)
    session.store.page(a_page(other, links=(new,)))
    session.close("shutdown")
    narrow = open_session(ORG)
    assert accounting(narrow) == {"discovered": 3, "queued": 0, "leased": 0, "done": 2, "failed": 0, "suppressed": 1}
    url = find(narrow.database.connection, canonicalize(new))
    assert url is not None
    reason = "no seed is on news.example.org: links to it are counted, not followed"
    assert [(entry.rule, entry.reason) for entry in Journal(narrow.database).about(url)] == [(Rule.OFF_SITE, reason)]
    narrow.close("finished")
    again = open_session(ORG)
    assert (lease_all(again), accounting(again)["suppressed"]) == ([ORG], 2), "a stored page, too"
    assert not has_idle_site(again.database, again.run.id), "a site out of scope is none that had nothing due"
    again.close("shutdown")
    assert set(lease_all(open_session(ORG, breadth=Breadth.DOMAIN))) == {ORG, other, new}


def test_a_page_at_a_port_that_is_no_longer_allowed_is_held_back(open_session: Callable[..., Session]) -> None:
    other = "http://news.example.org:9000/"
    wide = {"breadth": Breadth.DOMAIN, "ports": frozenset({9000})}
    session = open_session(ORG, **wide)
    lease_all(session)
    session.store.page(a_page(ORG, links=(other,)))
    session.close("shutdown")
    narrow = open_session(ORG, breadth=Breadth.DOMAIN)
    url = find(narrow.database.connection, canonicalize(other))
    assert url is not None
    assert [entry.rule for entry in Journal(narrow.database).about(url)] == [Rule.PORT]
    narrow.close("shutdown")
    assert other in lease_all(open_session(ORG, **wide))


def test_a_sitemap_waits_while_no_site_in_scope_names_it(open_session: Callable[..., Session]) -> None:
    other, ours = "http://news.example.org/map.xml", "http://maps.example.net/ours.xml"
    session = open_session(ORG, breadth=Breadth.DOMAIN)
    session.store.name_sitemaps("http://news.example.org:80", (other,))
    session.store.name_sitemaps("http://example.org:80", (ours,))
    session.close("shutdown")
    narrow = open_session(ORG)
    assert accounting(narrow)["suppressed"] == 1
    assert set(lease_all(narrow)) == {ORG, ours}
    narrow.close("shutdown")
    assert set(lease_all(open_session(ORG, breadth=Breadth.DOMAIN))) == {ORG, ours, other}


def test_a_sitemap_waits_while_its_port_is_not_allowed(open_session: Callable[..., Session]) -> None:
    named = "http://example.org:9000/map.xml"
    session = open_session(ORG, ports=frozenset({9000}))
    session.store.name_sitemaps("http://example.org:80", (named,))
    session.close("shutdown")
    narrow = open_session(ORG)
    assert lease_all(narrow) == [ORG]
    narrow.close("shutdown")
    assert set(lease_all(open_session(ORG, ports=frozenset({9000})))) == {ORG, named}


def test_a_sitemap_that_waits_comes_back_in_the_run_in_which_a_site_in_scope_names_it(
    open_session: Callable[..., Session],
) -> None:
    named = "http://news.example.org/map.xml"
    session = open_session(ORG, breadth=Breadth.DOMAIN)
    session.store.name_sitemaps("http://news.example.org:80", (named,))
    session.close("shutdown")
    narrow = open_session(ORG)
    assert accounting(narrow)["suppressed"] == 1
    narrow.store.name_sitemaps("http://example.org:80", (named,))
    assert set(lease_all(narrow)) == {ORG, named}


def test_a_page_that_waits_is_queued_when_a_person_submits_it(open_session: Callable[..., Session]) -> None:
    other = "http://news.example.org/"
    session = open_session(ORG, breadth=Breadth.DOMAIN)
    lease_all(session)
    session.store.page(a_page(ORG, links=(other,)))
    session.close("shutdown")
    narrow = open_session(ORG)
    [submitted] = submit(narrow.database, policy_in(narrow.database, sites=["news.example.org"]), [other])
    assert (submitted.accepted, submitted.state) == (True, "queued")
    narrow.frontier.look_again()
    assert lease_all(narrow) == [other]


def test_https_at_the_port_of_http_is_a_site_of_its_own(open_session: Callable[..., Session]) -> None:
    seed, more = "https://a.example:80/", "https://a.example:80/more"
    session = open_session(seed)
    lease_all(session)
    session.store.page(a_page(seed, links=(more,)))
    session.close("shutdown")
    assert more in lease_all(open_session(seed))


def test_a_result_by_links_alone_leaves_the_index_when_its_site_leaves_the_scope(
    open_session: Callable[..., Session],
) -> None:
    other = canonicalize("http://news.example.org/")
    session = open_session(ORG, breadth=Breadth.DOMAIN)
    lease_all(session)
    session.store.page(a_page(ORG, links=(other,)))
    session.frontier.look_again()
    lease_all(session)
    session.store.outcome(Outcome(other, LeaseEnd.REFUSED, Rule.ROBOTS, "its robots.txt disallows it"))
    known = max(change.seq for change in Feed(session.database).after(0, 9))
    session.close("finished")
    narrow = open_session(ORG)
    assert [(change.url, change.page) for change in Feed(narrow.database).after(known, 9)] == [(other, None)]


def queue_stylesheet(session: Session, url: str) -> str:
    """Queue a stylesheet as a page of its site has it requested."""
    sheet = canonicalize(url)
    with session.database.transaction():
        site = enter_site(session.database, site_of(sheet), None)
        identity = Urls(session.database).enqueue(NewUrl(sheet, site, FoundBy.STYLESHEET, None, 1))
        SiteProbes(session.database).add(identity, Purpose.STYLESHEET)
    return sheet


def test_a_probe_waits_while_its_site_is_out_of_scope(open_session: Callable[..., Session]) -> None:
    wide = {"breadth": Breadth.DOMAIN, "limits": Limits(skipped_endings=frozenset({"css"}))}
    session = open_session(ORG, **wide)
    sheet = queue_stylesheet(session, "http://news.example.org/style.css")
    session.close("shutdown")
    narrow = open_session(ORG)
    assert lease_all(narrow) == [ORG]
    narrow.close("shutdown")
    assert set(lease_all(open_session(ORG, **wide))) == {ORG, sheet}


def test_no_setting_for_pages_holds_a_probe_back(open_session: Callable[..., Session]) -> None:
    session = open_session(ORG)
    sheet = queue_stylesheet(session, "http://example.org/style.css")
    session.close("shutdown")
    assert set(lease_all(open_session(ORG, limits=Limits(skipped_endings=frozenset({"css"}))))) == {ORG, sheet}


def test_a_stored_page_returns_to_a_wider_scope_whatever_else_became_narrower(
    open_session: Callable[..., Session],
) -> None:
    other = "http://news.example.org/"
    session = open_session(ORG, breadth=Breadth.DOMAIN)
    lease_all(session)
    session.store.page(a_page(ORG, links=(other,)))
    session.frontier.look_again()
    lease_all(session)
    session.store.page(a_page(other))
    session.close("finished")
    narrow = open_session(ORG)
    assert lease_all(narrow) == [ORG]
    narrow.close("shutdown")
    assert set(lease_all(open_session(ORG, breadth=Breadth.DOMAIN, limits=Limits(max_depth=0)))) == {ORG, other}
