"""The effect on a site while its robots.txt changes, fails, comes back or is refused: over runs, days and a month.

Time passes by setting the stored times back: the crawl itself reads the clock of the machine.
"""

from __future__ import annotations

import gzip
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from frontier.takedown import block
from reports.why import RobotsStatus, url_record
from reports.why.site_files import robots_sentences
from robots import origin_of
from tests.journey.conftest import Answer, Folder, Site, assert_polite, html

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = {"Content-Type": "text/plain"}
HOUR, DAY = 3600.0, 86400.0
RULES = (200, TEXT | {"ETag": '"1"'}, b"User-agent: *\nDisallow: /private\n")
BROKEN: Answer = (500, TEXT, b"User-agent: *\nAllow: /\n")
PRIVATE = "/private"


def pass_time(folder: Folder, seconds: float) -> None:
    """Let so much time go by for all that is known of robots.txt, and for the URLs that wait."""
    with CrawlDatabase(folder.path) as database, database.transaction():
        times = ("fetched_at", "expires_at", "good_at", "failing_since")
        shifted = ", ".join(f"{time} = {time} - {seconds}" for time in times)
        database.connection.execute(f"UPDATE robots SET {shifted}")
        database.connection.execute(f"UPDATE url SET due_at = max(0, due_at - {seconds})")
        database.connection.execute(f"UPDATE host SET rests_until = max(0, rests_until - {seconds})")
        database.connection.execute(f"UPDATE site SET rests_until = max(0, rests_until - {seconds})")


def crawl(folder: Folder, *seeds: str, **settings: object) -> None:
    folder.crawl(*seeds, INDEX_FOLLOW=0, **({"WAIT_SECONDS": 1} | settings))


def told(folder: Folder) -> list[str]:
    """The rules of the journal about robots.txt, oldest first."""
    with folder.database() as database:
        rows = database.connection.execute("SELECT rule FROM journal WHERE rule LIKE 'robots.%' ORDER BY id")
        return [rule for (rule,) in rows]


def pages(site: Site) -> list[str]:
    """The paths asked for beside robots.txt since this was last called."""
    asked = [path for path in site.asked() if path != "/robots.txt"]
    site.log.clear()
    return asked


def robots_of(site: Site, folder: Folder, path: str = "/") -> RobotsStatus:
    """What `why` says about the robots.txt of a page."""
    with folder.database() as database:
        found = url_record(database, f"{site.url}{path}").robots
    assert found is not None
    return found


def test_an_old_copy_is_asked_about_with_conditions_and_a_304_renews_it(site: Site, folder: Folder) -> None:
    def answer(headers: dict[str, str]) -> Answer:
        return (304, {"ETag": '"1"'}, b"") if headers.get("If-None-Match") == '"1"' else RULES

    site.pages = {"/robots.txt": answer, "/": html("home", PRIVATE, "/open"), "/open": html("open")}
    crawl(folder, f"{site.url}/")
    assert "If-None-Match" not in site.log[0][1]
    pass_time(folder, 2 * DAY)
    site.log.clear()
    crawl(folder)
    crawl(folder)
    assert site.asked().count("/robots.txt") == 1
    assert site.log[0][1]["If-None-Match"] == '"1"'
    assert PRIVATE not in site.asked()
    with folder.database() as database:
        assert database.value("SELECT status FROM robots") == 304


def test_a_file_that_changed_rules_the_urls_that_were_queued_before(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, TEXT, b""), "/": html("home", "/a", "/b"), "/a": html("a"), "/b": html("b")}
    crawl(folder, f"{site.url}/", pages=1)
    site.pages["/robots.txt"] = (200, TEXT, b"User-agent: *\nDisallow: /b\n")
    pass_time(folder, 2 * DAY)
    crawl(folder)
    assert pages(site) == ["/", "/a"]
    assert folder.rules()["/b"] == "robots"
    assert [change.state for change in robots_of(site, folder).changes] == ["PARSED", "PARSED"]


def test_a_site_that_fails_is_closed_for_twelve_hours_and_then_its_last_good_copy_decides(
    site: Site, folder: Folder
) -> None:
    site.pages = {"/robots.txt": RULES, "/": html("home", PRIVATE, "/open"), "/open": html("open")}
    crawl(folder, f"{site.url}/")
    site.pages["/robots.txt"] = BROKEN
    pass_time(folder, 2 * DAY)
    pages(site)
    for _ in range(2):
        crawl(folder)
        assert pages(site) == []
        pass_time(folder, 5 * HOUR)
    pass_time(folder, 3 * HOUR)
    crawl(folder)
    assert sorted(pages(site)) == ["/", "/open"]
    assert told(folder) == ["robots.500", "robots.500", "robots.last_copy"]
    found = robots_of(site, folder, PRIVATE)
    assert (found.allowed, found.line, found.failures, found.state) == (False, 2, 3, "PARSED")
    assert any("3 times in a row; last good copy of" in line for line in robots_sentences(found))
    assert [change.state for change in found.changes] == ["PARSED", "CLOSED", "PARSED"]


