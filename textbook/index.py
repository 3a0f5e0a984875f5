"""Which pages answer a query? A Whoosh index: a schema, a writer as an item pipeline, and a search by BM25F."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from whoosh.analysis import StemmingAnalyzer  # type: ignore[attr-defined]  # exported by a star
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in, exists_in, open_dir
from whoosh.qparser import MultifieldParser  # type: ignore[attr-defined]  # exported by a star
from whoosh.scoring import BM25F

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from whoosh.index import Index

    from textbook.spider import Page

FOLDER = "whoosh"  # of the index, in the data folder
TITLE_BOOST = 2.0  # a term in the title counts twice as much as one in the text
SCHEMA = Schema(
    url=ID(unique=True, stored=True),
    title=TEXT(analyzer=StemmingAnalyzer(), stored=True, field_boost=TITLE_BOOST),
    text=TEXT(analyzer=StemmingAnalyzer(), stored=True),  # stored for the snippets
)


def open_whoosh(folder: Path) -> Index:
    """Open the index in `folder`; make an empty one if there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    return open_dir(str(folder)) if exists_in(str(folder)) else create_in(str(folder), SCHEMA)


class WhooshWriter:
    """Adds each page to the index. One commit at the end: a crawl that is killed loses all of its pages."""

    def __init__(self, folder: Path) -> None:
        self.writer = open_whoosh(folder).writer()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> WhooshWriter:
        """Open the index in the folder that the setting INDEX_FOLDER names."""
        return cls(Path(crawler.settings["INDEX_FOLDER"]))

    def process_item(self, page: Page) -> Page:
        """Add the page, in place of the one that has its URL."""
        self.writer.update_document(url=page.url, title=page.title, text=page.text)
        return page

    def close_spider(self) -> None:
        """Commit."""
        self.writer.commit()


def search(folder: Path, words: str, limit: int = 10) -> list[tuple[float, str, str, str]]:
    """Return score, URL, title and snippet of the best pages that have all of `words`, the best first."""
    with open_whoosh(folder).searcher(weighting=BM25F()) as searcher:
        query = MultifieldParser(["title", "text"], SCHEMA).parse(words)
        hits = searcher.search(query, limit=limit)
        return [(hit.score or 0.0, hit["url"], hit["title"], hit.highlights("text")) for hit in hits]
