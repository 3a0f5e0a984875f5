"""What can be looked into? `/inside` shows the way of a page as a picture, and lists the views.

Views of extensions are in both.
"""

from __future__ import annotations

import sqlite3

from flask import Blueprint, render_template

import gateway.inside.picture
import reports.numbers
from crawldb.database import DatabaseError, NoCrawlError, in_words
from extension_points import InsideView, call_extensions
from gateway.inside.crawl import crawl_view
from gateway.inside.picture import stations
from gateway.inside.source_files import source_files_of
from gateway.served_crawl import served_crawl

contents_view = Blueprint("inside", __name__)


OWN_VIEWS = (
    InsideView(
        "/inside/crawl",
        "Crawl progress",
        "The queue by site, the pace, status codes, suppressed URLs with their rules, and the remaining work.",
        crawl_view,
        station="Frontier",
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
    """Show the picture, and list the views. Without a crawl all numbers are 0; a crawl that can't be read has none."""
    views, crawl = listed_views(), served_crawl()
    now, fault = None, ""
    try:
        now = crawl.crawl_progress()
    except NoCrawlError:
        pass
    except DatabaseError as error:
        fault = crawl.public_error(error)
    except sqlite3.Error as error:
        fault = crawl.public_error(in_words(error))
    return render_template(
        "inside/contents.html",
        views=views,
        now=now,
        fault=fault,
        stations=() if fault else stations(now.numbers if now else None, views),
        sources=source_files_of(gateway.inside.picture, reports.numbers),
    )
