"""A page that is turned round in slices gives the segment, byte for byte, that it gives as a whole, in less memory."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indexer.analysis.tokenizer
import indexer.writing.inversion
import indexer.writing.segment_writer
from indexer.analysis.tokenizer import positioned_terms, raw_tokens, token_slices
from indexer.segments.directory import Directory
from indexer.segments.segment import SegmentReader
from indexer.writing.documents import document_of
from indexer.writing.inversion import Vocabulary
from indexer.writing.segment_writer import write_segments
from tests.indexer.writing.test_inversion import check
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Words and runs, what joins and parts them, what NFKC changes, letters with signs, astral letters, lone surrogates.
PIECES = [
    "running", "os.path.join", "getUserName", "C++", "e-mail", "東京都", "京都東", "ﾊﾞﾋﾞ", "ㄱㄴㄷ", "\u3099",
    "\U00020000", "e\u0301", "कि", "שָׁלוֹם", "\u00ad", "\ud83d", "\udca9", "ﷺ", "Čapek", "'s", " ", " ", "\n", "。", "-",
    "\0", "\1",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
ANY_TEXT = st.one_of(TEXTS, st.text(max_size=60), TEXTS.map(lambda text: text.replace(" ", "")))


@st.composite
def some_pages(draw: st.DrawFn) -> list[Page]:
    return [
        Page(
            CanonicalUrl(f"http://site.test/{number}"),
            draw(ANY_TEXT).encode("utf-8", "ignore").decode(),
            draw(ANY_TEXT),
            headings=tuple(draw(st.lists(ANY_TEXT, max_size=3))),
            pictures=tuple(draw(st.lists(ANY_TEXT, max_size=3))),
            template_text=draw(ANY_TEXT),
            language=draw(st.sampled_from(["en", "de", ""])),
        )
        for number in range(draw(st.integers(1, 3)))
    ]


def written(folder: Path, pages: Sequence[Page]) -> list[bytes]:
    folder.mkdir(exist_ok=True)
    segments = write_segments(Directory(folder), map(document_of, pages), Vocabulary())
    return [(folder / segment.file_name).read_bytes() for segment in segments]


def slicing(patch: pytest.MonkeyPatch, *, strings: int, chars: int = 3, part: int = 2) -> None:
    """Make slices of a few words."""
    patch.setattr(indexer.writing.inversion, "MAX_STRINGS", strings)
    patch.setattr(indexer.writing.inversion, "LONG_TEXT", 0)
    patch.setattr(indexer.writing.segment_writer, "SLICE_CHARS", chars)
    patch.setattr(indexer.writing.segment_writer, "WORDS_AT_ONCE", part)
    patch.setattr(indexer.analysis.tokenizer, "RUN_PART_CHARS", part)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(some_pages(), st.integers(1, 60), st.integers(1, 20), st.integers(1, 9))
def test_a_segment_made_in_slices_is_that_made_as_a_whole(
    tmp_path: Path, pages: list[Page], strings: int, chars: int, part: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        slicing(patch, strings=strings, chars=chars, part=part)
        sliced = written(tmp_path / "sliced", pages[:1])  # a segment ends with the page that fills it
    assert sliced == written(tmp_path / "whole", pages[:1])


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(some_pages(), st.integers(1, 60))
def test_pages_before_the_long_one_are_in_its_segment(tmp_path: Path, pages: list[Page], strings: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        slicing(patch, strings=strings)
        sliced = written(tmp_path / "sliced", pages)
    if len(sliced) == 1:
        assert sliced == written(tmp_path / "whole", pages)


def test_slices_have_what_a_plain_look_at_each_word_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clear version is the oracle of a page of many slices, whose phrases reach over their borders."""
    words = [f"w{number % 17}x{number % 11}" for number in range(400)]
    text = " ".join(words[:200]) + " 東京都と京都と大阪府 " + " ".join(words[200:])
    page = Page(CanonicalUrl("http://site.test/"), "title", text, headings=(text[:300], text[40:]), language="en")
    slicing(monkeypatch, strings=30)
    (segment,) = write_segments(Directory(tmp_path), map(document_of, [page]), Vocabulary())
    monkeypatch.undo()
    check(SegmentReader(tmp_path, segment), [page])


@settings(max_examples=300)
@given(st.one_of(ANY_TEXT, st.text(alphabet="東京都ﾊﾞㄱᄀ\u3099ก็㆒", max_size=40)), st.integers(1, 9), st.integers(1, 5))
def test_words_and_positions_of_a_text_are_the_same_in_slices(text: str, chars: int, part: int) -> None:
    def words(tokens: Sequence[str]) -> tuple[list[tuple[str, int]], int]:
        found, reached = list[tuple[str, int]](), 0
        for token in tokens:
            some, width = positioned_terms(token)
            found += [(word, reached + offset) for word, offset in some]
            reached += width
        return found, reached

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexer.analysis.tokenizer, "RUN_PART_CHARS", part)
        sliced = [token for some in token_slices(text, chars) for token in some]
        assert words(sliced) == words(raw_tokens(text))


@pytest.mark.slow
def test_a_long_page_takes_a_fraction_of_the_memory_in_slices(tmp_path: Path) -> None:
    """Of Python's own blocks, which are the same in each run: the process's memory depends on the machine."""
    run = "".join(chr(0x4E00 + number * number % 20_011) for number in range(50_000))
    page = Page(CanonicalUrl("http://site.test/"), "", run, language="zh")
    written(tmp_path, [Page(CanonicalUrl("http://site.test/0"), "", "漢字 word")])  # what is loaded once

    def peak(folder: Path) -> int:
        tracemalloc.start()
        try:
            written(folder, [page])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    whole = peak(tmp_path / "whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexer.writing.inversion, "MAX_STRINGS", 4_096)
        patch.setattr(indexer.writing.segment_writer, "WORDS_AT_ONCE", 256)
        assert peak(tmp_path / "sliced") < whole / 2
