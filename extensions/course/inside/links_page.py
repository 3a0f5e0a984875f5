"""Who links to whom? `/inside/links` draws the links of a site or around a page, and computes their PageRank.

    /inside/links?site=bakery.localhost:8400&damping=0.5
    /inside/links?url=http://bakery.localhost:8400/

The view computes the numbers from the links stored now. The index has those of its last update, with its own damping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request

from crawldb.figures.totals import links_counted
from gateway.search_request import number_parameter, read_site, read_text
from gateway.served_crawl import kept_in_app, served_crawl
from indexer.links import DAMPING

if TYPE_CHECKING:
    from extensions.course.inside.site_links import CrawlGraph

MAX_DAMPING = 0.99  # above it there are too many iterations to show
ROUNDS_SHOWN = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100)  # and the last one
SITES_OFFERED = 200
GRAPH_CACHE_SECONDS = 60.0
links_view = Blueprint("inside_links", __name__, template_folder="../templates")


@links_view.get("/inside/links")
def links() -> str:
    """Show the links of a site, or around a page."""
    from extensions.course.inside import link_graph  # SciPy takes a third of a second, and is needed here alone
    from extensions.course.inside.site_links import MAX_LINKS, neighbourhood, site_links

    url, site = read_text(request.args, "url"), read_site(read_text(request.args, "site"))
    damping = number_parameter(request.args, "damping", DAMPING, 0, MAX_DAMPING)
    graph = crawl_graph_of(url or (f"http://{site}/" if site else ""))
    shown: dict[str, object] = {"url": url, "site": site, "damping": damping, "graph": graph, "most": MAX_LINKS}
    if graph is not None:
        around = neighbourhood(graph, url, damping) if url else None
        drawn = around.drawn if around else None if url else site_links(graph, site, damping)
        shown |= {"around": around, "sites": list(graph.sites)[:SITES_OFFERED], "divided": served_crawl().divided}
        if drawn and drawn.pages:
            last = len(drawn.rounds) - 1
            rounds_shown = [*(number for number in ROUNDS_SHOWN if number < last), last]
            shown |= {"drawn": drawn, "rounds_shown": rounds_shown, "last": last, "first": link_graph.top_pages(drawn)}
            shown |= {"picture": link_graph.picture(drawn, around is not None)}
            shown |= {"rounds": link_graph.rounds(drawn), "changes": link_graph.convergence(drawn)}
    return render_template("inside/links.html", sources=link_graph.SOURCES, **shown)


def crawl_graph_of(url: str) -> CrawlGraph | None:
    """Return the links of the part that has a URL, at most GRAPH_CACHE_SECONDS old; None: too many links."""
    from extensions.course.inside.site_links import MAX_LINKS, crawl_graph

    database = served_crawl().parts().home(url)
    if links_counted(database) > MAX_LINKS:
        return None
    return kept_in_app(f"link_graph {database.path}", GRAPH_CACHE_SECONDS, lambda: crawl_graph(database))
