"""Does bench/parse show each stage of reading and filtering, next to another reader?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.pages.hostile_pages import hostile_pages

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench

STAGES = ("decode", "prove that it is harmless", "… parse", "… main text", "links", "filter: Fingerprint")


def test_each_stage_has_its_time_and_the_whole_is_more_than_any(bench: Bench, tmp_path: Path) -> None:
    page = f"<title>t</title><nav><a href=/>home</a></nav>{'<p>Words of a <a href=x>page</a>.</p>' * 200}"
    for name in ("one.html", "two.html"):
        (tmp_path / name).write_text(page, "utf-8")
    done = bench("parse", str(tmp_path), "--rounds", "2", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["pages"], round(report["mean_kb"]), report["proved_harmless"]) == (2, 7, 2)
    medians = {stage: row["median"] for stage, row in report["CPU ms a page"].items()}
    for stage in STAGES:
        assert any(name.startswith(stage) for name in medians)
    assert "BeautifulSoup (lxml)" in medians
    assert medians["read and judged, all of it"] >= medians["read the document"]


def test_a_folder_without_pages_is_told(bench: Bench, tmp_path: Path) -> None:
    done = bench("parse", str(tmp_path))
    assert (done.returncode, "no HTML file of 1000 bytes or more below it" in done.stderr) == (2, True)


def test_every_hostile_page_has_a_name_of_its_own() -> None:
    names = [name for name, _ in hostile_pages()]
    assert len(names) == len(set(names)) >= 36


def test_the_first_hostile_pages_are_read_and_held_against_the_bounds(bench: Bench) -> None:
    done = bench("parse", "--hostile", "2", "--json")
    report = json.loads(done.stdout)
    assert [row["page"] for row in report["hostile"]] == ["100,000 nested div", "1,000,000 nested b"]
    kept = [row["found"] <= row["at_most"] for row in report["bounds"]]
    assert (len(kept), done.returncode) == (3, int(not all(kept)))  # a busy machine may be slow
