"""What can be looked into? `/inside` lists the views with a sentence each; a view stands here once it works."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template

from gateway.inside.crawl import crawl_view
from gateway.inside.duplicates import duplicates_view
from gateway.inside.index import index_view
from gateway.inside.links import links_view
from gateway.inside.ranking import ranking_view
from gateway.inside.robots import robots_view
from gateway.inside.robots_study import robots_study_view
from gateway.inside.traps import traps_view

contents_view = Blueprint("inside", __name__)


@dataclass(frozen=True, slots=True)
class Lid:
    """A view of the inside: where it is, its name in a list, and what it shows."""

    path: str
    name: str
    shows: str
    views: Blueprint


LIDS: tuple[Lid, ...] = (
    Lid(
        "/inside/crawl",
        "The crawl while it runs",
        "What waits and for whom, how fast it goes, what servers answer, what is held back and why, and what is left.",
        crawl_view,
    ),
    Lid(
        "/inside/traps",
        "Traps",
        "Patterns of addresses with what they brought, what was decided about each and why, and what undoes it.",
        traps_view,
    ),
    Lid(
        "/inside/links",
        "Links",
        "The graph of a site, who links to a page and whom it links, and PageRank round by round.",
        links_view,
    ),
    Lid(
        "/inside/index",
        "The index",
        "Postings of a word, the dictionary around it, segments, sizes.",
        index_view,
    ),
    Lid(
        "/inside/ranking",
        "The ranking",
        "Turn what counts: the list reorders beside the saved one, and judged questions say whether that is better.",
        ranking_view,
    ),
    Lid(
        "/inside/robots",
        "robots.txt",
        "A file that is pasted, or a site's own: four readings side by side, the lines that decide, and its lint.",
        robots_view,
    ),
    Lid(
        "/inside/robots-study",
        "A study of robots.txt files",
        "Whom all files together name, favour and shut out, what they ask, and how they change: each bar leads to its "
        "files.",
        robots_study_view,
    ),
    Lid(
        "/inside/duplicates",
        "Duplicates",
        "Clusters of pages that say nearly the same, exact copies beside them, bands, and a threshold to turn.",
        duplicates_view,
    ),
)


@contents_view.get("/inside")
def inside() -> str:
    """List the views."""
    return render_template("inside/contents.html", lids=LIDS)
