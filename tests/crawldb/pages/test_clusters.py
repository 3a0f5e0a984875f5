"""Which pages form a cluster, and which of them represents it? Nothing moves when nothing has changed."""

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from crawldb import neighbours
from crawldb.pages.clusters import CanonicalReason, cluster_members, near_copies, settle
from crawldb.tables.journal import Journal
from crawldb.tables.robots_files import write_robots
from crawldb.visited import find
from frontier.session import Session
from frontier.takedown import forget
from pages.content.similarity import ORDERS
from pipelines import duplicates
from reports.numbers import report
from robots import AccessState, RobotsRecord, origin_of
from tests.robots.answers import answer
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, LeaseEnd, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.neighbours import Bytes

A, B, C = ("http://a.example/aaa", "http://a.example/bb", "http://a.example/cccc")
CENTRE = random.Random(5).randbytes(ORDERS)


def unlike(signature: bytes, places: Iterable[int]) -> bytes:
    """A signature that disagrees with another one in these of its orders."""
    changed = bytearray(signature)
    for place in places:
        changed[place] ^= 0xFF
    return bytes(changed)


NEAR = unlike(CENTRE, range(30))  # about 0.76
CHAIN = unlike(CENTRE, range(60))  # about 0.53 to the centre
BEYOND = unlike(CENTRE, range(90))  # 0.3 to the centre, and 0.76 to CHAIN
FAR = random.Random(6).randbytes(ORDERS)


def crawl(session: Session, pages: dict[str, bytes], **fields: dict[str, Any]) -> None:
    """Store pages by their signatures, in this order, and choose the canonicals; `fields` by a page's last letter."""
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(pages)))
    lease_all(session)
    for url, signature in pages.items():
        session.store.page(a_page(url, signature=signature, **fields.get(url[-1], {})))
    with session.database.transaction():
        settle(session.database)


def clusters(session: Session) -> list[list[str]]:
    rows = session.database.connection.execute(
        "SELECT cluster, url.url FROM page JOIN url ON url.id = page.url WHERE cluster IS NOT NULL ORDER BY url.url"
    ).fetchall()
    return sorted([url for number, url in rows if number == cluster] for cluster in {number for number, _ in rows})


def canonical(session: Session, url: str = A) -> tuple[str, CanonicalReason]:
    found = cluster_members(session.database, find(session.database.connection, CanonicalUrl(url)) or 0)
    assert found is not None
    return found.canonical, found.reason


def test_near_copies_are_in_the_index_and_share_a_cluster(session: Session) -> None:
    crawl(session, {A: CENTRE, B: NEAR, C: FAR})
    assert clusters(session) == [[A, B], [C]]
    pages = report(session.database)["pages"]
    assert (pages["stored"], pages["indexed"], pages["near_duplicates"], pages["refused"]) == (4, 4, 1, 0)
    [entry] = [row for row in Journal(session.database).about(find(session.database.connection, CanonicalUrl(B)) or 0)
               if row.rule == Rule.NEAR_DUPLICATE]  # fmt: skip
    assert f"nearly the same as {A}" in entry.reason
    assert "resemblance 0.76" in entry.reason
    assert "NEAR_DUPLICATE_THRESHOLD is 0.45" in entry.reason


def test_a_chain_does_not_draw_strangers_into_one_cluster(session: Session) -> None:
    """C is nearly B and B is nearly A, but C is not near A, the centre."""
    crawl(session, {A: CENTRE, B: CHAIN, C: BEYOND})
    assert clusters(session) == [[A, B], [C]]


def test_a_lower_threshold_brings_together_what_was_alone(open_session: Callable[..., Session]) -> None:
    strict = open_session(near_duplicates_from=0.9)
    crawl(strict, {A: CENTRE, B: NEAR})
    assert clusters(strict) == [[A], [B]]
    strict.close("finished")
    session = open_session(near_duplicates_from=0.45)
    crawl(session, {A: CENTRE, B: NEAR})
    assert clusters(session) == [[A, B]]


