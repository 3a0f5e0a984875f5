"""Is each filter of ours an item pipeline for others? A new Scrapy project names it, and it drops what it rejects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import filters_addon
from tests.journey.scrapy.shop import CELLAR, KEPT, crawl, row

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer

# The filter, a row that it drops, the rule, and what the message says.
ROWS = [
    ("WellKnownFiles", {"url": "http://shop.example/ads.txt", "text": "x"}, "well-known", "it is ads.txt"),
    ("Admission", row("/a", "<meta name=shopbot content=noindex><p>A page."), "noindex", "says noindex"),
    ("Fingerprint", row("/b", f"<title>Pears</title><p>{CELLAR}"), "duplicate", "it says the same as http://"),
    ("NearDuplicates", row("/c", f"<title>Again</title><p>{CELLAR} Or so."), "near-duplicate", "% of its word groups"),
    ("SoftNotFound", row("/d", "<title>Page not found</title><p>Sorry."), "soft-404", "but the title says"),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "bad", "rule", "said"), ROWS, ids=[each[0] for each in ROWS])
def test_each_filter_drops_one_row_and_passes_the_other(
    shop: Path, forks: ForkServer, stage: str, bad: dict[str, Any], rule: str, said: str
) -> None:
    price = {"price": 3, "url": "http://shop.example/price"}
    kept, log = crawl(shop, [stage], [KEPT, bad, price], forks=forks)
    assert kept == ["/pears", "/price"]
    assert f"{bad['url']}: {rule}: " in log
    assert said in log
    for counted in (rule, "passed", "no_page"):
        assert f"'filters/{stage}/{counted}': 1" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_all_of_them_stand_in_one_project_and_the_first_that_rejects_counts(shop: Path) -> None:
    assert {stage for stage, *_ in ROWS} == {*filters_addon.__all__} - {"Rejected"}
    kept, log = crawl(shop, [stage for stage, *_ in ROWS], [KEPT, *(bad for _, bad, *_ in ROWS), KEPT])
    assert kept == ["/pears", "/pears"], "a page that comes again is no copy of itself"
    assert all(f"'filters/{stage}/{rule}': 1" in log for stage, _, rule, _ in ROWS)


@pytest.mark.parametrize(
    ("stage", "setting", "bad"),
    [
        ("NearDuplicates", "NEAR_DUPLICATE_THRESHOLD=0.99", ROWS[3][1]),
        ("NearDuplicates", "NEAR_DUPLICATE_THRESHOLD=1", ROWS[3][1]),
        ("Admission", "ROBOTSTXT_USER_AGENT=OtherBot", ROWS[1][1]),
    ],
)
def test_a_setting_lets_the_row_pass(
    shop: Path, forks: ForkServer, stage: str, setting: str, bad: dict[str, Any]
) -> None:
    assert len(crawl(shop, [stage], [KEPT, bad], "-s", setting, forks=forks)[0]) == 2
