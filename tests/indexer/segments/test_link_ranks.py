"""Link data of a page: written, named by a commit, read again, and rejected if a bit of it has changed."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indexer
from indexer import CorruptIndex
from indexer.segments.generation import index_folder, read_generation
from indexer.segments.link_ranks import MEAN, GraphState, LinkRanks, read_link_ranks
from urls.records import Page

ROWS = st.dictionaries(
    st.integers(0, 2**64 - 1),
    st.tuples(st.floats(0, 1e6, width=32), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)),
    max_size=50,
)


def ranks(rows: dict[int, tuple[float, int, int]], state: GraphState | None = None) -> LinkRanks:
    keys = sorted(rows)
    return LinkRanks(
        state or GraphState(),
        np.array(keys, np.uint64),
        np.array([rows[key][0] for key in keys], np.float32),
        np.array([rows[key][1] for key in keys], np.uint32),
        np.array([rows[key][2] for key in keys], np.uint32),
    )


@given(ROWS, st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_what_was_written_is_read(rows: dict[int, tuple[float, int, int]], strangers: list[int]) -> None:
    state = GraphState(7, 3, 2, 0.85, 4)
    found = LinkRanks.load(ranks(rows, state).dump())
    asked = [*rows, *strangers]
    known, inlinks, other_sites = found.of(np.array(asked, np.uint64))
    expected = [rows.get(key, (MEAN, 0, 0)) for key in asked]
    assert list(zip(known, inlinks, other_sites, strict=True)) == expected
    assert found.state == state


def test_a_file_of_a_version_that_counted_no_sites_is_read() -> None:
    head = b'{"changes": 7, "links": 3, "pages": 2, "damping": 0.85, "urls": 2, "byte_order": "little"}\n'
    arrays = np.array([3, 9], np.uint64), np.array([1.5, 0.5], np.float32), np.array([4, 1], np.uint32)
    found = LinkRanks.load(head + b"".join(array.tobytes() for array in arrays))
    assert (found.inlinks.tolist(), found.other_sites.tolist()) == ([4, 1], [0, 0])
    assert found.state.linking_sites is None


@given(st.binary(max_size=200))
def test_what_was_never_written_is_refused(content: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        LinkRanks.load(content)


@given(ROWS, st.data())
def test_ranks_that_are_cut_are_refused(rows: dict[int, tuple[float, int, int]], data: st.DataObject) -> None:
    content = ranks(rows).dump()
    end = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        LinkRanks.load(content[:end] if end < len(content) - 1 else content + b"x")


def test_a_commit_names_the_ranks_and_the_next_one_keeps_them(tmp_path: Path, page: Callable[..., Page]) -> None:
    with indexer.open_writer(tmp_path) as writer:
        writer.put(page("a", "words"))
        writer.put_ranks(ranks({5: (2.0, 3, 1)}, GraphState(1)))
    with indexer.open_writer(tmp_path) as writer:
        assert writer.graph == GraphState(1)
        writer.put(page("b", "words"))
    folder = index_folder(tmp_path)
    kept = read_generation(folder)
    assert read_link_ranks(folder / kept.build, kept.ranks).inlinks.tolist() == [3]


def test_new_ranks_take_the_place_of_the_old_file(tmp_path: Path) -> None:
    for number in (1, 2):
        with indexer.open_writer(tmp_path) as writer:
            writer.put_ranks(ranks({5: (2.0, number, 1)}))
    folder = index_folder(tmp_path)
    build = folder / read_generation(folder).build
    [left] = build.glob("*.ranks")
    assert read_generation(folder).ranks.keys() == {left.name}


def test_a_bit_that_is_another_one_is_told(tmp_path: Path, page: Callable[..., Page]) -> None:
    with indexer.open_writer(tmp_path) as writer:
        writer.put(page("a", "words"))
        writer.put_ranks(ranks({5: (2.0, 3, 1)}))
    folder = index_folder(tmp_path)
    [file] = (folder / read_generation(folder).build).glob("*.ranks")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(CorruptIndex, match=file.name):
        indexer.open_index(tmp_path)
    with pytest.raises(CorruptIndex, match=file.name):
        indexer.open_writer(tmp_path)
