"""Japanese is found by how it is spoken in either engine, with the same results, reasons and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.extensions.machines.opensearch.cluster_engine import ClusterEngine
from tests.indexer.library import Engine, told
from tests.indexer.retrieval.test_readings import QUESTIONS, pages
from tests.japanese import read, reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def engines(host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Engine]]:
    reader()
    here, there = Engine(tmp_path_factory.mktemp("here")), ClusterEngine(tmp_path_factory.mktemp("there"), host)
    with read():
        here.write(*pages())
        there.write(*pages())
        yield here, there
    there.drop()


@pytest.mark.parametrize("question", [*QUESTIONS, "とうきょう", "たわーのたかさ", "こーひーをのむ", "珈琲の"])
def test_a_spoken_word_has_the_same_results_wherever_the_index_is_kept(
    engines: tuple[Engine, Engine], question: str
) -> None:
    here, there = (engine.searcher().search(question, 50) for engine in engines)
    assert told(here) == told(there)
    assert here.hits


def test_pages_without_readings_are_told(host: str, tmp_path: Path) -> None:
    reader()
    engine = ClusterEngine(tmp_path, host)
    with read(wanted=False):
        engine.write(*pages("fruit"))
    with read():
        assert "1 page in Japanese is found only as written" in engine.searcher().search("林檎の").notice
    engine.drop()
