"""Eighteen link farms and eighteen honest networks, in one real crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from tests.extensions.spoofing.museum.cheats import web_of
from tests.extensions.spoofing.museum.farms import FARMS
from tests.extensions.spoofing.museum.neighbours import NETWORKS
from tests.extensions.spoofing.museum.served import crawl_museum, on_loopback, outcomes

if TYPE_CHECKING:
    from pathlib import Path

WINNING = {
    "two one-page hosts link to each other",  # as two honest neighbours do
    "two hosts, of which one was a charity's",
    "five hosts of spun text praise a shop",  # stars: their target may be innocent
    "the shop links back",
    "a pyramid of fourteen hosts",
    "three blogs praise three shops",
    "ten diaries list a shop",
    "three hosts with other words for each link",  # as honest neighbours name each other
    "six hosts of one text that claim six languages",
}


@pytest.mark.slow
def test_half_of_the_farms_stand_before_no_article_and_no_honest_network_is_accused(tmp_path: Path) -> None:
    networks = {url: text for _, make in NETWORKS for url, text in make().items()}
    port = crawl_museum(web_of(FARMS) | networks, tmp_path)
    shown = list(outcomes(FARMS, tmp_path, port))
    assert len(shown) == len(NETWORKS) == 18
    assert {one.cheat.name for one in shown if one.wins} == WINNING
    with CrawlDatabase(tmp_path, readonly=True) as database:
        signed = {
            url for (url,) in database.connection.execute("SELECT url.url FROM signal JOIN url ON url.id = signal.url")
        }
    farms = {on_loopback(url, port) for farm in FARMS for url in farm.files}
    assert signed
    assert signed <= farms
