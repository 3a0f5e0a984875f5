"""SiteProbes detects a site with a page for any name, and a chain written by a person continues to its end."""

from collections.abc import Callable
from random import Random

import pytest

from crawldb.figures.traps import harms
from frontier.budgets import release_trap
from frontier.session import Session
from frontier.takedown import block
from reports.traps import catches
from reports.why import url_record, why_rows
from tests.samples import a_page, accounting, an_outcome
from urls.canonical import canonicalize
from urls.generated_urls import LINKS_BEFORE_A_PROBE, random_url
from urls.records import LeaseEnd
from urls.rules import Rule
from urls.traps import Limits, patterns_of

WORDS = [a + b + c for a in ("ba", "do", "ki", "mu") for b in ("len", "ran", "sto", "vig") for c in ("da", "no", "ti")]
LINKS = LINKS_BEFORE_A_PROBE + 500  # of one page: more than wait beyond those that its pattern allows at first
Site = Callable[[str], tuple[str, tuple[str, ...]] | None]  # path: text and paths of links, or None: no such page


def an_article(name: str) -> str:
    return " ".join(Random(name).choices(WORDS, k=60))


def crawl(session: Session, site: Site, most: int = 300) -> list[str]:
    """Fetch everything, one page after the other; return the paths that were asked for."""
    asked: list[str] = []
    while len(asked) < most and (leases := session.frontier.lease(1, lambda _: 1)):
        url = leases[0].url
        asked.append(url.removeprefix("http://a.example"))
        said = site(asked[-1])
        if said is None:
            session.store.outcome(an_outcome(url, LeaseEnd.GONE, Rule.GONE, status=404))
            continue
        links = tuple(f"http://a.example{link}" for link in said[1])
        if session.store.page(a_page(url, said[0], links)).asks:
            session.frontier.look_again()
    return asked


def diary(last: int) -> Site:
    def site(path: str) -> tuple[str, tuple[str, ...]] | None:
        number = 0 if path == "/" else int(path.removeprefix("/day/"))
        return None if number > last else (an_article(path), (f"/day/{number + 1}",))

    return site


def generator(path: str) -> tuple[str, tuple[str, ...]]:
    dice = Random(path)
    return an_article(path), tuple(f"/w/{dice.getrandbits(32):08x}" for _ in range(5))


def names(path: str) -> tuple[str, tuple[str, ...]]:
    dice = Random(path)
    return an_article(path), tuple("/w/" + "/".join(dice.choices(WORDS, k=dice.randint(1, 3))) for _ in range(5))


def apologies(path: str) -> tuple[str, tuple[str, ...]]:
    dice = Random(path)
    return "There is no such thing. Try one of these:", tuple(
        f"/w/{''.join(dice.choices(WORDS, k=2))}" for _ in range(5)
    )


def test_a_chain_that_somebody_wrote_goes_on_beyond_the_greatest_depth(session: Session) -> None:
    asked = crawl(session, diary(60))
    assert {f"/day/{number}" for number in range(1, 61)} <= set(asked)
    counts = accounting(session)
    assert (counts["done"], counts["failed"], counts["suppressed"]) == (61, 1, 2), "all; the 61st day; two probes"
    assert len(asked) == 61 + 1 + 2


@pytest.mark.slow
def test_a_long_list_that_somebody_wrote_is_read_to_its_end(session: Session) -> None:
    def catalogue(path: str) -> tuple[str, tuple[str, ...]] | None:
        return wide(path) if len(path) <= len(f"/w/{LINKS}") else None

    assert len(crawl(session, catalogue, most=2 * LINKS)) == 1 + LINKS + 2, "and two probes"
    assert accounting(session)["suppressed"] == 2


def test_the_site_is_asked_before_anything_else_and_once(open_session: Callable[..., Session]) -> None:
    session = open_session()
    asked = crawl(session, diary(60))
    probes = [path for path in asked if len(path) > len("/day/60")]
    assert asked.index(probes[0]) + 1 == asked.index(probes[1]) == 18, "fifteen pages that another of them led to"
    session.close("finished")
    assert not set(probes) & set(crawl(open_session(), diary(60))), "nor in the next round"


def wide(path: str) -> tuple[str, tuple[str, ...]]:
    return an_article(path), tuple(f"/w/{number}" for number in range(LINKS)) if path == "/" else ()


def test_a_page_of_many_made_up_links_is_found_out(session: Session) -> None:
    assert len(crawl(session, wide)) <= 50
    assert {catch.rule for catch in catches(session.database)} == {"made-up", "pattern-budget"}
    assert accounting(session)["suppressed"] > LINKS - 50