@pytest.mark.slow
def test_a_site_that_never_gave_a_file_is_closed_for_thirty_days_and_no_longer(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": BROKEN, "/": html("home", "/a"), "/a": html("a")}
    crawl(folder, f"{site.url}/")
    for days in (1, 28):
        pass_time(folder, days * DAY)
        crawl(folder)
        assert pages(site) == []
        assert folder.report()["urls"]["queued"] == 1
    pass_time(folder, 2 * DAY)
    crawl(folder)
    assert pages(site) == ["/", "/a"]
    assert told(folder) == ["robots.500", "robots.500", "robots.500", "robots.given_up"]
    crawl(folder)  # it goes on so, and the file is asked for again in a day
    assert site.asked() == ["/", "/a"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((503, TEXT, b""), id="503"),
        pytest.param((503, TEXT | {"Retry-After": "86400"}, b""), id="503 with Retry-After"),
        pytest.param((429, TEXT, b""), id="429"),
        pytest.param(BROKEN, id="500"),
    ],
)
def test_a_file_that_fails_each_night_opens_its_site_when_it_is_given_up(
    site: Site, folder: Folder, answer: Answer
) -> None:
    site.pages = {"/robots.txt": answer, "/": html("home", "/a"), "/a": html("a")}
    for days in (0, 6, 6, 6, 6, 5):
        if days:
            pass_time(folder, days * DAY)
        crawl(folder, *([] if days else [f"{site.url}/"]), RETRY_DELAY=0.5, WAIT_SECONDS=3)
        assert pages(site) == []
    pass_time(folder, 1.1 * DAY)
    crawl(folder, RETRY_DELAY=0.5, WAIT_SECONDS=3)
    assert pages(site) == ["/", "/a"]
    pass_time(folder, DAY)
    crawl(folder, f"{site.url}/b", RETRY_DELAY=0.5, WAIT_SECONDS=3)
    assert "/b" in pages(site)


def test_a_host_that_is_silent_keeps_its_clock_over_runs(silent: str, folder: Folder) -> None:
    crawl(folder, silent)
    pass_time(folder, 31 * DAY)
    crawl(folder)
    assert told(folder) == ["robots.unreachable", "robots.given_up"]