@pytest.mark.parametrize("order", [*permutations([A, B, C])])
def test_the_order_of_fetching_changes_neither_members_nor_canonical(
    open_session: Callable[..., Session], order: Sequence[str]
) -> None:
    session = open_session()
    signatures = {A: CENTRE, B: NEAR, C: unlike(CENTRE, range(98, 128))}
    crawl(session, {url: signatures[url] for url in order})
    assert clusters(session) == [[A, B, C]]
    assert canonical(session) == (B, CanonicalReason.SHORTEST)


@pytest.mark.parametrize(
    ("fields", "links", "chosen"),
    [
        pytest.param(
            {"c": {"canonical": A}, "b": {"canonical": C}}, (), (A, "declared"), id="one that declares nobody"
        ),
        pytest.param({}, (C,), (C, "inlinks"), id="links"),
        pytest.param({"a": {"canonical": A}}, (), (B, "shortest"), id="a page names itself"),
        pytest.param(
            {"a": {"canonical": B}, "b": {"canonical": C}, "c": {"canonical": A}}, (), (B, "shortest"), id="a circle"
        ),
    ],
)
def test_the_canonical_is_chosen_by_the_first_reason_that_decides(
    session: Session, fields: dict[str, dict[str, str]], links: tuple[str, ...], chosen: tuple[str, str]
) -> None:
    other = "http://a.example/list"
    crawl(
        session, {A: CENTRE, B: NEAR, C: unlike(CENTRE, range(98, 128)), other: b""}, **fields, t={"links": ()},
    )  # fmt: skip
    session.database.connection.executemany(
        "INSERT OR IGNORE INTO link SELECT (SELECT id FROM url WHERE url = ?), (SELECT id FROM url WHERE url = ?), 1",
        [(other, url) for url in links],
    )
    # What stands aside is not in the index: here all members are to be.
    session.database.connection.execute("UPDATE page SET refusals = '[]'")
    settle(session.database)
    assert canonical(session) == chosen


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        pytest.param("", (C, "redirects"), id="no Host line: redirects"),
        pytest.param("www.mirror.example", ("http://www.mirror.example/a-long-address", "host"), id="another's host"),
        pytest.param("a.example", (C, "redirects"), id="its own host"),
        pytest.param("elsewhere.example", (C, "redirects"), id="a host that has none of them"),
    ],
)
def test_the_host_line_of_another_member_comes_before_redirects(
    open_session: Callable[..., Session], named: str, chosen: tuple[str, str]
) -> None:
    moved, mirror = "http://a.example/moved", "http://www.mirror.example/a-long-address"
    session = open_session(SEED, mirror)
    state = AccessState().after(answer(200, body=f"User-agent: *\nDisallow:\nHost: {named}\n".encode()), 1.0)
    write_robots(session.database, session.run, RobotsRecord.of(origin_of(A), state))
    lease_all(session)
    session.store.page(a_page(SEED, links=(A, C, moved)))
    lease_all(session)
    for url in (A, C, mirror):
        session.store.page(a_page(url, f"{url[-5:]} says nearly what others say", signature=CENTRE))
    session.store.outcome(an_outcome(moved, LeaseEnd.MOVED, Rule.MOVED, target=C))
    settle(session.database)
    assert canonical(session) == chosen


def test_nothing_moves_when_nothing_has_changed(session: Session) -> None:
    crawl(session, {A: CENTRE, B: NEAR, C: FAR})
    sql = "SELECT url, cluster FROM page ORDER BY url"
    before = session.database.connection.execute(sql).fetchall(), canonical(session)
    session.database.connection.execute("UPDATE url SET state = 1 WHERE state = 2")
    for url, signature in ((C, FAR), (B, NEAR), (A, CENTRE)):
        session.store.page(a_page(url, signature=signature))
    settle(session.database)
    assert (session.database.connection.execute(sql).fetchall(), canonical(session)) == before


