"""Pages that are too much of something, and bits that a disk has turned: an answer inside its bounds, or a sentence."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import indexer
import indexer.writing.inversion
from indexer.analysis.tokenizer import MAX_INDEXED_CHARS
from indexer.segments.dictionary import MAX_WORDS
from indexer.segments.generation import index_folder
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher
    from urls.records import Page

FLIPS = 250
QUESTIONS = ("alpha", "beta gamma", '"alpha beta"', "-gamma alpha", "site:site.test", "lang:en beta", "word3", "words")


def segments_of(searcher: Any) -> list[Any]:
    return [view.file for view in searcher.corpus.current().views]


def test_a_page_of_ten_megabytes_of_one_word_is_cut_and_found(
    index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    searcher = index(page("much", "alpha " * 1_700_000), page("little", "alpha"))
    assert sorted(found(searcher, "alpha")) == ["little", "much"]
    (file,) = segments_of(searcher)
    assert file.lengths(IndexField.BODY).tolist() == [MAX_INDEXED_CHARS // len("alpha ") + 1, 1]


def test_a_title_of_a_hundred_kilobytes_is_found_and_shown(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    searcher = index(page("long", "text", title="alpha omega " * 8_500), page("short", "text", title="omega"))
    hits = searcher.search("omega").hits
    assert {hit.url[-5:] for hit in hits} == {"/long", "short"}
    assert all(hit.explain().parts and str(hit.snippet) == "text" for hit in hits)


def test_each_of_very_many_words_is_found_in_segments_of_bounded_dictionaries(
    index: Callable[..., Any],
    page: Callable[..., Page],
    found: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(indexer.writing.inversion, "MAX_STRINGS", 20_000)
    pages = [page(str(n), " ".join(f"w{n}x{m}" for m in range(4_000))) for n in range(12)]
    searcher = index(*pages)
    assert [file.count for file in segments_of(searcher)] == [3, 3, 3, 3]
    assert [found(searcher, f"w{n}x{m}") for n, m in ((0, 0), (5, 1_999), (11, 3_999))] == [["0"], ["5"], ["11"]]


def test_a_word_with_a_thousand_accents_is_one_form_with_bounded_words(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    letters = "aáàâäãåā"
    words = [f"{a}{b}{c}{d}x" for a in letters for b in letters for c in letters for d in letters]
    searcher = index(page("accents", " ".join(words)))
    (file,) = segments_of(searcher)
    assert len(file.forms("folded:aaaax")) == MAX_WORDS
    assert searcher.search("aaaax").total == 1


def answers(searcher: Searcher) -> list[Any]:
    return [[(hit.url, hit.score, str(hit.snippet)) for hit in searcher.search(each).hits] for each in QUESTIONS]


@pytest.mark.slow
def test_no_bit_that_a_disk_has_turned_changes_an_answer(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path
) -> None:
    dice = random.Random(11)
    words = ["alpha", "beta", "gamma", *(f"word{number}" for number in range(40))]
    make = [page(str(n), " ".join(dice.choices(words, k=60)), title=dice.choice(words)) for n in range(60)]
    searcher = index(*make[:40])
    searcher = index(*make[20:])  # a second segment, and deleted pages in the first
    sound, told = answers(searcher), 0
    files = sorted(path for path in index_folder(tmp_path).rglob("*") if path.is_file() and path.stat().st_size)
    segments = [path for path in files if path.suffix == ".seg"]
    for _ in range(FLIPS):
        path = dice.choice(segments if dice.random() < 0.9 else files)
        whole = path.read_bytes()
        content = bytearray(whole)
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        path.write_bytes(content)
        try:
            assert answers(indexer.open_index(tmp_path)) == sound
        except indexer.CorruptIndex:
            told += 1
        path.write_bytes(whole)
    assert told > FLIPS / 2
    assert answers(indexer.open_index(tmp_path)) == sound
