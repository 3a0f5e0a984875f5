"""Does `/inside/bit-map` name the URLs of the crawl that a bit map would lose, and no others?"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extensions.course.presence_bits import PresenceBits
from frontier.job import CrawlJob
from frontier.session import Session
from tests.gateway.conftest import EVIL, SITE, gateway
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

VIEW = "/inside/bit-map"


def lost_by(page: str) -> dict[str, list[str]]:
    """Return the lost URLs that a page names, each with the URLs that had set its bits."""
    section = page.partition("<h2>URLs lost</h2>")[2].partition("</div>")[0]
    found = {}
    for row in re.findall(r"<li><a.*?</details></li>", section, re.DOTALL):
        url, *setters = (html.unescape(text) for text in re.findall(r'dir="auto">([^<]*)</a>', row))
        found[url] = setters
    return found


@pytest.mark.parametrize(("bits", "hashes"), [(1, 1), (2, 3), (4, 12)])
def test_each_lost_url_is_named_and_no_other(client: FlaskClient, bakery: Path, bits: int, hashes: int) -> None:
    with CrawlDatabase(bakery, readonly=True) as database:
        urls = [url for (url,) in database.connection.execute("SELECT url FROM url ORDER BY id")]
    array, expected, seen = PresenceBits(bits * len(urls), hashes), [], set[int]()
    for url in urls:
        expected += [url] if seen.issuperset(array.places(url)) else []
        seen.update(array.places(url))
    assert expected
    page = client.get(f"{VIEW}?bits={bits}&hashes={hashes}").text
    lost = lost_by(page)
    assert list(lost) == expected[:30]
    assert all(urls.index(setter) < urls.index(url) for url, setters in lost.items() for setter in setters)
    assert f'<td class="number">{len(expected)}</td>' in page
    assert f"{len(seen):,} of {bits * len(urls):,} bits set" in page


def test_a_map_with_room_loses_nothing(client: FlaskClient) -> None:
    page = client.get(f"{VIEW}?bits=16&hashes=11").text
    assert lost_by(page) == {}
    assert "None, with these numbers." in page


def test_a_url_that_is_looked_up_is_added_new_or_would_be_lost(client: FlaskClient) -> None:
    assert "This crawl has added it." in client.get(VIEW, query_string={"url": f"{SITE}/rye.html"}).text
    assert "so it counts as new" in client.get(VIEW, query_string={"url": "nowhere.example", "bits": "16"}).text
    crowded = client.get(VIEW, query_string={"url": "nowhere.example", "bits": "0.5", "hashes": "1"}).text
    assert "it would be lost" in crowded
    hostile = client.get(VIEW, query_string={"url": f"http://nowhere.example/{EVIL}"})
    assert hostile.status_code == 200
    assert "<script>alert" not in hostile.text


def test_a_crawl_in_parts_shares_one_map(tmp_path: Path) -> None:
    seeds = tuple(canonicalize(f"http://{name}.localhost:8400/") for name in ("oven", "mill", "pond", "quay"))
    for number in (1, 2):
        part = Partition(number, 2)
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        for url in lease_all(session):
            session.store.page(a_page(url, "rye bread"))
        session.close("finished")
    assert '<td class="number">4</td>' in gateway(tmp_path).get(VIEW).text


@pytest.mark.parametrize("wrong", ["bits=17", "bits=0", "hashes=13", "hashes=x", "url=ftp://bakery.example/"])
def test_a_wrong_parameter_is_told_with_what_would_do(client: FlaskClient, wrong: str) -> None:
    response = client.get(f"{VIEW}?{wrong}")
    assert response.status_code == 400
    assert wrong.partition("=")[2] in html.unescape(response.text)


def test_before_a_crawl_the_first_command_is_shown(tmp_path: Path) -> None:
    response = gateway(tmp_path).get(VIEW)
    assert response.status_code == 503
    assert "crawl site" in response.text
