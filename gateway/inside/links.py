"""Who links to whom? `/inside/links` draws the links of a site or around a page, and computes their PageRank.

    /inside/links?site=bakery.localhost:8400&damping=0.5
    /inside/links?url=http://bakery.localhost:8400/

The view computes the numbers from the links stored now. The index has those of its last update, with its own damping.
"""

from __future__ import annotations

from flask import Blueprint, render_template, request

from gateway.search_request import number_parameter, read_site, read_text
from gateway.served_crawl import served_crawl
from indexer.links import DAMPING

MAX_DAMPING = 0.99  # above it there are too many iterations to show
ROUNDS_SHOWN = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100)  # and the last one
SITES_OFFERED = 200
links_view = Blueprint("inside_links", __name__)


@links_view.get("/inside/links")
def links() -> str:
    """Show the links of a site, or around a page."""
    from gateway.inside import link_graph  # noqa: PLC0415 - SciPy takes a third of a second, and is needed here alone
    from reports.links import MAX_LINKS, neighbourhood, site_links  # noqa: PLC0415 - the same

    url, site = read_text(request.args, "url"), read_site(read_text(request.args, "site"))
    damping = number_parameter(request.args, "damping", DAMPING, 0, MAX_DAMPING)
    crawl = served_crawl()
    graph = crawl.crawl_graph(url or (f"http://{site}/" if site else ""))
    shown: dict[str, object] = {"url": url, "site": site, "damping": damping, "graph": graph, "most": MAX_LINKS}
    if graph is not None:
        around = neighbourhood(graph, url, damping) if url else None
        drawn = around.drawn if around else None if url else site_links(graph, site, damping)
        shown |= {"around": around, "sites": list(graph.sites)[:SITES_OFFERED], "divided": crawl.divided}
        if drawn and drawn.pages:
            last = len(drawn.rounds) - 1
            rounds_shown = [*(number for number in ROUNDS_SHOWN if number < last), last]
            shown |= {"drawn": drawn, "rounds_shown": rounds_shown, "last": last, "first": link_graph.top_pages(drawn)}
            shown |= {"picture": link_graph.picture(drawn, around is not None)}
            shown |= {"rounds": link_graph.rounds(drawn), "changes": link_graph.convergence(drawn)}
    return render_template("inside/links.html", sources=link_graph.SOURCES, **shown)
