"""A Scrapy project of somebody else, whose spider yields the rows that it is given, through filters of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

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
HTML = {"Content-Type": "text/html"}


def row(path: str, html: str, **fields: Any) -> dict[str, Any]:
    return {"url": f"http://shop.example{path}", "html": html, "headers": HTML} | fields


KEPT = row("/pears", f"<title>Pears</title><p>{CELLAR}")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
