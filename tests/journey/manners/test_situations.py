"""What does Breadcrumb do in each situation in which a robots.txt can be? Whole crawls, and the server's log as judge.

tests/situations plays the 40 rows of tests/conformance/http.jsonl, each on one or several sites. One crawl visits those
that need one visit. The others are visited again, with a database made days older.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.child import wait_until
from tests.journey.conftest import Folder, Site, html
from tests.situations.assessment import assess
from tests.situations.catalogue import HOSTILE, SITUATIONS, catalogue_rows
from tests.situations.crawl import observe_breadcrumb
from tests.situations.situation import Grade, Situation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.situations.assessment import Observation

ROWS = catalogue_rows()
# The rows of a catalogue of hostile sites that are about robots.txt, and the situation that plays each.
HOSTILE_ROWS = {
    "robots-001: 404": "H20",
    "robots-002: 403": "H21",
    "robots-003: 401": "H21",
    "robots-005: 500": "H23",
    "robots-006: 503": "H23",
    "robots-008: HTML soft page": "H03",
    "robots-010: 1 MB single line": "robots-010",
    "robots-013: UTF-16 file": "H07",
    "robots-014: CR-only line ends": "H09",
    "robots-016: random bytes": "robots-016",
    "robots-017: redirect to itself": "H15",
    "robots-018: redirect to another host": "H16",
    "robots-019: Crawl-delay 1e9": "H39",
    "robots-022: 300 MB gzip bomb": "robots-022",
    "robots-025: plain": "robots-025",
    "robots-026: timeout": "H24",
    "robots-027: connection refused": "H24",
    "robots-028: DNS failure": "H24",
}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Observation]:
    """What Breadcrumb did, by the ids of the situations."""
    return observe_breadcrumb((*SITUATIONS, *HOSTILE), tmp_path_factory.mktemp("situations"))


def test_each_row_of_the_catalogue_is_played() -> None:
    assert [situation.id for situation in SITUATIONS] == list(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "situation", [pytest.param(one, id=f"{one.id} {ROWS[one.id]['situation']}") for one in SITUATIONS]
)
def test_the_advice_of_the_row_is_followed(situation: Situation, seen: Mapping[str, Observation]) -> None:
    judgement = assess(situation, seen[situation.id])
    faults = "\n".join(str(fault) for fault in judgement.faults)
    assert judgement.grade is Grade.RIGHT, f"{ROWS[situation.id]['advice']}\n{faults}"


@pytest.mark.slow
@pytest.mark.parametrize("played", [pytest.param(played, id=row) for row, played in HOSTILE_ROWS.items()])
def test_a_hostile_robots_txt_does_no_harm(played: str, seen: Mapping[str, Observation]) -> None:
    situation = {one.id: one for one in (*SITUATIONS, *HOSTILE)}[played]
    judgement = assess(situation, seen[played])
    assert judgement.grade is Grade.RIGHT, "\n".join(str(fault) for fault in judgement.faults)


def test_a_crawl_that_was_killed_behind_its_robots_txt_still_knows_it(site: Site, folder: Folder) -> None:  # robots-029
    site.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private\n"),
        "/": html("home", "/open", "/private"),
        "/open": html("open"),
        "/private": html("private"),
    }
    killed = site.hold("/")
    with folder.start("crawl", "site", "-a", f"seeds={site.url}/", "-s", "INDEX_FOLLOW=0") as process:
        wait_until(lambda: "/" in site.asked(), process)
        process.kill()
    killed.set()
    assert folder.crawl(INDEX_FOLLOW=0).returncode == 0
    assert site.asked() == ["/robots.txt", "/", "/", "/open"]
    assert folder.rules() == {"/": "fetched", "/open": "fetched", "/private": "robots"}