def test_a_page_that_changes_leaves_and_one_that_hardly_does_stays(session: Session) -> None:
    crawl(session, {A: CENTRE, B: NEAR, C: FAR})
    session.database.connection.execute("UPDATE url SET state = 1 WHERE state = 2")
    session.store.page(a_page(B, "other words", signature=unlike(NEAR, range(120, 128))))
    assert clusters(session) == [[A, B], [C]]
    session.store.page(a_page(A, "quite other words", signature=unlike(FAR, range(9))))
    assert clusters(session) == [[A, C], [B]]
    session.store.page(a_page(C, "short", signature=b""))
    assert clusters(session) == [[A], [B]]
    assert near_copies(session.database) == 0


def test_when_the_canonical_goes_another_one_stands_for_the_cluster(session: Session) -> None:
    crawl(session, {A: CENTRE, B: NEAR, C: unlike(CENTRE, range(98, 128))})
    assert canonical(session) == (B, CanonicalReason.SHORTEST)
    forget(session.database, B)
    assert clusters(session) == [[A, C]]
    assert canonical(session) == (A, CanonicalReason.SHORTEST)
    forget(session.database, A)
    forget(session.database, C)
    assert clusters(session) == []
    assert session.database.count("SELECT count(*) FROM cluster") == 0


def test_an_exact_copy_inherits_the_place_in_the_cluster(session: Session) -> None:
    copy = "http://a.example/copy"
    pages = {A: CENTRE, B: NEAR, copy: b""}
    refusals = (Refusal(Rule.DUPLICATE, "it says the same"),)
    crawl(session, pages, y={"refusals": refusals, "duplicate_of": CanonicalUrl(B)})
    assert clusters(session) == [[A, B]]
    forget(session.database, B)
    assert clusters(session) == [[A, copy]]


def test_a_page_that_is_refused_is_in_no_cluster(session: Session) -> None:
    crawl(session, {A: CENTRE, B: NEAR}, b={"refusals": (Refusal(Rule.SOFT_404, "it says sorry"),)})
    assert clusters(session) == [[A]]


@pytest.mark.slow
def test_a_flood_of_near_copies_has_one_signature_to_be_compared_with(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """html-030: each of many pages is one word from the others. What is compared grows with them, not with pairs."""
    compared: list[int] = []

    def counted(own: "Bytes", others: "Bytes", numbers: list[int], enough: int) -> list[tuple[int, int]]:
        compared.append(len(others))
        return really(own, others, numbers, enough)

    really = neighbours.compared
    monkeypatch.setattr(neighbours, "compared", counted)
    words = [f"word{number}" for number in range(200)]
    flood = {
        f"http://a.example/{number}": duplicates.signature(" ".join([*words[:100], f"{number}", *words[101:]]))
        for number in range(1_000)
    }
    assert len({*flood.values()}) > 100, "the one word counts"
    crawl(session, flood)
    assert sum(compared) <= len(flood), "each page with the centre of the one cluster"
    assert len(clusters(session)) == session.database.count("SELECT count(*) FROM cluster") == 1
    assert report(session.database)["pages"]["near_duplicates"] == 999
    for number in range(60):  # more than are asked at once when a canonical goes
        forget(session.database, f"http://a.example/{number}")
    assert canonical(session, "http://a.example/999")[0] == "http://a.example/60"


def test_a_canonical_address_in_another_letter_case_makes_no_circle(session: Session) -> None:
    """/Page names /page as its address, and there is no such page: it goes on to stand for itself."""
    one, other = "http://a.example/Page", "http://a.example/page"
    lease_all(session)
    session.store.page(a_page(SEED, links=(one, B)))
    lease_all(session)
    session.store.page(a_page(one, signature=CENTRE, canonical=canonicalize(other)))
    session.store.page(a_page(B, signature=NEAR))
    lease_all(session)
    session.store.outcome(an_outcome(other, LeaseEnd.GONE, Rule.GONE))
    settle(session.database)
    assert clusters(session) == [[one, B]]
    assert report(session.database)["pages"]["indexed"] == 3


def test_what_was_rolled_back_leaves_nothing_behind(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(A, B)))
    lease_all(session)
    with pytest.raises(LookupError, match="never leased"):
        session.store.page(a_page("http://a.example/unknown", signature=CENTRE))
    session.store.page(a_page(A, signature=CENTRE))
    session.store.page(a_page(B, signature=NEAR))
    assert clusters(session) == [[A, B]]
