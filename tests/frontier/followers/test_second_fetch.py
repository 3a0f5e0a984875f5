"""A few pages are fetched twice; lines that differ on two of them are left out of their site's fingerprints."""

from collections.abc import Callable
from itertools import count

from crawldb.pages.probe_findings import ProbeFindings
from frontier.session import Session
from reports.why import url_record, why_rows
from tests.frontier.followers.asked_sites import HOST, Answer, bakery, crawl
from tests.samples import accounting, an_outcome
from urls.records import LeaseEnd
from urls.rules import Rule

TIPS = (
    "Salt is good.",
    "Wait a night.",
    "Ask Ann, who knows.",
    "Rye keeps.",
    "Warm the oven.",
    "Sleep early.",
    "Sing.",
)


def restless(path: str, times: count = count()) -> Answer:  # type: ignore[type-arg]  # noqa: B008 - one count for all
    """The bakery with a tip that is another one at each visit, between two lines that stay."""
    said = bakery(path)
    if not isinstance(said, tuple):
        return said
    title, text, links = said
    return title, f"{text}\nTip of the oven\n{TIPS[next(times) % len(TIPS)]}\nVisit us", links


def asking(open_session: Callable[..., Session], after: int = 20) -> Session:
    return open_session(probe_after=after)


def learnt(session: Session) -> list[str]:
    return [lesson.example for _, lesson in ProbeFindings(session.database).learnt("a.example")]


def fingerprints(session: Session) -> dict[str, bytes]:
    rows = session.database.connection.execute("SELECT url.url, fingerprint FROM page JOIN url ON url.id = page.url")
    return {url.removeprefix(HOST): digest for url, digest in rows}


def test_three_pages_are_fetched_twice_and_no_more(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    asked = crawl(session, restless)
    assert sorted(path for path in set(asked) if asked.count(path) == 2) == ["/", "/loaf/a.html", "/loaf/b.html"]
    assert session.database.count("SELECT count(*) FROM fetch WHERE rule = 'fetched'") == 26, "no page is counted twice"
    assert session.database.count("SELECT count(*) FROM visit WHERE visits > 0") == 0, "nor is it a visit"
    accounting(session)


def test_a_box_that_changes_on_two_pages_is_left_out_of_all(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, restless)
    assert len(learnt(session)) == 1
    before = fingerprints(session)
    session.close("finished")
    session = asking(open_session)
    crawl(session, restless, at=5.0)
    assert fingerprints(session) == before, "whatever the tip, and for the pages stored before it was learnt"
    told = "\n".join(row.text for row in why_rows(url_record(session.database, f"{HOST}/loaf/x.html")))
    assert f"changes by itself and is not part of it: two fetches of {HOST}/" in told
    assert any(f"“{tip}” changes by itself" in told for tip in TIPS)


def test_copies_that_differ_in_it_are_found_when_it_is_learnt(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)

    def site(path: str) -> Answer:
        said = restless("/loaf/a.html" if path == "/loaf/copy.html" else path)
        return (*said[:2], ("/loaf/copy.html", *said[2])) if path == "/" and isinstance(said, tuple) else said

    crawl(session, site)
    refusals = session.database.value(
        "SELECT refusals FROM page JOIN url ON url.id = page.url WHERE url.url = ?", f"{HOST}/loaf/a.html"
    )
    assert f"it says the same as {HOST}/loaf/copy.html" in str(refusals)


def test_an_edit_between_the_two_fetches_teaches_nothing(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    visits = count()

    def edited(path: str) -> Answer:
        said = bakery(path)
        if path != "/loaf/a.html" or not isinstance(said, tuple):
            return said
        return said[0], f"{said[1]}\n{('Bake it long.', 'Bake it short, and eat.')[next(visits) % 2]}\nDone.", said[2]

    crawl(session, edited)
    assert next(visits) == 2
    assert learnt(session) == []
    [stored] = session.database.connection.execute("SELECT second FROM volatile_line").fetchall()
    assert stored == (None,), "it is remembered, until a second page agrees"


def test_what_stays_teaches_nothing_and_nobody_is_asked_without_probes(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    assert len(crawl(session, bakery)) == 26 + 3 + 1, "three twice, and one that is not there"
    assert learnt(session) == []
    session.close("finished")
    session = asking(open_session, after=0)
    assert len(crawl(session, bakery, at=5.0)) == 26


def test_the_second_fetch_names_no_stored_copy(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, restless, most=20)
    session.database.connection.execute("UPDATE page SET etag = '\"1\"' WHERE etag != '' OR fetched_at > 0")
    twice = [lease for lease in session.frontier.lease(9, lambda _: 9) if bakery(lease.url.removeprefix(HOST))]
    asked_again = [lease for lease in twice if lease.url == f"{HOST}/"]
    assert [lease.etag for lease in asked_again] in ([], ['"1"']), "set by this test after the question"


def test_killed_between_the_two_fetches_the_second_one_comes_later(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, restless, most=21)
    session.database.close()
    session._lock.release()
    session = asking(open_session)
    crawl(session, restless)
    assert len(learnt(session)) == 1
    assert session.database.count("SELECT count(*) FROM probe WHERE purpose = 'twice'") == 0


def test_an_hour_later_it_is_a_visit_and_teaches_nothing(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, restless, most=20)
    crawl(session, restless, at=4000.0)
    assert learnt(session) == []
    assert session.database.count("SELECT count(*) FROM visit WHERE visits > 0") == 3


def test_a_page_that_is_gone_at_the_second_fetch_is_gone(open_session: Callable[..., Session]) -> None:
    session = asking(open_session)
    crawl(session, restless, most=20)
    leases = {lease.url: lease for lease in session.frontier.lease(9, lambda _: 9)}
    session.store.outcome(an_outcome(f"{HOST}/loaf/a.html", LeaseEnd.GONE, Rule.GONE, status=404))
    assert f"{HOST}/loaf/a.html" in leases
    assert "/loaf/a.html" not in fingerprints(session)
    assert session.database.count("SELECT count(*) FROM probe WHERE purpose = 'twice'") == 2
