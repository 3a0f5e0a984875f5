"""The lists of a word, unpacked together, against each list read by itself."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indexer
from indexer.query.terms import Variants
from indexer.ranking.query_postings import QueryPostings, VariantPostings
from indexer.segments.postings import row_of
from indexer.segments.segment import SegmentReader
from indexer.segments.snapshot import IndexReader
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.segments.dictionary import TermEntry
    from indexer.segments.snapshot import Snapshot

WORDS = ["run", "runs", "running", "Läufe", "lauf", "os.path", "東京都", "rye"]
_dice = random.Random(7)


def _some(most: int) -> str:
    return " ".join(_dice.choices(WORDS, k=_dice.randint(0, most)))


def _page(number: int) -> Page:
    return Page(
        CanonicalUrl(f"http://site.test/{number}"),
        _some(3),
        _some(300 if number % 9 == 0 else 20),
        headings=(_some(3), _some(2)),
        anchors=(_some(2),),
        template_text=_some(4),
        language=_dice.choice(["en", "de", ""]),
    )


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("asked")
    for numbers in (range(30), range(20, 50)):  # two segments; of the first some pages are replaced in the second
        with indexer.open_writer(folder) as writer:
            for number in numbers:
                writer.put(_page(number))
    return IndexReader(folder).current()


def places_by_list(found: VariantPostings, snapshot: Snapshot, rows: list[int], above: list[int]) -> list[int]:
    """Where the word stands by these rows, each list read by itself."""
    places = []
    for row, before in zip(rows, above, strict=True):
        form = next(each for each in found.lists if each.start <= row < each.stop)
        alone = snapshot.views[form.segment].file.postings(form.field, form.word)
        assert alone is not None
        document = int(alone.documents[row - form.start])
        assert found.pages[row] == snapshot.starts[form.segment] + document
        assert found.frequencies[row] == alone.frequencies[row - form.start]
        places += [(before << 32) + position for position in alone.positions_in(document).tolist()]
    return sorted(places)


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.sampled_from([*(word.lower() for word in WORDS), "os", "東京", "absent"]), min_size=1, max_size=2),
    st.floats(0, 1),
    st.randoms(use_true_random=False),
)
def test_what_is_read_together_is_what_each_list_says(
    snapshot: Snapshot, words: list[str], share: float, chance: random.Random
) -> None:
    variants = Variants(tuple(dict.fromkeys(words)), Variants.of(words[0], {"en", "de"}).forms)
    found = QueryPostings(snapshot).of(variants)
    everywhere = {
        (field, segment, word)
        for segment, view in enumerate(snapshot.views)
        for word, _ in variants.words_in(view.file)
        for field, _ in view.file.entries(word)
    }
    assert {(each.field, each.segment, each.word) for each in found.lists} == everywhere
    assert len(found) == sum(each.stop - each.start for each in found.lists) == len(found.pages)
    rows = sorted(row for row in range(len(found)) if chance.random() < share)
    above = np.array([int(found.in_fields[row]) for row in rows], np.int64)
    places = found.places(np.array(rows, np.intp), above)
    assert places.tolist() == places_by_list(found, snapshot, rows, above.tolist())
    for page in {0, snapshot.size - 1, *found.pages[:3].tolist()}:
        having = {(form.field, form.segment, form.word) for form, _ in found.lists_of(page)}
        segment, (view, document) = snapshot.segment_of(page), snapshot.place_of(page)
        assert having == {
            (field, segment, word)
            for field, at, word in everywhere
            if at == segment and row_of(view.file.postings(field, word).documents, document) is not None  # type: ignore[union-attr]  # everywhere has it
        }


def test_a_word_is_read_once_for_all_who_ask(snapshot: Snapshot) -> None:
    asked = QueryPostings(snapshot)
    assert asked.of(Variants.of("run", {"en"})) is asked.of(Variants.of("run", {"en"}))
    assert {form.exact for form in asked.of(Variants.of("run", {"en"})).lists} == {True, False}


def test_the_positions_of_a_term_are_read_once(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[SegmentReader] = []
    packed = SegmentReader.packed_positions

    def noted(file: SegmentReader, entries: Sequence[TermEntry]) -> list[bytes]:
        read.append(file)
        return packed(file, entries)

    monkeypatch.setattr(SegmentReader, "packed_positions", noted)
    found = VariantPostings(Variants.of("run", {"en"}), snapshot)
    rows = np.arange(len(found))
    some, every = (found.places(each, found.in_fields[each]) for each in (rows[:2], rows))
    assert set(some.tolist()) < set(every.tolist())
    assert len(read) == len(snapshot.views)
