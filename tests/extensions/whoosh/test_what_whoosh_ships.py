"""The tools of Whoosh for an index work on ours: its command line, its retrieval, its adapters."""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest
import whoosh.cli
import whoosh.mcp
from whoosh import highlight, scoring
from whoosh.langchain import make_whoosh_retriever
from whoosh.llamaindex import make_whoosh_llamaindex_retriever
from whoosh.qparser import MultifieldParser
from whoosh.qparser.dateparse import DateParserPlugin
from whoosh.retrieval import WhooshSearch
from whoosh.writing import AsyncWriter

import indexer
from urls.records import CanonicalUrl, Page

URL = "http://site.test/pears"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with indexer.open_whoosh(tmp_path).writer() as writer:
        writer.add_document(url=URL, title="Pears", content="Pears keep for weeks in a cool cellar.")
        writer.add_document(url="http://site.test/plums", title="Plums", content="Plums ripen in September.")
    return tmp_path


def test_its_retrieval_finds_texts_by_id(folder: Path) -> None:
    (hit,) = WhooshSearch(indexer.open_whoosh(folder)).search("cool cellar", k=3)
    assert (hit.id, hit.text[:10], hit.metadata) == (URL, "Pears keep", {})
    assert hit.score > 1


def test_its_command_line_searches_and_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / whoosh.cli.INDEX_DIRNAME).mkdir()  # where it looks; it opens an index by its folder alone
    monkeypatch.setattr("whoosh.index.exists_in", lambda _: True)
    monkeypatch.setattr("whoosh.index.open_dir", lambda _: indexer.open_whoosh(folder))
    assert whoosh.cli.main(["search", "cellar", str(folder)]) == 0
    assert "CELLAR" in capsys.readouterr().out
    assert whoosh.cli.main(["stats", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["doc_count"] == 2


def test_its_server_for_language_models_searches_and_fetches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whoosh.mcp.open_dir", lambda name: indexer.open_whoosh(Path(name)))
    core = whoosh.mcp.SearchCore(str(folder))
    assert [found["id"] for found in core.search("cellar")] == [URL]
    assert core.fetch(URL)["title"] == "Pears"
    assert core.fetch("http://site.test/none")["error"] == "not found"


def test_they_go_on_while_pages_are_committed_deleted_and_merged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whoosh.mcp.open_dir", lambda name: indexer.open_whoosh(Path(name)))
    retrieval, core = WhooshSearch(indexer.open_whoosh(folder)), whoosh.mcp.SearchCore(str(folder))
    for turn in range(30):
        with indexer.open_writer(folder) as writer:
            for number in range(5):
                writer.put(
                    Page(CanonicalUrl(f"http://site.test/{turn}/{number}"), "More", "Another cellar, and quinces.")
                )
            if turn:
                writer.remove(CanonicalUrl(f"http://site.test/{turn - 1}/0"))
        assert retrieval.search("cool cellar", k=1)[0].id == URL
        assert core.search("weeks")[0]["id"] == URL
        assert core.fetch(URL)["title"] == "Pears"
    assert indexer.open_whoosh(folder).doc_count() == 2 + 30 * 5 - 29


def test_what_projects_around_whoosh_rely_on_works(tmp_path: Path) -> None:
    """Whoosh's own test of such projects asks this: a writer that waits, dates in words, TF_IDF, HTML, closed files."""
    index = indexer.open_whoosh(tmp_path)
    writer = AsyncWriter(index)  # type: ignore[abstract]  # by its annotations alone
    writer.add_document(url=URL, title="Pears", content="Pears keep for weeks in a cool cellar.")
    writer.commit()
    parser = MultifieldParser(["content", "title"], index.schema)
    parser.add_plugin(DateParserPlugin(basedate=datetime(2026, 11, 1)))  # noqa: DTZ001 - Whoosh's dates have no zone
    with index.searcher(weighting=scoring.TF_IDF()) as searcher:
        hits = searcher.search(parser.parse("cellar"))
        hits.fragmenter = highlight.ContextFragmenter()
        hits.formatter = highlight.HtmlFormatter(tagname="span", classname="match", termclass="term")
        assert [hit["url"] for hit in hits] == [URL]
        shown = hits[0].highlights("content", text="a cool <cellar> of stone")
        assert shown == 'a cool &lt;<span class="match term0">cellar</span>&gt; of stone'
    with index.reader() as reader:
        assert reader.doc_count() == 1
    index.close()
    shutil.rmtree(tmp_path / "index")


def test_its_adapter_for_langchain_finds_documents(folder: Path) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    retriever = make_whoosh_retriever(WhooshSearch(indexer.open_whoosh(folder)), k=1)
    assert "cellar" in retriever.invoke("cellar")[0].page_content


def test_its_adapter_for_llamaindex_finds_nodes(folder: Path) -> None:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    retriever = make_whoosh_llamaindex_retriever(WhooshSearch(indexer.open_whoosh(folder)), k=1)
    assert "cellar" in retriever.retrieve("cellar")[0].node.get_content()
