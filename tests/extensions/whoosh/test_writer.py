"""A pipeline that is written for Whoosh writes into our index: durably, one at a time, and all or nothing."""
# mypy: disable-error-code="attr-defined,no-untyped-call,abstract"

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from whoosh import query
from whoosh.fields import ID
from whoosh.index import LockError
from whoosh.qparser import QueryParser
from whoosh.writing import AsyncWriter, BufferedWriter, IndexingError

import indexer
from indexer.faults import CorruptIndex, IndexFault, IndexLocked, NoIndex

if TYPE_CHECKING:
    from whoosh.index import Index

KILLED = """
import os, signal, sys
from pathlib import Path
import indexer
writer = indexer.open_whoosh(Path(sys.argv[1])).writer()
for number in range(3000):  # more than wait in memory
    writer.add_document(url=f"http://site.test/{number}", content="lost")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An index with two pages."""
    index = indexer.open_whoosh(tmp_path)
    with index.writer() as writer:
        writer.add_document(url="http://site.test/a", title="First", content="apples and pears")
        writer.add_document(path="http://site.test/b", title="Second", text="pears and plums")
    return index


def found(index: Index, text: str) -> list[str]:
    with index.searcher() as searcher:
        hits = searcher.search(QueryParser("content", index.schema).parse(text), limit=None)
        return sorted(hit["url"].rpartition("/")[2] for hit in hits)


def test_what_whoosh_wrote_is_found_by_both_doors(index: Index, tmp_path: Path) -> None:
    assert found(index, "pears") == ["a", "b"]
    assert found(index, "title:second") == ["b"]
    assert [hit.title for hit in indexer.open_index(tmp_path).search("plums").hits] == ["Second"]


def test_a_page_is_replaced_by_its_url_and_deleted_by_any_term(index: Index) -> None:
    with index.writer() as writer:
        writer.update_document(url="http://site.test/a", content="cherries")
        assert writer.delete_by_term("text", "plums") == 1
    assert (found(index, "pears"), found(index, "cherries"), index.doc_count()) == ([], ["a"], 1)
    with index.writer() as writer:
        assert writer.delete_by_query(query.Prefix("url", "http://site.test/")) == 1
    assert index.is_empty()


def test_what_was_cancelled_or_failed_is_forgotten(index: Index) -> None:
    writer = index.writer()
    writer.add_document(url="http://site.test/c", content="pears")
    writer.cancel()
    with pytest.raises(IndexFault), index.writer() as failing:
        failing.add_document(url="http://site.test/d", content="pears", author="x")
    assert found(index, "pears") == ["a", "b"]
    with pytest.raises(IndexingError, match="Open another"):
        writer.add_document(url="http://site.test/c")


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_the_index_as_it_was(index: Index, tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path.cwd(), check=False)
    assert ended.returncode == -signal.SIGKILL
    assert (found(index, "lost"), found(index, "pears")) == ([], ["a", "b"])
    with index.writer() as writer:
        writer.add_document(url="http://site.test/c", content="pears")
    assert found(index, "pears") == ["a", "b", "c"]


def test_two_writers_wait_for_each_other_or_say_who_writes(index: Index) -> None:
    first = index.writer()
    with pytest.raises(IndexLocked, match=f"process {os.getpid()} is writing this index"):
        index.writer(timeout=0.2)
    with pytest.raises(LockError):  # what a program for Whoosh looks for
        index.writer()
    waiting = AsyncWriter(index, delay=0.01)
    waiting.add_document(url="http://site.test/c", content="pears")
    waiting.commit()
    first.commit()
    waiting.wait(60)
    assert found(index, "pears") == ["a", "b", "c"]


def test_a_buffered_writer_finds_pages_before_they_are_committed(index: Index) -> None:
    writer = BufferedWriter(index, period=None, limit=10)
    writer.add_document(url="http://site.test/c", title="Third", content="pears in a buffer")
    writer.update_document(url="http://site.test/a", content="apples alone")
    with writer.searcher() as searcher:
        assert len(searcher.search(query.Term("content", "buffer"))) == 1
    assert found(index, "pears") == ["a", "b"]
    writer.close()
    assert (found(index, "pears"), found(index, "apples"), found(index, "title:third")) == (["b", "c"], ["a"], ["c"])