def test_a_clock_that_was_set_back_does_no_harm(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": BROKEN, "/": html("home")}
    crawl(folder, f"{site.url}/")
    pass_time(folder, -900 * DAY)
    with CrawlDatabase(folder.path) as database, database.transaction():
        database.connection.execute("UPDATE url SET due_at = 0")
    site.pages["/robots.txt"] = RULES
    crawl(folder)
    assert pages(site) == ["/"]


def test_a_denial_opens_a_site_or_forbids_it_as_the_setting_says(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (403, TEXT, b""), "/": html("home")}
    crawl(folder, f"{site.url}/", ROBOTS_DENIAL="closed")
    assert pages(site) == []
    assert folder.rules() == {"/": "robots"}
    crawl(folder, ROBOTS_DENIAL="open")  # at once, however long the other answer would have held
    assert pages(site) == ["/"]
    assert told(folder) == ["robots.403", "robots.403"]


def test_by_google_a_site_that_answers_5xx_for_every_missing_page_has_no_robots_txt(site: Site, folder: Folder) -> None:
    made_up = f"/no-such-page-{sha256(origin_of(f'{site.url}/').encode()).hexdigest()[:16]}"
    site.pages = {"/robots.txt": BROKEN, made_up: BROKEN, "/": html("home", "/a"), "/a": html("a")}
    crawl(folder, f"{site.url}/")
    assert pages(site) == []
    pass_time(folder, HOUR)
    crawl(folder, ROBOTS_UNREACHABLE="google")
    assert pages(site) == [made_up, "/", "/", "/a"]  # the first two are the check
    assert_polite(folder)


def test_by_google_a_busy_file_closes_its_site_for_thirty_days_and_each_request_for_it_is_logged(
    site: Site, folder: Folder
) -> None:
    busy = (503, TEXT | {"Retry-After": "120"}, b"")
    site.pages = {"/robots.txt": busy, "/": html("home", "/a"), "/a": html("a")}
    site.log.clear()
    for days, seeds, asked in ((0, [f"{site.url}/"], []), (31, [], ["/", "/a"]), (1, [], ["/", "/a"])):
        pass_time(folder, days * DAY)
        crawl(folder, *seeds, ROBOTS_UNREACHABLE="google", RETRY_DELAY=0.2, WAIT_SECONDS=3)
        with folder.database() as database:
            logged = database.count("SELECT count(*) FROM fetch WHERE run = (SELECT max(id) FROM run)")
        assert logged == len(site.log)
        assert sorted(pages(site)) == asked
    assert told(folder) == ["robots.503", "robots.given_up", "robots.503"]
    found = robots_of(site, folder)
    assert (found.allowed, found.state, found.failures) == (True, "OPEN", 3)
    assert_polite(folder)


def test_a_site_whose_robots_txt_gives_no_answer_for_thirty_days_is_open_by_all_that_is_told(
    site: Site, folder: Folder
) -> None:
    broken_off = {"Content-Length": "1000", "Connection": "close"}
    site.pages = {"/robots.txt": (200, TEXT | broken_off, b""), "/": html("home", "/a"), "/a": html("a")}
    crawl(folder, f"{site.url}/")
    pass_time(folder, 31 * DAY)
    crawl(folder, WAIT_SECONDS=3)
    assert pages(site) == ["/", "/a"]
    found = robots_of(site, folder)
    assert (found.allowed, found.state, found.status) == (True, "OPEN", None)
    assert_polite(folder)
    assert "Closed:" not in folder.run("report").stdout


def test_a_reading_that_is_neither_is_refused(folder: Folder) -> None:
    done = folder.crawl("http://127.0.0.1:9/", ROBOTS_UNREACHABLE="perhaps")
    assert done.returncode == 2
    assert "ROBOTS_UNREACHABLE='perhaps': choose rfc9309 or google" in done.stderr


def test_a_denial_that_is_neither_is_refused(folder: Folder) -> None:
    done = folder.crawl("http://127.0.0.1:9/", ROBOTS_DENIAL="perhaps")
    assert done.returncode == 2
    assert "ROBOTS_DENIAL='perhaps': choose open or closed" in done.stderr


def to_a_blocked_site(site: Site, folder: Folder) -> str:
    with CrawlDatabase(folder.path) as database:
        block(database, f"localhost:{site.port}", "its owner asked")
    return f"http://localhost:{site.port}/rules.txt"


@pytest.mark.parametrize(
    ("elsewhere", "why"),
    [
        pytest.param(lambda *_: "http://127.0.0.1:25/rules.txt", "port 25 is not", id="a port that nobody meant"),
        pytest.param(
            lambda site, _: f"http://127.0.0.2:{site.port}/rules.txt", "a private address", id="a private address"
        ),
        pytest.param(to_a_blocked_site, "is on the blacklist: its owner asked", id="H16: a site that is excluded"),
    ],
)
def test_a_robots_txt_is_not_asked_for_where_we_do_not_go(
    site: Site, folder: Folder, elsewhere: Callable[[Site, Folder], str], why: str
) -> None:
    target = elsewhere(site, folder)
    site.pages = {"/robots.txt": (301, {"Location": target}, b""), "/rules.txt": RULES, "/": html("home")}
    site.log.clear()
    crawl(folder, f"{site.url}/")
    assert site.asked() == ["/robots.txt"]
    assert told(folder)[-1] == "robots.refused"
    found = robots_of(site, folder)
    assert (found.state, found.failing_since) == ("CLOSED", None)
    assert why in found.reason


def test_each_redirect_of_a_robots_txt_is_logged_and_the_audit_proves_the_way(site: Site, folder: Folder) -> None:
    other = f"http://localhost:{site.port}"
    site.pages = {
        "/robots.txt": (301, {"Location": "/first.txt"}, b""),
        "/first.txt": (302, {"Location": f"{other}/second.txt"}, b""),
        "/second.txt": RULES,
        "/": html("home", PRIVATE),
    }
    crawl(folder, f"{site.url}/", f"{other}/")
    with folder.database() as database:
        rows = database.connection.execute(
            "SELECT address, status, rule, origin FROM fetch WHERE url IS NULL"
        ).fetchall()
    mine = [row[:3] for row in rows if row[3] == site.url]
    assert mine == [
        (f"{site.url}/robots.txt", 301, "robots.txt moved"),
        (f"{site.url}/first.txt", 302, "robots.txt moved"),
        (f"{other}/second.txt", 200, "robots.txt"),
    ]
    assert len(rows) == 6, "the other site's own robots.txt is asked for too"
    assert_polite(folder)


def test_a_bomb_is_a_robots_txt_up_to_500_kib(site: Site, folder: Folder) -> None:
    body = gzip.compress(b"User-agent: *\nDisallow: /private\n" + b"#\n" * 15_000_000)
    site.pages = {"/robots.txt": (200, TEXT | {"Content-Encoding": "gzip"}, body), "/": html("home", PRIVATE)}
    crawl(folder, f"{site.url}/")
    assert pages(site) == ["/"]
    assert told(folder) == ["robots.truncated"]


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        pytest.param((404, TEXT, b""), "robots.404", id="robots-001"),
        pytest.param(html("a shop"), "robots.not_text", id="robots-008: a page in its place"),
        pytest.param((301, {"Location": "/robots.txt"}, b""), "robots.redirect_loop", id="robots-017: a circle"),
    ],
)
def test_what_is_odd_about_a_robots_txt_is_told(site: Site, folder: Folder, answer: Answer, rule: str) -> None:
    site.pages = {"/robots.txt": answer, "/": html("home", "/a"), "/a": html("a")}
    crawl(folder, f"{site.url}/")
    assert told(folder) == [rule]
    assert folder.rules() == {"/": "fetched", "/a": "fetched"}
