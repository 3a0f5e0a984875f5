"""Whole crawls of sites with sitemaps: a sitemap that robots.txt names is read first, and its pages are crawled."""

import gzip

import pytest

from tests.advice import settings_in
from tests.journey.conftest import Answer, Folder, Site, assert_polite, html
from urls.rules import Rule

TEXT = {"Content-Type": "text/plain"}
XML = {"Content-Type": "application/xml"}


def robots(site: Site, *lines: str) -> Answer:
    return 200, TEXT, "\n".join(line.replace("SITE", site.url) for line in lines).encode()


def urlset(site: Site, *pages: str, **dates: str) -> Answer:
    entries = [f"<url><loc>{site.url}{page}</loc></url>" for page in pages]
    entries += [f"<url><loc>{site.url}/{page}</loc><lastmod>{day}</lastmod></url>" for page, day in dates.items()]
    return 200, XML, f"<urlset>{''.join(entries)}</urlset>".encode()


def index(site: Site, *sitemaps: str) -> Answer:
    entries = "".join(f"<sitemap><loc>{site.url}{sitemap}</loc></sitemap>" for sitemap in sitemaps)
    return 200, XML, f"<sitemapindex>{entries}</sitemapindex>".encode()


@pytest.fixture
def shop(site: Site) -> Site:
    """A site whose sitemap lists a page that no other page leads to."""
    site.pages = {
        "/robots.txt": robots(site, "User-agent: *", "Disallow: /closed", "Sitemap: SITE/sitemap.xml"),
        "/": html("home", "/linked"),
        "/linked": html("linked"),
        "/alone": html("alone"),
        "/sitemap.xml": urlset(site, "/alone", "/linked", "/closed"),
    }
    return site


def test_a_page_that_only_a_sitemap_lists_is_crawled_and_a_disallowed_one_is_not(shop: Site, folder: Folder) -> None:
    done = folder.crawl(f"{shop.url}/")
    assert folder.rules() == {
        "/": "fetched", "/linked": "fetched", "/alone": "fetched", "/closed": "robots", "/sitemap.xml": "sitemap",
    }  # fmt: skip
    assert folder.search("alone") == ["/alone"]
    assert "3 pages fetched" in done.stdout
    assert folder.report()["sitemaps"] == {"files": 1, "entries": 3, "only_there": 2}
    assert "It is in the sitemap" in folder.run("why", f"{shop.url}/alone").stdout


def test_74_a_sitemap_that_is_disallowed_is_not_fetched(shop: Site, folder: Folder) -> None:
    shop.pages["/robots.txt"] = robots(
        shop, "User-agent: *", "Disallow: /secret.xml", "Sitemap: SITE/secret.xml", "Sitemap: SITE/sitemap.xml"
    )
    folder.crawl(f"{shop.url}/", INDEX_FOLLOW=0)
    assert "/secret.xml" not in shop.asked()
    assert folder.rules()["/secret.xml"] == "robots"
    assert folder.rules()["/alone"] == "fetched"


def test_an_index_its_gzip_files_and_a_redirect_are_followed_and_an_index_in_it_is_not(
    shop: Site, folder: Folder
) -> None:
    shop.pages |= {
        "/sitemap.xml": index(shop, "/packed.xml.gz", "/moved.xml", "/deeper.xml"),
        "/packed.xml.gz": (200, {"Content-Type": "application/gzip"}, gzip.compress(urlset(shop, "/alone")[2])),
        "/moved.xml": (301, {"Location": "/here.txt"}, b""),
        "/here.txt": (200, TEXT, f"{shop.url}/other".encode()),
        "/other": html("other"),
        "/deeper.xml": index(shop, "/deepest.xml"),
    }
    folder.crawl(f"{shop.url}/", INDEX_FOLLOW=0)
    assert folder.rules() == {
        "/": "fetched", "/linked": "fetched", "/alone": "fetched", "/other": "fetched", "/sitemap.xml": "sitemap",
        "/packed.xml.gz": "sitemap", "/moved.xml": "moved", "/here.txt": "sitemap", "/deeper.xml": "sitemap",
    }  # fmt: skip
    with folder.database() as database:
        assert database.count("SELECT count(*) FROM journal WHERE rule = 'sitemap-depth'") == 1


