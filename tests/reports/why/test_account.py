"""Everything known about one URL, in the order in which it was decided."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.pages.clusters import settle
from crawldb.tables.robots_files import note_request, write_robots
from frontier.takedown import block, forget
from pages.content.similarity import ORDERS
from reports.why import UrlRecord, url_record, why_rows
from robots import RobotsRecord, RobotsRequest
from urls.canonical import Scope, canonicalize
from urls.policy import Policy
from urls.records import LeaseEnd, Link, Outcome, Page, Refusal
from urls.rules import Rule
from urls.traps import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.session import Session

HOST = "http://bakery.localhost:8400"
ROBOTS = b"User-agent: *\nDisallow: /ovens/\n"


@pytest.fixture
def crawl(open_session: Callable[..., Session]) -> Session:
    """The first page of the bakery is stored, and its robots.txt is known."""
    session = open_session(f"{HOST}/")
    origin = "http://bakery.localhost:8400"
    record = RobotsRecord(origin, "PARSED", "robots.txt answered 200", time.time(), time.time() + 60, 200, ROBOTS)
    hop = RobotsRequest(f"{HOST}/robots.txt", record.fetched_at, 0.01, 200, len(ROBOTS))
    note_request(session.database, session.run, record.origin, hop)
    write_robots(session.database, session.run, record)
    lease(session)
    links = [f"{HOST}/rye.html", f"{HOST}/ovens/", f"{HOST}/a/a/a/", "ftp://bakery.localhost/price-list"]
    session.store.page(page("/", *links, title="The bakery", text="Fresh bread every morning"))
    return session


def lease(session: Session) -> None:
    session.frontier.lease(10, lambda _site: 10)


def page(path: str, *links: str, **fields: object) -> Page:
    words = {"title": path, "text": f"The text of {path}", "fetched_at": time.time(), "fingerprint": path.encode()}
    return Page(canonicalize(HOST + path), links=tuple(Link(url, "bread") for url in links), **(words | fields))  # type: ignore[arg-type]  # a dict of several types


def end(session: Session, path: str, fate: LeaseEnd, rule: str, reason: str, **fields: object) -> None:
    lease(session)
    outcome = Outcome(canonicalize(HOST + path), fate, rule, reason, fetched_at=time.time(), **fields)  # type: ignore[arg-type]  # a dict of several types
    session.store.outcome(outcome)


def ask(session: Session, path: str) -> UrlRecord:
    return url_record(session.database, HOST + path)


def test_an_indexed_page_is_told_from_its_address_to_what_can_be_done(crawl: Session) -> None:
    lease(crawl)
    crawl.store.page(page("/rye.html", title="Rye bread", text="Rye bread keeps for a week."))
    found = ask(crawl, "/./rye.html#crust")
    assert [step.after for step in found.steps][-1] == found.canonical == f"{HOST}/rye.html"
    assert (found.state, found.rule, found.found_by, found.depth) == ("done", "fetched", "link", 1)
    assert found.found_on == f"{HOST}/"
    assert found.page is not None
    assert found.page.indexed
    assert found.page.anchors == ("bread",)
    assert [fetch.rule for fetch in found.fetches] == ["fetched"]
    labels = [row.label for row in why_rows(found)]
    order = ["URL", "found", "robots", "fetched", "page", "filters", "links", "state", "revisit", "next"]
    assert [label for label in dict.fromkeys(labels) if label] == order
    assert found.url == f"{HOST}/./rye.html#crust"


def test_the_robots_line_that_decides_is_named(crawl: Session) -> None:
    end(crawl, "/ovens/", LeaseEnd.REFUSED, "robots", "robots.txt: disallowed by line 2", requested=False)
    found = ask(crawl, "/ovens/")
    assert found.robots is not None
    assert (found.robots.allowed, found.robots.line, found.robots.rule) == (False, 2, "Disallow: /ovens/")
    assert found.state == "suppressed"
    assert [entry.rule for entry in found.journal] == ["robots"]
    assert found.advice == "Only its owner can change that: once the robots.txt allows it, the next round fetches it."


def test_a_robots_txt_that_was_never_asked_for_decides_nothing(crawl: Session) -> None:
    found = url_record(crawl.database, "https://bakery.localhost:8400/")
    assert found.robots is not None
    assert found.robots.allowed is None


def test_the_product_token_chooses_the_group(crawl: Session) -> None:
    record = RobotsRecord(
        "http://bakery.localhost:8400", "PARSED", "", 0.0, 1.0, 200, b"User-agent: Crumb\nDisallow: /\n"
    )
    write_robots(crawl.database, crawl.run, record)
    asked = {token: url_record(crawl.database, f"{HOST}/", token).robots for token in ("Crumb", "Breadcrumb")}
    assert {token: answer and answer.allowed for token, answer in asked.items()} == {"Crumb": False, "Breadcrumb": True}


def test_a_copy_names_the_page_that_it_is_a_copy_of(crawl: Session) -> None:
    lease(crawl)
    original = canonicalize(f"{HOST}/")
    refusals = (Refusal(Rule.DUPLICATE, "it is a copy"),)
    crawl.store.page(page("/rye.html", refusals=refusals, duplicate_of=original))
    found = ask(crawl, "/rye.html")
    assert found.duplicate_of == original
    assert any(original in row.text for row in why_rows(found) if "copy of" in row.text.lower())
    assert found.page is not None
    assert not found.page.indexed


def test_a_near_copy_tells_its_cluster_the_canonical_and_the_words_on_which_they_part(crawl: Session) -> None:
    crawl.database.connection.execute("UPDATE url SET state = 1")
    crawl.store.page(page("/", text="Fresh bread every morning", signature=bytes(ORDERS)))
    words = {"text": "Fresh bread every evening", "signature": bytes(ORDERS - 9) + b"123456789"}
    crawl.store.page(page("/rye.html", **words))
    with crawl.database.transaction():
        settle(crawl.database)
    found = ask(crawl, "/rye.html")
    assert (found.near_duplicate_of, found.resemblance) == (f"{HOST}/", 1 / 3)
    assert found.cluster is not None
    assert (found.cluster.pages, found.cluster.others) == (2, (f"{HOST}/",))
    told = " ".join(row.text for row in why_rows(found))
    assert f"1 near copy (cluster {found.cluster.id}): {HOST}/." in told
    assert f"{HOST}/ is the canonical one: it has the shortest URL of them." in told
    assert "The two pages share 33% of their word groups." in told
    assert "only here: “Fresh bread every evening”; only there: “Fresh bread every morning”" in told
    assert "This page is the canonical one" in " ".join(row.text for row in why_rows(ask(crawl, "/")))
    assert json.dumps(found.as_dict())


def test_a_noindex_page_says_whose_wish_it_was(crawl: Session) -> None:
    lease(crawl)
    crawl.store.page(page("/rye.html", refusals=(Refusal(Rule.NOINDEX, "its meta robots says noindex"),)))
    found = ask(crawl, "/rye.html")
    assert found.advice == "Only its owner can change that."
    told = " ".join(row.text for row in why_rows(found))
    assert "meta robots says noindex" in told
    assert "“/rye.html”: its words are not stored, " in told, "it is not said to have 0 words"


def test_a_moved_url_leads_to_the_account_of_its_target(crawl: Session) -> None:
    end(crawl, "/rye.html", LeaseEnd.MOVED, "moved", "301", status=301, target=f"{HOST}/brot.html")
    found = ask(crawl, "/rye.html")
    assert found.moved_to == f"{HOST}/brot.html"
    assert found.advice.endswith(f"./breadcrumb why {HOST}/brot.html")
    assert ask(crawl, "/brot.html").found_by == "redirect"


def test_a_page_that_is_gone_counts_its_misses(crawl: Session) -> None:
    end(crawl, "/rye.html", LeaseEnd.GONE, "gone", "it answered 404", status=404)
    found = ask(crawl, "/rye.html")
    assert (found.state, found.misses, found.page) == ("failed", 1, None)
    assert [fetch.status for fetch in found.fetches] == [404]


def test_a_deferred_url_says_when_it_is_due(crawl: Session) -> None:
    end(crawl, "/rye.html", LeaseEnd.DEFERRED, "timeout", "no answer within 30 s", retry_after=120.0)
    found = ask(crawl, "/rye.html")
    assert found.state == "queued"
    assert any("due in 1" in row.text for row in why_rows(found) if row.label == "state")


def test_a_trap_is_told_with_the_page_that_led_into_it(crawl: Session) -> None:
    found = ask(crawl, "/a/a/a/")
    assert found.refusal is not None
    assert (found.state, found.refusal.rule) == ("suppressed", "repeated-path")
    assert found.journal[0].url == f"{HOST}/"


def test_an_overlong_url_is_found_under_its_shortened_name(crawl: Session) -> None:
    path = "/" + "x" * 2000
    lease(crawl)
    crawl.store.page(page("/rye.html", HOST + path))
    found = ask(crawl, path)
    assert found.discovered
    assert found.refusal is not None
    assert found.refusal.rule == "url-length"


def test_a_blocked_page_says_that_nothing_overrides_it(crawl: Session) -> None:
    block(crawl.database, "bakery.localhost:8400", "its owner wrote to us")
    found = ask(crawl, "/")
    assert found.state == "suppressed"
    assert any("its owner wrote to us" in row.text for row in why_rows(found))
    assert "blacklist" in found.advice


def test_a_forgotten_page_is_known_without_its_record(crawl: Session) -> None:
    forget(crawl.database, f"{HOST}/")
    found = ask(crawl, "/")
    assert (found.discovered, found.page) == (True, None)
    assert "forgotten" in {entry.rule for entry in found.journal}


def test_a_url_is_known_under_a_form_only_where_it_is_known(crawl: Session) -> None:
    told = {path: [row.text for row in why_rows(ask(crawl, path)) if row.label == "URL"] for path in ("/", "/new")}
    assert told == {
        "/": ["The URL is in canonical form, and the crawl knows it."],
        "/new": ["The URL is in canonical form."],
    }


@pytest.mark.parametrize(("count", "urls"), [(1, f"1 URL: {HOST}/x."), (2, f"2 URLs, such as {HOST}/x.")])
def test_a_reason_that_is_a_question_keeps_its_mark_and_what_was_requested_is_called_no_link(
    crawl: Session, count: int, urls: str
) -> None:
    with crawl.database.transaction():
        found = crawl.database.count("SELECT id FROM url WHERE url = ?", f"{HOST}/rye.html")
        crawl.store.journal.write(found, Rule.PROBE, "would it have a page for any name?", [f"{HOST}/x"], count=count)
    [row] = [row for row in why_rows(ask(crawl, "/rye.html")) if row.label == "journal"]
    assert row.text.endswith(f"would it have a page for any name? {urls}")


def test_a_url_that_was_never_discovered_can_be_submitted(crawl: Session) -> None:
    found = ask(crawl, "/nowhere.html")
    assert (found.state, found.refusal) == ("not discovered", None)
    assert f"submit {HOST}/nowhere.html" in found.advice


def test_a_url_of_another_site_is_off_site(crawl: Session) -> None:
    found = url_record(crawl.database, "http://cellar.localhost:8400/")
    assert found.refusal is not None
    assert found.refusal.rule == "off-site"


def test_only_links_to_sites_without_a_seed_are_left_out(open_session: Callable[..., Session]) -> None:
    crawl = open_session(f"{HOST}/", "http://cellar.localhost:8400/")
    lease(crawl)
    links = [f"http://{site}.localhost:8400/" for site in ("bakery", "cellar", "attic", "shed")]
    crawl.store.page(page("/", *links))
    [told] = [row.text for row in why_rows(ask(crawl, "/")) if row.label == "page"]
    assert told.endswith("4 links, 2 of them left out because no seed was on their site.")


def test_where_no_link_is_left_out_nothing_is_said_of_it(crawl: Session) -> None:
    lease(crawl)
    crawl.store.page(page("/", f"{HOST}/rye.html"))
    [told] = [row.text for row in why_rows(ask(crawl, "/")) if row.label == "page"]
    assert told.endswith(", 1 link.")


def test_the_policy_of_the_caller_judges_what_was_never_discovered(crawl: Session) -> None:
    policy = Policy(Scope(frozenset({"bakery.localhost:8400"})), limits=Limits(max_url_length=40))
    found = url_record(crawl.database, f"{HOST}/a-rather-long-name.html", policy=policy)
    assert found.refusal is not None
    assert found.refusal.rule == "url-length"


def test_a_link_that_can_t_be_fetched_is_told_with_its_page(crawl: Session) -> None:
    found = url_record(crawl.database, "ftp://bakery.localhost/price-list")
    assert found.state == "unusable"
    assert [entry.url for entry in found.journal] == [f"{HOST}/"]
    assert found.refusal is not None
    assert found.refusal.rule == "scheme"


@pytest.mark.parametrize("text", ["", " ", "bread", "http://", "mailto:baker@bakery.localhost", "http://[", "\ud800"])
def test_what_is_no_address_gets_an_account_too(crawl: Session, text: str) -> None:
    found = url_record(crawl.database, text)
    assert found.state == "unusable"
    assert found.advice
    assert why_rows(found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.text().map("http://bakery.localhost:8400/{}".format) | st.text().map("http://{}/".format))
def test_any_text_gets_an_account_that_json_can_hold(crawl: Session, text: str) -> None:
    found = url_record(crawl.database, text)
    assert json.loads(json.dumps(found.as_dict()))["state"] == found.state
    assert why_rows(found)


def test_json_has_the_names_that_people_rely_on(crawl: Session) -> None:
    names = set(ask(crawl, "/").as_dict())
    assert names >= {"url", "canonical", "steps", "robots", "state", "journal", "page", "duplicate_of", "advice"}
    assert set(ask(crawl, "/").as_dict()["robots"]) >= {"allowed", "line", "rule"}


def test_reading_a_dossier_writes_nothing(crawl: Session) -> None:
    with CrawlDatabase(crawl.database.path.parent, readonly=True) as database:
        assert url_record(database, f"{HOST}/").discovered
