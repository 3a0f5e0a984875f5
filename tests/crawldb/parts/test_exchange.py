"""The contract of every exchange between partitions. Add that of a remote frontier to EXCHANGES: it must pass all."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.exchange import Delivery, Exchange, ForeignLinks, ForeignUrl
from crawldb.pages.feed import Feed
from crawldb.parts.division import claim_folder, folder_of
from crawldb.parts.mailbox import BATCH, Mailbox, Outbox, SentMessage, exchange_of, messages_after
from crawldb.parts.partition import Partition
from crawldb.tables.seeds import seed_sites
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import forget
from reports.why import url_record, why_rows
from reports.why.facts import inlinks_of_page
from tests.samples import a_page, accounting, lease_all
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, FoundBy, Link

ONE, TWO = Partition(1, 2), Partition(2, 2)
URL = canonicalize("http://b.example/page")


class Side(NamedTuple):
    """A part: its exchange, and the database whose transactions decide."""

    exchange: Exchange
    database: CrawlDatabase


def by_outbox(folder: Path, partition: Partition) -> Side:
    database = CrawlDatabase(folder_of(folder, partition))
    return Side(Outbox(database, partition), database)


class CarriedMailbox(Mailbox):
    """A mailbox to which the neighbour's letters are carried, all of them, whenever it is looked into."""

    def waiting(self) -> Iterator[Delivery]:
        sender = 3 - self._partition.number
        with CrawlDatabase(folder_of(self._database.path.parent.parent, Partition(sender, 2))) as neighbour:
            self.deliver(SentMessage(sender, *row) for row in messages_after(neighbour, 0))
        yield from super().waiting()


def by_mailbox(folder: Path, partition: Partition) -> Side:
    database = CrawlDatabase(folder_of(folder, partition))
    return Side(CarriedMailbox(database, partition), database)


EXCHANGES: list[Callable[[Path, Partition], Side]] = [by_outbox, by_mailbox]


