"""The forecast of `why` for the next round holds: the test runs that round, and checks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import block, forget
from reports.why import url_record, why_rows
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Refusal, Sitemap, SitemapEntry
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Ending = Callable[[Session, str], object]

URL = canonicalize(f"{SEED}page")
MAP = canonicalize(f"{SEED}sitemap.xml")
ORIGIN = "http://a.example:80"
STALE = 3
PROMISES = ("the next round", "the next crawl fetches")
NEVER = "no round asks for it"


def round_of(data_dir: Path, endings: Mapping[str, Ending], *also: Callable[[Session], object]) -> set[str]:
    """Run a round in which URLs end so, and all others are stored; return what it asked for."""
    session = Session(data_dir, CrawlJob((SEED,), stale_after=STALE))
    for act in also:
        act(session)
    asked: set[str] = set()
    while urls := lease_all(session):
        asked.update(urls)
        for url in urls:
            if url in endings:
                endings[url](session, url)
            else:
                session.store.page(a_page(url, links=tuple(endings)))
    session.close("finished")
    return asked


def told(data_dir: Path, url: str) -> str:
    with CrawlDatabase(data_dir, readonly=True) as database:
        return " ".join(row.text for row in why_rows(url_record(database, url, stale_after=STALE))).lower()


def fails(fate: LeaseEnd, rule: Rule) -> Ending:
    return lambda session, url: session.store.outcome(an_outcome(url, fate, rule, status=None))


def is_stored(*refusals: Refusal) -> Ending:
    return lambda session, url: session.store.page(a_page(url, refusals=refusals))


def then(ending: Ending, act: Callable[[CrawlDatabase, str], object]) -> Ending:
    def both(session: Session, url: str) -> None:
        ending(session, url)
        act(session.database, url)

    return both


ENDINGS: dict[str, Ending] = {
    **{f"failed-{rule}": fails(LeaseEnd.FAILED, rule) for rule in Rule},
    **{f"stored-{rule}": is_stored(Refusal(rule, "because")) for rule in Rule},
    "stored": is_stored(),
    "disallowed": fails(LeaseEnd.REFUSED, Rule.ROBOTS),
    "refused-type": fails(LeaseEnd.REFUSED, Rule.TYPE),
    "forgotten": then(is_stored(), forget),
    "failed-and-forgotten": then(fails(LeaseEnd.FAILED, Rule.DNS), forget),
    "blocked": then(is_stored(), lambda database, url: block(database, url, "")),
}


@pytest.mark.slow
def test_what_the_next_round_is_said_to_do_it_does(data_dir: Path) -> None:
    endings: dict[str, Ending] = {canonicalize(SEED + name): ending for name, ending in ENDINGS.items()}
    assert round_of(data_dir, endings) == {SEED, *endings}
    said = {url: told(data_dir, url) for url in endings}
    asked = round_of(data_dir, endings)
    promised = {url for url, text in said.items() if any(promise in text for promise in PROMISES)}
    assert promised
    assert not promised - asked
    assert not {url for url in asked & said.keys() if NEVER in said[url]}


def test_what_was_under_way_when_a_run_ended_is_asked_for_by_the_next_crawl(data_dir: Path) -> None:
    endings: dict[str, Ending] = {URL: lambda *_: None}
    round_of(data_dir, endings)
    assert "the next crawl fetches it" in told(data_dir, URL)
    assert round_of(data_dir, endings) == {URL}


def test_a_page_that_is_gone_is_asked_for_as_often_as_is_said(data_dir: Path) -> None:
    round_of(data_dir, {URL: is_stored()})
    gone: dict[str, Ending] = {URL: fails(LeaseEnd.GONE, Rule.GONE)}
    said = []
    for _ in range(STALE):
        assert URL in round_of(data_dir, gone)
        said.append(told(data_dir, URL))
    assert URL not in round_of(data_dir, gone)
    assert "the next round requests it. after 2 more such responses, no round does" in said[0]
    assert "after 1 more such response" in said[1]
    assert (
        "its server returned 404 or 410 (3 times in a row), and stale_after is 3: no round requests it again" in said[2]
    )
    assert all(("the next round" in text) == (number < STALE) for number, text in enumerate(said, 1))


def test_a_sitemap_that_nobody_names_any_longer_is_not_said_to_be_read_again(data_dir: Path) -> None:
    def read(session: Session, url: str) -> None:
        session.store.sitemap(Sitemap(canonicalize(url), "urlset", (SitemapEntry(URL),), fetched_at=1.0))

    endings: dict[str, Ending] = {MAP: read}
    round_of(data_dir, endings, lambda session: session.store.name_sitemaps(ORIGIN, [MAP]))
    assert "the next round reads it again" in told(data_dir, MAP)
    assert MAP in round_of(data_dir, endings)
    round_of(data_dir, endings, lambda session: session.store.name_sitemaps(ORIGIN, []))
    assert "the next round" not in told(data_dir, MAP)
    assert MAP not in round_of(data_dir, endings)
