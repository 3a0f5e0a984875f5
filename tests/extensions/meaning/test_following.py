"""Does the index writer read by meaning when it has time, and before it ends?"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from extension_points import IndexWork
from extensions.meaning.upkeep import VectorUpkeep
from indexer.following import StopSignal, update
from tests.child import wait_until
from tests.commands.conftest import fill
from tests.extensions.meaning.networks import WordCounts

if TYPE_CHECKING:
    from pathlib import Path

ENGLISH = 3  # of the five pages
DONE = "read_by_meaning"


def work(encoder: WordCounts) -> list[IndexWork]:
    return [IndexWork(DONE, partial(VectorUpkeep, encoder=encoder))]


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path


def test_pages_are_read_by_meaning_while_there_is_no_news(crawled: Path) -> None:
    until, encoder = StopSignal(), WordCounts()
    thread = threading.Thread(target=update, args=(crawled, until), kwargs={"work": work(encoder)})
    thread.start()
    try:
        wait_until(lambda: encoder.encoded == ENGLISH)
    finally:
        until.stop()
        thread.join()


def test_what_was_not_read_by_meaning_is_read_before_it_ends(crawled: Path) -> None:
    until, encoder = StopSignal(), WordCounts()
    until.closed.set()
    assert update(crawled, until, work=work(encoder)).worked[DONE] == ENGLISH
    assert update(crawled, until, work=work(encoder)).worked[DONE] == 0
    assert update(crawled, until, rebuild=True, work=work(encoder)).worked[DONE] == 0, (
        "a rebuild takes the vectors over"
    )


def test_whoever_stops_does_not_wait_for_the_reading_by_meaning(crawled: Path) -> None:
    until = StopSignal()
    until.stop()
    assert update(crawled, until, work=work(WordCounts())).worked[DONE] == 0
