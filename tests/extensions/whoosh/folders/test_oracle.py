"""Does our search find the same pages as Whoosh in its own folder: by words, phrases and exclusions?

Whoosh is the oracle: its writer writes the same random pages, and both run the same random query, each in its own
language. The words are generated: no stem, stop word or spelling makes the two differ.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.indexer.library import Engine, WhooshEngine, a_page

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

WORDS = ("lumo", "kado", "pilu", "tarko", "vemu", "zolno")
PAGES = 60
QUESTIONS = 300


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Searcher, Searcher]:
    """The pages in an index of ours, and in a folder of Whoosh's."""
    chance = random.Random(20)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 6))) for _ in range(PAGES)]
    pages = [
        a_page(f"a.test/{number}", chance.choice((*WORDS, "")), text, template_text="")
        for number, text in enumerate(texts)
    ]
    folder: Path = tmp_path_factory.mktemp("oracle")
    ours, plain = Engine(folder / "ours"), WhooshEngine(folder / "plain")
    for engine in (ours, plain):
        engine.folder.mkdir()
        engine.write(*pages)
    return ours.searcher(), plain.searcher()


def phrase(chance: random.Random) -> str:
    return f'"{" ".join(chance.choices(WORDS, k=chance.randint(2, 3)))}"'


def part(chance: random.Random) -> str:
    """A part that each page must have, in both languages alike."""
    if chance.random() < 0.5:
        return phrase(chance)
    some = [chance.choice(WORDS) if chance.random() < 0.7 else phrase(chance) for _ in range(chance.randint(2, 3))]
    return f"({' OR '.join(some)})"


def question(chance: random.Random) -> tuple[str, str]:
    """A question in our language and in Whoosh's: any of some words, or parts that each page must have."""
    if chance.random() < 0.3:
        words = chance.sample(WORDS, chance.randint(1, 3))
        ours, plain = " ".join(words), f"({' OR '.join(words)})"
    else:
        parts = [part(chance) for _ in range(chance.randint(1, 3))]
        ours, plain = " ".join(parts), " AND ".join(parts)
    for _ in range(chance.randint(0, 2)):
        out = chance.choice((chance.choice(WORDS), phrase(chance), f"({' OR '.join(chance.sample(WORDS, 2))})"))
        ours, plain = f"{ours} -{out}", f"{plain} NOT {out}"
    return ours, plain


@pytest.mark.slow
def test_boolean_and_phrase_questions_find_what_whoosh_finds(both: tuple[Searcher, Searcher]) -> None:
    ours, plain = both
    chance = random.Random(0)
    sizes = []
    for _ in range(QUESTIONS):
        asked, in_whooshs = question(chance)
        # Ours shows pages without a phrase, too, behind those with it: each says what it lacks.
        found = {hit.url for hit in ours.search(asked, PAGES, exact=True).hits if not hit.lacks}
        wanted = {hit.url for hit in plain.search(in_whooshs, PAGES).hits}
        assert found == wanted, (asked, in_whooshs)
        sizes.append(len(wanted))
    assert sum(0 < size < PAGES for size in sizes) > QUESTIONS / 2
