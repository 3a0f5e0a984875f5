"""Does `/inside` list all views, and are those of the course in its picture, each with its files?"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from extension_points import call_extensions
from extensions import course
from extensions.course.inside.contents import listed_views
from extensions.course.inside.picture import stations
from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from extension_points import InsideView

VIEWS = course.inside_views()


def test_the_list_leads_to_each_view(client: FlaskClient) -> None:
    page = client.get("/inside").text
    assert re.findall(r'<li><a href="(/inside/[\w-]+)">', page) == [view.path for view in listed_views()]


def test_each_view_is_behind_the_one_that_it_follows() -> None:
    paths = [view.path for view in listed_views()]
    assert sorted(paths) == sorted(view.path for view in call_extensions("inside_views"))
    followed = [(view.after, view.path) for view in listed_views() if view.after in paths]
    assert all(paths.index(first) < paths.index(second) for first, second in followed)


def test_every_page_leads_to_the_list(client: FlaskClient) -> None:
    for path in ("/search", "/stats", "/inside/traps"):
        assert '<a href="/inside">' in client.get(path).text


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_each_view_ends_with_files_that_are_there_and_open_so(client: FlaskClient, view: InsideView) -> None:
    told = re.findall(r"<li><code>([\w/]+\.py)</code> (.*?)</li>", client.get(view.path).text)
    assert told
    for path, question in told:
        assert html.unescape(question) in (ROOMS / path).read_text()


def test_each_view_is_at_a_station() -> None:
    assert {path for station in stations(None, VIEWS) for path, _ in station.links} >= {view.path for view in VIEWS}
