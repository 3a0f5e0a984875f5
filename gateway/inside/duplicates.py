"""What says the same twice? Clusters of near copies, exact copies beside them, and a threshold to turn.

    /inside/duplicates?url=http://bakery.example/rye&threshold=0.6

Nothing is changed by turning it: what would join and part is estimated from signatures.
"""

from __future__ import annotations

from flask import Blueprint, render_template, request

import crawldb.pages.clusters
import pages.content.similarity
import pipelines.duplicates
import reports.duplicates
from gateway.inside.source_files import source_files_of
from gateway.plots import line_plot
from gateway.search_request import number_parameter, read_text
from gateway.served_crawl import served_crawl
from pages.content.similarity import ORDERS, banding
from reports.duplicates import SHOWN, s_curve

LEAST, MOST = 0.1, 0.99  # thresholds: less is likeness by chance, 1 looks for none
LAST_PAGE = 100_000
duplicates_view = Blueprint("inside_duplicates", __name__)


@duplicates_view.get("/inside/duplicates")
def duplicates() -> str:
    """Show the cluster of `url`, or the largest ones, and what another `threshold` would do."""
    crawl = served_crawl()
    usual = min(max(crawl.settings.near_duplicate_threshold, LEAST), MOST)
    threshold = round(number_parameter(request.args, "threshold", usual, LEAST, MOST), 2)
    page = int(number_parameter(request.args, "page", 1, 1, LAST_PAGE))
    url = read_text(request.args, "url")
    told = crawl.duplicates(url, page, threshold)
    curves = {f"threshold {usual:g}": s_curve(usual)}
    if threshold != usual:
        curves[f"threshold {threshold:g}"] = s_curve(threshold)
    return render_template(
        "inside/duplicates.html",
        told=told,
        url=url,
        threshold=threshold,
        usual=usual,
        least=LEAST,
        most=MOST,
        bands=banding(threshold),
        orders=ORDERS,
        page=page,
        last=max(1, -(-told.clusters // SHOWN)),
        curve=line_plot(
            curves,
            title="How likely two pages are compared",
            x="resemblance",
            y="probability",
            marks={"threshold": threshold},
        ),
        sources=source_files_of(
            crawldb.pages.clusters, pipelines.duplicates, pages.content.similarity,
            reports.duplicates,
        ),
    )  # fmt: skip
