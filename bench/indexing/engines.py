"""Which engines index and search the same pages, and how? Ours, whoosh3 and tantivy; OpenSearch indexes them alone.

The two others are used as their documentation shows it: title and text, stemmed in English, any word of a query may
match, and their own highlighter. They know no headings, links or languages, and explain no score.

tantivy is not among our packages. To make it available:

    pip install --target /somewhere tantivy
    PYTHONPATH=/somewhere bench/search …
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from whoosh.analysis import StemmingAnalyzer  # type: ignore[attr-defined]  # exported by a star
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in, exists_in, open_dir
from whoosh.qparser import MultifieldParser, OrGroup  # type: ignore[attr-defined]  # exported by a star

from indexer import open_index, open_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from urls.records import Page

RESULTS = 10  # a page
HEAP = 256 * 1024 * 1024  # bytes of tantivy's write buffer for a segment


def whoosh_schema() -> Schema:
    """Return the fields of the tutorial, with the text stemmed."""
    text = TEXT(analyzer=StemmingAnalyzer(), stored=True)
    return Schema(url=ID(stored=True, unique=True), title=text, body=text)


class Engine(Protocol):
    """An index in a folder: each `add` indexes pages and commits; after `open` it can be searched."""

    name: str  # its label, with its version

    def add(self, pages: Iterable[Page]) -> None:
        """Index these pages in addition to the existing ones, and commit."""

    def open(self) -> None:
        """Open the last commit for searching."""

    def ask(self, question: str, *, snippets: bool) -> int:
        """Rank, and read the URLs of the ten best; return how many were found, ten at most."""


class Ours:
    """Breadcrumb: all fields, positions, identifiers, folding, and the contributions to each score."""

    name = "Breadcrumb"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, pages: Iterable[Page]) -> None:
        """Index them, and commit as `crawl` and `index` do at their end: small segments are merged."""
        with open_writer(self._folder) as writer:
            for page in pages:
                writer.put(page)
            writer.commit(ending=True)

    def open(self) -> None:
        """Open the current generation."""
        self._searcher = open_index(self._folder)

    def ask(self, question: str, *, snippets: bool) -> int:
        """Search with the searcher."""
        hits = self._searcher.search(question, RESULTS).hits
        return len([str(hit.snippet) if snippets else hit.url for hit in hits])


class Whoosh:
    """whoosh3 as in its tutorial."""

    name = f"whoosh3 {version('whoosh3')}"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._index = open_dir(str(folder)) if exists_in(str(folder)) else create_in(str(folder), whoosh_schema())
        self._searcher: Any = None

    def add(self, pages: Iterable[Page]) -> None:
        """Add them with one writer, and commit."""
        writer = self._index.writer()
        for page in pages:
            writer.add_document(url=page.url, title=page.title, body=page.text)
        writer.commit()

    def open(self) -> None:
        """Open a searcher, and make the query parser."""
        self._searcher = self._index.searcher()
        self._parser = MultifieldParser(["title", "body"], self._index.schema, group=OrGroup)

    def ask(self, question: str, *, snippets: bool) -> int:
        """Search any word of the query in both fields; its highlighter reads the texts."""
        hits = self._searcher.search(self._parser.parse(question), limit=RESULTS)
        return len([(hit["url"], hit.highlights("body") if snippets else "") for hit in hits])


class Tantivy:
    """tantivy, written in Rust, by its Python package: one thread writes, and one searches."""

    def __init__(self, folder: Path) -> None:
        self._tantivy = import_module("tantivy")
        self.name = f"tantivy {version('tantivy')}"
        folder.mkdir(parents=True, exist_ok=True)
        fields = self._tantivy.SchemaBuilder()
        fields.add_text_field("url", stored=True, tokenizer_name="raw")
        for field in ("title", "body"):
            fields.add_text_field(field, stored=True, tokenizer_name="en_stem")
        self._schema = fields.build()
        self._index = self._tantivy.Index(self._schema, path=str(folder))
        self._searcher: Any = None

    def add(self, pages: Iterable[Page]) -> None:
        """Add them with one writer, and wait until it has merged."""
        writer = self._index.writer(heap_size=HEAP, num_threads=1)
        for page in pages:
            writer.add_document(self._tantivy.Document(url=page.url, title=page.title, body=page.text))
        writer.commit()
        writer.wait_merging_threads()

    def open(self) -> None:
        """Load the last commit."""
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, question: str, *, snippets: bool) -> int:
        """Search any word of the query in both fields; its highlighter reads the texts."""
        query, _ = self._index.parse_query_lenient(question, ["title", "body"])
        best = [self._searcher.doc(address) for _, address in self._searcher.search(query, RESULTS).hits]
        if not snippets:
            return len([document["url"] for document in best])
        cutter = self._tantivy.SnippetGenerator.create(self._searcher, query, self._schema, "body")
        return len([cutter.snippet_from_doc(document).to_html() for document in best])


ENGINES: dict[str, Callable[[Path], Engine]] = {"ours": Ours, "whoosh": Whoosh, "tantivy": Tantivy}