@pytest.fixture(params=EXCHANGES, ids=lambda made: made.__name__)
def sides(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    made = (request.param(tmp_path, ONE), request.param(tmp_path, TWO))
    yield made
    for side in made:
        side.database.close()


def send(side: Side, *urls: str) -> None:
    with side.database.transaction():
        for url in urls:
            side.exchange.hand_over(ForeignUrl(CanonicalUrl(url), 2, 3, FoundBy.LINK, "http://a.example/", "bread"))


def take(side: Side, *, acknowledge: bool = True) -> list[str]:
    urls: list[str] = []
    for delivery in side.exchange.waiting():
        urls += [foreign.url for foreign in delivery.urls]
        if acknowledge:
            with side.database.transaction():
                side.exchange.acknowledge(delivery)
    return urls


def test_what_is_handed_over_arrives_as_it_was(sides: tuple[Side, Side]) -> None:
    one, two = sides
    send(one, URL)
    [delivery] = two.exchange.waiting()
    assert delivery.urls == (ForeignUrl(URL, 2, 3, FoundBy.LINK, "http://a.example/", "bread"),)


def test_what_is_not_acknowledged_comes_again(sides: tuple[Side, Side]) -> None:
    one, two = sides
    send(one, URL)
    assert take(two, acknowledge=False) == take(two) == [URL]
    assert take(two) == []


def test_an_acknowledgement_that_came_to_nothing_was_none(sides: tuple[Side, Side]) -> None:
    one, two = sides
    send(one, URL)
    [delivery] = two.exchange.waiting()
    two.database.connection.execute("BEGIN")
    two.exchange.acknowledge(delivery)
    two.database.connection.execute("ROLLBACK")
    assert take(two) == [URL]


def test_what_a_transaction_that_came_to_nothing_handed_over_never_arrives(sides: tuple[Side, Side]) -> None:
    one, two = sides
    one.database.connection.execute("BEGIN")
    one.exchange.hand_over(ForeignUrl(URL, 2, 0, FoundBy.LINK))
    one.database.connection.execute("ROLLBACK")
    assert take(two) == []


def test_nothing_comes_back_to_the_sender(sides: tuple[Side, Side]) -> None:
    one, _ = sides
    send(one, URL)
    assert take(one) == []


def test_any_number_of_urls_arrives_in_bounded_deliveries(sides: tuple[Side, Side]) -> None:
    one, two = sides
    urls = [f"http://b.example/{number}" for number in range(2 * BATCH + 1)]
    send(one, *urls)
    batches = [take(two), take(two), take(two), take(two)]
    assert [len(batch) for batch in batches] == [BATCH, BATCH, 1, 0]
    assert [url for batch in batches for url in batch] == urls


def test_of_the_links_of_a_page_those_that_were_told_last_arrive(sides: tuple[Side, Side]) -> None:
    one, two = sides
    page, words = CanonicalUrl("http://a.example/"), (URL, "rye \udc80 ”bread”")

    def told(*links: tuple[str, str]) -> list[ForeignLinks]:
        with one.database.transaction():
            one.exchange.hand_over_links(page, 4, {2: links} if links else {})
        deliveries = list(two.exchange.waiting())
        for delivery in deliveries:
            with two.database.transaction():
                two.exchange.acknowledge(delivery)
        return [letter for delivery in deliveries for letter in delivery.links]

    assert told() == []
    assert told(words) == [ForeignLinks(page, 2, 4, (words,))]
    assert told(words) == [], "nothing is new"
    assert told((URL, "b"), (URL, "a")) == [ForeignLinks(page, 2, 4, ((URL, "a"), (URL, "b")))]
    assert told() == [ForeignLinks(page, 2, 4, ())]
    assert told() == []


def test_pages_with_many_links_arrive_in_bounded_deliveries(sides: tuple[Side, Side]) -> None:
    one, two = sides
    pages = [CanonicalUrl(f"http://a.example/{number}") for number in range(5)]
    with one.database.transaction():
        for page in pages:
            one.exchange.hand_over_links(page, 1, {2: {(URL, str(number)) for number in range(BATCH // 2)}})
    arrived = []
    while deliveries := list(two.exchange.waiting()):
        arrived.append([letter.page for delivery in deliveries for letter in delivery.links])
        with two.database.transaction():
            two.exchange.acknowledge(deliveries[0])
    assert arrived == [pages[:2], pages[2:4], pages[4:]]


def test_a_url_that_is_handed_over_and_stored_again_is_known(tmp_path: Path) -> None:
    mine = next(f"{letter}.example" for letter in "abcdefgh" if TWO.owns(f"{letter}.example"))
    url = canonicalize(f"http://{mine}/page")
    session = Session(folder_of(tmp_path, TWO), CrawlJob((canonicalize(f"http://{mine}/"),), partition=TWO))
    delivery = Delivery(1, 7, (ForeignUrl(url, 2, 3, FoundBy.LINK), ForeignUrl(url, 2, 1, FoundBy.REDIRECT)))
    session.store.receive(delivery)
    assert lease_all(session) == [f"http://{mine}/", url]
    session.store.page(a_page(url))
    session.store.receive(delivery)
    assert (lease_all(session), accounting(session)["discovered"]) == ([], 2)
    session.close("finished")


def test_a_link_to_a_host_of_another_part_leaves_the_frontier_and_enters_its_outbox(tmp_path: Path) -> None:
    own = next(f"{letter}.example" for letter in "abcdefgh" if ONE.owns(f"{letter}.example"))
    foreign = next(f"{letter}.example" for letter in "abcdefgh" if TWO.owns(f"{letter}.example"))
    seeds = tuple(canonicalize(f"http://{host}/") for host in (own, foreign))
    session = Session(folder_of(tmp_path, ONE), CrawlJob(seeds, partition=ONE))
    assert lease_all(session) == [f"http://{own}/"]
    session.store.page(a_page(f"http://{own}/", links=(f"http://{foreign}/x", f"http://{own}/x", "http://else.where/")))
    assert lease_all(session) == [f"http://{own}/x"]
    rows = session.database.connection.execute("SELECT url, depth, found_by, found_on, links FROM outbox").fetchall()
    assert rows == [
        (f"http://{foreign}/", 0, "seed", "", None),
        (f"http://{foreign}/x", 1, FoundBy.LINK, f"http://{own}/", None),
        (f"http://{own}/", 1, FoundBy.LINK, "", f'[["http://{foreign}/x", "a link"]]'),
    ]
    assert seed_sites(session.database) == {own, foreign}
    session.close("finished")


def test_a_url_from_another_part_knows_the_page_and_the_words_that_led_to_it(tmp_path: Path) -> None:
    own = next(f"{letter}.example" for letter in "abcdefgh" if ONE.owns(f"{letter}.example"))
    foreign = next(f"{letter}.example" for letter in "abcdefgh" if TWO.owns(f"{letter}.example"))
    home, url = canonicalize(f"http://{own}/"), canonicalize(f"http://{foreign}/x")
    sessions = [
        Session(folder_of(tmp_path, part), CrawlJob((home, canonicalize(f"http://{foreign}/")), partition=part))
        for part in (ONE, TWO)
    ]
    lease_all(sessions[0])
    sessions[0].store.page(a_page(home, links=(url,)))
    sessions[1].receive()
    for leased in lease_all(sessions[1]):
        sessions[1].store.page(a_page(leased))
    found = url_record(sessions[1].database, url)
    assert found.found_on == home
    assert any(row.text.startswith(f"Linked from {home}, 1 link from a seed;") for row in why_rows(found))
    assert found.page is not None
    assert found.page.anchors == ("a link",)
    [page] = [change.page for change in Feed(sessions[1].database).after(0, 10) if change.url == url]
    assert page is not None
    assert page.anchors == ("a link",), "a search by the words of the link finds it"
    [inlink] = inlinks_of_page(sessions[1].database, url).shown
    assert (inlink.url, inlink.words, inlink.weight) == (home, ("a link",), 1), "the link and its page are told"

    def anchors_now() -> tuple[str, ...]:
        sessions[1].store.receive(next(iter(sessions[1].store.exchange.waiting())))
        [page] = [change.page for change in Feed(sessions[1].database).after(seen, 10)]
        assert page is not None
        return page.anchors

    seen = Feed(sessions[1].database).last()
    sessions[0].store.page(replace(a_page(home), links=(Link(url, "other words"),)))
    assert anchors_now() == ("other words",), "the words of a link that was changed leave again"
    seen = Feed(sessions[1].database).last()
    forget(sessions[0].database, home)
    assert anchors_now() == (), "and those of a page that was taken out"
    assert inlinks_of_page(sessions[1].database, url).pages == 0
    for session in sessions:
        session.close("finished")


def test_an_address_that_a_person_gave_to_another_part_widens_the_scope(tmp_path: Path) -> None:
    mine, other = [f"{letter}.example" for letter in "abcdefghijkl" if TWO.owns(f"{letter}.example")][:2]
    session = Session(folder_of(tmp_path, TWO), CrawlJob((canonicalize(f"http://{mine}/"),), partition=TWO))
    session.store.receive(Delivery(1, 1, (ForeignUrl(canonicalize(f"http://{other}/"), 2, 0, FoundBy.SUBMIT),)))
    assert set(lease_all(session)) == {f"http://{mine}/", f"http://{other}/"}
    assert seed_sites(session.database) == {mine, other}
    session.close("finished")


def test_a_folder_stays_the_part_that_it_is(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path) as database:
        claim_folder(database, ONE)
        claim_folder(database, ONE)
        with pytest.raises(DatabaseError, match="holds part 1/2"):
            claim_folder(database, TWO)
        with pytest.raises(DatabaseError, match="holds part 1/2"):
            claim_folder(database, Partition())


def test_a_folder_knows_which_part_it_holds(tmp_path: Path) -> None:
    session = Session(tmp_path / "part-1", CrawlJob((canonicalize("http://a.example/"),), partition=ONE))
    exchange = exchange_of(session.database)
    assert (exchange.part, exchange.divides) == ("1/2", True)
    session.close("finished")


def test_a_mailbox_keeps_what_was_not_taken_and_takes_no_letter_twice(tmp_path: Path) -> None:
    letters = [
        SentMessage(1, seq, f"http://b.example/{seq}", 2, 0, "link", "", "", None) for seq in range(1, BATCH + 3)
    ]
    with CrawlDatabase(folder_of(tmp_path, TWO)) as database:
        claim_folder(database, TWO)
        mailbox = Mailbox(database, TWO)
        others = [letters[0]._replace(part=1), letters[0]._replace(sender=2)]
        assert mailbox.deliver([*letters, *letters[:5], *others]) == len(letters), "those for others are left aside"
        side = Side(exchange_of(database), database)
        assert take(side) == [letter.url for letter in letters[:BATCH]]
        assert (mailbox.count(), mailbox.deliver(letters[-3:]), mailbox.count()) == (2, 0, 2)
        assert take(side) == [letter.url for letter in letters[BATCH:]]
        assert mailbox.deliver(letters[:10]) == 10, "dropped when they were taken, they come in once more"
        assert (mailbox.count(), take(side)) == (0, []), "and are not offered"
