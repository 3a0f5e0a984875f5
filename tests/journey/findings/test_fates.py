"""Every fate of a real crawl, with its account on one screen and its advice: why is this URL not in the results?"""

import pytest

from commands import why
from commands.frame.command import run_command
from crawldb.database import CrawlDatabase
from frontier.takedown import block, forget
from reports.why import UrlRecord, url_record
from tests.journey.conftest import Folder, Site, html
from urls.canonical import canonicalize

LINES, COLUMNS = 40, 100  # a screen
LONG = "/" + "long" * 300
FRAMES = (
    b"<title>F</title><frameset><frame src=/rye></frameset><noframes>Your browser does not support frames.</noframes>"
)
PLAIN = {"Content-Type": "text/plain"}
RYE = " ".join(f"{grain} {number}" for number in range(80) for grain in ("rye", "caraway", "malt"))

# path: the state and rule that it ends in, and words of the advice
FATES = {
    "/": ("done", "fetched", "forget http"),
    "/rye": ("done", "fetched", "The page can be a result"),
    "/copy": ("done", "duplicate", "Search finds that page"),
    "/near": ("done", "fetched", "The page can be a result"),
    "/canonical": ("done", "canonical", "its canonical page"),
    "/hidden": ("done", "noindex", "Only its owner can change that"),
    "/expired": ("done", "expired", "Only its owner can change that"),
    "/frames": ("done", "frames", "Only its owner can change that"),
    "/empty": ("done", "empty", "Only its owner can change that"),
    "/soft": ("done", "soft-404", "Only its owner can change that"),
    "/moved": ("done", "moved", "./breadcrumb why http"),
    "/circle": ("failed", "redirect-loop", "Only its owner can change that"),
    "/round": ("done", "moved", "./breadcrumb why http"),
    "/back": ("failed", "redirect-loop", "Only its owner can change that"),
    "/nowhere": ("failed", "bad-location", "If its target is right, make that a seed"),
    "/abroad": ("done", "off-site", "./breadcrumb submit http://www.elsewhere.invalid/ adds its site"),
    "/gone": ("failed", "gone", "STALE_AFTER"),
    "/broken": ("failed", "server-error", "The next round requests it again"),
    "/private/x": ("suppressed", "robots", "once the robots.txt allows it"),
    "/a/a/a/a": ("suppressed", "repeated-path", "release http"),
    LONG: ("suppressed", "url-length", "release http"),
    "/cake.zip": ("suppressed", "type", "SKIPPED_ENDINGS"),
    "/deeper": ("suppressed", "depth", "submit http"),
    "/blocked": ("suppressed", "blocked", "blacklist"),
    "/forgotten": ("done", "forgotten", "To keep it out: ./breadcrumb block http"),
    "/sitemap.xml": ("done", "sitemap", "reads it again if it has changed"),
    "/listed": ("done", "fetched", "The page can be a result"),
    "/unknown": ("not discovered", "", "To add it: ./breadcrumb submit http"),
    "ftp://127.0.0.1/bread": ("unusable", "", "http:// or https://"),
    "http://elsewhere.invalid/": ("not discovered", "", "adds its site"),
}


def of_all_fates(site: Site) -> None:
    redirects = {
        "/moved": "/rye",
        "/circle": "/circle",
        "/round": "/back",
        "/back": "/round",
        "/nowhere": "ftp://127.0.0.1/",
        "/abroad": "http://me:secret@www.elsewhere.invalid/",
    }
    of_its_own = ("/blocked", "/forgotten", "/listed", "/deep")
    linked = [path for path in FATES if path not in {"/", "/deeper", "/unknown", "/listed", "/sitemap.xml"}]
    site.pages = {
        "/robots.txt": (200, PLAIN, f"User-agent: *\nDisallow: /private/\nSitemap: {site.url}/sitemap.xml\n".encode()),
        "/sitemap.xml": (
            200, {"Content-Type": "application/xml"},
            f"<urlset><url><loc>{site.url}/listed</loc></url></urlset>".encode(),
        ),
        "/": html("Bakery", *linked, "/deep"),
        "/rye": html("Rye", text=RYE),
        "/copy": html("Rye", text=RYE),
        "/near": html("Rye", text=f"{RYE} still"),
        "/canonical": html("Rolls", text="Rolls are round.", head='<link rel="canonical" href="/rye">'),
        "/hidden": html("Recipe", head='<meta name="robots" content="noindex">'),
        "/expired": html("Offer", head='<meta name="robots" content="unavailable_after: 2020-01-01">'),
        "/frames": (200, {"Content-Type": "text/html"}, FRAMES),
        "/empty": (200, {"Content-Type": "text/html"}, b"<p></p>"),
        "/soft": html("Page not found", text="Sorry, the page you asked for does not exist."),
        "/broken": (500, PLAIN, b"an error"),
        **{path: (302, {"Location": target}, b"") for path, target in redirects.items()},
        **{path: html(f"A page of {path}", text=f"Only {path} says {path[1:] * 3}.") for path in of_its_own},
    }  # fmt: skip
    site.pages["/deep"] = html("Deep", "/deeper", text="Deep down the stairs stands the oven.")


@pytest.fixture
def folder_of_all_fates(site: Site, folder: Folder) -> Folder:
    of_all_fates(site)
    # One request at a time: of two copies the first to arrive is kept, and here that must be /rye.
    done = folder.crawl(f"{site.url}/", MAX_DEPTH=1, RETRY_ATTEMPTS=1, CONCURRENT_REQUESTS_PER_DOMAIN=1)
    assert done.returncode == 0, done.stderr
    with CrawlDatabase(folder.path) as database:
        block(database, f"{site.url}/blocked", "its owner wrote to us")
        forget(database, canonicalize(f"{site.url}/forgotten"))
    return folder


@pytest.mark.slow
def test_every_fate_has_its_account_on_one_screen_and_its_advice(
    site: Site, folder_of_all_fates: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    told, said = {}, {}
    with folder_of_all_fates.database() as database:
        for path, expected in FATES.items():
            url = path if ":" in path else site.url + path
            found = url_record(database, url)
            rule = _rule(found)
            told[path] = (found.state, rule, expected[2] if expected[2] in found.advice else found.advice)
            run_command(why.COMMAND, ["-s", f"DATA_DIR={folder_of_all_fates.path}", url])
            lines = capsys.readouterr().out.splitlines()
            said[path] = " ".join(" ".join(lines).split())
            assert len(lines) <= LINES, "\n".join(lines)
            assert all(len(line) <= COLUMNS for line in lines if "://" not in line and "./breadcrumb" not in line), (
                lines
            )
    assert told == FATES
    assert f"{site.url}/rye is the canonical one:" in said["/near"]
    assert "They differ: only here:" in said["/near"]
    assert 'unavailable_after 2020-01-01 00:00 UTC has passed, from <meta name="robots">' in said["/expired"]


def _rule(found: UrlRecord) -> str:
    """What decided: the judgement of a page that is not in the index, else how the URL ended."""
    if found.page is not None and found.page.refusals:
        return found.page.refusals[0].rule
    return found.rule


def test_what_the_fingerprint_leaves_out_is_shown(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", text="Bread of rye.</p><p>Rendered at 10:03:11, visitors: 1234")}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    told = " ".join(folder.run("why", f"{site.url}/").stdout.split())
    assert "Text that changes with each visit is not part of the fingerprint: “10:03:11”, “visitors: 1234”." in told
