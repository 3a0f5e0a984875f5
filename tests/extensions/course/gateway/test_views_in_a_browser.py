"""Can everybody read the views of the course? As tests/gateway/in_a_browser asks of every view."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from extensions import course
from tests.gateway.conftest import SITE, gateway
from tests.gateway.in_a_browser.gazette import RULES, WORD
from tests.gateway.in_a_browser.test_every_view_in_a_browser import (
    VIEWS,
    classes_without_a_row,
    look_at,
    page,
    served_town,
    town,
)

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

__all__ = ["page", "served_town", "town"]  # fixtures
pytestmark = pytest.mark.browser
OWN_VIEWS = [
    ("/inside", "From a seed to a result"),
    (f"/inside/root-set?seed={SITE}/&url={SITE}/rye.html", "would be lost"),
    ("/inside/bit-map?bits=2&hashes=3&url=http://bakery.localhost:8400/rye.html", "Who set its bits"),
    ("/inside/wire?url=http://bakery.localhost:8400/rye.html", "If-None-Match"),
    ("/inside/wire", "One URL for each status"),
    ("/inside/traps", "Yield by pattern"),
    ("/inside/robots?agents=Breadcrumb,Crumb", "For Crumb"),
    ("/inside/wire?url=http://nowhere.example/", "No request for"),
    ("/inside/links", "The pages with the most inlinks"),
    (f"/inside/links?url={SITE}/rye.html", "Pages that link to it"),
    ("/inside/index", "Size by field"),
    ("/inside/index?term=cake", "Neighbours in the dictionary"),
    ("/inside/duplicates?threshold=0.3", "Bands and the S-curve"),
]
STATES = [
    ("/inside/duplicates", "Represented by"),
    ("/inside/robots?" + urlencode({"text": RULES, "urls": f"/a/{WORD}\n/{'x' * 300}"}), "Disallow"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), OWN_VIEWS)
def test_a_view_fits_every_screen_and_keeps_nobody_out(page: Page, served: str, path: str, seen: str) -> None:
    look_at(page, f"{served}{path}", seen)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seen"), STATES)
def test_a_state_of_a_view_does_too(page: Page, served_town: str, path: str, seen: str) -> None:
    look_at(page, f"{served_town}{path}", seen)


def test_every_class_of_the_templates_is_in_a_row(bakery: Path, town: Path) -> None:
    missing = classes_without_a_row(course.__file__, gateway(bakery), (*OWN_VIEWS, *VIEWS))
    assert missing & classes_without_a_row(course.__file__, gateway(town), STATES) == set()
