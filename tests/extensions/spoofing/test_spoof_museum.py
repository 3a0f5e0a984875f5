"""The spoof museum of the practice web, on a real crawl: no cheat ranks above an honest page, while signals count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from demo import PracticeWeb, Truth, compare
from tests.journey.conftest import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUSES = ("arcade", "bazaar", "chartroom", "kiosk", "raffle")
EVERY_SIGNAL = {"hidden-text", "stuffing", "doorway", "link-farm", "anchor-bomb", "cloaking"}


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Folder, Truth]]:
    with PracticeWeb(0) as web:
        folder = Folder(tmp_path_factory.mktemp("museum"))
        seeds = ",".join(f"http://{house}.localhost:{web.port}/" for house in HOUSES)
        assert folder.crawl(seeds).returncode == 0
        yield folder, web.truth


def answers(folder: Folder, query: str, *words: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = json.loads(folder.run("search", query, "--json", "-n", "100", *words).stdout)["hits"]
    return hits


def urls(folder: Folder, query: str, *words: str) -> list[str]:
    return [hit["url"] for hit in answers(folder, query, *words)]


def test_every_honest_page_stands_before_every_cheat(museum: tuple[Folder, Truth]) -> None:
    folder, truth = museum
    assert len(truth.ranks) == 3
    assert compare(truth, {"results": {ranks.query: urls(folder, ranks.query) for ranks in truth.ranks}}) == []


def test_without_signals_the_cheats_stand_first(museum: tuple[Folder, Truth]) -> None:
    folder, truth = museum
    unpunished = {ranks.query: urls(folder, ranks.query, "-s", "SPOOF_SIGNALS=") for ranks in truth.ranks}
    first = {found[0].partition("localhost")[0] for found in unpunished.values()}
    assert "http://chartroom." not in first
    assert len(compare(truth, {"results": unpunished})) >= 15


def test_each_signal_is_found_on_cheats_and_none_on_an_honest_page(museum: tuple[Folder, Truth]) -> None:
    folder, truth = museum
    [sextant] = [ranks for ranks in truth.ranks if ranks.query == "sextant"]
    found: set[str] = set()
    for hit in answers(folder, "sextant"):
        signals = {part["term"] for part in hit["explain"]["parts"] if part["field"] == "signal"}
        assert round(sum(part["value"] for part in hit["explain"]["parts"]), 4) == hit["score"]
        assert not signals or hit["url"] not in sextant.honest
        found |= signals
    assert found == EVERY_SIGNAL


def test_hidden_words_are_neither_found_nor_shown(museum: tuple[Folder, Truth]) -> None:
    folder, _ = museum
    assert not [url for url in urls(folder, "cheap shop") if "/hidden/" in url]
    assert not [hit for hit in answers(folder, "sextant") if "/hidden/" in hit["url"] and "cheap" in hit["snippet"]]


def test_words_of_a_link_that_no_reader_sees_tell_nothing_of_the_page_it_leads_to(museum: tuple[Folder, Truth]) -> None:
    folder, truth = museum
    assert urls(folder, "gramophone") == []
    page = json.loads(folder.run("why", f"http://bazaar.localhost:{truth.port}/hidden/display.html", "--json").stdout)
    assert "1 link stands where no reader looks: their words count for no page" in json.dumps(page)


def test_why_names_the_signals_in_text_and_json(museum: tuple[Folder, Truth]) -> None:
    folder, truth = museum
    url = f"http://bazaar.localhost:{truth.port}/stuffed.html"
    told = " ".join(folder.run("why", url, "--q", "sextant").stdout.split())
    assert "spoofing It says a word far more often than its length allows (stuffing 1.00: “sextant” is" in told
    assert "stuffing: “sextant” is" in told.partition("= the sum of:")[2]
    page = json.loads(folder.run("why", url, "--json").stdout)["page"]
    assert [(each["name"], each["value"]) for each in page["signals"]] == [("stuffing", 1.0)]


def test_a_signal_that_is_none_is_refused_with_those_that_are(museum: tuple[Folder, Truth]) -> None:
    folder, _ = museum
    done = folder.run("search", "sextant", "-s", "SPOOF_SIGNALS=stuffin")
    assert done.returncode == 2
    assert "SPOOF_SIGNALS=stuffin: choose among hidden-text, stuffing" in done.stderr
    assert "give a share" in folder.run("search", "sextant", "-s", "SPOOF_PENALTY=2").stderr