def test_a_sitemap_on_another_host_is_read_and_its_own_pages_are_off_site(shop: Site, folder: Folder) -> None:
    elsewhere = f"http://localhost:{shop.port}"
    shop.pages["/robots.txt"] = robots(shop, f"Sitemap: {elsewhere}/sitemap.xml")
    listed = f"{shop.url}/alone\n{elsewhere}/theirs\nhttp://third.invalid/\n".encode()
    shop.pages["/sitemap.xml"] = (200, TEXT, listed)
    folder.crawl(f"{shop.url}/", f"http://localhost:{shop.port}/linked", INDEX_FOLLOW=0)
    assert folder.rules()["/alone"] == "fetched"
    with folder.database() as database:
        foreign = database.connection.execute("SELECT samples FROM journal WHERE rule = 'sitemap-foreign'").fetchall()
    assert foreign == [('["http://third.invalid/"]',)]


def test_the_next_round_asks_with_conditions_and_not_for_what_is_named_no_longer(shop: Site, folder: Folder) -> None:
    def sitemap(asked: dict[str, str]) -> Answer:
        if asked.get("If-None-Match") == '"v1"':
            return 304, {}, b""
        status, headers, body = urlset(shop, "/alone")
        return status, headers | {"ETag": '"v1"'}, body

    shop.pages["/sitemap.xml"] = sitemap
    folder.crawl(f"{shop.url}/", INDEX_FOLLOW=0)
    folder.crawl(INDEX_FOLLOW=0)
    assert folder.rules()["/sitemap.xml"] == "sitemap-unchanged"
    shop.pages["/robots.txt"] = (404, TEXT, b"")
    folder.expire_robots()
    folder.crawl(INDEX_FOLLOW=0)
    folder.crawl(INDEX_FOLLOW=0)
    assert shop.asked().count("/sitemap.xml") <= 3
    asked = shop.asked().count("/sitemap.xml")
    folder.crawl(INDEX_FOLLOW=0)
    assert shop.asked().count("/sitemap.xml") == asked
    assert shop.asked().count("/alone") == 5


def test_trust_lastmod_leaves_alone_what_has_not_changed(shop: Site, folder: Folder) -> None:
    shop.pages["/sitemap.xml"] = urlset(shop, alone="2026-01-01", linked="2026-01-01")
    folder.crawl(f"{shop.url}/", INDEX_FOLLOW=0)
    shop.log.clear()
    folder.crawl(INDEX_FOLLOW=0, TRUST_LASTMOD=1, CONCURRENT_REQUESTS=1)
    assert shop.asked()[0] == "/sitemap.xml"
    assert set(shop.asked()) == {"/sitemap.xml", "/"}
    assert folder.rules()["/alone"] == folder.rules()["/linked"] == "lastmod"
    [(name, value)] = settings_in(Rule.LASTMOD.remedy)
    folder.crawl(**{"INDEX_FOLLOW": 0, "TRUST_LASTMOD": 1, name: value})
    assert shop.asked().count("/alone") == 1


def test_a_homepage_that_is_named_as_a_sitemap_stays_a_page(shop: Site, folder: Folder) -> None:
    shop.pages["/robots.txt"] = robots(shop, "Sitemap: SITE/", "Sitemap: SITE/linked", "Sitemap: SITE/gone.xml")
    shop.pages["/gone.xml"] = (302, {"Location": "/hall"}, b"")
    shop.pages["/"] = html("home", "/linked", "/hall")
    shop.pages["/hall"] = html("hall")
    folder.crawl(f"{shop.url}/", INDEX_FOLLOW=0)
    rules = folder.rules()
    assert [rules[path] for path in ("/", "/linked", "/hall")] == ["fetched", "fetched", "fetched"]
    assert_polite(folder)


def test_a_trial_does_not_count_sitemaps(shop: Site, folder: Folder) -> None:
    folder.crawl(f"{shop.url}/", pages=2, INDEX_FOLLOW=0)
    assert "/sitemap.xml" in shop.asked()
    assert folder.report()["pages"]["stored"] == 2
