"""What a page asks of those who show it, on the page of results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from robots import PageControls, controls_from
from tests.indexer.gateway.conftest import a_page, crawl, gateway, index

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "Zwieback is baked twice, and keeps for a winter."


def asked(header: str) -> PageControls:
    return controls_from([("X-Robots-Tag", header)], (), agent="Breadcrumb")


def shown(tmp_path: Path, controls: PageControls) -> tuple[str, list[dict[str, str]]]:
    """The results as a page and as JSON, for a query that finds the one page there is."""
    crawl(tmp_path, (a_page("/zwieback.html", "Zwieback", TEXT, controls=controls),), ())
    index(tmp_path)
    client = gateway(tmp_path)
    hits: list[dict[str, str]] = client.get("/api/search?q=zwieback").json["hits"]  # type: ignore[index]  # json may be None, for Flask
    return client.get("/search?q=zwieback").text, hits


def test_where_nothing_is_asked_the_page_is_quoted_and_its_copy_offered(tmp_path: Path) -> None:
    page, [hit] = shown(tmp_path, PageControls())
    assert hit["snippet"] == TEXT
    assert "/cached?url=" in page


@pytest.mark.parametrize("wish", ["nosnippet", "max-snippet: 0"])
def test_nosnippet_is_honoured(tmp_path: Path, wish: str) -> None:
    page, [hit] = shown(tmp_path, asked(wish))
    assert hit["snippet"] == ""
    assert 'class="snippet"' not in page


def test_max_snippet_is_honoured(tmp_path: Path) -> None:
    page, [hit] = shown(tmp_path, asked("max-snippet: 20"))
    assert len(hit["snippet"].rstrip("…")) <= 20
    assert "keeps for a winter" not in page


@pytest.mark.parametrize("wish", ["noarchive", "nocache"])
def test_noarchive_is_honoured(tmp_path: Path, wish: str) -> None:
    page, [_] = shown(tmp_path, asked(wish))
    assert "/cached?url=" not in page


@pytest.mark.parametrize(("days", "hits"), [(-1, 0), (1, 1)])
def test_unavailable_after_is_honoured_when_the_query_comes(tmp_path: Path, days: int, hits: int) -> None:
    date = datetime.now(UTC) + timedelta(days=days)
    page, found = shown(tmp_path, asked(f"unavailable_after: {date:%d %b %Y %H:%M:%S} GMT"))
    assert len(found) == hits
    assert ("zwieback.html" in page) is bool(hits)
