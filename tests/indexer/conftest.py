"""Fixtures for tests of the index: minimal pages, and an index in a folder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import indexer
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher


@pytest.fixture
def page() -> Callable[..., Page]:
    def make(name: str, text: str = "", **more: Any) -> Page:
        title = more.pop("title", "")
        return Page(CanonicalUrl(f"http://site.test/{name}"), title, text, **more)

    return make


@pytest.fixture
def index(tmp_path: Path) -> Callable[..., Searcher]:
    """Write pages in one commit and open the index; more calls add to it."""

    def write(*pages: Page, **options: Any) -> Any:
        with indexer.open_writer(tmp_path) as writer:
            for one in pages:
                writer.put(one)
        return indexer.open_index(tmp_path, **options)

    return write


@pytest.fixture
def found() -> Callable[..., list[str]]:
    """The last parts of the URLs that answer a query, best first."""

    def names(searcher: Any, query: str, **options: Any) -> list[str]:
        return [hit.url.rpartition("/")[2] for hit in searcher.search(query, 100, **options).hits]

    return names
