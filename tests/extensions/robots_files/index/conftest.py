"""A few robots.txt files that were fetched and imported, and the collection over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import ImportedFile, note_version, put_imported
from extensions.robots_files.index.collection import RobotsCollection
from robots import RobotsRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY = 86_400.0
FIRST = 1_767_225_600.0  # 2026-01-01
FILES = {  # by name, in one collection
    "joint": b"User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n",
    "apart": b"User-agent: Googlebot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n",
    "both": b"# closed\nUser-agent: BingBot/2.0\nUser-agent: googlebot\nCrawl-delay: 20\nDisallow: /\nAllow: /open*\n",
    "empty": b"User-agent: *\nDisallow:\nSitemap: https://a.example/map.xml\n",
    "odd.example": b"Dissallow: /typo\nHost: odd.example\nDisallow: /for-nobody # x\nUser-agent: Late\nDisallow: /*?\n",
}
ORIGIN = "http://fetched.example:8080"
OPEN, CLOSED = b"User-agent: *\nDisallow:\n# open\n", b"User-agent: *\nDisallow: /\n"


def keep_fetched(database: CrawlDatabase, body: bytes, day: int, origin: str = ORIGIN) -> None:
    at = FIRST + day * DAY
    with database.transaction():
        note_version(database, RobotsRecord(origin, "PARSED", "it was read", at, at, 200, body=body, good_at=at))


def keep_imported(database: CrawlDatabase, files: dict[str, bytes], collection: str = "test-files") -> None:
    with database.transaction():
        for name, body in files.items():
            put_imported(database, ImportedFile(name, "", FIRST, body), collection)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path_factory.mktemp("robots")) as opened:
        keep_imported(opened, FILES)
        for day, body in ((0, OPEN), (20, OPEN), (40, CLOSED), (80, OPEN)):
            keep_fetched(opened, body, day)
        yield opened


@pytest.fixture(scope="module")
def collection(shared_database: CrawlDatabase) -> Iterator[RobotsCollection]:
    """The files of FILES, and one that was open in January, closed in February and open in March."""
    with RobotsCollection.open(shared_database.path.parent, [shared_database]) as opened:
        yield opened
