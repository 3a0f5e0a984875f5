"""Doorways, link farms and anchor bombs are found among stored pages; honest series, menus and webrings are not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from crawldb.pages.feed import Feed
from crawldb.pages.pages import signals_of
from crawldb.tables.journal import Journal
from crawldb.visited import find
from extensions.spoofing.groups import GroupThresholds, find_spoofing
from extensions.spoofing.page_signals import SpoofThresholds
from frontier.takedown import forget
from pipelines.filters import FilterSettings, PageFilters
from spiders.own_settings import FORMER
from tests.samples import a_page
from urls.records import Link
from urls.signals import SignalName

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
    filters = PageFilters(session.database, FilterSettings(near_duplicate_threshold=1))
    for seed in SITES:
        session.store.page(
            a_page(seed, f"The front page of {seed}", tuple(url for url in pages if url.startswith(seed)))
        )
    for lease in session.frontier.lease(100, lambda _: 100):
        title, text, links = pages[lease.url]
        linked = tuple(Link(url, words) for url, words in links)
        page = a_page(lease.url, text, content_type="text/html", fingerprint=b"")
        session.store.page(filters.apply(replace(page, title=title, links=linked)))


def found(session: Session, thresholds: GroupThresholds = USUAL) -> dict[str, set[str]]:
    """The signals by page, without the ending of the host."""
    find_spoofing(session.database, Journal(session.database), thresholds)
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


SHORT_DOOR = "Sextants in {0}? We have the best near {0}. Call now, day or night!"


def short_doors(*sites: str, many: int) -> dict[str, Told]:
    """Pages of fourteen words, on several sites in turns."""
    towns = [f"{name}{end}" for end in ("ham", "ton") for name in ("Alding", "Barrow", "Corn", "Dun", "East")][:many]
    return {
        f"{sites[at % len(sites)]}{town.lower()}.html": (f"Sextants {town}", SHORT_DOOR.format(town), GET)
        for at, town in enumerate(towns)
    }


@pytest.mark.parametrize("sites", [SITES[:1], SITES], ids=["on one site", "on three"])
def test_doorways_of_fourteen_words_are_found_where_there_are_many(crawl: Session, sites: tuple[str, ...]) -> None:
    pages = short_doors(*sites, many=6)
    assert all(len(text.split()) == 14 for _, text, _ in pages.values())
    store(crawl, pages)
    assert list(found(crawl).values()) == [{"doorway"}] * 6


def test_a_few_short_pages_that_say_the_same_are_no_doorways(crawl: Session) -> None:
    store(crawl, short_doors(SITES[0], many=5))
    assert found(crawl) == {}


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


HOSTS = tuple(f"http://farm{number}.example/" for number in range(8))


def ring(*, text: str = "Buy now", back: bool = False) -> dict[str, Told]:
    """Sites of one page: each links to the next one, or all link to all."""

    def links(at: int) -> tuple[tuple[str, str], ...]:
        targets = [site for site in HOSTS if site != HOSTS[at]] if back else [HOSTS[(at + 1) % len(HOSTS)]]
        return tuple((target, "sextant") for target in targets)

    return {site: (f"Sextant {at}", f"{text} {at}", links(at)) for at, site in enumerate(HOSTS)}


def store_hosts(
    session: Session, pages: dict[str, Told], language: str = "en", copied: frozenset[str] = frozenset()
) -> None:
    """Store the pages of sites that are seeds themselves; `language` may have a number of its own for each.

    Those of `copied` have one fingerprint.
    """
    filters = PageFilters(session.database, FilterSettings(near_duplicate_threshold=1))
    leases = session.frontier.lease(100, lambda _: 100)
    assert {lease.url for lease in leases} == set(pages)
    for at, lease in enumerate(leases):
        title, text, links = pages[lease.url]
        fingerprint = b"one" if lease.url in copied else b""
        page = a_page(lease.url, text, content_type="text/html", fingerprint=fingerprint)
        linked = tuple(Link(url, words) for url, words in links)
        page = replace(page, title=title, links=linked, language=language.format(chr(97 + at)))
        session.store.page(filters.apply(page))


@pytest.mark.parametrize("back", [True, False], ids=["all link to all", "each links to the next"])
def test_a_farm_may_have_any_number_of_sites(open_session: Callable[..., Session], back: bool) -> None:
    session = open_session(*HOSTS)
    store_hosts(session, ring(back=back))
    assert found(session) == {f"farm{number}/": {"link-farm"} for number in range(8)}


SHAPES: dict[str, list[tuple[int, ...]]] = {
    "all to all": [(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)],
    "a chain": [(1,), (2,), (3,), ()],
    "a hub": [(1, 2, 3), (0,), (0,), (0,)],
    "a star": [(), (0,), (0,), (0,)],
}


def namesakes(shape: str, *, named: str = "sextant") -> dict[str, Told]:
    """Four sites of one page; `named` is what each calls the others, with their number where it has a place for it."""
    return {
        HOSTS[at]: (f"Sextant {at}", f"Buy now {at}", tuple((HOSTS[to], named.format(to)) for to in others))
        for at, others in enumerate(SHAPES[shape])
    }


@pytest.mark.parametrize("shape", ["all to all", "a chain", "a hub"])
def test_four_sites_that_call_each_other_by_the_word_of_their_titles_are_a_farm(
    open_session: Callable[..., Session], shape: str
) -> None:
    session = open_session(*HOSTS[:4])
    store_hosts(session, namesakes(shape))
    assert found(session) == {f"farm{number}/": {"link-farm"} for number in range(4)}


@pytest.mark.parametrize(
    ("shape", "named"),
    [
        pytest.param("all to all", "Sextant {}", id="each by its own name"),
        pytest.param("all to all", "our friends", id="by words that none calls itself"),
        pytest.param("a star", "sextant", id="three that praise a page: it may be innocent"),
    ],
)
def test_four_neighbours_are_no_farm(open_session: Callable[..., Session], shape: str, named: str) -> None:
    session = open_session(*HOSTS[:4])
    store_hosts(session, namesakes(shape, named=named))
    assert found(session) == {}


OTHER = "http://workshop.example/"
CLAIMED = {OTHER: ("How the sextant was made", f"{LONG} made", ())}  # the title of an honest page has the word too


def called(
    many: int, *, text: str, named: str = "sextant", title: str = "Sextant {}", step: int = 0
) -> dict[str, Told]:
    """Sites that link to all others, or to the next one in `step`, with the words `named`."""

    def links(at: int) -> tuple[tuple[str, str], ...]:
        targets = [(at + step) % many] if step else [to for to in range(many) if to != at]
        return tuple((HOSTS[to], named.format(to)) for to in targets)

    return {HOSTS[at]: (title.format(at), f"{text} {at}", links(at)) for at in range(many)}


@pytest.mark.parametrize(
    ("text", "step"),
    [
        pytest.param("Buy now", 0, id="little text"),
        pytest.param(LONG, 0, id="more text"),
        pytest.param(LONG, 1, id="more text, in a circle"),
    ],
)
def test_three_sites_that_call_each_other_by_a_word_of_other_titles_are_a_farm(
    open_session: Callable[..., Session], text: str, step: int
) -> None:
    session = open_session(*HOSTS[:3], OTHER)
    store_hosts(session, called(3, text=text, step=step) | CLAIMED)
    assert found(session) == {f"farm{number}/": {"link-farm"} for number in range(3)}


@pytest.mark.parametrize(
    "web",
    [
        pytest.param(called(3, text=LONG), id="a name that no other title has"),
        pytest.param(called(3, text=LONG, named="Sextant {}") | CLAIMED, id="each by its own name"),
        pytest.param(called(2, text=LONG) | CLAIMED, id="two sites"),
        pytest.param(called(4, text="Hello", named="blog", title="Blog {}") | CLAIMED, id="by what they are"),
    ],
)
def test_honest_namesakes_are_no_farm(open_session: Callable[..., Session], web: dict[str, Told]) -> None:
    session = open_session(*web)
    store_hosts(session, web)
    assert found(session) == {}


@pytest.mark.parametrize(
    ("praised", "signed"), [((0,), {1, 2}), ((0, 1), {0, 1, 2})], ids=["one of them", "several of them"]
)
def test_who_links_to_several_of_a_farm_vouches_for_none_of_them(
    open_session: Callable[..., Session], praised: tuple[int, ...], signed: set[int]
) -> None:
    links = tuple((HOSTS[to], "look at this") for to in praised)
    friends = {f"http://friend{at}.example/": (f"Friend {at}", f"{LONG} {at}", links) for at in range(2)}
    web = called(3, text="Buy now") | CLAIMED | friends
    session = open_session(*web)
    store_hosts(session, web)
    assert found(session) == {f"farm{number}/": {"link-farm"} for number in signed}


def test_a_farm_recommends_nobody(open_session: Callable[..., Session]) -> None:
    """Two sites of one farm praise a site of another one."""
    farm_of_text = {
        site: (title, text, (*links, (HOSTS[3], "look at this")) if site != HOSTS[2] else links)
        for site, (title, text, links) in called(3, text=LONG).items()
    }
    shops = {
        HOSTS[at]: (f"Lantern {at}", f"Buy now {at}", tuple((HOSTS[to], "lantern") for to in range(3, 7) if to != at))
        for at in range(3, 7)
    }
    web = farm_of_text | shops | CLAIMED
    session = open_session(*web)
    store_hosts(session, web)
    assert found(session) == {f"farm{number}/": {"link-farm"} for number in range(7)}


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(
            [
                f"Department of {name}"
                for name in ("art", "biology", "law", "music", "physics", "statistics", "theology", "zoology")
            ],
            id="words",
        ),
        pytest.param([f"Class {number}" for number in range(8)], id="numbers"),
    ],
)
def test_a_menu_that_names_each_site_is_no_farm(open_session: Callable[..., Session], names: list[str]) -> None:
    session = open_session(*HOSTS)
    web = {
        site: (names[at], f"Term begins {at}", tuple((HOSTS[to], names[to]) for to in range(8) if to != at))
        for at, site in enumerate(HOSTS)
    }
    store_hosts(session, web)
    assert found(session) == {}


@pytest.mark.parametrize(
    ("text", "back", "language"),
    [
        pytest.param(LONG, False, "en", id="a webring of pages with a text"),
        pytest.param("Welcome", True, "{}n", id="a page on a host for each language"),
    ],
)
def test_honest_sites_that_link_to_each_other_are_no_farm(
    open_session: Callable[..., Session], text: str, back: bool, language: str
) -> None:
    session = open_session(*HOSTS)
    store_hosts(session, ring(text=text, back=back), language)
    assert found(session) == {}


def test_a_site_in_a_circle_that_others_recommend_is_not_accused(open_session: Callable[..., Session]) -> None:
    friends = tuple(f"http://friend{number}.example/" for number in range(2))
    session = open_session(*HOSTS, *friends)
    praised = {
        friend: (f"Friend {at}", f"{LONG} {at}", ((HOSTS[0], "a fine page"),)) for at, friend in enumerate(friends)
    }
    store_hosts(session, ring() | praised)
    assert found(session) == {f"farm{number}/": {"link-farm"} for number in range(1, 8)}


def test_sites_of_copies_alone_recommend_nobody(open_session: Callable[..., Session]) -> None:
    session = open_session(*HOSTS)
    copies = {HOSTS[at]: ("Sextant", "Buy now", ((HOSTS[0], "sextant"),)) for at in range(4, 8)}
    store_hosts(session, namesakes("a hub") | copies, copied=frozenset(copies))
    assert set(found(session)) >= {f"farm{number}/" for number in range(4)}


def test_a_copy_of_a_page_links_as_that_page_does(open_session: Callable[..., Session]) -> None:
    """The lists of partners of several shops are one page to the crawl, with the links of the first shop's list."""
    session = open_session(*HOSTS)
    filters = PageFilters(session.database, FilterSettings(near_duplicate_threshold=1))
    for at, lease in enumerate(session.frontier.lease(100, lambda _: 100)):
        page = a_page(lease.url, f"Shop {at}", (f"{lease.url}partners.html",), content_type="text/html")
        session.store.page(filters.apply(replace(page, title=f"Sextant {at}", language="en", fingerprint=b"")))
    for lease in session.frontier.lease(100, lambda _: 100):
        links = tuple(site for site in HOSTS if not lease.url.startswith(site))
        page = a_page(lease.url, "Our partners", links, content_type="text/html", fingerprint=b"one")
        session.store.page(filters.apply(replace(page, title="Our partners", language="en")))
    assert {f"farm{number}/" for number in range(1, 8)} <= found(session).keys()


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
    assert find_spoofing(crawl.database, Journal(crawl.database), GroupThresholds()) == 1
    [change] = feed.after(before, 10)
    assert change.page is not None
    assert [each.name for each in change.page.signals] == [SignalName.ANCHOR_BOMB]
    assert find_spoofing(crawl.database, Journal(crawl.database), GroupThresholds()) == 0
    assert feed.last() == before + 1


