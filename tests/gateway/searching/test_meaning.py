"""What does the search page say of a reading by meaning?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.served_crawl import EXTENSION
from indexer import open_index
from indexer.meaning.upkeep import VectorUpkeep
from indexer.ranking.weights import Formula
from tests.gateway.conftest import crawl, gateway, index
from tests.indexer.meaning.networks import WordCounts

if TYPE_CHECKING:
    from pathlib import Path

ON = Formula(by_meaning=True)


def test_a_result_with_none_of_the_words_says_so_with_its_passage_and_why(tmp_path: Path) -> None:
    crawl(tmp_path)
    index(tmp_path)
    encoder = WordCounts({"leaven": "sourdough", "endurance": "patience"})
    upkeep = VectorUpkeep(tmp_path, encoder)
    while upkeep.step():
        pass
    client = gateway(tmp_path, formula=ON)
    client.application.extensions[EXTENSION]._searcher = open_index(tmp_path, formula=ON, encoder=lambda: encoder)
    page = client.get("/search?q=leaven+endurance").text
    assert "None of the words; found by the meaning of" in page
    assert "Rye needs a sourdough, and patience." in page
    (hit, *_) = client.get("/api/search?q=leaven+endurance").get_json()["hits"]
    assert hit["meaning"]["alone"] is True
    why = client.get("/why", query_string={"url": hit["url"], "q": "leaven endurance"}).text
    assert "best score by words" in why
    assert "Rye needs a sourdough, and patience." in why


def test_where_nothing_was_read_by_meaning_words_answer_and_it_is_said(bakery: Path) -> None:
    page = gateway(bakery, formula=ON).get("/search?q=rye").text
    assert "/rye.html" in page or "Rye bread" in page
    assert "words alone" in page
    assert "index --meaning" in page
