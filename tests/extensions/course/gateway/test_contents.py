"""Are the views of the course in the picture of `/inside`, and does each name its files?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions import course
from gateway.inside.picture import stations
from tests.gateway.inside.test_contents import assert_names_its_files

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from extension_points import InsideView

VIEWS = course.inside_views()


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_each_view_ends_with_files_that_are_there_and_open_so(client: FlaskClient, view: InsideView) -> None:
    assert_names_its_files(client, view)


def test_each_view_is_at_a_station() -> None:
    assert {path for station in stations(None, VIEWS) for path, _ in station.links} >= {view.path for view in VIEWS}
