"""Which weights are better for my own site? Judged queries decide: a file of them, or results marked in the gateway.

`tune` finds weights and writes a settings file with its reasons. `/inside/ranking` has a slider for each weight.
`/admin/judge` has a button at each result, for the operator alone. The crawl database keeps the marks (tables.py).
"""

from __future__ import annotations

from extension_points import AddedTables, ApiDescription, InsideView, OperatorView, extends


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


@extends
def inside_views() -> list[InsideView]:
    """Add the view with the sliders."""
    from extensions.tune.ranking_page import ranking_view

    shows = "Tune the weights, compare with the saved ranking, and rate the change with judged queries."
    return [InsideView("/inside/ranking", "Ranking", shows, ranking_view, after="/inside/index", station="Ranking")]


@extends
def api_descriptions() -> list[ApiDescription]:
    """Describe what it returns to programs."""
    from extensions.tune.ranking_page import ranking_description

    return [ranking_description()]
