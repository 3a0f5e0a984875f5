"""What can be looked into? `/inside` lists the views with a sentence each; a view stands here once it works."""

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
        "The crawl while it runs",
        "What waits and for whom, how fast it goes, what servers answer, what is held back and why, and what is left.",
        crawl_view,
    ),
    InsideView(
        "/inside/traps",
        "Traps",
        "Patterns of addresses with what they brought, what was decided about each and why, and what undoes it.",
        traps_view,
    ),
    InsideView(
        "/inside/links",
        "Links",
        "The graph of a site, who links to a page and whom it links, and PageRank round by round.",
        links_view,
    ),
    InsideView(
        "/inside/index",
        "The index",
        "Postings of a word, the dictionary around it, segments, sizes.",
        index_view,
    ),
    InsideView(
        "/inside/ranking",
        "The ranking",
        "Turn what counts: the list reorders beside the saved one, and judged questions say whether that is better.",
        ranking_view,
    ),
    InsideView(
        "/inside/robots",
        "robots.txt",
        "A file that is pasted, or a site's own: four readings side by side, the lines that decide, and its lint.",
        robots_view,
    ),
    InsideView(
        "/inside/duplicates",
        "Duplicates",
        "Clusters of pages that say nearly the same, exact copies beside them, bands, and a threshold to turn.",
        duplicates_view,
    ),
)


def listed_views() -> list[InsideView]:
    """Return the views in the order of the list, those of extensions among them."""
    found = list(OWN_VIEWS)
    for added in call_extensions("inside_views"):
        places = [place for place, view in enumerate(found, start=1) if view.path == added.after]
        found.insert(places[0] if places else len(found), added)
    return found


@contents_view.get("/inside")
def inside() -> str:
    """List the views."""
    return render_template("inside/contents.html", views=listed_views())
