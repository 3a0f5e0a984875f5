"""A probe requests a missing page of a site; its text then keeps other soft 404s out of the results."""

from collections.abc import Callable
from string import ascii_lowercase

import pytest

from crawldb.learnt import Purpose
from crawldb.pages.probe_findings import ProbeFindings
from crawldb.tables.queue import Lease
from frontier.session import Session
from frontier.takedown import block
from pages.content.soft404 import missing_url
from pipelines.review import SLICE
from reports.why import url_record, why_rows
from tests.frontier.followers.asked_sites import HOST, METHOD, Answer, Site, bakery, crawl, judge_what_waits
from tests.samples import accounting, an_outcome
from urls.records import CanonicalUrl, LeaseEnd
from urls.rules import Rule
from urls.traps import Limits

SORRY = "Acme Bakery\nWhoops, that crumb trail ends here: {}\nOpen from 6 to 11."


def lying(path: str) -> Answer:
    return bakery(path) or ("Acme Bakery", SORRY.format(path), ())


def linking(site: Site, *paths: str) -> Site:
    """The same site, whose home page has more links, before its own."""

    def answer(path: str) -> Answer:
        said = site(path)
        return (*said[:2], (*paths, *said[2])) if path == "/" and isinstance(said, tuple) else said

    return answer


def refusals(session: Session) -> dict[str, str]:
    rows = session.database.connection.execute(
        "SELECT url.url, refusals FROM page JOIN url ON url.id = page.url WHERE refusals != '[]'"
    )
    return {url.removeprefix(HOST): refusals for url, refusals in rows}


def probes(session: Session) -> list[str]:
    rows = session.database.connection.execute(
        "SELECT url.url FROM probe JOIN url ON url.id = probe.url WHERE purpose = ?", (Purpose.MISSING,)
    )
    return [url.removeprefix(HOST) for (url,) in rows]


def asking(open_session: Callable[..., Session], **plan: object) -> Session:
    return open_session(probe_after=20, **plan)


def test_a_site_is_asked_once_after_it_has_shown_some_pages(open_session: Callable[..., Session]) -> None:
    asked = list(dict.fromkeys(crawl(asking(open_session), lying)))  # some are fetched twice: test_second_fetch.py
    made_up = missing_url(CanonicalUrl(f"{HOST}/loaf/a.html"))
    assert made_up is not None
    assert asked[21] == made_up.removeprefix(HOST), "the home page and 20 in its folder came before"
    assert [path for path in asked if bakery(path) is None] == [asked[21]]


def test_what_was_stored_before_and_what_comes_after_is_judged_by_its_answer(
    open_session: Callable[..., Session],
) -> None:
    session = asking(open_session)
    crawl(session, linking(lying, "/old", "/older.html"))
    before = {path for path, why in refusals(session).items() if "soft-404" in why}
    assert before == {"/old", "/older.html"}
    session.close("finished")
    session = asking(open_session)
    crawl(session, linking(lying, "/oldest/of/all"), at=5.0)
    assert set(refusals(session)) == {"/old", "/older.html", "/oldest/of/all"}, "and of the bakery's pages none"
    accounting(session)
    told = "\n".join(row.text for row in why_rows(url_record(session.database, f"{HOST}/old")))
    assert f"it says what its site says at {HOST}{probes(session)[0]}, a URL that Breadcrumb generated" in told


LIES = ("/old", "/older.html", "/loaf/lost.html", "/loaf/burnt.html")


def small(path: str) -> Answer:
    """A bakery of six articles and a short page, with links to pages that are not there any more."""
    if path == "/":
        title, text, links = "Acme Bakery", f"Acme Bakery\n{METHOD}\nOpen from 6 to 11.", bakery_links(6)
        return title, text, ("/contact", *LIES, *links)
    if path == "/contact":
        return "Acme Bakery", "Acme Bakery\nWrite to Ann, or ring the bell.\nOpen from 6 to 11.", ()
    return lying(path)


