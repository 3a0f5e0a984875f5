from __future__ import annotations

import shutil
import sys
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

import pytest

import indexer
import indexer.writing.builder
from indexer.segments.generation import CURRENT_FILE, FORMAT, index_folder, read_generation
from indexer.writing.builder import MERGE_FACTOR, SMALLEST
from tests.child import PATIENCE, child

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from urls.records import Page


def test_a_page_is_found_after_the_commit_and_not_before(
    tmp_path: Path, page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    with indexer.open_writer(tmp_path) as writer:
        writer.commit()
        searcher = indexer.open_index(tmp_path)
        writer.put(page("a", "alpha"))
        assert found(searcher, "alpha") == []
        writer.commit()
        assert found(searcher, "alpha") == ["a"]


def test_a_folder_may_be_named_by_a_text(tmp_path: Path, page: Callable[..., Page]) -> None:
    with indexer.open_writer(str(tmp_path)) as writer:
        writer.put(page("a", "alpha"))
    assert indexer.open_index(str(tmp_path)).search("alpha").total == 1
    with indexer.open_whoosh(str(tmp_path)).searcher() as searcher:
        assert searcher.doc_count() == 1


@pytest.mark.parametrize(
    "between", [pytest.param(False, id="before a commit"), pytest.param(True, id="across commits")]
)
@pytest.mark.parametrize("waiting", [pytest.param(2_000, id="in memory"), pytest.param(1, id="in segments")])
def test_several_puts_of_a_url_leave_the_last_one(
    tmp_path: Path, page: Callable[..., Page], monkeypatch: pytest.MonkeyPatch, between: bool, waiting: int
) -> None:
    monkeypatch.setattr(indexer.writing.builder, "MAX_WAITING_PAGES", waiting)
    with indexer.open_writer(tmp_path) as writer:
        for text in ("first", "second", "third"):
            writer.put(page("a", text))
            if between:
                writer.commit()
    searcher = indexer.open_index(tmp_path)
    assert searcher.documents == 1
    assert [searcher.search(word).total for word in ("first", "second", "third")] == [0, 0, 1]


def test_a_removed_page_is_gone_with_the_commit(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path
) -> None:
    searcher = index(page("a", "alpha"), page("b", "alpha"))
    with indexer.open_writer(tmp_path) as writer:
        writer.remove("http://site.test/a")
        writer.remove("http://site.test/never-there")
        writer.put(page("c", "alpha"))
        writer.remove("http://site.test/c")
    assert [hit.url for hit in searcher.search("alpha").hits] == ["http://site.test/b"]
    assert searcher.stored("http://site.test/a") is None


def test_the_position_is_that_of_the_last_commit(tmp_path: Path, page: Callable[..., Page]) -> None:
    with indexer.open_writer(tmp_path) as writer:
        assert writer.position == 0
        writer.put(page("a", "alpha"))
        writer.commit(position=7)
        writer.put(page("b", "beta"))
    with indexer.open_writer(tmp_path) as writer:
        assert writer.position == 7
        writer.commit(position=9)
    assert indexer.open_index(tmp_path).position == 9


def test_a_block_that_fails_commits_nothing(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path
) -> None:
    searcher = index(page("a", "alpha"))

    def fail() -> None:
        with indexer.open_writer(tmp_path) as writer:
            writer.put(page("b", "alpha"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert searcher.search("alpha").total == 1


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    code = (
        "import sys, indexer, pathlib\n"
        "with indexer.open_writer(pathlib.Path(sys.argv[1])): print('open', flush=True); sys.stdin.read()"
    )
    with child([sys.executable, "-c", code, tmp_path], stdin=PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(indexer.IndexLocked, match=f"process {holder.pid} is writing"):
            indexer.open_writer(tmp_path)
        holder.communicate(timeout=PATIENCE)
    indexer.open_writer(tmp_path).close()


def test_there_are_few_segments_however_many_commits(
    tmp_path: Path, page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    commits = 3 * MERGE_FACTOR
    with indexer.open_writer(tmp_path) as writer:
        for number in range(commits):
            writer.put(page(str(number), "alpha"))
            writer.put(page("again", f"beta {number}"))
            writer.commit()
            assert len(read_generation(index_folder(tmp_path)).files) < 2 * MERGE_FACTOR
    searcher = indexer.open_index(tmp_path)
    assert sorted(found(searcher, "alpha"), key=int) == [str(number) for number in range(commits)]
    assert found(searcher, str(commits - 1)) == [str(commits - 1), "again"]
    assert searcher.documents == commits + 1 <= SMALLEST


def test_a_rebuild_leaves_the_old_index_to_searches_until_its_first_commit(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer.writing.builder, "MAX_WAITING_PAGES", 1)
    searcher = index(page("old", "alpha"))
    writer = indexer.open_writer(tmp_path, rebuild=True)
    writer.put(page("new", "alpha"))
    assert [hit.url for hit in searcher.search("alpha").hits] == ["http://site.test/old"]
    writer.commit(position=3)
    assert [hit.url for hit in searcher.search("alpha").hits] == ["http://site.test/new"]
    writer.close()
    assert len(list(index_folder(tmp_path).glob("build-*"))) == 1


@pytest.mark.parametrize("rebuild", [False, True], ids=["an update", "a rebuild"])
@pytest.mark.parametrize("committed", [0, 2], ids=["of a new index", "of an index"])
def test_what_was_not_committed_takes_no_room_after_the_writer_is_closed(
    index: Callable[..., Any],
    page: Callable[..., Page],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    committed: int,
    *,
    rebuild: bool,
) -> None:
    monkeypatch.setattr(indexer.writing.builder, "MAX_WAITING_PAGES", 1)
    if committed:
        index(*(page(str(number), "alpha") for number in range(committed)))
    before = {path for path in index_folder(tmp_path).rglob("*.*") if path.parent.name.startswith("build-")}
    writer = indexer.open_writer(tmp_path, rebuild=rebuild)
    for number in range(20):
        writer.put(page(f"new-{number}", "alpha"))
    writer.close()
    assert {path for path in index_folder(tmp_path).rglob("*.*") if path.parent.name.startswith("build-")} == before
    assert not committed or indexer.open_index(tmp_path).search("alpha").total == committed


def test_a_writer_whose_folder_was_deleted_closes(tmp_path: Path, page: Callable[..., Page]) -> None:
    writer = indexer.open_writer(tmp_path)
    writer.put(page("one", text="wolves"))
    shutil.rmtree(tmp_path / "index")
    writer.close()
    assert list(tmp_path.iterdir()) == []


def test_a_deleted_index_is_none(index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path) -> None:
    searcher = index(page("a", "alpha"))
    indexer.delete_index(tmp_path)
    with pytest.raises(indexer.NoIndex, match="crawl site -a seeds=URL"):
        searcher.search("alpha")
    indexer.delete_index(tmp_path)


@pytest.mark.parametrize("damage", ["record", "cut", "missing", "contents", "format"])
def test_a_damaged_index_says_how_to_make_it_again(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path, damage: str
) -> None:
    index(page("a", "alpha"))
    current = index_folder(tmp_path) / CURRENT_FILE
    (segment,) = index_folder(tmp_path).glob("build-*/*.seg")
    (contents,) = index_folder(tmp_path).glob("build-*/contents-*.json")
    match damage:
        case "record":
            current.write_text("{")
        case "cut":
            segment.write_bytes(segment.read_bytes()[:-10])
        case "missing":
            segment.unlink()
        case "contents":
            contents.write_bytes(contents.read_bytes()[:40])
        case "format":
            current.write_text(current.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    for attempt in (indexer.open_index, indexer.open_writer):
        with pytest.raises(indexer.CorruptIndex, match=r"\./breadcrumb index --rebuild"):
            attempt(tmp_path)
    with indexer.open_writer(tmp_path, rebuild=True) as writer:
        writer.put(page("a", "alpha"))
    assert indexer.open_index(tmp_path).search("alpha").total == 1


def test_bytes_damaged_inside_a_segment_are_found_by_the_search_that_reads_them(
    index: Callable[..., Any], page: Callable[..., Page], tmp_path: Path
) -> None:
    index(*(page(str(number), f"alpha {'beta ' * number}") for number in range(50)))
    (segment,) = index_folder(tmp_path).glob("build-*/*.seg")
    content = bytearray(segment.read_bytes())
    for place in range(0, len(content), 7):
        content[place] ^= 0xFF
    segment.write_bytes(content)
    with pytest.raises(indexer.CorruptIndex, match="--rebuild"):
        indexer.open_index(tmp_path).search("alpha beta")
