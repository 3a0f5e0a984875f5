"""Whole crawls of pages with page controls: the results follow them, from one crawl to the next."""

from tests.journey.conftest import Answer, Folder, Site, html


def test_a_page_leaves_the_results_by_the_header_of_a_304(site: Site, folder: Folder) -> None:
    wish: dict[str, str] = {}

    def page(asked: dict[str, str]) -> Answer:
        if asked.get("If-None-Match") == '"v1"':
            return 304, {"ETag": '"v1"'} | wish, b""
        status, headers, body = html("dandelion")
        return status, headers | {"ETag": '"v1"'} | wish, body

    site.pages["/"] = page
    folder.crawl(f"{site.url}/")
    assert folder.search("dandelion") == ["/"]
    wish["X-Robots-Tag"] = "noindex"
    folder.crawl()
    assert folder.search("dandelion") == []
    assert "noindex, from X-Robots-Tag: noindex." in folder.run("why", f"{site.url}/").stdout
    wish["X-Robots-Tag"] = "all"
    folder.crawl()
    assert folder.search("dandelion") == ["/"]


def test_a_copy_by_its_own_word_is_shown_only_while_the_other_page_is_not_there(site: Site, folder: Folder) -> None:
    status, headers, body = html("home", "/print", text="Borage and chicory, printed.")
    site.pages["/"] = status, headers | {"Link": '</flowers>; rel="canonical"'}, body
    site.pages["/flowers"] = html("flowers", text="Borage, chicory and a word more.")
    folder.crawl(f"{site.url}/")
    assert folder.search("borage") == ["/flowers"]
    assert "Search finds its canonical page." in folder.run("why", f"{site.url}/").stdout
    del site.pages["/flowers"]
    folder.crawl()
    assert folder.search("borage") == ["/"]


def test_a_noindex_that_a_robots_txt_hides_is_told(site: Site, folder: Folder) -> None:
    site.pages["/"] = html("home", head="<meta name=robots content=noindex>")
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    rules = b"User-agent: *\nDisallow: /\n"
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, rules)
    folder.expire_robots()
    done = folder.crawl(INDEX_FOLLOW=0)
    assert f'Hidden: {site.url}/: <meta name="robots"> said noindex when it was last read' in done.stdout
    assert "hidden-noindex" in folder.run("why", f"{site.url}/").stdout


PICTURE = b"GIF89a" + bytes(3_000_000)


def test_77_files_that_hold_no_text_are_asked_for_their_header_lines_and_these_are_shown(
    site: Site, folder: Folder
) -> None:
    kind, tag = {"Content-Type": "image/gif"}, {"X-Robots-Tag": "noindex, noarchive"}
    site.pages = {
        "/": html("home", "/secret.gif", "/open.gif", "/wiki/File:Map.png", "/tool.zip"),
        "/secret.gif": (200, kind | tag | {"ETag": '"1"'}, PICTURE),
        "/open.gif": (200, kind, b"GIF89a small"),
        "/wiki/File:Map.png": html("The page about a map"),
    }
    assert folder.crawl(f"{site.url}/").returncode == 0
    assert folder.rules() == {
        **dict.fromkeys(("/", "/wiki/File:Map.png"), "fetched"),
        **dict.fromkeys(("/secret.gif", "/open.gif", "/tool.zip"), "type"),
    }
    assert "/tool.zip" not in site.asked()
    assert folder.search("map") == ["/wiki/File:Map.png"]
    told = " ".join(folder.run("why", f"{site.url}/secret.gif").stdout.split())
    assert "noindex, from X-Robots-Tag: noindex, noarchive" in told
    assert "Not in the index (type): image/gif: only HTML, plain text, PDF and office files are indexed" in told
    with folder.database() as database:
        sizes = database.connection.execute(
            "SELECT size FROM fetch JOIN url ON url.id = fetch.url WHERE url.url LIKE '%.gif'"
        )
        assert max(size for (size,) in sizes) < 100


def test_who_wants_no_such_requests_switches_them_off(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "/secret.gif")}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, LOOKED_AT_ENDINGS="")
    assert site.asked() == ["/robots.txt", "/"]
    assert folder.rules()["/secret.gif"] == "type"


def test_a_robots_txt_that_nobody_understands_is_told_and_a_setting_reads_it_as_it_is_meant(
    site: Site, folder: Folder
) -> None:
    rules = b"Useragent: *\nDissallow: /private\nCrawl-delay: 0.2\n"
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain", "ETag": '"1"'}, rules)
    site.pages |= {"/": html("home", "/private"), "/private": html("private")}
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert (
        f"Misspelt: {site.url}: robots.txt answered 200: line 1 (Useragent: *) is misspelt, and no rule" in done.stdout
    )
    assert "/private" in site.asked()
    folder.expire_robots()
    site.log.clear()
    folder.crawl(INDEX_FOLLOW=0, ROBOTS_MISSPELT=1)
    assert "/private" not in site.asked()
    assert "line 2" in folder.run("why", f"{site.url}/private").stdout
