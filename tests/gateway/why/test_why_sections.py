"""The sections of Why?: each shows what happened, links further, and says what is not known; and two pages compared."""

from __future__ import annotations

import html
import random
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.robots_files import note_request, write_robots
from extension_points import call_extensions
from frontier.job import CrawlJob
from frontier.session import Session
from pages.content.similarity import ORDERS
from robots import PageControls, RobotsRecord, RobotsRequest, page_controls
from tests.gateway.conftest import EVIL, FETCHED_AT, SITE, a_page, gateway, index
from tests.samples import lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Link, Outcome, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

ROBOTS = b"# the bakery\nUser-agent: *\nDisallow: /kitchen/\n\nUser-agent: Breadcrumb\nAllow: /rye\nDisallow: /oven\n"
SIGNATURE = random.Random(5).randbytes(ORDERS)
RYE = f"{SITE}/rye.html"
TOLD = "Rye bread keeps for a week. The baker of the rye says that the rye needs patience, and the oven the wood."
NOARCHIVE = page_controls(
    [("X-Robots-Tag", "noarchive")], b'<meta name="robots" content="nofollow">', agent="b", url=""
)
OVEN = Outcome(
    canonicalize(f"{SITE}/oven.html"),
    LeaseEnd.REFUSED,
    Rule.ROBOTS,
    "robots.txt, line 7: Disallow: /oven",
    requested=False,
)
PAGES = (
    replace(
        a_page("/", "The bakery", "Welcome to the bakery."),
        links=(Link(f"{SITE}/breads/", "our breads"), Link(f"{SITE}/oven.html", "the oven")),
    ),
    replace(
        a_page("/breads/", "Breads", "All the breads of the bakery."),
        links=(Link(RYE, f"rye {EVIL}"), Link(f"{SITE}/copy.html", ""), Link(f"{SITE}/no.html", "", nofollow=True)),
    ),
    a_page("/rye.html", "Rye bread", TOLD, signature=SIGNATURE),
    a_page("/copy.html", "Rye again", f"{TOLD.replace('week', 'month')} <b>{EVIL}", signature=SIGNATURE),
    replace(a_page("/secret.html", "Secret", "Nobody copies this.", controls=NOARCHIVE), links=(Link(RYE, "x", True),)),
    a_page("/quiet.html", "Quiet", "Not to be quoted.", controls=PageControls(snippet=0)),
    a_page("/no.html", "No", "No.", refusals=(Refusal(Rule.NOINDEX, "a meta says noindex"),)),
)


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """A bakery, of which one page was fetched three times, with a robots.txt."""
    data_dir = tmp_path_factory.mktemp("sections")
    seeds = (PAGES[0].url, *(page.url for page in PAGES[4:]))
    for at, body in ((FETCHED_AT, b"x" * 100), (FETCHED_AT + 86_400, b"x" * 100), (FETCHED_AT + 5 * 86_400, b"x" * 90)):
        session = Session(data_dir, CrawlJob(seeds))
        kept = RobotsRecord(f"{SITE}", "PARSED", "answered 200", time.time(), time.time() + 60, 200, ROBOTS)
        hop = RobotsRequest(f"{SITE}/robots.txt", kept.fetched_at, 0.01, 200, len(ROBOTS))
        note_request(session.database, session.run, kept.origin, hop)
        write_robots(session.database, session.run, kept)
        while due := lease_all(session):
            for page in PAGES:
                if page.url in due:
                    session.store.page(replace(page, fetched_at=at, body=body))
            if OVEN.url in due:
                session.store.outcome(OVEN)
        session.close("finished")
    index(data_dir)
    return gateway(data_dir)


def why(client: FlaskClient, url: str, **asked: str) -> str:
    return client.get("/why", query_string={"url": url, **asked}).text


def section(page: str, anchor: str) -> str:
    """The text of a section, without its markup."""
    found = re.search(rf'<section aria-labelledby="{anchor}">(.*?)</section>', page, re.DOTALL)
    assert found, anchor
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", found[1])).split())


def hrefs(page: str) -> set[str]:
    return {html.unescape(link) for link in re.findall(r'href="([^"]+)"', page)}


def test_every_section_that_the_contents_name_is_there_once(sections: FlaskClient) -> None:
    for url in (RYE, f"{SITE}/no.html", OVEN.url, "http://elsewhere.example/", "rye"):
        page = why(sections, url, q="rye")
        named = re.findall(r'<li><a href="#(\w+)">', page)
        assert sorted(named) == sorted(set(re.findall(r'<h2 id="(\w+)"', page)) - {"another", "sources"})


def test_the_way_from_the_seed_is_drawn_with_the_words_of_its_links(sections: FlaskClient) -> None:
    page = why(sections, RYE)
    way = re.findall(r'<p class="hop">(.*?)</p>\s*<p>.*?(http[^<"]+)(?:</a>|</strong>)', page, re.DOTALL)
    assert [url for _, url in way] == [f"{SITE}/", f"{SITE}/breads/", RYE]
    assert "A seed" in way[0][0]
    assert '<q dir="auto">our breads</q>' in way[1][0]
    assert html.escape(EVIL, quote=False) in way[2][0].replace("&#34;", '"')
    assert EVIL not in page
    assert f"/why?{urlencode({'url': f'{SITE}/breads/'})}" in hrefs(page)


