"""Can everybody read the view of the ranking? As tests/gateway/in_a_browser asks of every view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gateway.in_a_browser.test_every_view_in_a_browser import look_at, page, served_town, town

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["page", "served_town", "town"]  # fixtures
pytestmark = pytest.mark.browser
OWN_VIEWS = [
    ("/inside/ranking?q=rye+bread", "Saved ranking"),
    ("/inside/ranking?q=rye+bread&lang=en", "Saved ranking"),
    ("/inside/ranking?q=rye+bread&body=0&headings=0", "To save this ranking"),
]
STATES = [
    ("/inside/ranking?q=gazette", "Saved ranking"),
    ("/inside/ranking?q=gazette+letters&body=0&headings=2&title=0.5", "= same"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), OWN_VIEWS)
def test_a_view_fits_every_screen_and_keeps_nobody_out(page: Page, served: str, path: str, seen: str) -> None:
    look_at(page, f"{served}{path}", seen)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), STATES)
def test_a_state_of_a_view_does_too(page: Page, served_town: str, path: str, seen: str) -> None:
    look_at(page, f"{served_town}{path}", seen)
