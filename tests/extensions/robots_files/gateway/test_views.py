"""The views over robots.txt files are described and safe as all views are, and say what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.robots_files import ImportedFile, put_imported
from tests.extensions.described import check
from tests.gateway.conftest import gateway
from tests.gateway.hostile_fields import FOREIGN, foreign_markup
from tests.gateway.operators.test_admin_page import TOKEN
from tests.gateway.test_hostile_fields import hostile
from tests.gateway.test_served_crawl import PARTS, farm
from tests.gateway.test_strangers import HARMS, PLANTED, TYPED, written_to

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask.testing import FlaskClient

__all__ = ["farm", "hostile", "written_to"]  # fixtures
SEARCHES = [f"/search?{urlencode({'in': 'robots', 'q': typed})}" for typed in TYPED]
OF_ROBOTS = [("agent:gptbot disallow:/", 1), ("date:2026-11", 4), ("script", 1), ("agent:gptbott", 0), ("()" * 500, 0)]


@pytest.mark.parametrize(("question", "total"), OF_ROBOTS)
def test_robots_txt_files_are_told_as_they_are_described(client: FlaskClient, question: str, total: int) -> None:
    assert check(client, "get", "/api/robots", query_string={"q": question, "n": 2}).json["total"] == total
    assert check(client, "get", "/api/robots", query_string={"q": question, "all": 1}).json["all_versions"]
    assert check(client, "get", "/api/robots", query_string={"q": question, "page": 101}).json.keys() == {"error"}


def test_before_anything_is_stored_too(tmp_path: Path) -> None:
    assert check(gateway(tmp_path), "get", "/api/robots", query_string={"q": "rye"}).json.keys() == {"error"}


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/search?in=robots", "results"),
        ("/search?in=robots&q=agent:*", "results"),
        ("/inside/robots-study", "numbers"),
    ],
)
def test_robots_txt_files_are_those_of_the_parts_that_can_be_read(farm: Path, path: str, what: str) -> None:
    for part in PARTS:
        with CrawlDatabase(folder_of(farm, part)) as database, database.transaction():
            put_imported(database, ImportedFile(f"file-{part.number}", "", 1.0, b"User-agent: *\n"), "a collection")
    assert f"can't be read. These {what} are without it" not in gateway(farm).get(path).text
    (farm / "part-1" / FILE_NAME).write_bytes(b"no database")
    page = gateway(farm).get(path)
    assert (page.status_code, f"Part 1/2 can't be read. These {what} are without it: " in page.text) == (
        200,
        True,
    )


def test_no_field_of_a_file_becomes_markup(hostile: Path) -> None:
    client = gateway(hostile)
    seen = 0
    for number in range(2):
        typed = quote(f"bread w{number}x5")
        for path in (f"/search?in=robots&n=50&q={typed}", f"/search?in=robots&n=50&q=bread&all={typed}"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert foreign_markup(answer.text) == [], path
            seen += FOREIGN in answer.text
    assert seen >= 2, "the view does show them"


def test_no_search_shows_a_stranger_what_a_visitor_wrote_or_an_admin_did_nor_where_the_folder_lies(
    written_to: Path,
) -> None:
    client = gateway(written_to, admin_token=TOKEN)
    for path in SEARCHES:
        answer = client.get(path)
        told, typed = f"{answer.headers}{answer.text}", path.replace("+", " ").replace("%40", "@")
        assert [word for word in PLANTED if word in told and word not in typed] == []
        assert str(written_to) not in answer.text


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_damaged_crawl_is_told_to_strangers_without_its_folder(
    written_to: Path, harm: Callable[[Path], None]
) -> None:
    part = folder_of(written_to, Partition(1, 2))
    harm(part if part.exists() else written_to)
    client = gateway(written_to)
    for path in SEARCHES:
        answer = client.get(path)
        assert answer.status_code != 500
        assert str(written_to) not in answer.text
