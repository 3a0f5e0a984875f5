"""What does a course on search engines need beyond the engine? Labs, slides and inside views, for docs/teaching.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import AddedTables, InsideView, extends

if TYPE_CHECKING:
    from flask import Blueprint

    from extension_points import CrawlRecorder, StoredCopies
    from spiders.setting_values import ReadableSettings


@extends
def tables() -> list[AddedTables]:
    """Keep the header lines of the latest requests and responses."""
    from extensions.course.tables import MAKE_HEADS

    return [AddedTables("course", (MAKE_HEADS,))]


@extends
def crawl_recorders(settings: ReadableSettings) -> list[CrawlRecorder]:  # noqa: ARG001 - it is always on
    """Record header lines."""
    from extensions.course.heads import HeadRecorder

    return [HeadRecorder()]


@extends
def stored_copies() -> list[StoredCopies]:
    """Let `forget` and `block` remove header lines."""
    from extensions.course.heads import KeptHeads

    return [KeptHeads()]


@extends
def views() -> list[Blueprint]:
    """Add `/inside`, and the stylesheet of its views."""
    from flask import Blueprint

    from extensions.course.inside.contents import contents_view

    return [Blueprint("course", __name__, static_folder="static", static_url_path="/static/course"), contents_view]


@extends
def inside_views() -> list[InsideView]:
    """Add the views, in the order of the chapter."""
    from extensions.course.bit_map_page import bit_map_view
    from extensions.course.inside.duplicates_page import duplicates_view
    from extensions.course.inside.index_page import index_view
    from extensions.course.inside.links_page import links_view
    from extensions.course.inside.robots_page import robots_view
    from extensions.course.inside.traps_page import traps_view
    from extensions.course.root_set.page import root_set_view
    from extensions.course.wire_page import wire_view

    return [
        InsideView(
            "/inside/root-set",
            "The root set",
            "What each seed reaches, the parts of the link graph, and what a crawl without a seed would lose.",
            root_set_view,
            after="/inside/crawl",
            station="Seeds",
        ),
        InsideView(
            "/inside/traps",
            "Traps",
            "URL patterns with their yield, the decision about each and its reason, and the command that undoes it.",
            traps_view,
            after="/inside/root-set",
            station="Traps",
        ),
        InsideView(
            "/inside/links",
            "Links",
            "The link graph of a site, the inlinks and outlinks of a page, and PageRank by iteration.",
            links_view,
            after="/inside/traps",
            station="Crawl database",
        ),
        InsideView(
            "/inside/index",
            "Index",
            "The postings of a term, its neighbours in the dictionary, segments, sizes and field lengths.",
            index_view,
            after="/inside/links",
            station="Index",
        ),
        InsideView(
            "/inside/robots",
            "robots.txt",
            "Your own file or that of a site, by four dialects: the verdicts, the deciding lines, and lint findings.",
            robots_view,
            after="/inside/index",
            station="robots.txt",
        ),
        InsideView(
            "/inside/duplicates",
            "Duplicates",
            "Clusters of near copies, exact copies, and the effect of another threshold.",
            duplicates_view,
            after="/inside/robots",
            station="Duplicates",
        ),
        InsideView(
            "/inside/wire",
            "The wire",
            "The header lines of each request and response of a URL, redirects and robots.txt included.",
            wire_view,
            after="/inside/duplicates",
            station="Fetch",
        ),
        InsideView(
            "/inside/bit-map",
            "The visited set as a bit map",
            "The URLs of this crawl in a Bloom filter, and those that it would lose.",
            bit_map_view,
            after="/inside/wire",
            station="Frontier",
        ),
    ]