def test_the_spelling_is_told_rule_by_rule(sections: FlaskClient) -> None:
    told = section(why(sections, "HTTP://Bakery.localhost:8400/./rye.html#crust"), "found")
    assert "HTTP://Bakery.localhost:8400/./rye.html#crust as entered" in told
    assert f"{RYE} dot segments are walked" in told
    assert "no rule changed it" in section(why(sections, RYE), "found")


def test_the_line_of_robots_txt_stands_among_its_neighbours(sections: FlaskClient) -> None:
    told = section(why(sections, RYE), "robots")
    assert "Allowed for Breadcrumb by line 6" in told
    assert "5 User-agent: Breadcrumb our group 6 Allow: /rye this line decides 7 Disallow: /oven" in told
    assert "its group for Breadcrumb applies; the group for * does not" in told


def test_each_visit_is_a_row_and_a_point_of_the_plot(sections: FlaskClient) -> None:
    page = why(sections, RYE)
    told = section(page, "history")
    changes = ("the first known request", "as many bytes as last time", "10 bytes fewer than last time")
    assert [told.index(change) for change in changes] == sorted(told.index(change) for change in changes)
    assert "days since the first" in told
    assert told.count("it was fetched and stored") == 3
    assert 'id="history"' not in why(sections, OVEN.url), "it was never fetched"


def test_what_a_page_asks_is_told_with_what_came_of_it(sections: FlaskClient) -> None:
    told = section(why(sections, f"{SITE}/secret.html"), "controls")
    assert "noarchive X-Robots-Tag: noarchive No copy of the page is shown." in told
    assert 'nofollow <meta name="robots"> 1 link of it is not followed.' in told
    assert "None: no robots meta" in section(why(sections, RYE), "controls")


def test_the_members_of_a_cluster_lead_to_their_own_page_and_to_what_differs(sections: FlaskClient) -> None:
    page = why(sections, RYE)
    assert "Cluster 1 has 2 pages in the index" in section(page, "similar")
    compare = "/why/diff?" + urlencode({"url": RYE, "with": f"{SITE}/copy.html"})
    assert {compare, "/why?" + urlencode({"url": f"{SITE}/copy.html"})} <= hrefs(page)
    assert "The crawl has no copies of it." in section(why(sections, f"{SITE}/"), "similar")


def listed() -> set[str]:
    """The paths of the inside views, without those of an extension that is off."""
    return {view.path for view in call_extensions("inside_views")}


def test_words_that_tell_it_from_others_come_first_and_lead_into_the_index(sections: FlaskClient) -> None:
    page = why(sections, RYE)
    words = re.findall(r'<th dir="auto" scope="row">(?:<a href="([^"]+)">)?(\w+)<', page)
    assert "the" not in [word for _, word in words[:5]]
    assert words[0] == ("/inside/index?term=rye&amp;field=body" if "/inside/index" in listed() else "", "rye")


def test_each_section_leads_to_the_view_of_the_inside_that_it_is_about(sections: FlaskClient) -> None:
    inside = sorted(link for link in hrefs(why(sections, RYE, q="rye")) if link.startswith("/inside/"))
    assert {link.partition("?")[0] for link in inside} == {
        "/inside/duplicates", "/inside/index", "/inside/links", "/inside/ranking", "/inside/robots"
    } & listed()  # fmt: skip
    assert {link: sections.get(link).status_code for link in inside} == dict.fromkeys(inside, 200)


def test_links_are_told_with_their_words_and_why_they_count_as_much(sections: FlaskClient) -> None:
    page = why(sections, RYE)
    told = section(page, "links")
    assert "1 page links to it in the crawl" in told
    assert "0.5 x 0.5, as the link is within one site" in told
    assert f"With nofollow , so without weight: {SITE}/secret.html" in told
    assert "By links it is number" in told or "PageRank" not in section(page, "decided")
    assert "No stored page has a followed link to it" in section(why(sections, f"{SITE}/quiet.html"), "links")


def test_the_bars_of_a_score_are_its_parts_and_add_up_to_it(sections: FlaskClient) -> None:
    page = why(sections, RYE, q="rye week")
    [total] = re.findall(r"Parts of the score ([\d.]+)</figcaption>", page)
    bars = [float(value) for value in re.findall(r"<title>[^<]*: (-?[\d.]+) of the score</title>", page)]
    assert len(bars) > 3
    assert sum(bars) == pytest.approx(float(total), abs=1e-4)
    assert f"Score for “<bdi>rye week</bdi>”: {total}" in page


