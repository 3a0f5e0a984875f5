"""Is the filter of spoofing an item pipeline for others? Alone, behind the engine's filters, in a textbook crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import filters_addon
from extension_points import built_in
from tests.journey.conftest import Folder, Site, html
from tests.journey.scrapy.shop import KEPT, crawl, row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer

HIDDEN = row("/e", f'<p>Plums keep for a week in a bowl.</p><div style="display:none">{"cheap watches " * 20}</div>')
PRICE = {"price": 3, "url": "http://shop.example/price"}


def test_it_drops_one_row_and_passes_the_other(shop: Path, forks: ForkServer) -> None:
    kept, log = crawl(shop, ["Spoofing"], [KEPT, HIDDEN, PRICE], forks=forks)
    assert kept == ["/pears", "/price"]
    assert f"{HIDDEN['url']}: hidden-text: " in log
    assert "words hidden by" in log
    for counted in ("hidden-text", "passed", "no_page"):
        assert f"'filters/Spoofing/{counted}': 1" in log
    assert "Traceback" not in log


def test_it_stands_behind_the_filters_of_the_engine(shop: Path, forks: ForkServer) -> None:
    stages = ["WellKnownFiles", "Admission", "Fingerprint", "NearDuplicates", "SoftNotFound"]
    assert {*stages} == {*filters_addon.__all__} - {"Rejected"}
    kept, log = crawl(shop, [*stages, "Spoofing"], [KEPT, HIDDEN], forks=forks)
    assert kept == ["/pears"]
    assert "'filters/SoftNotFound/passed': 2" in log
    assert "'filters/Spoofing/hidden-text': 1" in log


def test_a_setting_lets_the_row_pass(shop: Path, forks: ForkServer) -> None:
    assert len(crawl(shop, ["Spoofing"], [KEPT, HIDDEN], "-s", "SPOOF_SIGNALS=stuffing", forks=forks)[0]) == 2


@pytest.mark.skipif("whoosh" not in built_in(), reason="the extension that crawls by the textbook engine")
def test_what_it_drops_of_a_textbook_crawl_is_counted(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("Start", "/one", "/stuffed"),
        "/one": html("One"),
        "/stuffed": html("Lamps", text="Lamps, cheap lamps, best lamps, lamps sale. " * 20),
    }
    filters = 'ITEM_PIPELINES={"filters_addon.Spoofing": 350}'
    done = folder.run("crawl", "textbook", "-a", f"seeds={site.url}/", "-s", filters)
    assert "Fetched 3 pages with 4 requests: 2 indexed" in done.stdout
    assert "0 near copies, 1 dropped otherwise." in done.stdout
