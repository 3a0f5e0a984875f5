"""Can everybody read the views over robots.txt files? As tests/gateway/in_a_browser asks of every view."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extensions import robots_files
from tests.gateway.conftest import gateway
from tests.gateway.in_a_browser import gazette
from tests.gateway.in_a_browser.test_every_view_in_a_browser import (
    VIEWS,
    classes,
    look_at,
    look_at_paper,
    page,
    served_town,
    town,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["page", "served_town", "town"]  # fixtures
pytestmark = pytest.mark.browser
OWN_VIEWS = [
    ("/search?in=robots", "What you can search for"),
    ("/search?in=robots&q=agent:* disallow:*", "Older versions too"),
    ("/search?in=robots&q=script+site:crumb.example", "onerror=alert(2)"),
    ("/search?in=robots&q=agent:gptbott", "Near it"),
    ("/inside/robots-study", "Robots by how many files name them"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), OWN_VIEWS)
def test_a_view_fits_every_screen_and_keeps_nobody_out(page: Page, served: str, path: str, seen: str) -> None:
    look_at(page, f"{served}{path}", seen)


def test_on_paper_results_have_the_query_above_them_and_no_menus(page: Page, served_town: str) -> None:
    address = f"{served_town}/search?in=robots&q=agent:gptbott"
    look_at_paper(page, address, "robots.txt files for agent:gptbott")


def test_every_class_of_the_templates_is_in_a_row(bakery: Path, town: Path) -> None:
    rows = [(gateway(bakery), [*OWN_VIEWS, *VIEWS]), (gateway(town), gazette.STATES)]
    shown = {name for client, views in rows for path, _ in views for name in classes(client.get(path).text)}
    templates = Path(robots_files.__file__).parent.joinpath("templates").rglob("*.html")
    assert {name for template in templates for name in classes(template.read_text())} - shown == set()