def test_a_page_that_goes_takes_its_signals_along(crawl: Session) -> None:
    store(crawl, farm("Red lights and a slot"))
    assert found(crawl)
    for site in SITES:
        forget(crawl.database, urlsplit(site).netloc)
    assert (
        crawl.database.count("SELECT count(*) FROM signal") == crawl.database.count("SELECT count(*) FROM trait") == 0
    )


def test_the_end_of_a_run_judges_and_a_judgement_without_time_is_journaled(
    open_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(*SITES)
    store(session, bomb("sextant", "Wicks and oil"))
    monkeypatch.setattr("extensions.spoofing.groups.MAX_SECONDS", -1.0)
    monkeypatch.setattr("extensions.spoofing.groups.STEPS", 1)
    assert found(session) == {}
    [entry] = session.store.journal.latest(rule="spoofing")
    assert "took more than" in entry.reason
    monkeypatch.undo()
    session.close("finished")
    again = open_session()
    assert again.database.count("SELECT count(*) FROM signal") == 1


def test_the_constants_have_the_values_that_are_said() -> None:
    """Of settings that were: tests/spiders/test_own_settings.py has the others."""
    alone, together = SpoofThresholds(), GroupThresholds()
    held = {
        "SPOOF_HIDDEN_WORDS": alone.hidden_words,
        "SPOOF_STUFFED_SHARE": alone.stuffed_share,
        "SPOOF_DOORWAYS": together.doorways,
        "SPOOF_FARM_PAGES": together.farm_pages,
        "SPOOF_BOMB_LINKS": together.bomb_links,
    }
    said = {name: value for name, value in FORMER.items() if name.startswith("SPOOF_")}
    assert {name: str(value) for name, value in held.items()} == said
