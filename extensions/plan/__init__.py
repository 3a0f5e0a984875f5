"""What will a big crawl cost? `plan` makes a small trial, estimates the whole from it, and writes an announcement.

The engine keeps the plan: `reports/actual.py` compares it with the real cost.
"""

from __future__ import annotations

from extension_points import extends


@extends
def settings() -> dict[str, object]:
    """Add the size of the trial."""
    return {"PLAN_PAGES": 20}  # requests of each site in the trial that `plan` measures
