"""What can be looked into? `/inside` lists the views, those of extensions included."""

from __future__ import annotations

from flask import Blueprint, render_template

from extension_points import InsideView, call_extensions
from gateway.inside.crawl import crawl_view
from gateway.inside.duplicates import duplicates_view
from gateway.inside.index import index_view
from gateway.inside.links import links_view
from gateway.inside.ranking import ranking_view
from gateway.inside.robots import robots_view
from gateway.inside.traps import traps_view

contents_view = Blueprint("inside", __name__)


OWN_VIEWS = (
    InsideView(
        "/inside/crawl",
        "Crawl progress",
        "The queue by site, the pace, status codes, suppressed URLs with their rules, and the remaining work.",
        crawl_view,
    ),
    InsideView(
        "/inside/traps",
        "Traps",
        "URL patterns with their yield, the decision about each and its reason, and the command that undoes it.",
        traps_view,
    ),
    InsideView(
        "/inside/links",
        "Links",
        "The link graph of a site, the inlinks and outlinks of a page, and PageRank by iteration.",
        links_view,
    ),
    InsideView(
        "/inside/index",
        "Index",
        "The postings of a term, its neighbours in the dictionary, segments, sizes and field lengths.",
        index_view,
    ),
    InsideView(
        "/inside/ranking",
        "Ranking",
        "Tune the weights, compare with the saved ranking, and rate the change with judged queries.",
        ranking_view,
    ),
    InsideView(
        "/inside/robots",
        "robots.txt",
        "Your own file or that of a site, by four dialects: the verdicts, the deciding lines, and lint findings.",
        robots_view,
    ),
    InsideView(
        "/inside/duplicates",
        "Duplicates",
        "Clusters of near copies, exact copies, and the effect of another threshold.",
        duplicates_view,
    ),
)


def listed_views() -> list[InsideView]:
    """Return the views in the order of the list, those of extensions included."""
    found = list(OWN_VIEWS)
    for added in call_extensions("inside_views"):
        places = [place for place, view in enumerate(found, start=1) if view.path == added.after]
        found.insert(places[0] if places else len(found), added)
    return found


@contents_view.get("/inside")
def inside() -> str:
    """List the views."""
    return render_template("inside/contents.html", views=listed_views())