def test_an_address_that_is_not_known_leads_to_those_that_may_be_meant(sections: FlaskClient) -> None:
    page = why(sections, "bakery.localhost/RYE.html", q="rye")
    assert "/why?" + urlencode({"url": RYE, "q": "rye"}) in hrefs(page)
    assert "Did you mean one of these?" in page
    told = sections.get("/why", query_string={"url": "rye.html", "format": "json"})
    assert (told.status_code, told.json["candidates"]) == (404, [RYE])  # type: ignore[index]  # it is there


def test_two_pages_are_laid_side_by_side_in_words_and_marks(sections: FlaskClient) -> None:
    asked = {"url": RYE, "with": f"{SITE}/copy.html"}
    page = sections.get("/why/diff", query_string=asked)
    assert page.status_code == 200
    assert "<del>week.</del>" in page.text
    assert "<ins>month.</ins>" in page.text
    assert EVIL not in page.text
    assert html.escape("<b></title><script>alert(1)</script><img", quote=False) in page.text
    told = sections.get("/why/diff", query_string=asked | {"format": "json"}).get_json()
    assert told["difference"]["gone"] == 1
    assert {"kind": "del", "text": "week.", "words": 1, "left_out": 0} in told["difference"]["pieces"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("/secret.html", "it has noarchive"),
        ("/quiet.html", "it limits how much of its text may be shown"),
        ("/no.html", "it is no result (noindex): a meta says noindex"),
        ("/unknown.html", "no page of it is stored"),
    ],
)
def test_what_a_page_withholds_is_not_shown_beside_another(sections: FlaskClient, other: str, reason: str) -> None:
    for first, second in ((RYE, SITE + other), (SITE + other, RYE)):
        answer = sections.get("/why/diff", query_string={"url": first, "with": second})
        assert answer.status_code == 404
        assert reason in answer.text
        assert "<ins>" not in answer.text.replace("<dt><ins>", "")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"url": RYE}, "url and with are the URLs of two pages"),
        ({"url": RYE, "with": "x" * 100_000}, "with has 100000 characters"),
        ({"url": "x" * 100_000, "with": RYE}, "url has 100000 characters"),
    ],
)
def test_what_can_not_be_compared_is_refused(sections: FlaskClient, asked: dict[str, str], sentence: str) -> None:
    answer = sections.get("/why/diff", query_string=asked)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert sections.get("/why/diff", query_string={"url": "ftp://x/", "with": RYE}).status_code == 404


def test_a_page_without_a_copy_says_what_would_help(sections: FlaskClient) -> None:
    def told(url: str) -> str:
        return html.unescape(sections.get("/cached", query_string={"url": url, "q": "rye"}).text)

    assert "Only the owner of the page can change that. Open the page itself" in told(f"{SITE}/secret.html")
    assert "Only its owner can change that: once the robots.txt allows it" in told(OVEN.url)
    assert "robots.txt, line 7: Disallow: /oven" in told(OVEN.url)
    page = told("http://bakery.localhost/rye.html")
    assert "/cached?" + urlencode({"url": RYE, "q": "rye"}) in page
    assert "/search?q=rye" in hrefs(told(RYE)), "a copy leads back to the results"


def test_of_a_divided_crawl_the_way_leads_through_its_parts(tmp_path: Path) -> None:
    one, two = Partition(1, 2), Partition(2, 2)
    here, there = (
        next(f"http://{name}.example/" for name in "abcdefgh" if part.owns(f"{name}.example")) for part in (one, two)
    )
    for part in (one, two):
        seeds = (canonicalize(here), canonicalize(there))
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        session.receive()
        for url in lease_all(session):
            page = replace(PAGES[0], url=url, links=(Link(f"{there}rye", "across"),))  # type: ignore[arg-type]  # canonical
            session.store.page(page)
        session.close("finished")
    client = gateway(tmp_path)
    told = why(client, f"{there}rye")
    way = re.findall(r'<p class="hop">(.*?)</p>\s*<p>.*?(http[^<"]+)(?:</a>|</strong>)', told, re.DOTALL)
    assert [url for _, url in way][-1] == f"{there}rye"
    assert '<q dir="auto">across</q>' in way[-1][0]
    host = there.removeprefix("http://").removesuffix("/")
    slips = (f"www.{host}", f"{host}s", f"{host}e", f"{host}x", host.replace("example", "exampel"))
    slip = next(name for name in slips if one.owns(name))
    elsewhere = client.get("/why", query_string={"url": f"http://{slip}/rye"})
    assert (elsewhere.status_code, f"{there}rye" in elsewhere.text) == (404, True), "another part knows it"


def test_without_its_crawl_the_page_says_what_is_the_case(tmp_path: Path) -> None:
    client = gateway(tmp_path)
    for path in (f"/why?url={RYE}", f"/why/diff?url={RYE}&with={SITE}/", f"/cached?url={RYE}"):
        answer = client.get(path)
        assert answer.status_code == 503
        assert "The crawl can't be used" in html.unescape(answer.text)
        assert 'action="/search"' in answer.text, "the rest of the page is usable"
