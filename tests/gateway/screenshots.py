"""How does it look? The pictures of the README, or any views in three sizes and two colours, by an installed Chromium.

    ./breadcrumb demo                                     # in another terminal
    .venv/bin/python -m tests.gateway.screenshots http://127.0.0.1:8401    # those of the README, into docs/images
    .venv/bin/python -m tests.gateway.screenshots http://127.0.0.1:8401 PATH … --into DIR    # each path six times

Nothing is measured: whoever changes a view looks at it, and whoever changes the search page takes the pictures anew.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"phone": (320, 640), "laptop": (1366, 768), "projector": (1920, 1080)}
COLOURS: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PICTURES = {
    "search": "/search?q=bakery",
    "why": "/why?url=http://bakery.localhost:8400/breads/rye.html&q=rye+bread",
    "inside": "/inside/index?term=bread",
}


def main() -> None:
    """Take the pictures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("address", help="of a gateway that runs")
    options.add_argument("paths", nargs="*", metavar="PATH")
    options.add_argument("--into", type=Path, default=ROOT / "docs" / "images", metavar="DIR")
    asked = options.parse_args()
    shots = [(name, path, (1100, 820), COLOURS[0]) for name, path in PICTURES.items()]
    if asked.paths:
        shots = [
            (f"{number}-{size}-{colour}", path, SIZES[size], colour)
            for number, path in enumerate(asked.paths, 1)
            for size in SIZES
            for colour in COLOURS
        ]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium on the PATH: install the package chromium")
    asked.into.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, path, (width, height), colour in shots:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colour)
            page.goto(f"{asked.address.rstrip('/')}{path}")
            page.screenshot(path=asked.into / f"{name}.png")
            page.close()
            print(asked.into / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
