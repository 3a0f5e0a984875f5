"""Doorways, link farms and anchor bombs are found among stored pages; honest series, menus and webrings are not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.pages.signals import signals_of
from crawldb.tables.feed import Feed
from crawldb.tables.journal import Journal
from crawldb.visited import find
from frontier.spoofing import GroupThresholds, judge_together
from frontier.takedown import forget
from pipelines.judges import Criteria, Judges
from tests.samples import a_page
from urls.content.signals import SignalName
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.session import Session

Told = tuple[str, str, tuple[tuple[str, str], ...]]  # title, text, links with their words
USUAL = GroupThresholds()
SITES = tuple(f"http://{name}.example/" for name in "abc")
DOOR = (
    "Are you in {0} and do you need a sextant? People in {0}, and all around {0}, have trusted us with their voyages."
)
TOWNS = ("Elmhaven", "Foxbridge", "Gullmouth")
GET = ((f"{SITES[0]}get.html", ""),)
LONG = " ".join(f"word{number}" for number in range(120))


@pytest.fixture
def crawl(open_session: Callable[..., Session]) -> Session:
    return open_session(*SITES)


def store(session: Session, pages: dict[str, Told]) -> None:
    """Store pages by their address: title, text, and links with their words. The seeds lead to all of them."""
    session.frontier.lease(10, lambda _: 10)
    judges = Judges(session.database, Criteria(near_duplicate_threshold=1))
    for seed in SITES:
        session.store.page(
            a_page(seed, f"The front page of {seed}", tuple(url for url in pages if url.startswith(seed)))
        )
    for lease in session.frontier.lease(100, lambda _: 100):
        title, text, links = pages[lease.url]
        linked = tuple(Link(url, words) for url, words in links)
        page = a_page(lease.url, text, content_type="text/html", fingerprint=b"")
        session.store.page(judges.judge(replace(page, title=title, links=linked)))


def found(session: Session, thresholds: GroupThresholds = USUAL) -> dict[str, set[str]]:
    """The signals by page, without the ending of the host."""
    judge_together(session.database, Journal(session.database), thresholds)
    rows = session.database.connection.execute(
        "SELECT url.url, name FROM signal JOIN url ON url.id = signal.url"
    ).fetchall()
    told: dict[str, set[str]] = {}
    for url, name in rows:
        told.setdefault(url.removeprefix("http://").replace(".example", ""), set()).add(name)
    return told


def doors(*targets: str, towns: tuple[str, ...] = TOWNS, more: str = "") -> dict[str, Told]:
    links = tuple((target, "") for target in targets)
    return {
        f"{SITES[0]}in/{town.lower()}.html": (f"Sextant in {town}", DOOR.format(town) + more.format(town), links)
        for town in towns
    }


def test_pages_that_differ_in_a_name_and_lead_to_one_place_are_doorways(crawl: Session) -> None:
    shop = f"{SITES[0]}shop.html"
    store(crawl, doors(shop, SITES[0]) | {shop: ("Shop", LONG, ())})
    assert found(crawl) == {f"a/in/{town.lower()}.html": {"doorway"} for town in TOWNS}
    [evidence] = {
        each.evidence
        for each in signals_of(crawl.database, find(crawl.database.connection, f"{SITES[0]}in/elmhaven.html") or 0, ())
    }
    assert evidence == f"3 pages say the same but for a name (elmhaven, foxbridge, gullmouth …) and lead to {shop}"
    assert found(crawl, GroupThresholds(doorways=4)) == {}


def test_they_may_lead_off_the_sites_that_are_crawled(crawl: Session) -> None:
    store(crawl, doors("http://shop.example/buy"))
    assert len(found(crawl)) == 3


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(doors(f"{SITES[0]}shop.html", towns=TOWNS[:2]), id="two of them"),
        pytest.param(doors(*(f"{SITES[1]}{number}.html" for number in range(6))), id="pages that lead to many places"),
        pytest.param(doors(), id="pages that lead nowhere"),
        pytest.param(
            {f"{SITES[0]}{n}.html": (f"Release {n}", LONG + f" {n}" * n, GET) for n in (1, 2, 3)},
            id="a series that differs in more than its name",
        ),
        pytest.param(
            {f"{SITES[0]}{n}.html": ("A sextant", DOOR.format("town"), GET) for n in (1, 2, 3)},
            id="pages of one name",
        ),
    ],
)  # fmt: skip
def test_honest_series_are_no_doorways(crawl: Session, pages: dict[str, Told]) -> None:
    store(crawl, pages)
    assert found(crawl) == {}


def farm(text: str, sites: tuple[str, ...] = SITES) -> dict[str, Told]:
    rooms = [f"{site}{number}.html" for site in sites for number in (1, 2, 3)]
    return {
        room: (f"Room {at}", f"{text} {at}", tuple((other, f"room {other}") for other in rooms if other != room))
        for at, room in enumerate(rooms)
    }


def test_pages_of_few_sites_with_little_text_that_link_to_each_other_are_a_farm(crawl: Session) -> None:
    store(crawl, farm("Red lights and a slot"))
    assert found(crawl) == {f"{site}/{number}.html": {"link-farm"} for site in "abc" for number in (1, 2, 3)}
    assert found(crawl, GroupThresholds(farm_pages=7)) == {}


@pytest.mark.parametrize(
    ("text", "sites"),
    [pytest.param(LONG, SITES, id="pages with a text, such as those of a webring"),
     pytest.param("A room", SITES[:1], id="the pages of one site: its menu")],
)  # fmt: skip
def test_honest_neighbours_are_no_farm(crawl: Session, text: str, sites: tuple[str, ...]) -> None:
    store(crawl, farm(text, sites))
    assert found(crawl) == {}


def bomb(words: str, target_says: str, *, many: int = 6) -> dict[str, Told]:
    lamps = f"{SITES[0]}lamps.html"
    throwers = {f"{SITES[1]}{n}.html": (f"Page {n}", f"{LONG} {n}", ((lamps, words),)) for n in range(many)}
    return throwers | {lamps: ("Lamps", target_says, ())}


def test_links_that_call_a_page_what_it_does_not_speak_of_are_a_bomb(crawl: Session) -> None:
    store(crawl, bomb("brass sextant", "Wicks and oil"))
    assert found(crawl) == {"a/lamps.html": {"anchor-bomb"}}
    assert found(crawl, GroupThresholds(bomb_links=7)) == {}


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(bomb("brass sextant", "Lamps of brass"), id="the page speaks of it"),
        pytest.param(bomb("click here", "Wicks and oil"), id="words for any page"),
        pytest.param(bomb("12", "Wicks and oil"), id="a number"),
        pytest.param(bomb("brass sextant", "Wicks", many=4), id="four links"),
        pytest.param({f"{SITES[0]}{n}.html": ("P", LONG, ((f"{SITES[0]}lamps.html", "sextant"),)) for n in range(6)}
                     | {f"{SITES[0]}lamps.html": ("Lamps", "Wicks", ())}, id="a site about itself"),
    ],
)  # fmt: skip
def test_honest_links_are_no_bomb(crawl: Session, pages: dict[str, Told]) -> None:
    store(crawl, pages)
    assert found(crawl) == {}


def test_what_changes_reaches_the_index_by_the_feed_and_what_does_not_is_left_alone(crawl: Session) -> None:
    store(crawl, bomb("sextant", "Wicks and oil"))
    feed = Feed(crawl.database)
    before = feed.last()
    assert judge_together(crawl.database, Journal(crawl.database), GroupThresholds()) == 1
    [change] = feed.after(before, 10)
    assert change.page is not None
    assert [each.name for each in change.page.signals] == [SignalName.ANCHOR_BOMB]
    assert judge_together(crawl.database, Journal(crawl.database), GroupThresholds()) == 0
    assert feed.last() == before + 1


def test_a_page_that_goes_takes_its_signals_along(crawl: Session) -> None:
    store(crawl, farm("Red lights and a slot"))
    assert found(crawl)
    for site in SITES:
        forget(crawl.database, site)
    assert (
        crawl.database.count("SELECT count(*) FROM signal") == crawl.database.count("SELECT count(*) FROM trait") == 0
    )


def test_the_end_of_a_run_judges_and_a_judgement_without_time_is_journaled(
    open_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(*SITES)
    store(session, bomb("sextant", "Wicks and oil"))
    monkeypatch.setattr("frontier.spoofing.MAX_SECONDS", -1.0)
    monkeypatch.setattr("frontier.spoofing.STEPS", 1)
    assert found(session) == {}
    [entry] = session.store.journal.latest(rule="spoofing")
    assert "took more than" in entry.reason
    monkeypatch.undo()
    session.close("finished")
    again = open_session()
    assert again.database.count("SELECT count(*) FROM signal") == 1
