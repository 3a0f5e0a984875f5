"""The gateway over a small crawl, as in tests/gateway, into which a collection of robots.txt files was imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import ImportedFile, put_imported
from tests.gateway.conftest import EVIL, FETCHED_AT, browser, client, crawl, index, served

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["browser", "client", "served"]  # fixtures
ROBOTS_FILES = {  # by host: each version, the oldest first
    "mill": (
        b"User-agent: *\nDisallow: /wheel/\n",
        b"User-agent: *\nDisallow: /wheel/\n\nUser-agent: GPTBot\nDisallow: /\n",
    ),
    "oven": (b"# for bread alone\nUser-agent: Googlebot\nCrawl-delay: 10\nDisallow:\n\nUser-agent: *\nDisallow: /\n",),
    "crumb": (f"User-agent: {EVIL}\nDisallow: /{EVIL}\nSitemap: http://other.example/{EVIL}\n".encode(),),
}


def import_robots(data_dir: Path) -> None:
    """Store the robots.txt files of a collection, a day between two versions."""
    with CrawlDatabase(data_dir) as database, database.transaction():
        for host, bodies in ROBOTS_FILES.items():
            for day, body in enumerate(bodies):
                file = ImportedFile(f"{host}.example", f"https://{host}.example:443", FETCHED_AT + day * 86_400, body)
                put_imported(database, file, "a collection")


@pytest.fixture(scope="session")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bakery crawled and indexed, and with robots.txt files; not to be written to."""
    data_dir = tmp_path_factory.mktemp("bakery")
    crawl(data_dir)
    import_robots(data_dir)
    index(data_dir)
    return data_dir
