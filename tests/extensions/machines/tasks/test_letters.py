"""Messages in files keep the contract of every exchange between partitions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from crawldb.exchange import Delivery
from crawldb.parts.division import folder_of
from crawldb.parts.mailbox import Mailbox
from crawldb.parts.partition import Partition
from extensions.machines.store.objects import FolderObjects
from extensions.machines.store.outcomes import MessageFile
from extensions.machines.store.part_folders import stored_as
from extensions.machines.tasks.messages import read_messages, write_messages
from tests.crawldb.parts.test_exchange import (
    ONE,
    TWO,
    Side,
    test_an_acknowledgement_that_came_to_nothing_was_none,
    test_any_number_of_urls_arrives_in_bounded_deliveries,
    test_nothing_comes_back_to_the_sender,
    test_of_the_links_of_a_page_those_that_were_told_last_arrive,
    test_pages_with_many_links_arrive_in_bounded_deliveries,
    test_what_a_transaction_that_came_to_nothing_handed_over_never_arrives,
    test_what_is_handed_over_arrives_as_it_was,
    test_what_is_not_acknowledged_comes_again,
)

__all__ = [  # the promises
    "test_an_acknowledgement_that_came_to_nothing_was_none",
    "test_any_number_of_urls_arrives_in_bounded_deliveries",
    "test_nothing_comes_back_to_the_sender",
    "test_of_the_links_of_a_page_those_that_were_told_last_arrive",
    "test_pages_with_many_links_arrive_in_bounded_deliveries",
    "test_what_a_transaction_that_came_to_nothing_handed_over_never_arrives",
    "test_what_is_handed_over_arrives_as_it_was",
    "test_what_is_not_acknowledged_comes_again",
]


class LetterMailbox(Mailbox):
    """A mailbox to which the neighbour's letters are carried, all of them, whenever it is looked into."""

    def waiting(self) -> Iterator[Delivery]:
        parts = self._database.path.parent.parent
        objects = FolderObjects(parts)
        sender = 3 - self._partition.number
        written = parts / f"letters-{sender}"
        with CrawlDatabase(folder_of(parts, Partition(sender, 2))) as neighbour:
            letters, last, receivers = write_messages(neighbour, sender, 0, written)
        file = MessageFile(sender, 1, stored_as(written, written.name), 0, last, letters, receivers)
        self.deliver(read_messages(objects, file))
        yield from super().waiting()


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    one, two = (CrawlDatabase(folder_of(tmp_path, part)) for part in (ONE, TWO))
    yield Side(LetterMailbox(one, ONE), one), Side(LetterMailbox(two, TWO), two)
    one.close()
    two.close()
