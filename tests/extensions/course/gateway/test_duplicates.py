"""Does the view of copies show what the crawl has, and refuse a threshold that is none?"""

from __future__ import annotations

import html
import random
from typing import TYPE_CHECKING

import pytest

from commands import COMMANDS
from crawldb.database import FILE_NAME
from pipelines.duplicates import signature
from tests.gateway.conftest import SITE, a_page, crawl, gateway
from tests.gateway.test_served_crawl import ONE, TWO, farm

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

__all__ = ["farm"]  # a fixture
WORDS = random.Random(3).choices(
    [f"{one}{two}" for one in "bdfgklmnprst" for two in ("ake", "ill", "one", "un")], k=200
)


def sheet(name: str, every: int) -> str:
    """The words, with each so many-th another one."""
    return " ".join(f"{name}{word}" if every and not place % every else word for place, word in enumerate(WORDS))


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheets")
    texts = {"one": sheet("", 0), "two": sheet("b", 20), "three": sheet("c", 5)}
    pages = [a_page(f"/{name}", f"Sheet {name}", text, signature=signature(text)) for name, text in texts.items()]
    crawl(folder, tuple(pages), ())
    return folder


def text_of(client: FlaskClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def test_clusters_are_shown_with_the_way_to_their_differences(sheets: Path) -> None:
    page = text_of(gateway(sheets), "/inside/duplicates")
    assert "1 cluster has several pages" in page
    assert '<td class="number">1.000' in page
    assert "/why/diff?url=" in page
    assert "29 bands of 3 bytes" in page
    assert "This is the saved threshold" in page


def test_turned_down_it_tells_what_would_join_and_turned_up_what_would_leave(sheets: Path) -> None:
    down = text_of(gateway(sheets), "/inside/duplicates?threshold=0.2")
    assert "1 pair of 2 clusters would merge at 0.2" in down
    assert "To save this threshold: <code>NEAR_DUPLICATE_THRESHOLD=0.2</code>. Put it into the settings file." in down
    assert ("./breadcrumb reparse" in down) is ("reparse" in COMMANDS)
    up = text_of(gateway(sheets), "/inside/duplicates?threshold=0.95")
    assert up.count("would leave</strong>") == 1
    assert "threshold 0.95" in up, "and its curve beside the usual one"


def test_one_page_can_be_asked_for(sheets: Path) -> None:
    client = gateway(sheets)
    assert "2 pages</h3>" in text_of(client, f"/inside/duplicates?url={SITE}/two")
    assert "It is in no cluster" in text_of(client, "/inside/duplicates?url=http://nowhere.example/")
    assert "It is in no cluster" in text_of(client, "/inside/duplicates?url=javascript:alert(1)")


@pytest.mark.parametrize(
    "query", ["threshold=0", "threshold=1", "threshold=x", "threshold=nan", "page=0", "url=" + "x" * 100_000]
)
def test_what_makes_no_sense_is_refused(sheets: Path, query: str) -> None:
    assert gateway(sheets).get(f"/inside/duplicates?{query}").status_code == 400


def test_a_crawl_without_copies_says_so_and_a_missing_one_is_told(client: FlaskClient, tmp_path: Path) -> None:
    assert "This crawl has no near copies" in text_of(client, "/inside/duplicates?threshold=0.3")
    assert gateway(tmp_path).get("/inside/duplicates").status_code == 503


def test_a_part_that_cannot_be_read_is_named(farm: Path) -> None:
    (farm / "part-1" / FILE_NAME).write_bytes(b"no database")
    client = gateway(farm)
    assert "Part 1/2 can't be read. Its pages are missing here" in client.get("/inside/duplicates").text
    assert client.get(f"/inside/duplicates?url=http://{TWO}/").status_code == 200
    assert client.get(f"/inside/duplicates?url=http://{ONE}/").status_code == 503
