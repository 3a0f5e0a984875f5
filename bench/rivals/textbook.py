"""What does a small search engine cost, put together as the libraries' own first examples have it?

    python -m bench.rivals.textbook FOLDER URL…

BeautifulSoup reads the text, MinHash takes it in shingle by shingle, MinHashLSH finds near duplicates, Whoosh indexes
what is left, in one writer with one commit at the end. It keeps no bodies, no links, no journal and no state on disk,
so a crash loses everything; that is the simplest thing that can be searched afterwards.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from datasketch import MinHash, MinHashLSH
from scrapy.exceptions import DropItem
from scrapy.http import TextResponse
from whoosh.analysis import StemmingAnalyzer  # type: ignore[attr-defined]  # exported by a star
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in

from bench.rivals.follower import LinkFollower, crawl_and_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    Item = dict[str, str]

PERMUTATIONS = 128
SHINGLE_WORDS = 3
THRESHOLD = 0.9  # ours


class PageReader(LinkFollower):
    """Follows links, and takes title and text of each page."""

    def read(self, response: Response) -> Iterator[Item]:
        """Yield one item a page."""
        if not isinstance(response, TextResponse):
            return
        soup = BeautifulSoup(response.text, "lxml")
        title = soup.title.get_text(" ", strip=True) if soup.title else ""
        yield {"url": response.url, "title": title, "text": soup.get_text(" ", strip=True)}


class MinHashFilter:
    """Drops a page whose MinHash says that it is known."""

    def __init__(self) -> None:
        self.known = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)

    async def process_item(self, item: Item) -> Item:
        """Compare a page with all earlier ones."""
        sketch = MinHash(num_perm=PERMUTATIONS)
        words = item["text"].lower().split()
        for start in range(len(words) - SHINGLE_WORDS + 1):
            sketch.update(" ".join(words[start : start + SHINGLE_WORDS]).encode())
        if self.known.query(sketch):
            raise DropItem("near duplicate", log_level="DEBUG")
        self.known.insert(item["url"], sketch)
        return item


class WhooshPipeline:
    """Adds each page to a Whoosh index."""

    def __init__(self, folder: Path) -> None:
        schema = Schema(
            title=TEXT(analyzer=StemmingAnalyzer(), stored=True),
            body=TEXT(analyzer=StemmingAnalyzer()),
            url=ID(unique=True, stored=True),
        )
        self.writer = create_in(str(folder), schema).writer()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> WhooshPipeline:
        """Open an empty index in `INDEX_FOLDER`."""
        return cls(Path(crawler.settings["INDEX_FOLDER"]))

    async def process_item(self, item: Item) -> Item:
        """Add a page."""
        self.writer.add_document(title=item["title"], body=item["text"], url=item["url"])
        return item

    def close_spider(self) -> None:
        """Commit once, at the end."""
        self.writer.commit()


def main(folder: str, *seeds: str) -> None:
    """Crawl and index."""
    warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML is read as HTML
    pipelines: dict[Any, int] = {MinHashFilter: 100, WhooshPipeline: 200}
    crawl_and_count(PageReader, list(seeds), ITEM_PIPELINES=pipelines, INDEX_FOLDER=folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
