"""A collection of a few pages with judged questions, as the programs of bench/ read them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("rye", "wheat", "barley", "spelt", "oats", "millet")


def make_collection(folder: Path) -> Path:
    """Write a page about each grain, and the question that it answers."""
    folder.mkdir()
    with gzip.open(folder / "docs.jsonl.gz", "wt", encoding="utf-8") as rows:
        for name in NAMES:
            text = f"A loaf of {name} rises in a warm place. Its crust is dark and thick when the oven is hot."
            rows.write(json.dumps({"id": f"{name}.html", "title": f"Bread of {name}", "text": text}) + "\n")
    lines = [json.dumps({"id": f"q{name}", "text": f"bread of {name}"}) for name in NAMES]
    (folder / "queries.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "qrels.tsv").write_text("".join(f"q{name}\t{name}.html\t1\n" for name in NAMES), "utf-8")
    return folder
