"""Stylesheets in files, on a real crawl: requested once a site, as robots.txt allows, and read for hidden text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.hidden.stylesheet import MAX_SHEET_BYTES
from tests.journey.conftest import Folder, html

if TYPE_CHECKING:
    from tests.journey.conftest import Answer, Site

LINK = '<link rel="stylesheet" href="/main.css">'
WORDS = "The old lantern hangs in a narrow lane where nobody walks at night and its flame is small but steady since May"
SHOP = f'Buy our goods today.</p><div class="kw">{WORDS}</div><p>'


def css(text: str) -> Answer:
    return 200, {"Content-Type": "text/css", "ETag": '"1"'}, text.encode()


def shop(site: Site, **files: str) -> None:
    """A shop of three pages, whose stylesheets have these names and texts."""
    site.pages = {
        "/": html("shop", "/a.html", "/b.html", text=SHOP, head=LINK),
        "/a.html": html("a", head=LINK),
        "/b.html": html("b", text=SHOP.replace("goods", "wares"), head=LINK),
        **{f"/{name}.css": css(text) for name, text in files.items()},
    }


def why(folder: Folder, url: str) -> str:
    return " ".join(folder.run("why", url).stdout.split())


def test_a_sheet_is_asked_for_once_and_judges_pages_before_and_after_it(site: Site, folder: Folder) -> None:
    shop(site, main=".kw{display:none}")
    # One connection: over several, what is sent first may arrive second.
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20, CONCURRENT_REQUESTS_PER_DOMAIN=1).returncode == 0
    asked = site.asked()
    assert (asked.count("/main.css"), asked[:3]) == (1, ["/robots.txt", "/", "/main.css"])
    for page in ("/", "/b.html"):
        assert "words hidden by display or visibility, such as “the old" in why(folder, site.url + page)
    assert "spoofing" not in why(folder, f"{site.url}/a.html")
    assert '"hits": []' in folder.run("search", "lantern", "--json").stdout
    told = why(folder, f"{site.url}/main.css")
    assert f"Named as a stylesheet by {site.url}/" in told
    assert "it was read as a stylesheet" in told.lower()
    numbers = folder.report()
    assert (numbers["probes"]["stylesheet"], numbers["pages"]["stored"]) == (1, 3)
    assert numbers["urls"]["suppressed"] == numbers["suppressed"]["stylesheet"] == 1
    assert numbers["requests"] == len(asked)


def test_a_sheet_that_robots_txt_forbids_is_not_asked_for_and_accuses_nobody(site: Site, folder: Folder) -> None:
    shop(site, main=".kw{display:none}")
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /*.css")
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20).returncode == 0
    assert "/main.css" not in site.asked()
    told = why(folder, f"{site.url}/b.html")
    assert "spoofing" not in told
    assert f"{site.url}/main.css is not used: no page of its site is accused by its stylesheets: robots.txt" in told


def test_a_sheet_that_is_too_large_is_told_without_a_limit_that_it_does_not_have(site: Site, folder: Folder) -> None:
    shop(site, main=".kw{display:none}" * MAX_SHEET_BYTES)
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20).returncode == 0
    told = why(folder, f"{site.url}/main.css")
    assert "no page of its site is accused by its stylesheets: it is too large to be read" in told
    assert "DOWNLOAD_MAXSIZE" not in told


def test_what_a_sheet_imports_is_asked_for_and_no_further(site: Site, folder: Folder) -> None:
    shop(site, main='@import "more.css";', more=".kw{display:none}")
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20).returncode == 0
    assert "spoofing" in why(folder, f"{site.url}/b.html")
    site.log.clear()
    deeper = Folder(folder.path.with_name("deeper"))
    shop(site, main='@import "more.css";', more='@import "most.css";.kw{display:none}', most="p{color:red}")
    assert deeper.crawl(f"{site.url}/", PROBE_AFTER=20).returncode == 0
    assert [path for path in site.asked() if path.endswith(".css")] == ["/main.css", "/more.css"]
    assert "spoofing" not in why(deeper, f"{site.url}/b.html")


def test_a_page_that_is_named_as_a_sheet_stays_a_page(site: Site, folder: Folder) -> None:
    shop(site)
    site.pages["/"] = html("shop", "/a.html", "/b.html", head='<link rel="stylesheet" href="/b.html">')
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20).returncode == 0
    assert folder.report()["pages"]["stored"] == 3


def test_no_sheet_is_asked_for_where_sites_are_asked_nothing(site: Site, folder: Folder) -> None:
    shop(site, main=".kw{display:none}")
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=0).returncode == 0
    assert "/main.css" not in site.asked()


def test_a_later_visit_asks_whether_a_sheet_has_changed(site: Site, folder: Folder) -> None:
    shop(site, main=".kw{display:none}")
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20, MAX_REVISIT=0.001).returncode == 0
    sheet = css(".kw{display:none}")
    site.pages["/main.css"] = lambda headers: (304, {}, b"") if headers.get("If-None-Match") == '"1"' else sheet
    site.log.clear()
    site.pages["/b.html"] = html("b", text=SHOP.replace("goods", "tools"), head=LINK)
    assert folder.crawl(f"{site.url}/", PROBE_AFTER=20, MAX_REVISIT=0.001).returncode == 0
    assert "/main.css" in site.asked()
    assert "spoofing" in why(folder, f"{site.url}/b.html")
    assert "it is the stylesheet that it was" in why(folder, f"{site.url}/main.css").lower()