def test_ten_commits_of_small_batches_are_merged_and_nothing_is_lost(index: Index) -> None:
    searcher = index.searcher()
    for turn in range(10):
        with index.writer() as writer:
            for number in range(5):
                writer.add_document(url=f"http://site.test/{turn}-{number}", content="pears")
    writer = index.writer()
    writer.commit(optimize=True)
    assert len(found(index, "pears")) == 52
    assert len(searcher.search(query.Term("content", "pears"), limit=None)) == 2
    assert len(searcher.refresh().search(query.Term("content", "pears"), limit=None)) == 52


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": "x"}, "without a URL: give add_document url=…"),
        ({"path": "/a"}, "keeps pages under http or https URLs"),
        ({"url": "http://site.test/", "author": "x"}, "no such field. It takes url, title, body"),
        ({"url": "http://site.test/", "_title_boost": 2}, "weight a field when you search"),
        ({"url": "http://site.test/", "site": "site.test"}, "derives this field"),
        ({"url": "http://site.test/", "content": b"x"}, "takes text"),
        ({"url": "http://site.test/", "content": "x", "body": "y"}, "body has another value already"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_document_that_can_be_no_page_is_refused_with_a_reason(
    index: Index, fields: dict[str, Any], said: str
) -> None:
    with index.writer() as writer, pytest.raises(IndexFault, match=said.replace("…", ".").replace("(", ".")):
        writer.add_document(**fields)
    assert index.doc_count() == 2


def test_fields_can_be_neither_added_nor_removed(index: Index) -> None:
    with pytest.raises(IndexFault, match="no other can be added"):
        index.add_field("author", ID())
    with pytest.raises(IndexFault, match="none can be removed"):
        index.remove_field("title")
    with index.writer() as writer, pytest.raises(IndexFault, match="no other can be added"):
        writer.add_field("author", ID())


def test_a_folder_without_an_index_and_one_of_another_format_are_named(tmp_path: Path, index: Index) -> None:
    with pytest.raises(NoIndex, match="there is no index here yet"):
        indexer.open_whoosh(tmp_path / "empty").searcher()
    current = tmp_path / "index" / "current.json"
    stored = current.read_bytes()
    current.write_bytes(b"{}")
    with pytest.raises(CorruptIndex, match="cannot be read"):
        indexer.open_whoosh(tmp_path).searcher()
    with pytest.raises(CorruptIndex, match="cannot be read"):
        indexer.open_whoosh(tmp_path).writer()
    current.write_bytes(stored)
    assert found(index, "pears") == ["a", "b"]


def test_a_cluster_is_searched_by_another_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREADCRUMB_INDEX", "opensearch://localhost:9200/pages")
    with pytest.raises(IndexFault, match=r"Search a cluster with indexer\.open_index"):
        indexer.open_whoosh(tmp_path)


def test_a_query_that_needs_what_no_posting_has_says_so(index: Index) -> None:
    with index.searcher() as searcher:
        postings = searcher.postings("content", "pears")
        with pytest.raises(NotImplementedError, match="has its frequency, weight and positions"):
            postings.value_as("characters")
        with pytest.raises(NotImplementedError, match="no packed values"):
            postings.value()
        with pytest.raises(KeyError, match="no term vectors"):
            searcher.vector(0, "content")


@pytest.mark.parametrize("text", ["dated:2020", "dated:[1 to 2]"])
def test_a_query_of_a_field_without_terms_says_what_the_field_is_for(index: Index, text: str) -> None:
    with pytest.raises(IndexFault, match="sorted by this field, not searched"):
        found(index, text)


@pytest.mark.parametrize("asked", [query.Every("dated"), query.Term("dated", "1"), query.Prefix("dated", "1")], ids=str)
def test_any_query_of_a_field_without_terms_says_how_to_sort_by_it(index: Index, asked: Any) -> None:
    with index.searcher() as searcher:
        with pytest.raises(IndexFault, match="sortedby='dated'"):
            searcher.search(asked)
        assert len(searcher.search(query.Every(), sortedby="dated", reverse=True)) == 2


def test_no_pickle_is_written_or_read(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a pickle")

    for name in ("load", "loads", "dump", "dumps"):
        monkeypatch.setattr(f"pickle.{name}", refuse)
    monkeypatch.setattr("whoosh.formats.loads", refuse)
    monkeypatch.setattr("whoosh.formats.dumps", refuse)
    with index.writer() as writer:
        writer.add_document(url="http://site.test/c", content="pears and quinces")
    assert found(index, '"pears and" OR apple*') == ["a", "b", "c"]
    assert not list(tmp_path.rglob("*.toc"))