def bakery_links(most: int) -> tuple[str, ...]:
    home = bakery("/")
    assert isinstance(home, tuple)
    return home[2][:most]


def test_a_small_site_is_asked_when_a_page_says_as_little_as_an_apology(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    asked = crawl(session, small)
    assert set(refusals(session)) == set(LIES), "and neither the articles nor the short page"
    made_up = [path for path in asked if path not in {"/", "/contact", *LIES} and bakery(path) is None]
    assert made_up == probes(session)
    assert len(made_up) == 2, "one at the root, whose lies came before the template was known, and one in the folder"
    assert len(asked) == len(set(asked)), "nothing is asked for twice"
    reasons = "\n".join(entry.reason for entry in session.store.journal.latest(rule="probe"))
    assert ", and one that says little: what does it say" in reasons


def test_an_apology_that_is_the_same_for_each_name_is_none_of_its_pages(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)

    def alike(path: str) -> Answer:
        is_there = path in {"/", "/contact"} or bakery(path) is not None
        return (
            small(path) if is_there else ("Acme Bakery", "Acme Bakery\nOnly crumbs are here.\nOpen from 6 to 11.", ())
        )

    crawl(session, alike)
    assert set(refusals(session)) == set(LIES)
    assert "soft-404" in refusals(session)["/old"]


CRUMBS = (
    "Whatever was on this shelf has been sold, given away, or nibbled at by the mice in the cellar. Our apprentices "
    "have been sent out with lanterns. Until they come back, ring the bell and ask Ann, who knows where all things are."
)
PROMISES = (
    "/old Wedding cake",
    "/older.html Opening hours",
    "/loaf/lost.html Pumpernickel",
    "/news/first Prizes of 1999",
)


def promising(said: str, *links: str, below: str = "/") -> Site:
    """A bakery of six articles with links, which shows one text at every other URL that begins with `below`."""

    def site(path: str) -> Answer:
        if path == "/":
            return "Acme Bakery", METHOD, (*bakery_links(6), *links)
        return bakery(path) or (("Acme Bakery", said.format(path), ()) if path.startswith(below) else None)

    return site


@pytest.mark.parametrize("said", [CRUMBS, f"{CRUMBS} {{}}"], ids=["the same each time", "with the URL in it"])
def test_a_longer_apology_that_several_links_lead_to_is_none_of_its_pages(
    open_session: Callable[..., Session], said: str
) -> None:
    session = asking(open_session)
    asked = crawl(session, promising(said, *PROMISES))
    assert set(refusals(session)) == {link.partition(" ")[0] for link in PROMISES}
    assert "soft-404" in refusals(session)["/old"]
    assert len(probes(session)) == 1
    assert len(asked) == len(set(asked))
    assert " pages of its site repeat another one: what" in "".join(
        entry.reason for entry in session.store.journal.latest(rule="probe")
    )


def test_a_text_that_two_links_lead_to_is_asked_nothing(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, promising(CRUMBS, *PROMISES[:2]))
    assert probes(session) == []


@pytest.mark.parametrize(
    ("links", "kept", "below"),
    [
        pytest.param(("/old The apprentices", *PROMISES[1:]), "/old", "/", id="a link says what the page says"),
        pytest.param(("/whatever.html Overview", *PROMISES), "/whatever.html", "/", id="a URL does"),
        pytest.param(("/old", "/older.html", "/loaf/lost.html"), "/old", "/", id="links promise nothing"),
        pytest.param(
            ("/loaf/ Our story", "/loaf/old Wedding cake", "/loaf/lost Prizes", "/loaf/hours Opening hours"),
            "/loaf/",
            "/loaf/",
            id="its program ignores what follows",
        ),
        pytest.param(
            ("/s.php?ref=1 Our story", "/s.php?ref=2 Wedding cake", "/s.php?ref=3 Prizes", "/s.php Opening hours"),
            "/s.php?ref=1",
            "/s.php",
            id="its program ignores a parameter",
        ),
    ],
)
def test_a_page_that_its_program_shows_at_any_url_is_kept(
    open_session: Callable[..., Session], links: tuple[str, ...], kept: str, below: str
) -> None:
    session = asking(open_session)
    crawl(session, promising(CRUMBS, *links, below=below))
    assert len(probes(session)) == 1
    assert {path for path, why in refusals(session).items() if "soft-404" in why} == set()
    assert kept not in refusals(session)


def test_a_page_in_the_menu_that_its_program_shows_at_any_url_is_kept(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    site = promising(CRUMBS, *PROMISES)

    def with_menu(path: str) -> Answer:
        said = site(path)
        assert isinstance(said, tuple)
        return (*said[:2], ("/old Overview", *said[2])) if bakery(path) else said

    crawl(session, with_menu)
    assert len(probes(session)) == 1
    assert "soft-404" not in "".join(refusals(session).values())


def test_a_small_site_whose_pages_say_something_is_asked_nothing(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, lambda path: bakery(path) if path != "/" else ("Acme", METHOD, bakery_links(19)))
    assert probes(session) == []


def the_probe(session: Session, site: Site) -> Lease:
    """Crawl until the site is asked for what is not there, and lease that."""
    while not probes(session):
        crawl(session, site, most=1)
    [lease] = session.frontier.lease(1, lambda _: 1)
    return lease


def test_its_lease_says_what_it_is_to_find_out(open_session: Callable[..., Session]) -> None:
    assert the_probe(asking(open_session), lying).probes == Purpose.MISSING


def test_without_the_question_nobody_finds_the_lie(open_session: Callable[..., Session]) -> None:
    session = open_session(probe_after=0)
    crawl(session, linking(lying, "/old"))
    assert (probes(session), refusals(session)) == ([], {})


def test_where_any_address_shows_the_home_page_the_home_page_stays(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)

    def site(path: str) -> Answer:
        said = bakery(path) or bakery("/")
        assert isinstance(said, tuple)
        return said if bakery(path) else (said[0], f"{said[1]}\nA tip: ask Ann.", said[2])

    crawl(session, linking(site, "/old"))
    assert set(refusals(session)) == {"/old"}
    assert f"a page with status 200, as {HOST}/ has it" in "".join(
        entry.reason for entry in session.store.journal.latest(rule="probe")
    )


def test_where_the_made_up_part_counts_for_nothing_nothing_is_learnt(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)

    def shop(path: str) -> Answer:
        if path == "/":
            return "Lamps", "Lamps of all colours.", tuple(f"/lamps?colour={one}" for one in ascii_lowercase)
        colour = path.removeprefix("/lamps?colour=").partition("&")[0]
        colour = colour if len(colour) == 1 else "a"  # what it does not know is the first one
        goods = f"The lamps of colour {colour} are named {colour * 9}."
        return "Lamps", f"Lamps\n{goods}\nSend us a card.", (f"{path}&foot=brass",) if "&" not in path else ()

    crawl(session, shop)
    assert probes(session)
    assert not [path for path, why in refusals(session).items() if "soft-404" in why]
    assert "so it proves nothing" in "".join(entry.reason for entry in session.store.journal.latest(rule="probe"))


@pytest.mark.parametrize(
    ("target", "text", "kept"),
    [
        (
            "/lost.html",
            "We looked.\nThe page you asked for could not be found.\n" + "Read this. " * 60,
            False,
        ),
        ("/404.html", "Whatever that was.", False),
        ("/welcome.html", "Welcome to all who are new here.", True),
    ],
)
def test_where_a_made_up_address_redirects_to_an_error_that_is_no_page(
    open_session: Callable[..., Session], target: str, text: str, kept: bool
) -> None:
    session = asking(open_session)

    def site(path: str) -> Answer:
        return ("Acme Bakery", text, ()) if path == target else bakery(path) or target

    crawl(session, site)
    session.close("finished")
    session = asking(open_session)
    crawl(session, linking(site, target))
    assert (target in refusals(session)) is not kept


@pytest.mark.parametrize(
    "honest",
    [
        pytest.param(an_outcome(f"{HOST}/", LeaseEnd.GONE, Rule.GONE, status=404), id="404"),
        pytest.param(
            an_outcome(f"{HOST}/", LeaseEnd.REFUSED, Rule.ROBOTS, requested=False), id="robots.txt forbids it"
        ),
        pytest.param(an_outcome(f"{HOST}/", LeaseEnd.FAILED, Rule.SERVER_ERROR, status=500), id="a server that fails"),
    ],
)
def test_from_any_other_answer_no_lie_is_learnt(open_session: Callable[..., Session], honest: object) -> None:
    session = asking(open_session)
    lease = the_probe(session, bakery)
    answer = an_outcome(lease.url, honest.fate, honest.rule, status=honest.status, requested=honest.requested)  # type: ignore[attr-defined]  # it is an outcome
    session.store.outcome(answer)
    assert ProbeFindings(session.database).lies("a.example", CanonicalUrl(f"{HOST}/"))[0] == []
    row = session.database.connection.execute("SELECT state, rule FROM url WHERE url = ?", (lease.url,)).fetchone()
    assert row == (4, "probe")
    requests = session.database.count("SELECT count(*) FROM fetch WHERE rule = 'probe' AND url = ?", lease.id)
    assert requests == answer.requested, "counted apart, and only what was sent"
    accounting(session)


def test_killed_between_the_question_and_the_answer_it_is_asked_again(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    lease = the_probe(session, lying)
    session.database.close()
    session._lock.release()
    session = asking(open_session)
    asked = crawl(session, lying)
    assert asked[0] == lease.url.removeprefix(HOST)
    assert len(ProbeFindings(session.database).lies("a.example", CanonicalUrl(f"{HOST}/"))[0]) == 1


def test_killed_while_pages_are_judged_again_the_rest_is_judged_by_the_next_run(
    open_session: Callable[..., Session],
) -> None:
    session = asking(open_session)
    site = linking(lying, *(f"/old/{number}" for number in range(120)))
    with session.database.transaction():
        ProbeFindings(session.database).let_filter_again(1)
    crawl(session, site, most=300)
    with session.store.transaction() as writer:
        session.database.connection.execute("UPDATE page SET refusals = '[]'")
        writer.followers.findings.let_filter_again(1)
    with session.store.transaction() as writer:
        writer.followers.findings.pages_to_filter(SLICE)  # fifty of them, and then the power is cut
    session.database.close()
    session._lock.release()
    session = asking(open_session)
    judge_what_waits(session)
    left = set(refusals(session))
    assert len([path for path in left if "/old/" in path]) == 120 - 49, "the home page was one of fifty"
    assert not left & {"/", "/loaf/a.html"}


def test_the_same_address_is_asked_for_again_when_the_answer_is_old(open_session: Callable[..., Session]) -> None:
    month = 31 * 86400.0
    session = asking(open_session)
    crawl(session, lying)
    session.close("finished")
    session = asking(open_session)
    assert not set(probes(session)) & set(crawl(session, lying, at=5.0)), "not in the next round"
    session.close("finished")
    session = asking(open_session)
    asked = crawl(session, linking(bakery, "/old"), at=1.0 + month)
    assert set(probes(session)) <= set(asked)
    assert ProbeFindings(session.database).lies("a.example", CanonicalUrl(f"{HOST}/"))[0] == [], "it is honest by now"


def test_no_address_is_made_up_that_is_blocked_or_beyond_the_budget(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    block(session.database, f"{HOST}/loaf/*bcd*", "its owner asked")
    block(session.database, f"{HOST}/loaf/?????????.html", "its owner asked")
    full = asking_full(open_session, session)
    crawl(full, lying)
    assert probes(full) == []


def asking_full(open_session: Callable[..., Session], session: Session) -> Session:
    session.close("finished")
    return open_session(probe_after=20, limits=Limits(site_pages=20))
