"""Who answers a question over the same pages, and how is each asked? Ours, whoosh3 and tantivy.

The two others are used as their documentation shows it: title and text, stemmed in English, any word of a question may
answer, and their own highlighter. They know no headings, links or languages, and explain no score.

tantivy is not among our packages. So it is found:

    pip install --target /somewhere tantivy
    PYTHONPATH=/somewhere bench/search …
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from whoosh.index import create_in, exists_in, open_dir
from whoosh.qparser import MultifieldParser, OrGroup  # type: ignore[attr-defined]  # exported by a star

from bench.rivals.first_examples import WHOOSH_VERSION, schema
from indexer import open_index, open_writer
from indexer.plain_whoosh.folder import use_whoosh_settings
from indexer.plain_whoosh.searcher import WhooshSearcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher
    from urls.records import Page

RESULTS = 10  # on a page of results
HEAP = 256 * 1024 * 1024  # bytes that tantivy's writer may fill before it writes a segment


class Engine(Protocol):
    """An index in a folder: pages are added, and committed by each `add`; then it is opened and asked."""

    name: str  # as it is shown, with its version

    def add(self, pages: Iterable[Page]) -> None:
        """Index these pages beside those that are there, and commit."""

    def open(self) -> None:
        """Open what was committed last, for questions."""

    def ask(self, question: str, *, snippets: bool) -> int:
        """Rank, and read the address of the ten best; return how many were found, ten at most."""

    def results(self, question: str) -> list[tuple[str, str, str]]:
        """Return address, title and lines of the ten best, as HTML."""


class Ours:
    """Breadcrumb: all fields, positions, identifiers, folding, and the parts of each score shown."""

    name = "Breadcrumb"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._searcher: Searcher | None = None

    def add(self, pages: Iterable[Page]) -> None:
        """Put them, and commit."""
        with open_writer(self._folder) as writer:
            for page in pages:
                writer.put(page)

    def open(self) -> None:
        """Open the current generation."""
        self._searcher = open_index(self._folder)

    def ask(self, question: str, *, snippets: bool) -> int:
        """Ask the searcher."""
        assert self._searcher is not None
        hits = self._searcher.search(question, RESULTS).hits
        return len([str(hit.snippet) if snippets else hit.url for hit in hits])

    def results(self, question: str) -> list[tuple[str, str, str]]:
        """Ask the searcher."""
        assert self._searcher is not None
        return [(hit.url, hit.title, str(hit.snippet)) for hit in self._searcher.search(question, RESULTS).hits]


class Whoosh:
    """whoosh3 as its tutorial has it."""

    name = f"whoosh3 {WHOOSH_VERSION}"

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._index = open_dir(str(folder)) if exists_in(str(folder)) else create_in(str(folder), schema())
        self._searcher: Any = None

    def add(self, pages: Iterable[Page]) -> None:
        """Add them with one writer, and commit."""
        writer = self._index.writer()
        for page in pages:
            writer.add_document(url=page.url, title=page.title, body=page.text)
        writer.commit()

    def open(self) -> None:
        """Open a searcher, and make the parser of questions."""
        self._searcher = self._index.searcher()
        self._parser = MultifieldParser(["title", "body"], self._index.schema, group=OrGroup)

    def ask(self, question: str, *, snippets: bool) -> int:
        """Search any word of the question in both fields."""
        if snippets:
            return len(self.results(question))
        return len([hit["url"] for hit in self._hits(question)])

    def results(self, question: str) -> list[tuple[str, str, str]]:
        """Search likewise, and let its highlighter read the texts."""
        return [(hit["url"], hit["title"], hit.highlights("body")) for hit in self._hits(question)]

    def _hits(self, question: str) -> Any:
        return self._searcher.search(self._parser.parse(question), limit=RESULTS)


class WhooshFolder(Whoosh):
    """The folder that `Whoosh` wrote, as our commands search it under INDEX=whoosh:FOLDER: all words, and reasons."""

    name = "INDEX=whoosh:FOLDER"

    def open(self) -> None:
        """Open it as `search` and `serve` do."""
        use_whoosh_settings(("text=body",), trusted=True)
        self._searcher = WhooshSearcher(self._folder)

    def ask(self, question: str, *, snippets: bool) -> int:
        """Ask the searcher."""
        hits = self._searcher.search(question, RESULTS).hits
        return len([str(hit.snippet) if snippets else hit.url for hit in hits])

    def results(self, question: str) -> list[tuple[str, str, str]]:
        """Ask the searcher."""
        return [(hit.url, hit.title, str(hit.snippet)) for hit in self._searcher.search(question, RESULTS).hits]


class Tantivy:
    """tantivy, which is written in Rust, by its Python package: one thread writes, and none helps to search."""

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
        """Load what was committed."""
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, question: str, *, snippets: bool) -> int:
        """Search any word of the question in both fields."""
        if snippets:
            return len(self.results(question))
        return len([document["url"] for document in self._best(question)[1]])

    def results(self, question: str) -> list[tuple[str, str, str]]:
        """Search likewise, and let its highlighter read the texts."""
        query, best = self._best(question)
        cutter = self._tantivy.SnippetGenerator.create(self._searcher, query, self._schema, "body")
        return [
            (document["url"][0], document["title"][0], cutter.snippet_from_doc(document).to_html()) for document in best
        ]

    def _best(self, question: str) -> tuple[Any, list[Any]]:
        query, _ = self._index.parse_query_lenient(question, ["title", "body"])
        return query, [self._searcher.doc(address) for _, address in self._searcher.search(query, RESULTS).hits]


ENGINES: dict[str, Callable[[Path], Engine]] = {"ours": Ours, "whoosh": Whoosh, "tantivy": Tantivy}
