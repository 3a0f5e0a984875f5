"""How does a crawl read a site behind a login? `[[site]]` tables name its URL, the login and who may see its pages."""

from __future__ import annotations

from extension_points import extends


@extends
def settings() -> dict[str, object]:
    """Add SITE: the tables [[site]] of breadcrumb.toml."""
    return {"SITE": []}
