"""How far is a crawl that runs? `/inside/crawl` shows the queue, the pace, status codes, and what is suppressed."""

from __future__ import annotations

from extension_points import InsideView, extends


@extends
def inside_views() -> list[InsideView]:
    """Add the view, before those of other extensions."""
    from extensions.progress.page import crawl_view

    shows = "The queue by site, the pace, status codes, suppressed URLs with their rules, and the remaining work."
    return [InsideView("/inside/crawl", "Crawl progress", shows, crawl_view, station="Frontier")]
