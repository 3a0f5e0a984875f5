"""What does a course on search engines need beyond the engine? Labs, slides and inside views, for docs/teaching.md."""

from __future__ import annotations

from extension_points import InsideView, extends


@extends
def inside_views() -> list[InsideView]:
    """Add the views, in the order of the chapter."""
    return []
