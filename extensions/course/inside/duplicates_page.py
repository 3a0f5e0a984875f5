"""Which pages are copies of each other? Clusters of near copies, exact copies, and a threshold to try.

    /inside/duplicates?url=http://bakery.example/rye&threshold=0.6

Trying a threshold changes nothing: the view estimates from signatures which clusters would merge or split.
"""

from __future__ import annotations

from flask import Blueprint, render_template, request

import crawldb.pages.clusters
import extensions.course.inside.duplicates
import pages.content.similarity
import pipelines.duplicates
from extension_points import built_in
from extensions.course.inside.duplicates import SHOWN, read_duplicates, s_curve
from gateway.plots import line_plot
from gateway.search_request import number_parameter, read_text
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from pages.content.similarity import ORDERS, banding

LEAST, MOST = 0.1, 0.99  # thresholds: less is chance, and 1 means no near copies
LAST_PAGE = 100_000
duplicates_view = Blueprint("inside_duplicates", __name__, template_folder="../templates")


@duplicates_view.get("/inside/duplicates")
def duplicates() -> str:
    """Show the cluster of `url`, or the largest ones, and the effect of another `threshold`."""
    crawl = served_crawl()
    saved = crawl.settings.near_duplicate_threshold
    usual = min(max(saved, LEAST), MOST)
    threshold = round(number_parameter(request.args, "threshold", usual, LEAST, MOST), 2)
    page = int(number_parameter(request.args, "page", 1, 1, LAST_PAGE))
    url = read_text(request.args, "url")
    figures = read_duplicates(crawl.parts(), url=url, page=page, threshold=threshold, usual=saved)
    curves = {f"threshold {usual:g}": s_curve(usual)}
    if threshold != usual:
        curves[f"threshold {threshold:g}"] = s_curve(threshold)
    return render_template(
        "inside/duplicates.html",
        duplicates=figures,
        url=url,
        threshold=threshold,
        usual=usual,
        least=LEAST,
        most=MOST,
        can_reparse="reparse" in built_in(),
        bands=banding(threshold),
        orders=ORDERS,
        page=page,
        last=max(1, -(-figures.clusters // SHOWN)),
        curve=line_plot(
            curves,
            title="Probability that two pages are compared",
            x="similarity",
            y="probability",
            marks={"threshold": threshold},
        ),
        sources=source_files_of(
            crawldb.pages.clusters, pipelines.duplicates, pages.content.similarity,
            extensions.course.inside.duplicates,
        ),
    )  # fmt: skip
