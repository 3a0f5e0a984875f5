"""Which weights are better for my own site? Judged queries decide: a file of them, or results marked in the gateway.

`tune` finds weights and writes a settings file with its reasons. `/admin/judge` has a button at each result, for the
operator alone. The crawl database keeps the marks (tables.py).
"""

from __future__ import annotations

from extension_points import AddedTables, OperatorView, extends


@extends
def tables() -> list[AddedTables]:
    """Keep the results that the operator has marked as right."""
    from extensions.tune.tables import MAKE_TABLES

    return [AddedTables("tune", (MAKE_TABLES,))]


@extends
def operator_views() -> list[OperatorView]:
    """Add the page with the buttons."""
    from extensions.tune.judge_page import judge_views

    shows = "Mark the results that are right, for ./breadcrumb tune --clicks."
    return [OperatorView("/admin/judge", "Judge results", shows, judge_views, of_query=True)]
