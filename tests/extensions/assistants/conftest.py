"""A crawl, and the tools that an assistant gets for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions.assistants.tools import CrawlTools
from gateway import GatewaySettings, create_app
from tests.gateway.conftest import crawl, index

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bakery of the gateway's tests, crawled and indexed; not to be written to."""
    data_dir = tmp_path_factory.mktemp("crawled")
    crawl(data_dir)
    index(data_dir)
    return data_dir


@pytest.fixture
def tools(crawled: Path) -> CrawlTools:
    return CrawlTools(create_app(crawled, GatewaySettings()), "https://search.example/")
