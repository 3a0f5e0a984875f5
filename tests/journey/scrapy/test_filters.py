"""Is each filter of ours an item pipeline for others? A new Scrapy project names it, and it drops what it rejects."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import filters_addon
from tests.forks import SCRAPY, forked

if TYPE_CHECKING:
    from tests.forks import ForkServer

ROOT = Path(__file__).resolve().parents[3]
SPIDER = """
import json

import scrapy


class Rows(scrapy.Spider):
    name = "rows"

    async def start(self):
        for row in json.loads(self.rows):
            yield row
"""
SETTINGS = """
import json, os
ITEM_PIPELINES = json.loads(os.environ["STAGES"])
USER_AGENT = "ShopBot/2.0 (+https://shop.example)"
LOG_LEVEL = "INFO"
STATS_DUMP = True
"""
CELLAR = (
    "Pears keep for weeks in a cool cellar, if they lie apart and nobody bruises them on the way down the stairs. "
    "Late kinds are picked in October, when the stalk comes off the branch by itself as the fruit is lifted. "
    "They ripen in a warm room within days, so bring up no more than a bowl of them at once, and turn each by hand. "
)
HIDDEN = f'<p>Plums keep for a week in a bowl.</p><div style="display:none">{"cheap watches " * 20}</div>'
HTML = {"Content-Type": "text/html"}


def row(path: str, html: str, **fields: Any) -> dict[str, Any]:
    return {"url": f"http://shop.example{path}", "html": html, "headers": HTML} | fields


KEPT = row("/pears", f"<title>Pears</title><p>{CELLAR}")
# The filter, a row that it drops, the rule, and what the message says.
ROWS = [
    ("WellKnownFiles", {"url": "http://shop.example/ads.txt", "text": "x"}, "well-known", "it is ads.txt"),
    ("Admission", row("/a", "<meta name=shopbot content=noindex><p>A page."), "noindex", "says noindex"),
    ("Fingerprint", row("/b", f"<title>Pears</title><p>{CELLAR}"), "duplicate", "it says the same as http://"),
    ("NearDuplicates", row("/c", f"<title>Again</title><p>{CELLAR} Or so."), "near-duplicate", "% of its word groups"),
    ("SoftNotFound", row("/d", "<title>Page not found</title><p>Sorry."), "soft-404", "but the title says"),
    ("Spoofing", row("/e", HIDDEN), "hidden-text", "words hidden by"),
]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("project")
    scrapy_anew(place, "startproject", "shop")
    folder = place / "shop"
    (folder / "shop" / "spiders" / "rows.py").write_text(SPIDER)
    with (folder / "shop" / "settings.py").open("a") as settings:
        settings.write(SETTINGS)
    return folder


def scrapy_anew(folder: Path, *words: str, **variables: str) -> str:
    """Run Scrapy as somebody else does: in a folder that is not ours, and with ours on the path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY", "BREADCRUMB"))}
    environment |= {"PYTHONPATH": str(ROOT)} | variables
    command = [sys.executable, "-m", "scrapy", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def crawl(
    project: Path, stages: list[str], rows: list[dict[str, Any]], *words: str, forks: ForkServer | None = None
) -> tuple[list[str], str]:
    """Return the paths of the rows that pass these filters, and the log; of a new process, where no forks are given."""
    named = json.dumps({f"filters_addon.{stage}": place for place, stage in enumerate(stages, 100)})
    line = ("crawl", "rows", "-a", f"rows={json.dumps(rows)}", "-O", "kept.json", *words)
    if forks:
        done = forked(forks, *line, entry=SCRAPY, folder=str(project), environment={"STAGES": named})
        assert done.returncode == 0, done.stderr
        log = done.stderr
    else:
        log = scrapy_anew(project, *line, STAGES=named)
    kept = json.loads((project / "kept.json").read_text() or "[]")
    return [each["url"].removeprefix("http://shop.example") for each in kept], log


@pytest.mark.parametrize(("stage", "bad", "rule", "said"), ROWS, ids=[each[0] for each in ROWS])
def test_each_filter_drops_one_row_and_passes_the_other(
    project: Path, forks: ForkServer, stage: str, bad: dict[str, Any], rule: str, said: str
) -> None:
    price = {"price": 3, "url": "http://shop.example/price"}
    kept, log = crawl(project, [stage], [KEPT, bad, price], forks=forks)
    assert kept == ["/pears", "/price"]
    assert f"{bad['url']}: {rule}: " in log
    assert said in log
    for counted in (rule, "passed", "no_page"):
        assert f"'filters/{stage}/{counted}': 1" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_all_of_them_stand_in_one_project_and_the_first_that_rejects_counts(project: Path) -> None:
    assert {stage for stage, *_ in ROWS} == {*filters_addon.__all__} - {"Rejected"}
    kept, log = crawl(project, [stage for stage, *_ in ROWS], [KEPT, *(bad for _, bad, *_ in ROWS), KEPT])
    assert kept == ["/pears", "/pears"], "a page that comes again is no copy of itself"
    assert all(f"'filters/{stage}/{rule}': 1" in log for stage, _, rule, _ in ROWS)


@pytest.mark.parametrize(
    ("stage", "setting", "bad"),
    [
        ("NearDuplicates", "NEAR_DUPLICATE_THRESHOLD=0.99", ROWS[3][1]),
        ("NearDuplicates", "NEAR_DUPLICATE_THRESHOLD=1", ROWS[3][1]),
        ("Spoofing", "SPOOF_SIGNALS=stuffing", ROWS[5][1]),
        ("Admission", "ROBOTSTXT_USER_AGENT=OtherBot", ROWS[1][1]),
    ],
)
def test_a_setting_lets_the_row_pass(
    project: Path, forks: ForkServer, stage: str, setting: str, bad: dict[str, Any]
) -> None:
    assert len(crawl(project, [stage], [KEPT, bad], "-s", setting, forks=forks)[0]) == 2
