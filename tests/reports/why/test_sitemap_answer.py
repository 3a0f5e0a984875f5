"""The account of a sitemap, of a page that only a sitemap lists, and of what a page asks."""

from frontier.session import Session
from reports.why import account, dossier
from robots import controls_from
from tests.samples import SEED, a_page, lease_all
from urls.canonical import canonicalize
from urls.records import Sitemap, SitemapEntry

MAP = canonicalize(f"{SEED}sitemap.xml")


def read(session: Session, *entries: SitemapEntry) -> None:
    session.store.name_sitemaps("http://a.example:80", [MAP])
    lease_all(session)
    session.store.sitemap(Sitemap(MAP, "urlset", entries, warnings=("it is odd",), fetched_at=86_400.0))


def told(session: Session, url: str) -> str:
    return "\n".join(map(str, account(dossier(session.database, url))))


def test_a_sitemap_says_who_names_it_and_what_was_read_in_it(session: Session) -> None:
    read(session, SitemapEntry(f"{SEED}x"), SitemapEntry("http://b.example/"))
    account = told(session, MAP)
    assert "found     A robots.txt names it as a sitemap; " in account
    assert "sitemap   The robots.txt of http://a.example:80 names it as a sitemap: it is no page." in account
    assert "Read 1970-01-02 00:00 UTC: a list of pages, 2 entries, 1 pages of them in scope, 1 that nothing" in account
    assert "warning: it is odd." in account
    assert "next      What it lists has accounts of its own" in account


def test_a_page_says_in_which_sitemap_it_was_found_and_when_it_changed(session: Session) -> None:
    read(session, SitemapEntry(f"{SEED}x", 86_399.0))
    account = told(session, f"{SEED}x")
    assert f"found     It is in the sitemap {MAP}; " in account
    assert "Its sitemap says that it changed 1970-01-01 23:59 UTC" in account
    assert "from a seed" not in account


def test_a_sitemap_on_a_host_that_is_not_crawled_is_not_said_to_be_off_site(session: Session) -> None:
    session.store.name_sitemaps("http://a.example:80", ["http://elsewhere.invalid/map"])
    found = dossier(session.database, "http://elsewhere.invalid/map")
    assert found.refusal is None
    assert found.sitemap is not None
    assert (found.sitemap.named_by, found.sitemap.read_at) == (("http://a.example:80",), None)


def test_each_wish_of_a_page_is_told_with_where_it_stands(session: Session) -> None:
    lease_all(session)
    asks = controls_from(
        [("X-Robots-Tag", "noindex, indexifembedded")], [("robots", "max-snippet: 20")], agent="Breadcrumb"
    )
    session.store.page(a_page(SEED, controls=asks, canonical=f"{SEED}b", links=()))
    account = told(session, SEED)
    assert "asks      noindex, from X-Robots-Tag: noindex, indexifembedded." in account
    assert 'max-snippet: 20, from <meta name="robots">.' in account
    assert "indexifembedded changes nothing about its noindex" in account
    assert f"Its canonical address, by its own word, is {SEED}b" in account
    assert f"Named as the canonical address by {SEED}" in told(session, f"{SEED}b")
