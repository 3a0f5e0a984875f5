"""Does the textbook engine still lack what the table at the start of its README says? A shorter crawl shows it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.demo.engine_figures import ROWS, measure

ROOT = Path(__file__).resolve().parents[3]
PAGES = 150
ROW = re.compile(r"^\| (.+?) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)


def documented() -> dict[str, tuple[int, int]]:
    """The rows of the README: what the textbook engine did, and what the engine did."""
    text = (ROOT / "textbook" / "README.md").read_text()
    return {
        label: (int(theirs.replace(",", "")), int(ours.replace(",", ""))) for label, theirs, ours in ROW.findall(text)
    }


def test_a_short_crawl_lacks_in_each_row_what_the_readme_says(tmp_path: Path) -> None:
    figures = measure("textbook", PAGES, tmp_path)
    measured = {label: figure(figures) for label, figure in ROWS}
    rows = documented()
    assert list(measured) == list(rows)
    for label, (textbook, engine) in rows.items():
        if label.startswith("pages kept"):
            assert measured[label] == textbook == 0 < engine
        else:
            assert textbook > engine, label
            assert measured[label] > 0, label
    assert measured["requests to the practice web"] <= rows["requests to the practice web"][0]
    assert [rows[label][1] for label in rows if label.startswith(("pages in", "good pages", "of 3"))] == [0, 0, 0], (
        "what the engine's own demo holds"
    )
