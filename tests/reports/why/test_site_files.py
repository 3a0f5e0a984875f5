"""`why` reports the files of a site, and the controls of a page.

For a robots.txt, it shows the verdict, the copy that decides, the failures, and the earlier state. For a sitemap, it
shows who names it, and its result; for a page that only a sitemap lists, when it changed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from crawldb.tables.robots_files import write_robots
from reports.why import url_record, why_rows
from reports.why.site_files import CHANGES_SHOWN, RobotsStatus, robots_sentences, robots_status
from robots import AccessState, RobotsRecord, controls_from
from tests.robots.answers import ANSWERS, DAY, STATES, T
from tests.samples import SEED, a_page, lease_all
from urls.canonical import canonicalize
from urls.records import Sitemap, SitemapEntry

if TYPE_CHECKING:
    from frontier.session import Session

URL = "http://seeds.example/other"
MAP = canonicalize(f"{SEED}sitemap.xml")


def ask(session: Session, *states: AccessState) -> RobotsStatus:
    for state in states:
        write_robots(session.database, session.run, RobotsRecord.of("http://seeds.example:80", state))
    return robots_status(session.database, URL, "Breadcrumb")


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("open", True),
        ("a file", False),
        ("denied", False),
        ("failing for an hour, a copy", False),
        ("failing for a day, a copy", False),
        ("failing for 31 days, no copy", True),
    ],
)
def test_the_verdict_is_that_of_what_holds(session: Session, state: str, allowed: bool) -> None:
    found = ask(session, STATES[state])
    assert (found.allowed, found.state) == (allowed, STATES[state].access.name)
    assert json.loads(json.dumps(asdict(found)))["allowed"] is allowed


def test_what_was_never_asked_for_decides_nothing(session: Session) -> None:
    assert list(robots_sentences(ask(session))) == ["Its robots.txt was never requested. A crawl requests it first."]


def test_a_site_that_answers_takes_one_sentence(session: Session) -> None:
    verdict = "Disallowed for Breadcrumb by line 2, 'Disallow: /other' (the longest rule that matches)"
    told = f"{verdict}; http://seeds.example/robots.txt, 2026-11-20 06:00 UTC."
    assert list(robots_sentences(ask(session, STATES["a file"]))) == [told]


def test_a_failure_is_told_with_its_beginning_its_copy_and_the_next_try(session: Session) -> None:
    failed = "robots.txt has failed since 2026-11-21 05:00 UTC, 2 times in a row"
    told = f"{failed}; last good copy of 2026-11-20 06:00 UTC; next request 2026-11-21 06:00 UTC."
    assert told in robots_sentences(ask(session, STATES["failing for an hour, a copy"]))
    first = ask(session, AccessState().after(ANSWERS["500"], T))
    assert any("once; no copy" in text for text in robots_sentences(first))


def test_the_latest_changes_are_told_and_the_newest_first(session: Session) -> None:
    names = ("200", "500", "404", "503", "204", "200", "404")
    found = ask(session, *(AccessState().after(ANSWERS[name], T + day * DAY) for day, name in enumerate(names)))
    told = [text for text in robots_sentences(found) if text.startswith("From")]
    assert len(told) == len(found.changes) == CHANGES_SHOWN
    assert told[0] == "From 2026-11-27 06:00 UTC: open (robots.txt answered 404: there is no file)."
    assert told[3].startswith("From 2026-11-24 06:00 UTC: closed (robots.txt answered 503")


def read(session: Session, *entries: SitemapEntry) -> None:
    session.store.name_sitemaps("http://a.example:80", [MAP])
    lease_all(session)
    session.store.sitemap(Sitemap(MAP, "urlset", entries, warnings=("it is odd",), fetched_at=86_400.0))


def told(session: Session, url: str) -> str:
    return "\n".join(map(str, why_rows(url_record(session.database, url))))


def test_a_sitemap_says_who_names_it_and_what_was_read_in_it(session: Session) -> None:
    read(session, SitemapEntry(f"{SEED}x"), SitemapEntry("http://b.example/"))
    said = told(session, MAP)
    assert "found     A robots.txt names it as a sitemap; " in said
    assert "sitemap   The robots.txt of http://a.example:80 names it as a sitemap, so it is not a page." in said
    assert "Read 1970-01-02 00:00 UTC: a list of pages, 2 entries, 1 page of them in scope, 1 of them new" in said
    assert "warning: it is odd." in said
    assert "next      The next round reads it again if it has changed" in said


def test_a_page_says_in_which_sitemap_it_was_found_and_when_it_changed(session: Session) -> None:
    read(session, SitemapEntry(f"{SEED}x", 86_399.0))
    said = told(session, f"{SEED}x")
    assert f"found     It is in the sitemap {MAP}; " in said
    assert "Its sitemap gives 1970-01-01 23:59 UTC" in said
    assert "from a seed" not in said


def test_a_sitemap_on_a_host_that_is_not_crawled_is_not_said_to_be_off_site(session: Session) -> None:
    session.store.name_sitemaps("http://a.example:80", ["http://elsewhere.invalid/map"])
    found = url_record(session.database, "http://elsewhere.invalid/map")
    assert found.refusal is None
    assert found.sitemap is not None
    assert (found.sitemap.named_by, found.sitemap.read_at) == (("http://a.example:80",), None)


def test_each_wish_of_a_page_is_told_with_where_it_stands(session: Session) -> None:
    lease_all(session)
    asks = controls_from(
        [("X-Robots-Tag", "noindex, indexifembedded")], [("robots", "max-snippet: 20")], agent="Breadcrumb"
    )
    session.store.page(a_page(SEED, controls=asks, canonical=f"{SEED}b", links=()))
    said = told(session, SEED)
    assert "controls  noindex, from X-Robots-Tag: noindex, indexifembedded." in said
    assert 'max-snippet: 20, from <meta name="robots">.' in said
    assert "indexifembedded has no effect here" in said
    assert f"Its canonical link names {SEED}b" in said
    assert f"Named as the canonical address by {SEED}" in told(session, f"{SEED}b")
