"""How does a monitor read how searches and the crawl are doing? `/metrics`, for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from flask import Blueprint


@extends
def views() -> list[Blueprint]:
    """Add the view, and the counters of requests."""
    from extensions.metrics.page import metrics_views

    return [metrics_views]
