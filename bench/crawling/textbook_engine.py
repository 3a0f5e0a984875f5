"""Which features does the textbook engine lack? Both engines crawl the practice web, and its truth shows how each did.

    bench/crawl textbook [--pages 1000]        makes the table at the start of textbook/README.md

Both crawl with the practice web's seeds; the textbook engine stops after N pages, since its traps have no end. The
engine's index is complete when its crawl ends. Each is crawled a second time and killed (SIGKILL) after 150 requests.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.harness.program import parser_of, show
from tests.demo.engine_figures import ROWS, measure

PAGES = 1000  # the textbook engine's own limit


def main() -> None:
    """Print the table."""
    options = parser_of(__doc__, pages=PAGES).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engines = {name: measure(name, options.pages, Path(folder)) for name in ("textbook", "site")}
    rows = [
        {"on the practice web": label} | {name: figure(found) for name, found in engines.items()}
        for label, figure in ROWS
    ]
    show(rows, options)
