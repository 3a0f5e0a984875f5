"""Does `bench/crawl lossy` show what a crawl with a lossy set loses, by the formula and as found?"""

import json
import math

import pytest

from bench.crawling.lossy import lossy_crawl
from tests.forks import Bench


def visited(bench: Bench, *words: str) -> str:
    done = bench("crawl", "lossy", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_lossy_crawl_is_told_with_its_errors_by_the_formula_and_as_found(bench: Bench) -> None:
    told = json.loads(visited(bench, "--pages", "5000", "--errors", "0.1", "--json"))
    assert (told["urls"], told["bytes"]) == (5000, math.ceil(told["bits"] / 8))
    assert abs(told["taken_for_known"] - told["expected"]) < 4 * math.sqrt(told["expected"])
    assert told["strangers_found"] == pytest.approx(told["strangers_expected"], rel=0.2)
    assert told["lost"] == told["taken_for_known"] + told["cut_off"]


def test_bits_with_room_for_far_more_lose_nothing() -> None:
    found = lossy_crawl(2000, made_for=200_000, errors=0.001)
    assert (found.taken_for_known, found.lost) == (0, 0)


def test_bits_with_room_for_far_fewer_lose_pages_and_what_only_those_lead_to() -> None:
    found = lossy_crawl(2000, made_for=200, errors=0.01)
    assert found.lost > 1000
    assert found.cut_off > 100


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        pytest.param(("--pages", "0"), "no number from 1 up", id="no page"),
        pytest.param(("--pages", "10", "--errors", "1"), "a share between 0 and 1", id="nothing but errors"),
    ],
)
def test_what_cannot_be_measured_is_told(bench: Bench, words: tuple[str, ...], problem: str) -> None:
    done = bench("crawl", "lossy", *words)
    assert done.returncode == 2
    assert problem in done.stderr
