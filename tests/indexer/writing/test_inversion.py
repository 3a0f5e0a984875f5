"""A segment that was made with arrays has what a plain look at each word of each page has, before and after merges."""

from __future__ import annotations

import tracemalloc
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indexer.segments.dictionary
import indexer.writing.builder
import indexer.writing.inversion
from indexer.analysis.words import form_keys
from indexer.segments.dictionary import BEFORE_FIELD, ROWS
from indexer.segments.directory import Directory
from indexer.segments.schema import FIELD_KEYS, INDEX_FIELDS, URL, IndexField, url_key
from indexer.segments.segment import Segment, SegmentReader
from indexer.writing.builder import merge_segments
from indexer.writing.documents import document_of
from indexer.writing.inversion import KEPT_TERMS, Vocabulary
from indexer.writing.segment_writer import write_segments
from tests.indexer.plain_inversion import plain_inversion
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

NAMES = [
    "Running",
    "runs",
    "os.path.join",
    "getUserName",
    "HTTPServer",
    "C++",
    "東京都",
    "Čapek",
    "a",
    "the",
    "3.14",
    "—",
]
TEXTS = st.lists(st.sampled_from(NAMES), max_size=12).map(" ".join)
LANGUAGES = st.sampled_from(["en", "de", ""])
Expected = dict[tuple[str, str], dict[int, list[int]]]  # field and word: where it stands on which pages


@st.composite
def some_pages(draw: st.DrawFn, least: int = 1) -> list[Page]:
    count = draw(st.integers(least, 6))
    return [
        Page(
            CanonicalUrl(f"http://site.test/{number}"),
            draw(TEXTS),
            draw(TEXTS),
            headings=tuple(draw(st.lists(TEXTS, max_size=3))),
            anchors=tuple(draw(st.lists(TEXTS, max_size=2))),
            language=draw(LANGUAGES),
        )
        for number in range(count)
    ]


def written(folder: Path, pages: Sequence[Page]) -> list[Segment]:
    return list(write_segments(Directory(folder), map(document_of, pages), Vocabulary()))


def check(file: SegmentReader, pages: Sequence[Page]) -> None:
    """Compare all that a segment says with what a plain look at the pages says."""
    expected, lengths = plain_inversion(pages)
    assert file.count == len(pages)
    for (field, word), rows in expected.items():
        found = file.postings(field, word)
        assert found is not None
        assert found.documents.tolist() == list(rows)
        assert found.frequencies.tolist() == [len(places) for places in rows.values()]
        assert [found.positions_in(number).tolist() for number in rows] == list(rows.values())
        assert found.positions_in(len(pages)).tolist() == []
    for field in INDEX_FIELDS:
        assert file.lengths(field).tolist() == [lengths[field, number] for number in range(len(pages))]
        words = [(word, len(rows)) for (name, word), rows in expected.items() if name == field]
        assert list(file.words([field])) == sorted(words)
        assert list(file.words([field], "ab")) == sorted(pair for pair in words if pair[0].startswith("ab"))
    check_lists(file, expected)
    assert file.url_keys().tolist() == [url_key(page.url) for page in pages]
    for number, page in enumerate(pages):
        assert file.documents(URL, page.url) == [number]
        check_most_frequent(file, number, expected)
    check_forms(file, pages, expected)


def check_lists(file: SegmentReader, expected: Expected) -> None:
    """Words of several fields, each once, and the lists of these fields all at once."""
    fields = [IndexField.BODY, IndexField.TITLE]
    rows = {(word, FIELD_KEYS[field]): expected[field, word] for field, word in expected if field in fields}
    words = {word: max(len(found) for (other, _), found in rows.items() if other == word) for word, _ in rows}
    assert list(file.words(fields)) == sorted(words.items())
    keys, found = [], list[dict[int, list[int]]]()
    for some, lists in file.lists_of(fields):
        keys += some
        for row in range(len(some)):
            documents, frequencies, positions = (part.tolist() for part in file.unpacked(lists.taken([row])))
            ends = list(accumulate(frequencies))
            cuts = zip([0, *ends], ends, strict=False)
            found.append({number: positions[start:end] for number, (start, end) in zip(documents, cuts, strict=True)})
    assert keys == [word.encode() + BEFORE_FIELD + field for word, field in sorted(rows)]
    assert found == [rows[row] for row in sorted(rows)]


def check_most_frequent(file: SegmentReader, number: int, expected: Expected) -> None:
    body = [(len(rows[number]), word) for (field, word), rows in expected.items() if field == "body" and number in rows]
    found = [(count, word) for word, count in file.stored(number).terms.items()]
    assert found == sorted(body, reverse=True)[:KEPT_TERMS]


def check_forms(file: SegmentReader, pages: Sequence[Page], expected: Expected) -> None:
    """A word has the forms of the languages of the pages that have it, and of no other one."""
    spoken: dict[str, set[str]] = {}
    for (_, word), rows in expected.items():
        spoken.setdefault(word, set()).update(pages[number].language for number in rows)
    anywhere = {page.language for page in pages}
    for key in {key for word in spoken for key in form_keys(word, anywhere)}:
        having = sorted(word for word in spoken if key in form_keys(word, spoken[word]))
        assert [word for word in file.forms(key) if word in spoken] == having
    assert file.forms("english:nowhere") == ()


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(some_pages())
def test_arrays_hold_what_a_plain_look_at_each_word_finds(tmp_path: Path, pages: list[Page]) -> None:
    (segment,) = written(tmp_path, pages)
    check(SegmentReader(tmp_path, segment), pages)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data(), st.lists(some_pages(), min_size=1, max_size=4), st.sampled_from([1, 3, 64]))
