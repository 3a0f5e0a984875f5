"""Can everybody read the views of a crawl's conduct? As tests/gateway/in_a_browser asks of every view."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import write_robots
from crawldb.tables.runs import latest_run
from extensions import audit
from extensions.audit.owner_side.page import LOG_NAME
from robots import RobotsRecord
from tests.gateway.conftest import FETCHED_AT, browser, crawl, gateway, index, served
from tests.gateway.in_a_browser.test_every_view_in_a_browser import VIEWS, classes_without_a_row, look_at, page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

__all__ = ["browser", "page", "served"]  # fixtures
OWN_VIEWS = [("/inside/owner", "used robots.txt as a guide"), ("/inside/etiquette", "nothing in this crawl shows it")]
ROBOTS = b"User-agent: *\nDisallow: /private/\nDisallow: /attic/\n"


@pytest.fixture(scope="session")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the bakery crawled, its robots.txt, and an access log with a robot that is guided by it."""
    data_dir = tmp_path_factory.mktemp("bakery")
    crawl(data_dir)
    index(data_dir)
    file = RobotsRecord("http://bakery.localhost:8400", "PARSED", "", 1.0, FETCHED_AT, 200, ROBOTS, good_at=1.0)
    with CrawlDatabase(data_dir) as database:
        write_robots(database, latest_run(database), file)
    visits = [("/robots.txt", "Nosy/1.0"), ("/private/", "Nosy/1.0"), ("/attic/box", "Nosy/1.0")]
    visits += [(f"/rye.html?{number}", "Breadcrumb/0.1") for number in range(60)]
    lines = [
        json.dumps({"end": FETCHED_AT + at, "took": 0, "host": "bakery.localhost:8400", "url": path, "agent": agent})
        for at, (path, agent) in enumerate(visits)
    ]
    lines.append(lines[-1].replace("bakery.localhost", "mill.localhost"))  # so that a site can be chosen
    (data_dir / LOG_NAME).write_text("\n".join(lines))
    return data_dir


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), OWN_VIEWS)
def test_a_view_fits_every_screen_and_keeps_nobody_out(page: Page, served: str, path: str, seen: str) -> None:
    look_at(page, f"{served}{path}", seen)


def test_every_class_of_the_templates_is_in_a_row(bakery: Path) -> None:
    assert classes_without_a_row(audit.__file__, gateway(bakery), (*OWN_VIEWS, *VIEWS)) == set()
