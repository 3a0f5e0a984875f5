"""What can be looked into? `/inside` shows the way of a page as a picture, and lists the views.

The views are those of extensions.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Any

from flask import Blueprint, render_template

import extensions.course.inside.picture
import reports.numbers
from crawldb.database import DatabaseError, NoCrawlError, in_words
from extension_points import call_extensions
from extensions.course.inside.picture import stations
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from extension_points import InsideView

contents_view = Blueprint("inside", __name__, template_folder="../templates")


def listed_views() -> list[InsideView]:
    """Return the views of extensions, each behind the one that it follows."""
    views: list[InsideView] = call_extensions("inside_views")
    paths = {view.path for view in views}
    return [each for view in views if view.after not in paths for each in _with_followers(view, views)]


def _with_followers(view: InsideView, views: list[InsideView]) -> Iterator[InsideView]:
    yield view
    for each in views:
        if each.after == view.path:
            yield from _with_followers(each, views)


@contents_view.get("/inside")
def inside() -> str:
    """Show the picture, and list the views. Without a crawl all numbers are 0; a crawl that can't be read has none."""
    views, crawl = listed_views(), served_crawl()
    now, fault = None, ""
    try:
        now = crawl.report()
    except NoCrawlError:
        pass
    except DatabaseError as error:
        fault = crawl.public_error(error)
    except sqlite3.Error as error:
        fault = crawl.public_error(in_words(error))
    numbers: Mapping[str, Any] = now or {}
    parts = numbers.get("parts", ())  # of a divided crawl
    runs = (each.get("last_run") for each in (numbers, *parts))
    return render_template(
        "inside/contents.html",
        views=views,
        now=now,
        at=time.time(),
        running=any(run["running"] for run in runs if run),
        faults={part["part"]: part["fault"] for part in parts if part["fault"]},
        fault=fault,
        stations=() if fault else stations(now, views),
        sources=source_files_of(extensions.course.inside.picture, reports.numbers),
    )
