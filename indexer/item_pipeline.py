"""How does a Scrapy project fill this index? With an item pipeline that commits as it goes.

    ITEM_PIPELINES = {"indexer.item_pipeline.IndexPipeline": 400}

It accepts any item with `url`, `title` and `text`, as attributes or as keys. `breadcrumb search --data FOLDER` searches
the index. A crawl that is killed loses only the pages since the last commit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import indexer
from urls.canonical import canonicalize
from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    class Crawler(Protocol):
        """The part of Scrapy's crawler that the pipeline reads."""

        settings: Mapping[str, Any]


COMMIT_PAGES = 10  # at most so many are lost when the crawl is killed


class IndexPipeline:
    """Adds each item to the index of a data folder; it replaces the one with its URL.

    Setting: DATA_DIR, the folder. Raises IndexLocked if another process writes that index, CorruptIndex, and
    UnusableUrl for an item whose URL is not http or https.
    """

    def __init__(self, data_dir: Path) -> None:
        self._writer = indexer.open_writer(data_dir)
        self._uncommitted = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> IndexPipeline:
        """Open the index in the folder that the setting DATA_DIR names."""
        return cls(Path(crawler.settings["DATA_DIR"]))

    def process_item(self, item: Any) -> Any:
        """Add the item to the index, and return it unchanged."""
        url, title, text = (_value(item, name) for name in ("url", "title", "text"))
        self._writer.put(Page(canonicalize(url), title, text))
        self._uncommitted += 1
        if self._uncommitted == COMMIT_PAGES:
            self._commit()
        return item

    def close_spider(self) -> None:
        """Commit the rest, and release the index."""
        self._commit()
        self._writer.close()

    def _commit(self) -> None:
        self._writer.commit()
        self._uncommitted = 0


def _value(item: Any, name: str) -> str:
    return str(getattr(item, name) if hasattr(item, name) else item[name])