@pytest.mark.parametrize(
    "site", [generator, names, apologies], ids=["tokens", "words, at any depth", "the same everywhere"]
)
def test_a_site_that_has_a_page_for_any_name_is_found_out(session: Session, site: Site) -> None:
    assert len(crawl(session, site)) <= 50
    accounting(session)
    catch, *more = catches(session.database)
    assert {catch.rule, *(other.rule for other in more)} == {"made-up"}
    assert (catch.caught > 0, "its site generates pages" in catch.reason) == (True, True)
    assert harms(session.database).wasted >= 15
    [sample, *_] = catch.samples
    assert any("generates pages" in row.text for row in why_rows(url_record(session.database, sample)))


def test_what_is_made_up_can_be_released_and_is_not_caught_again(session: Session) -> None:
    crawl(session, generator)
    [catch] = catches(session.database)
    assert release_trap(session.database, catch.pattern, catch.site).urls == catch.caught
    assert len(crawl(session, generator)) == 300
    assert not [catch for catch in catches(session.database) if catch.rule == "made-up"]


def test_a_released_chain_is_not_ended_by_its_depth(session: Session) -> None:
    def chain(path: str) -> tuple[str, tuple[str, ...]]:
        return "Nothing is planned.", (f"/day/{int(path.rpartition('/')[2] or 0) + 1}",)

    crawl(session, chain)
    release_trap(session.database, "/day/#", "a.example")
    assert len(crawl(session, chain, 100)) == 100


def test_the_same_apology_under_any_name_is_no_page_of_its_own(session: Session) -> None:
    def site(path: str) -> tuple[str, tuple[str, ...]]:
        return diary(60)(path) or (f"{an_article('sorry')} {path[5:]}", ())

    assert len(crawl(session, site)) == 61 + 1 + 2


def test_in_a_list_that_was_written_the_articles_of_the_last_page_come_as_well(session: Session) -> None:
    def site(path: str) -> tuple[str, tuple[str, ...]] | None:
        if path.startswith("/articles/about"):
            return an_article(path), ()
        number = 0 if path == "/" else int(path.partition("=")[2] or 99999)
        if number > 70:
            return None
        return an_article(path), (f"/articles?page={number + 1}", f"/articles/about-{WORDS[number % 48]}-{number}")

    asked = crawl(session, site)
    assert sum(path.startswith("/articles/about") for path in asked) == 71
    assert {"/articles?page=70", "/articles/about-motida-70"} & set(asked)


def test_what_lists_lead_to_is_not_asked_about(session: Session) -> None:
    def site(path: str) -> tuple[str, tuple[str, ...]]:
        number = int(path.partition("=")[2].partition("&")[0] or 0)
        if "item" in path:
            return an_article(path), ()
        return an_article(path), (f"/c?n={number + 1}", *(f"/c?n={number}&item={item}" for item in range(20)))[
            number > 8 :
        ]

    asked = crawl(session, site)
    assert len(asked) == 1 + 9 + 10 * 20, "pages that would be there under any number, but that lists have led to"


def test_an_answer_that_tells_nothing_decides_nothing(session: Session) -> None:
    asked: list[str] = []
    while leases := session.frontier.lease(1, lambda _: 1):
        asked.append(leases[0].url)
        said = diary(60)(asked[-1].removeprefix("http://a.example"))
        if said is None:
            session.store.outcome(an_outcome(asked[-1], LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
        elif session.store.page(a_page(asked[-1], said[0], (f"http://a.example{said[1][0]}",))).asks:
            session.frontier.look_again()
    assert len(asked) == 26 + 2, "the seed, 25 days, and two probes that robots.txt kept back"
    assert [entry.count for entry in session.store.journal.latest(rule="depth")] == [1]


def test_without_patience_nobody_is_asked(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(trap_patience=0))
    assert len(crawl(session, diary(60))) == 26


def test_a_blacklisted_address_is_not_made_up(session: Session) -> None:
    page = canonicalize("http://a.example/day/16")
    probe = random_url(page, patterns_of(page)[0], 0)
    assert probe is not None
    block(session.database, probe, "its owner asked")
    asked = crawl(session, diary(60))
    assert (len(asked), probe.removeprefix("http://a.example") in asked) == (26, False)


def test_what_is_near_a_seed_is_asked_for_on_a_site_that_makes_up_pages(session: Session) -> None:
    listed = tuple(f"/w/{word}" for word in WORDS)

    def site(path: str) -> tuple[str, tuple[str, ...]]:
        return (an_article(path), listed) if path == "/" else names(path)

    assert set(listed) <= set(crawl(session, site))


def test_why_tells_what_a_probe_is(session: Session) -> None:
    asked = crawl(session, diary(60))
    probe = next(path for path in asked if len(path) > len("/day/60"))
    told = " ".join(row.text for row in why_rows(url_record(session.database, f"http://a.example{probe}")))
    assert "Breadcrumb made it up" in told
    assert "no such page" in told
