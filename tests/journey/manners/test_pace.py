"""The pace of a whole crawl: delays that sites ask for, rests, ceilings, each over a restart as well."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.journey.conftest import Answer, Folder, Site, assert_polite, html
from tests.journey.manners.slow_resolver import SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = {"Content-Type": "text/plain"}
ONE_BY_ONE = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0.001, "INDEX_FOLLOW": 0}
A_DAY = {"Retry-After": "86400"}


def hosts(site: Site) -> tuple[str, str]:
    return f"http://a.localhost:{site.port}", f"http://b.localhost:{site.port}"


def asked_of(site: Site, host: str) -> list[str]:
    return [path for path, headers in site.log if headers["Host"] == host.removeprefix("http://")]


def gaps(site: Site, host: str) -> list[float]:
    starts = [
        start
        for start, (_, headers) in zip(site.starts, site.log, strict=True)
        if headers["Host"] == host.removeprefix("http://")
    ]
    return [later - earlier for earlier, later in pairwise(starts)]


def of_each(title: str, *links: str) -> Callable[[dict[str, str]], Answer]:
    """A page that has other words at each host: of two that are equal, the links are followed once."""
    return lambda headers: html(f"{title} of {headers['Host']}", *links)


def only_at(host: str, answer: Answer) -> Callable[[dict[str, str]], Answer]:
    """Answer so at one host, and with a page at the others."""
    page = of_each("fine")
    return lambda headers: answer if headers["Host"] == host.removeprefix("http://") else page(headers)


def town(site: Site, delay: str) -> None:
    rules = f"User-agent: *\nCrawl-delay: {delay}\n".encode()
    site.pages = {"/robots.txt": (200, TEXT, rules), "/": of_each("home", "/1", "/2", "/3")}
    site.pages |= {f"/{page}": of_each(f"page {page}") for page in range(1, 4)}


def journal(folder: Folder, rule: str) -> list[str]:
    with folder.database() as database:
        rows = database.connection.execute("SELECT reason FROM journal WHERE rule = ? ORDER BY id", (rule,))
        return [reason for (reason,) in rows]


def test_429_puts_a_whole_host_to_rest_over_a_restart_and_another_goes_on(site: Site, folder: Folder) -> None:
    busy, fine = hosts(site)
    site.pages = {"/": of_each("home", "/busy", "/1", "/2"), "/1": of_each("one"), "/2": of_each("two")}
    site.pages["/busy"] = only_at(busy, (429, TEXT | A_DAY, b""))
    done = folder.crawl(f"{busy}/", f"{fine}/", **ONE_BY_ONE, WAIT_SECONDS=1)
    assert asked_of(site, busy) == ["/robots.txt", "/", "/busy"]
    assert sorted(asked_of(site, fine)) == ["/", "/1", "/2", "/busy", "/robots.txt"]
    assert "3 URLs waiting: a.localhost answered 429 with Retry-After" in done.stdout
    told = folder.run("why", f"{busy}/1").stdout
    (until,) = set(re.findall(r"No requests to its host until ([\d-]+ [\d:]+ UTC)", " ".join(told.split())))
    assert f"A crawl after {until} fetches it: ./breadcrumb crawl site" in " ".join(told.split())
    folder.crawl(f"{busy.replace('a.', 'A.')}/2", **ONE_BY_ONE, WAIT_SECONDS=1)
    assert asked_of(site, busy) == ["/robots.txt", "/", "/busy"]
    with folder.database() as database:
        rows = database.connection.execute("SELECT url, state, attempts FROM url WHERE url LIKE '%a.localhost%'")
        found = {url.rpartition("/")[2]: (state, attempts) for url, state, attempts in rows}
    assert found == {"": (0, 0), "busy": (0, 1), "1": (0, 0), "2": (0, 0)}
    assert folder.report()["rounds"] == {"begun": 2, "open": 0}


def test_one_url_that_says_503_for_years_does_not_silence_its_host(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "/broken", "/1", "/2"), "/1": html("one"), "/2": html("two")}
    site.pages["/broken"] = (503, TEXT | {"Retry-After": "99999999"}, b"")
    done = folder.crawl(f"{site.url}/", **ONE_BY_ONE, WAIT_SECONDS=5)
    assert sorted(site.asked()) == ["/", "/1", "/2", "/broken", "/robots.txt"]
    assert folder.rules() == {"/": "fetched", "/broken": None, "/1": "fetched", "/2": "fetched"}
    [waiting] = folder.report()["waiting"]
    assert (waiting["url"], waiting["urls"]) == (f"{site.url}/broken", 1)
    assert abs(waiting["until"] - time.time() - 24 * 3600) < 600
    told = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(waiting["until"]))
    assert f"Waiting until {told}: {site.url}/broken: the server answered 503\n" in done.stdout
    assert "and well to the page before: it gets no request for 0.05 s" in journal(folder, "host-rests")[0]


def test_a_page_that_may_be_requested_again_soon_waits_until_its_host_rests_no_more(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "/fails", "/busy"), "/fails": (500, TEXT, b""), "/busy": (429, TEXT | A_DAY, b"")}
    folder.crawl(f"{site.url}/", **ONE_BY_ONE, WAIT_SECONDS=1, RETRY_DELAY=2)
    report = folder.report()
    [rest] = report["resting"].values()
    waiting = {each["reason"]: each["until"] for each in report["waiting"]}
    assert waiting["the server answered 500"] == rest["until"] > time.time() + 60


def test_where_nothing_else_was_answered_one_503_rests_the_host_for_an_hour_and_not_for_years(
    site: Site, folder: Folder
) -> None:
    site.pages = {"/": (503, TEXT | {"Retry-After": "99999999"}, b"")}
    folder.crawl(f"{site.url}/", f"{site.url}/1", **ONE_BY_ONE, WAIT_SECONDS=1)
    assert site.asked() == ["/robots.txt", "/"]
    assert journal(folder, "host-rests")[0].endswith("it gets no request for 1 h")


def test_retry_after_on_a_redirect_is_a_rest_too(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "/old", "/1"), "/1": html("one"), "/new": html("new")}
    site.pages["/old"] = (301, A_DAY | {"Location": "/new"}, b"")
    folder.crawl(f"{site.url}/", **ONE_BY_ONE, WAIT_SECONDS=1)
    assert site.asked() == ["/robots.txt", "/", "/old"]
    assert folder.rules()["/old"] == "moved"
    assert len([reason for reason in journal(folder, "host-rests") if "answered 301 with Retry-After" in reason]) >= 1


def test_a_short_rest_is_waited_for(site: Site, folder: Folder) -> None:
    answers = [(503, TEXT | {"Retry-After": "1"}, b""), html("home", "/1")]
    site.pages = {"/": lambda _: answers.pop(0), "/1": html("one")}
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=0).returncode == 0
    assert site.asked() == ["/robots.txt", "/", "/", "/1"]
    assert site.starts[2] - site.starts[1] > 0.95


def test_an_endless_crawl_delay_is_capped_and_the_cap_is_journaled(site: Site, folder: Folder) -> None:
    town(site, "1000000000")
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, MAX_CRAWL_DELAY=0.6).returncode == 0
    assert len(site.asked()) == 5
    assert all(later - earlier > 0.45 for earlier, later in pairwise(site.starts))
    [reason] = journal(folder, "crawl-delay")
    assert "asks for 1,000,000,000 s between two requests; MAX_CRAWL_DELAY=0.6 s are kept" in reason


def test_a_crawl_that_was_asked_for_a_delay_proves_that_it_kept_it_over_a_restart(site: Site, folder: Folder) -> None:
    town(site, "0.3")
    first, second = hosts(site)
    folder.crawl(f"{first}/", f"{second}/", INDEX_FOLLOW=0, pages=3)
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    assert len(asked_of(site, first)) == len(asked_of(site, second)) == 5
    assert len(site.log) == 10
    assert_polite(folder, "--delay", "0.3")
    with folder.database() as database:
        told = set(database.connection.execute("SELECT name, delay, delay_reason FROM host"))
    assert told == {("a.localhost", 0.3, "its robots.txt"), ("b.localhost", 0.3, "its robots.txt")}


def test_the_delay_counts_from_when_a_request_left_and_not_from_its_turn(site: Site, folder: Folder) -> None:
    town(site, "0.5")
    slow = "tests.journey.manners.slow_resolver.SlowResolver"
    done = folder.crawl(f"{hosts(site)[0]}/", INDEX_FOLLOW=0, ADAPTIVE_DELAY=0, TWISTED_DNS_RESOLVER=slow)
    assert done.returncode == 0, done.stderr
    with folder.database() as database:
        begun = "iif(url IS NULL, at, at - seconds)"  # a robots.txt is noted with the time of its turn
        first, second, *_ = (turn for (turn,) in database.connection.execute(f"SELECT {begun} FROM fetch ORDER BY id"))
    assert second - first > SECONDS + 0.49, "the robots.txt left so late"


def test_a_run_ends_in_order_when_it_has_sent_all_that_it_may(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", *(f"/{page}" for page in range(20)))}
    site.pages |= {f"/{page}": html(f"page {page}") for page in range(20)}
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, MAX_REQUESTS=5)
    assert (done.returncode, len(site.log)) == (1, 5)
    assert "MAX_REQUESTS=5 have been sent" in done.stderr
    assert "ended (max-requests)" in done.stdout
    urls = folder.report()["urls"]
    assert (urls["done"], urls["queued"], urls["leased"]) == (4, 17, 0)
    assert folder.report()["rounds"]["open"] == 1
    assert journal(folder, "max-requests")
    assert folder.crawl(INDEX_FOLLOW=0, MAX_REQUESTS=17, PROBE_AFTER=0).returncode == 0
    assert sorted(site.asked()) == sorted(["/robots.txt", *site.pages])


def test_a_ceiling_a_minute_is_kept_by_going_evenly(site: Site, folder: Folder) -> None:
    town(site, "0")
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, REQUESTS_PER_MINUTE=100)
    assert len(site.asked()) == 5
    assert all(later - earlier > 0.45 for earlier, later in pairwise(site.starts))


def test_a_host_that_answers_slowly_is_left_alone_for_as_long_as_it_worked(site: Site, folder: Folder) -> None:
    town(site, "0")

    def slow(_: dict[str, str]) -> Answer:
        time.sleep(0.3)
        return html("home", "/1", "/2")

    site.pages["/"] = slow
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, ADAPTIVE_DELAY=12)
    # Of the one slow answer an eighth counts: 38 ms of work, and twelve times that of rest. A busy server notes late.
    assert site.starts[3] - site.starts[2] > 0.1
