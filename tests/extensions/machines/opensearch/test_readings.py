"""Japanese is found by how it is spoken in either engine, with the same results, reasons and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.extensions.machines.opensearch.cluster_engine import ClusterEngine
from tests.indexer.library import Engine, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WITHOUT = "the extension that reads Japanese is left out"
reading = pytest.importorskip("tests.extensions.japanese.reading", reason=WITHOUT)
spoken = pytest.importorskip("tests.extensions.japanese.test_search", reason=WITHOUT)


@pytest.fixture(scope="module")
def engines(host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Engine]]:
    reading.reader()
    here, there = Engine(tmp_path_factory.mktemp("here")), ClusterEngine(tmp_path_factory.mktemp("there"), host)
    with reading.read():
        here.write(*spoken.pages())
        there.write(*spoken.pages())
        yield here, there
    there.drop()


@pytest.mark.parametrize("question", [*spoken.QUESTIONS, "とうきょう", "たわーのたかさ", "こーひーをのむ", "珈琲の"])
def test_a_spoken_word_has_the_same_results_wherever_the_index_is_kept(
    engines: tuple[Engine, Engine], question: str
) -> None:
    here, there = (engine.searcher().search(question, 50) for engine in engines)
    assert told(here) == told(there)
    assert here.hits


def test_pages_without_readings_are_told(host: str, tmp_path: Path) -> None:
    reading.reader()
    engine = ClusterEngine(tmp_path, host)
    with reading.read(wanted=False):
        engine.write(*spoken.pages("fruit"))
    with reading.read():
        assert "1 page in Japanese is found only as written" in engine.searcher().search("林檎の").notice
    engine.drop()
