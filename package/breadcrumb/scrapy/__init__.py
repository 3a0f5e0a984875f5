"""Which parts of Breadcrumb can another Scrapy project use? Each is named in its settings.py (docs/scrapy.md).

The names are loaded when they are first used: each brings only its own part of the engine. Raises EngineError if a
module of the project has a name of the engine's.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from breadcrumb.engine import put_first

put_first()

PARTS = {
    "RobotsAddon": "robots_addon",
    "RobotsGate": "robots_addon.gate",
    "PageControlsMiddleware": "robots_addon.page_controls",
    "WellKnownFiles": "filters_addon",
    "Admission": "filters_addon",
    "Fingerprint": "filters_addon",
    "NearDuplicates": "filters_addon",
    "SoftNotFound": "filters_addon",
    "Spoofing": "filters_addon",
    "Rejected": "filters_addon",
    "IndexPipeline": "breadcrumb.scrapy.index_pipeline",
    "Scheduler": "breadcrumb.scrapy.scheduler",
}


def __getattr__(name: str) -> Any:
    """Return the part of this name."""
    if name not in PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: it has {', '.join(PARTS)}")
    return getattr(import_module(PARTS[name]), name)


def __dir__() -> list[str]:
    return list(PARTS)
