"""`index --readings`, and a search with READINGS: with what reads Japanese, and without."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.advice import commands_in
from tests.commands.test_start import launcher

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

READS = find_spec("sudachipy") is not None and find_spec("sudachidict_small") is not None
READER = pytest.mark.skipif(not READS, reason="readings of Japanese, an extra of 120 MB, are not here")
READERLESS = pytest.mark.skipif(READS, reason="readings of Japanese are installed here: nothing is missing")


@READERLESS
def test_without_a_reader_readings_that_were_asked_for_are_refused_and_a_setting_is_told(crawled: Breadcrumb) -> None:
    done = crawled.run("index", "--readings")
    assert done.code == 2
    [(name, *words)] = commands_in(done.err)
    assert words == ["--readings", "--data", str(crawled.data)]
    assert any("readings" in lock for lock in launcher().needed(name, (*words, "--yes")))
    done = crawled.run("index", "-s", "READINGS=yes")
    assert done.code == 0
    assert "index: Japanese is not read" in done.err


@READER
def test_what_was_indexed_before_is_found_by_how_it_is_spoken_once_it_is_made_anew(crawled: Breadcrumb) -> None:
    spoken = ("search", "しょくぱん", "--json", "-s", "READINGS=yes")
    crawled.run("index")
    before = json.loads(crawled.run(*spoken).out)
    assert not before["hits"]
    assert "./breadcrumb index --rebuild --readings reads them" in before["not_read"]
    done = crawled.run("index", "--readings")
    assert "1 page in Japanese is found only as written" in done.err, "what did not change is not read by itself"
    assert crawled.run("index", "--readings", "--rebuild").err == ""
    found = json.loads(crawled.run(*spoken).out)
    assert found["hits"][0]["url"].endswith("/pan.html")
    assert "not_read" not in found
    assert not json.loads(crawled.run("search", "しょくぱん", "--json").out)["hits"], "it is off"
