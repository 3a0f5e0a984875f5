"""Is the practice web as its truth says? A plain robot walks all of it and should have nothing to add."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any

import pytest

from demo import compare, load
from demo.truth import RULES, SITES

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted(SITES.glob("*/truth.json"))
KEYS = {
    "title",
    "lang",
    "shows",
    "seeds",
    "fetched",
    "indexed",
    "refused",
    "never",
    "with_scripts",
    "at_most",
    "one_of",
    "similar",
    "aliases",
    "ranks",
}


@pytest.mark.slow
def test_a_robot_with_the_plain_rules_of_the_book_finds_exactly_the_truth(walk: Any) -> None:
    assert compare(walk.web.truth, walk.facts) == []


def test_every_link_of_every_page_is_classified(walk: Any) -> None:
    truth = walk.web.truth
    known = truth.fetched.union(*truth.one_of, (refused.url for refused in truth.refused))
    unknown = {url for url in walk.discovered | walk.written if url not in known and not truth.is_trap(url)}
    assert not unknown


def test_nothing_in_the_truth_is_out_of_reach(walk: Any) -> None:
    truth = walk.web.truth
    met = walk.discovered | walk.written | set(walk.suppressed)
    assert truth.fetched.union(refused.url for refused in truth.refused) <= met
    assert all(group & met for group in truth.one_of)


def test_a_second_crawl_gets_304_for_every_page_that_does_not_change_by_itself(walk: Any) -> None:
    again = type(walk)(walk.web, known_tags=walk.tags)
    again.connection = http.client.HTTPConnection("127.0.0.1", walk.web.port)
    changed = {url for url in walk.tags if again.get(url)[0] != 304}
    again.connection.close()
    assert changed == {url for url in walk.tags if url.endswith("/guestbook")}


@pytest.mark.slow
def test_the_traps_end_within_their_limits_and_are_walked(walk: Any) -> None:
    for prefix, most in walk.web.truth.at_most.items():
        assert 1 < sum(url.startswith(prefix) for url in walk.fetched) <= most


def test_every_rule_of_the_truth_is_shown_somewhere(walk: Any) -> None:
    truth = load()
    assert {refused.rule for refused in truth.refused} | {"duplicate"} == set(RULES)
    assert "duplicate" in walk.suppressed.values()
    assert walk.similar


def test_there_is_enough_to_read() -> None:
    truth = load()
    assert sum(site.listed for site in truth.sites) >= 8
    assert len(truth.indexed) + len(truth.one_of) >= 60
    assert {site.lang for site in truth.sites} == {"en", "ko", "ru", "ja", "ar", "he", "zh"}


def test_each_site_is_on_the_way_from_a_seed_except_two_off_the_list() -> None:
    assert [site.name for site in load().sites if not site.listed] == ["hills", "semaphore"]


def test_the_port_moves_through_every_url() -> None:
    truth = load(9)
    places = [*truth.seeds, *truth.fetched, *truth.indexed, *truth.at_most, *truth.aliases]
    assert all(".localhost:9/" in url for url in places)
    assert not any("8400" in url for group in truth.one_of for url in group)
    assert not any("8400" in refused.url for refused in truth.refused)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
class TestEachFile:
    def test_has_only_the_documented_keys(self, file: Path) -> None:
        assert set(json.loads(file.read_text("utf-8"))) <= KEYS

    def test_says_what_it_shows_in_one_sentence(self, file: Path) -> None:
        shows = json.loads(file.read_text("utf-8"))["shows"]
        assert shows.endswith(".")
        assert len(shows) < 160

    def test_indexes_only_what_is_fetched_and_knows_its_rules(self, file: Path) -> None:
        told = json.loads(file.read_text("utf-8"))
        assert set(told.get("indexed", ())) <= set(told.get("fetched", ()))
        assert {row["rule"] for row in told.get("refused", ())} <= set(RULES)
        assert not set(told.get("indexed", ())) & {row["path"] for row in told.get("refused", ())}