def test_a_merge_is_the_segment_of_the_pages_that_are_left(
    tmp_path: Path, data: st.DataObject, several: list[list[Page]], blocks: int
) -> None:
    sources, left = [], []
    for place, pages in enumerate(several):
        renamed = [Page(CanonicalUrl(f"http://{place}.test/{n}"), p.title, p.text) for n, p in enumerate(pages)]
        (segment,) = written(tmp_path, renamed)
        deleted = data.draw(st.sets(st.integers(0, len(pages) - 1), max_size=len(pages)))
        sources.append((SegmentReader(tmp_path, segment), deleted))
        left += [page for number, page in enumerate(renamed) if number not in deleted]
    if not left:
        return
    with pytest.MonkeyPatch.context() as patch:  # so many terms are in memory at a time
        patch.setattr(indexer.writing.builder, "READ_BLOCKS", blocks)
        patch.setattr(indexer.segments.dictionary, "READ_ROWS", blocks)
        merged = SegmentReader(tmp_path, merge_segments(Directory(tmp_path), sources))
    check(merged, left)
    twice = merge_segments(Directory(tmp_path), [(merged, set())])
    check(SegmentReader(tmp_path, twice), left)


def test_of_a_deleted_page_no_word_is_left_after_a_merge(tmp_path: Path) -> None:
    """Neither among the words, nor among their forms, nor anywhere in the bytes of the file."""
    pages = [
        Page(CanonicalUrl(f"http://site.test/{name}"), "", text)
        for name, text in (("kept", "open shared"), ("gone", "secretly shared"))
    ]
    (segment,) = written(tmp_path, pages)
    merged = merge_segments(Directory(tmp_path), [(SegmentReader(tmp_path, segment), {1})])
    file = SegmentReader(tmp_path, merged)
    assert list(file.words([IndexField.BODY])) == [("open", 1), ("shared", 1)]
    assert file.forms("english:secret") == ()
    assert file.forms("english:share") == ("shared",)


def test_pages_of_nothing_but_new_words_make_several_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.writing.inversion, "MAX_STRINGS", 100)
    pages = [
        Page(CanonicalUrl(f"http://site.test/{n}"), "", " ".join(f"w{n}x{m}" for m in range(20))) for n in range(9)
    ]
    segments = written(tmp_path, pages)
    assert [segment.count for segment in segments] == [3, 3, 3]
    check(SegmentReader(tmp_path, segments[1]), pages[3:6])


def test_pages_of_long_runs_of_chinese_make_several_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.writing.inversion, "MAX_CUT_WORDS", 100)
    runs = ["".join(chr(0x4E00 + 200 * number + n) for n in range(60)) for number in range(4)]
    pages = [Page(CanonicalUrl(f"http://site.test/{number}"), "", run) for number, run in enumerate(runs)]
    segments = written(tmp_path, pages)
    assert [segment.count for segment in segments] == [1, 1, 1, 1]
    check(SegmentReader(tmp_path, segments[1]), pages[1:2])


def test_a_segment_packed_in_slices_is_that_packed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [
        Page(
            CanonicalUrl(f"http://site.test/{n}"), f"title{n}", " ".join(f"w{n * m % 97} 東京{m}都" for m in range(300))
        )
        for n in range(3)
    ]
    monkeypatch.setattr(indexer.writing.inversion, "TERMS_AT_ONCE", ROWS)
    contents = []
    for folder in (tmp_path / "sliced", tmp_path / "whole"):
        folder.mkdir()
        (segment,) = written(folder, pages)
        contents.append((folder / segment.file_name).read_bytes())
        check(SegmentReader(folder, segment), pages)
        monkeypatch.undo()
    assert contents[0] == contents[1]


@pytest.mark.slow
def test_a_run_of_half_a_million_characters_takes_bounded_memory(tmp_path: Path) -> None:
    run = "".join(chr(0x4E00 + number * number % 20_011) for number in range(500_000))
    page = Page(CanonicalUrl("http://site.test/"), "", run)
    written(tmp_path, [Page(CanonicalUrl("http://site.test/0"), "", "漢字 word")])  # what is loaded once
    tracemalloc.start()
    try:
        (segment,) = written(tmp_path, [page])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert segment.count == 1
    assert most < 80_000_000  # 48 MB; with all pieces of the run at once it is 252


def test_columns_are_arrays(tmp_path: Path, page: Callable[..., Page]) -> None:
    (segment,) = written(tmp_path, [page("a", "alpha"), page("b", "beta")])
    file = SegmentReader(tmp_path, segment)
    kinds = [column.dtype for column in map(file.column, ("expires", "signals", "cluster", "url_key"))]
    assert kinds == [np.float64, np.uint64, np.int64, np.uint64]
    assert file.lengths(IndexField.BODY).tolist() == [1, 1]
